/** The bot of the simulated week: wired as in the process, with a real file, and a simulated clock, API and Slack. */
import type { Kept } from '../../src/bot/domain/base/retention.ts'
import type { Permissions } from '../../src/bot/domain/request/authorise.ts'
import type { Handle } from '../../src/bot/flow/handle.ts'
import type { Chat, Logger, Monitor, SteadyClock } from '../../src/bot/flow/ports/ports.ts'
import { type OpenStore, openStore } from '../../src/bot/store/open/open-store.ts'
import { wire } from '../../src/bot/wire.ts'
import { defaultChannel, routes } from './hosts.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const permissions: Permissions = {
  acknowledge: 'everyone',
  add_note: 'everyone',
  mute_server: 'everyone',
  mute_account: 'everyone',
  add_roles: 'everyone',
  add_marker: 'everyone',
  set_no_data: 'everyone',
  delete_server: 'nobody',
  delete_metric: 'nobody',
}

export type WeekBot = {
  readonly handle: Handle
  readonly store: OpenStore
  /** What the polls since the last time came to: how many changes of alerts; null: the API could not be read. */
  polled(): readonly (number | null)[]
  readonly homeOpened: (userId: string) => Promise<void>
  /** How often each event was in the log. */
  readonly events: ReadonlyMap<string, number>
  readonly logger: Logger
  /** Resolves when time has gone on: whoever stops has work under way. */
  stop(): Promise<void>
}

/** Polls once, and from then on every quarter of a minute. */
export async function startBot(world: {
  readonly monitor: Monitor
  readonly chat: Chat
  readonly clock: SteadyClock
  readonly path: string
  readonly kept: Kept
}): Promise<WeekBot> {
  const { monitor, chat, clock, path, kept } = world
  const store = await openStore(path)
  const events = new Map<string, number>()
  const polls: (number | null)[] = []
  const say = (event: string, facts: Record<string, unknown> = {}) => {
    events.set(event, (events.get(event) ?? 0) + 1)
    if (event === 'poll:done') polls.push(Number(facts.changes))
    if (event === 'poll:failed') polls.push(null)
    // It had been told as over, because a list left it out.
    if (event === 'alert:opened' && String(facts.alertId).includes('~')) say('alert:opened_again')
  }
  const logger: Logger = {
    debug: say,
    info: say,
    warn: say,
    error: (event, facts) => {
      say(event)
      // The bot itself goes on; the week does not.
      if (event === 'job:broken') throw facts?.error
    },
  }
  let lastId = 0
  let homeOpened = async (_userId: string): Promise<void> => undefined
  const startedMs = clock.nowMs()
  // A picture costs as much to draw however long the bot has run: eight bytes stand for it.
  const drawn = async () => new Uint8Array(8)
  const bot = wire(
    {
      slackChannel: defaultChannel,
      pollCron: '*/15 * * * * *',
      images: 'auto',
      routes,
      severity: [],
      links: [],
      showLabels: null,
      ignore: [{ match: { severity: 'none' } }],
      lifecycle: 'auto',
      permissions,
      limits: { muteDefaultMs: hourMs, muteMaxMs: 30 * 24 * hourMs, accountMuteMaxMs: 4 * hourMs },
      board: true,
      reminders: {
        steps: [{ afterMs: 30 * minuteMs, mention: null, channel: null }],
        flapSettleMs: 2 * minuteMs,
        staleAckAfterMs: 4 * hourMs,
      },
      timezone: 'UTC',
      report: null,
      kept,
    },
    {
      monitor: { ...monitor, close: async () => undefined },
      slack: {
        connect: async () => ({ closed: new Map(), none: null }),
        chat,
        directory: {
          personIs: async () => 'person' as const,
          zoneOf: async () => 'Europe/Berlin',
          nameOf: async (userId: string) => userId,
          membersOf: async () => new Set(),
          findByEmail: async () => null,
        },
        listen: async ({ onHome }) => {
          homeOpened = onHome
          return null
        },
        connection: () => ({ ready: true, sinceMs: startedMs, sockets: 1 }),
        stop: async () => undefined,
      },
      store,
      clock,
      logger,
      ids: { make: () => `id-${clock.nowMs()}-${++lastId}` },
      draw: { series: drawn, bars: drawn },
      random: () => 0.5,
      unexpectedErrors: () => [],
      heartbeat: null,
    },
  )
  await bot.start()
  return {
    handle: bot.handle,
    store,
    polled: () => polls.splice(0),
    homeOpened: (userId) => homeOpened(userId),
    events,
    logger,
    stop: async () => {
      await bot.stop()
      await store.close()
    },
  }
}
