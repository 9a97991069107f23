/** The whole bot, wired up as the process does it, between neighbours that a test writes by hand, with time by hand as well. */
import { onTestFinished } from 'vitest'
import type { Chat, Directory, Heartbeat, Monitor } from '../../src/bot/flow/ports/ports.ts'
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

/** Polls every quarter of a minute, tells everything in one channel, and lets everyone do everything. */
const usual: WireSettings = {
  slackChannel: 'C1',
  pollCron: '*/15 * * * * *',
  images: 'off',
  routes: [],
  severity: [],
  links: [],
  lifecycle: 'auto',
  permissions: everyone,
  limits: { muteDefaultMs: hourMs, muteMaxMs: 30 * 24 * hourMs, accountMuteMaxMs: 4 * hourMs },
  board: false,
  reminders: { steps: [], flapSettleMs: null, staleAckAfterMs: null },
  timezone: 'UTC',
}

export type BotInMemory = Bot & {
  readonly logger: ReturnType<typeof keptJournal>
  readonly clock: ManualClock
  readonly store: OpenStore
  /** What Slack was given to call when somebody does something; null before the start. */
  inbound(): InboundPorts | null
}

/** Made and not yet started; it is stopped after the test. The same memory and clock given again make it the next start. */
export async function openBotInMemory(of: {
  readonly monitor: Monitor
  readonly chat: Chat
  readonly clock?: ManualClock
  readonly store?: OpenStore
  readonly directory?: Directory
  readonly heartbeat?: Heartbeat
  readonly logger?: ReturnType<typeof keptJournal>
  readonly settings?: Partial<WireSettings>
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
          membersOf: async () => new Set(),
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
      clock,
      logger,
      ids: { make: () => `${prefix}-${String(++made).padStart(3, '0')}` },
      draw: { series: async () => new Uint8Array(8), bars: async () => new Uint8Array(8) },
      random: () => 0.5,
      mishaps: () => [],
      heartbeat: of.heartbeat ?? null,
    },
  )
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= bot.stop())
  // Before the memory is closed: what was opened last is closed first.
  onTestFinished(stop)
  return { ...bot, stop, logger, clock, store, inbound: () => inbound }
}
