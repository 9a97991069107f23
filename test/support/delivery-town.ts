/** A world for the outbox, with real SQLite and a Slack that misbehaves by a list: alerts open and close, and time passes. */
import type { Plan } from '../../src/bot/domain/plan.ts'
import { type Deliver, openDeliver } from '../../src/bot/flow/outbox/worker.ts'
import { alone } from '../../src/bot/flow/ports/leadership.ts'
import type { Chat } from '../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'
import { anAlert, calm, closing, opening } from './delivery-world.ts'
import { type Fate, type ForgetfulChat, forgetfulChat } from './forgetful-chat.ts'
import { keptJournal } from './journal.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'
import { startPart } from './start-part.ts'

export function deliverTo(
  chat: Chat,
  store: Store,
  clock: ManualClock,
  logger = keptJournal(),
  leadership = alone,
) {
  const deliver: Deliver = startPart(
    openDeliver({
      store,
      chat,
      clock,
      logger,
      health: () => calm(clock.nowMs()),
      leadership,
      links: [],
      showLabels: null,
      routing: { routes: [], defaultChannel: null, gone: () => new Set() },
      onShown: () => undefined,
    }),
  )
  /** Commits a plan, and wakes the outbox. */
  const commit = async (plan: Plan) => {
    await store.commit(plan)
    deliver.wake()
  }
  return { deliver, logger, commit }
}

export type DeliverySetting = {
  /** What happens to posts and updates, in order; after that, all succeed. */
  fates?: Fate[]
  /** Whether the history can be read. */
  finds?: (nowMs: number) => boolean
  /** How late the history shows the posts, in their order. */
  lagsMs?: number[]
  /** How long after its call a post that is taken late appears. */
  lateMs?: number
  slackAheadMs?: number
  over?: (chat: ForgetfulChat, clock: ManualClock) => Partial<Chat>
  /** Wraps the store. */
  overStore?: (store: OpenStore) => Partial<Store>
}

export async function deliveryTown(setting: DeliverySetting = {}) {
  const { fates = [], finds = () => true, lagsMs = [], slackAheadMs = 0, lateMs, over, overStore } = setting
  const clock = manualClock()
  const startMs = clock.nowMs()
  const chat = forgetfulChat({
    // Slack's clock continues, however ours is set.
    nowMs: () => startMs + clock.steadyMs() + slackAheadMs,
    fateOf: (call) => (call === 'find' ? (finds(clock.nowMs()) ? 'ok' : 'lost') : (fates.shift() ?? 'ok')),
    historyLagMs: () => lagsMs.shift() ?? 0,
    ...(lateMs === undefined ? {} : { lateMs: () => lateMs }),
  })
  const store = await memoryStore()
  const start = () =>
    deliverTo({ ...chat, ...over?.(chat, clock) }, { ...store, ...overStore?.(store) }, clock)
  const sender = start()
  const openIn = (channel: string, ...alertIds: string[]) =>
    sender.commit(
      opening(
        alertIds.map((alertId) => anAlert(alertId)),
        channel,
        clock.nowMs(),
      ),
    )
  const close = (alertId: string) => sender.commit(closing(anAlert(alertId), clock.nowMs()))
  return {
    ...sender,
    clock,
    chat,
    store,
    /** Starts another outbox on the same database; the first must have been stopped. */
    start,
    open: (...alertIds: string[]) => openIn('C1', ...alertIds),
    openIn,
    close,
  }
}
