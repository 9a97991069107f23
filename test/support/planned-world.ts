/** A whole bot in memory with a clock by hand, for stories about planned mutes. */
import { parseCommand } from '../../src/bot/domain/command/commands.ts'
import type { PolicyMute } from '../../src/bot/domain/mute/planned.ts'
import type { Intent } from '../../src/bot/domain/request/intent.ts'
import { render } from '../../src/bot/slack/render/render.ts'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'
import type { WireSettings } from '../../src/bot/wire.ts'
import { scriptedMonitor } from './acting-world.ts'
import { openBotInMemory } from './bot-in-memory.ts'
import { letPass } from './delivery-world.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A running bot; it is 05:00 of Saturday, 2026-11-21, in Berlin, where everybody is. */
export async function plannedWorld(
  of: {
    readonly maintenance?: readonly PolicyMute[]
    readonly settings?: Partial<Pick<WireSettings, 'limits' | 'slackChannel'>>
    readonly store?: OpenStore
    readonly clock?: ManualClock
    readonly chat?: ReturnType<typeof forgetfulChat>
  } = {},
) {
  const { clock = manualClock(), store = await memoryStore() } = of
  const { running, calls, script } = scriptedMonitor()
  const chat = of.chat ?? forgetfulChat({ nowMs: clock.nowMs })
  const { maintenance = [] } = of
  const bot = await openBotInMemory({
    monitor: running,
    chat,
    clock,
    store,
    settings: { slackChannel: 'C0OPS', pollCron: '0 */5 * * * *', maintenance, ...of.settings },
  })
  await bot.start()
  let count = 0
  const prefix = crypto.randomUUID()
  const does = (intent: Intent) =>
    bot.handle({
      intent,
      userId: 'U0ANA',
      via: 'command',
      keys: [`${prefix}-${++count}`],
      channel: 'C0OPS',
      card: null,
    })
  async function types(text: string) {
    const parsed = parseCommand(text)
    if (!parsed.ok) return { kind: 'refused', refusal: parsed.refusal } as const
    return does(parsed.intent)
  }
  /** Confirms what is asked. */
  async function plans(text: string) {
    const asked = await types(text)
    if (asked.kind !== 'confirm_planned' && asked.kind !== 'confirm') return asked
    return does({ kind: 'confirm', pendingId: asked.pendingId })
  }
  /** What stands in Slack, but for boards; each message without its times. */
  const said = () =>
    chat.messages.map(({ view, threadTs }) => {
      const [line = ''] = render(view).text.split('\n')
      return `${threadTs === null ? '' : '↳ '}${line.replace(/\d{4}-\d\d-\d\d (\d\d:\d\d) UTC/g, '$1')}`
    })
  const muted = async () =>
    (await store.mutes()).mutes
      .filter(({ state }) => state === 'active')
      .map(({ subject }) => subject ?? 'account')
  return {
    bot,
    chat,
    clock,
    store,
    /** What the API was told of notifications. */
    calls: () => calls.filter((call) => !call.startsWith('marker')),
    script,
    does,
    types,
    plans,
    said,
    muted,
    pass: (ms: number) => letPass(clock, ms),
    planned: () => store.planned(),
  }
}

/** Epoch milliseconds of a day of November 2026 and a time in UTC: `21T05:00`. */
export const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)

/** Lets time pass until then; of more than four hours only the last minute is lived through. */
export async function passTo(
  world: { clock: ManualClock; pass: (ms: number) => Promise<void> },
  text: string,
) {
  const leftMs = at(text) - world.clock.nowMs()
  // Days are not waited for.
  if (leftMs > 4 * hourMs) world.clock.set(leftMs - minuteMs)
  await world.pass(at(text) - world.clock.nowMs())
}
