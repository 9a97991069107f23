/** A world for polls: the bot's own wiring, a model of the service, real SQLite, and a manual clock. */
import type { CloseStyle } from '../../src/bot/domain/alert/end.ts'
import type { StoredView } from '../../src/bot/domain/card/kinds.ts'
import { firstMessageWaitMs } from '../../src/bot/domain/delivery/picture.ts'
import type { Health } from '../../src/bot/domain/request/answer.ts'
import type { Poll, PollReport } from '../../src/bot/flow/poll/poll.ts'
import type { Clock, Monitor } from '../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'
import type { WireSettings } from '../../src/bot/wire.ts'
import { openBotInMemory } from './bot-in-memory.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { keptJournal } from './journal.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'
import { type ModelService, modelService, type Order } from './model-service.ts'

export const pollEveryMs = 15_000

export type PollWorld = {
  clock: ManualClock
  service: ModelService
  store: OpenStore
  poll: Poll
  /** How monbot says it is. */
  health: () => Promise<Health>
  /** Lets one interval pass, then polls; so many times. Answers what the last poll did. */
  tick: (times?: number) => ReturnType<Poll>
  /** What is to be shown in C1, each card as `states` says it; from then on it counts as shown. */
  said: () => Promise<string[]>
  /** The same, after so many polls more. */
  saidAfter: (polls: number) => Promise<string[]>
  /** The bot anew on the same disk, perhaps with another setting. */
  restart: (over?: Partial<WireSettings>) => void
  logger: ReturnType<typeof keptJournal>
}

export async function pollWorld(
  setting: Partial<WireSettings> & {
    /** The API lists what ended before the first poll, so that whatever is missing later is believed to be. */
    hasPast?: boolean
    form?: CloseStyle
    order?: Order
    /** Stands in front of the memory. */
    before?: (store: OpenStore) => Partial<OpenStore>
    /** Stands between the poll and the service. */
    over?: (monitor: Monitor) => Partial<Monitor>
    /** How far the bot's clock is ahead of the service's. */
    aheadMs?: number
  } = {},
): Promise<PollWorld> {
  const { form = 'flip', order = 'newest', over, before, hasPast = false, aheadMs = 0, ...given } = setting
  let settings: Partial<WireSettings> = { images: 'auto', ...given }
  const clock = manualClock()
  const service = modelService({ form, order, nowMs: clock.nowMs })
  if (hasPast) service.past()
  const store = await memoryStore()
  const logger = keptJournal()
  // Not started: it polls when a test says so, and nothing else goes on.
  const open = () =>
    openBotInMemory({
      monitor: { ...service.monitor, ...over?.(service.monitor) },
      chat: forgetfulChat({ nowMs: clock.nowMs }),
      store: { ...store, ...before?.(store) },
      clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs },
      logger,
      settings,
    })
  let bot = open()
  const poll: Poll = async () => {
    const { schedule } = await bot
    const failure = await schedule.poll()
    if (failure !== null) throw failure
    // The log has the report as it is.
    const done = logger.entries.findLast(({ event }) => event === 'poll:done')
    return done?.facts as unknown as PollReport
  }
  const tick = async (times = 1) => {
    for (let n = 1; n < times; n += 1) {
      clock.advance(pollEveryMs)
      await poll()
    }
    clock.advance(pollEveryMs)
    return poll()
  }
  const said = async () => states(await cards({ store, clock }))
  return {
    clock,
    service,
    store,
    logger,
    poll,
    health: async () => (await bot).health(),
    tick,
    said,
    saidAfter: async (polls) => {
      await tick(polls)
      return said()
    },
    restart: (over) => {
      settings = { ...settings, ...over }
      bot = open()
    },
  }
}

/** After its first poll. */
export async function polledWorld(setting: Parameters<typeof pollWorld>[0] = {}): Promise<PollWorld> {
  const world = await pollWorld(setting)
  await world.poll()
  return world
}

/** The cards of a channel in the order in which they would be shown, each with what it shows. */
export async function cards(
  { store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'nowMs'> },
  channel = 'C1',
) {
  const shown = []
  for (;;) {
    // Whoever waits for a picture has waited by then.
    const job = await store.nextJob(channel, clock.nowMs() + firstMessageWaitMs, ['post', 'update'])
    if (job === null) return shown
    shown.push(job)
    await store.settle(job.cardId, { state: 'shown', ts: `1.${shown.length}`, shown: job.wanted })
  }
}

export function states(jobs: Awaited<ReturnType<typeof cards>>): string[] {
  return jobs.map(({ view, task }) => {
    if (view.kind === 'alert') return `${task} ${view.alert.alertId} ${view.alert.state}`
    const isList = 'alerts' in view && (view.kind !== 'notice' || view.topic === 'became_critical')
    const count = isList ? ` ${view.alerts.length}` : ''
    return `${task} ${nameOf(view)}${count}`
  })
}

/** Its kind; of a notice what it says. */
export function nameOf(view: StoredView): string {
  return view.kind === 'notice' ? view.topic : view.kind
}
