/** Opens the whole bot, wired as in the process, with an API, a Slack and a clock that a test provides. */
import { onTestFinished } from 'vitest'
import { openStoreAccess } from '../../src/bot/flow/concurrency/store-access.ts'
import type { Leadership } from '../../src/bot/flow/ports/leadership.ts'
import type { Pager } from '../../src/bot/flow/ports/pager.ts'
import type {
  Chat,
  Directory,
  EmailBook,
  Heartbeat,
  Monitor,
  OnCallSource,
} from '../../src/bot/flow/ports/ports.ts'
import type { InboundPorts } from '../../src/bot/slack/inbound/inbound-ports.ts'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'
import { type Bot, type WireSettings, wire } from '../../src/bot/wire.ts'
import { keptJournal } from './journal.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'

const hourMs = 60 * 60_000

export const everyone: WireSettings['permissions'] = {
  acknowledge: 'everyone',
  add_note: 'everyone',
  mute_server: 'everyone',
  mute_account: 'everyone',
  add_roles: 'everyone',
  add_marker: 'everyone',
  set_no_data: 'everyone',
  delete_server: 'everyone',
  delete_metric: 'everyone',
}

/** Default settings: a poll every 15 s, one channel for everything, everything permitted. */
const usual: WireSettings = {
  slackChannel: 'C1',
  pollCron: '*/15 * * * * *',
  images: 'off',
  routes: [],
  severity: [],
  links: [],
  showLabels: null,
  ignore: [{ match: { severity: 'none' } }],
  lifecycle: 'auto',
  permissions: everyone,
  limits: { muteDefaultMs: hourMs, muteMaxMs: 30 * 24 * hourMs, accountMuteMaxMs: 4 * hourMs },
  board: false,
  reminders: { steps: [], flapSettleMs: null, staleAckAfterMs: null },
  timezone: 'UTC',
  report: null,
}

export type BotInMemory = Bot & {
  readonly logger: ReturnType<typeof keptJournal>
  readonly clock: ManualClock
  readonly store: OpenStore
  /** The ports that Slack calls when somebody makes a request; null before the start. */
  inbound(): InboundPorts | null
}

/** Makes the bot without starting it, and stops it after the test. With the same database and clock it is the next start. */
export async function openBotInMemory(of: {
  readonly monitor: Monitor
  readonly chat: Chat
  readonly clock?: ManualClock
  readonly store?: OpenStore
  readonly directory?: Directory & EmailBook
  readonly heartbeat?: Heartbeat
  readonly onCallSource?: OnCallSource
  readonly pager?: Pager
  readonly logger?: ReturnType<typeof keptJournal>
  readonly settings?: Partial<WireSettings>
  /** Its store may be away for a while. */
  readonly isShared?: boolean
  readonly leadership?: Leadership
  /** After a reload: what the bot before it knew. */
  readonly earlierPollMs?: number | null
}): Promise<BotInMemory> {
  const { clock = manualClock(), logger = keptJournal(), store = await memoryStore() } = of
  let inbound: InboundPorts | null = null
  let made = 0
  const prefix = crypto.randomUUID().slice(0, 8)
  const startedMs = clock.nowMs()
  const bot = wire(
    { ...usual, ...of.settings },
    {
      monitor: { ...of.monitor, close: async () => undefined },
      slack: {
        connect: async () => ({ closed: new Map(), none: null }),
        chat: of.chat,
        directory: of.directory ?? {
          zoneOf: async () => 'Europe/Berlin',
          personIs: async () => 'person' as const,
          nameOf: async (userId) => `name of ${userId}`,
          membersOf: async () => new Set(),
          findByEmail: async () => null,
        },
        listen: async (ports) => {
          inbound = ports
          return null
        },
        connection: () => ({
          ready: inbound !== null,
          sinceMs: startedMs,
          sockets: inbound === null ? 0 : 1,
        }),
        stop: async () => undefined,
      },
      store,
      ...(of.isShared === true ? { access: openStoreAccess(store, { clock, logger }) } : {}),
      ...(of.leadership === undefined ? {} : { leadership: of.leadership }),
      clock,
      logger,
      ids: { make: () => `${prefix}-${String(++made).padStart(3, '0')}` },
      draw: { series: async () => new Uint8Array(8), bars: async () => new Uint8Array(8) },
      random: () => 0.5,
      unexpectedErrors: () => [],
      heartbeat: of.heartbeat ?? null,
      onCallSource: of.onCallSource ?? null,
      pager: of.pager ?? null,
      earlierPollMs: of.earlierPollMs ?? null,
    },
  )
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= bot.stop())
  // Before the memory is closed: what was opened last is closed first.
  onTestFinished(stop)
  return { ...bot, stop, logger, clock, store, inbound: () => inbound }
}
