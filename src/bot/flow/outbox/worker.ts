/**
 * The outbox: sends the most urgent waiting card, then the next, within Slack's rate limits. There is one in a process, and
 * nothing else posts to a channel.
 *
 * Posts, updates and searches of the history are three queues, each for the whole workspace, because Slack limits them there:
 * what is urgent in one channel goes before what is not in a hundred others. In a channel each queue does one thing at a time, so
 * neither a problem in another channel nor a slow update in the same one delays a new alert.
 */

import { internalErrorText } from '../../domain/base/unexpected-error.ts'
import { afterBreak, type Outcome } from '../../domain/delivery/delivery.ts'
import { type Lane, patienceMs, type Rank, ranks, turnOf } from '../../domain/delivery/pace.ts'
import { allOver } from '../concurrency/all-over.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWakeSignal, openWatch, type Watch } from '../concurrency/watch.ts'
import { type CardJob, type CardTask, UnreadableCard } from '../ports/card-store.ts'
import type { Store } from '../ports/store.ts'
import { openSlackPace } from './pace.ts'
import { openShowCard, type ShowPorts } from './send.ts'

const tasksOf: Readonly<Record<Lane, readonly CardTask[]>> = {
  post: ['post'],
  update: ['update'],
  look: ['check', 'tidy'],
}
/** Looks for work at least so often, should the clock have been set back meanwhile. */
const lookEveryMs = 60_000

export type Deliver = Job & {
  /** There may be something new to show. */
  wake(): void
  /** Someone acted on a channel that did not work: it is tried at once. */
  reopen(channel: string): void
}

type DeliverPorts = Omit<ShowPorts, 'mayRead' | 'posting'> & {
  store: Pick<Store, 'due' | 'nextJob'>
  /** Called after a card was shown: its picture may follow now. */
  onShown: () => void
  /** Called after a channel took nothing, and what waits for it is written down: it may belong elsewhere. */
  onClosed?: () => void
}

export function openDeliver(ports: DeliverPorts): Deliver {
  const { store, clock, logger, onShown, onClosed } = ports
  const pace = openSlackPace(clock.steadyMs, ports.leadership.term > 0)
  const nextJob = openNextJob(ports)
  const show = openShowCard({ ...ports, mayRead, posting: pace.posting })
  const atWork = openAtWork()
  const stopped = openWakeSignal()
  let stopping = false
  const lanes = [openLane('post'), openLane('update'), openLane('look')]

  function openLane(lane: Lane): Watch {
    const begun = new Set<{ readonly channel: string; readonly done: Promise<void> }>()
    const turns = openTurns(clock.steadyMs)

    /** Begins the next thing to do, if there is one; answers how long there is none. */
    async function round(): Promise<number> {
      const tokenMs = stopping ? lookEveryMs : pace.untilMs(lane)
      if (tokenMs > 0) return tokenMs
      const nowMs = clock.nowMs()
      const due = await store.due(nowMs, tasksOf[lane])
      const untilNextMs = Math.min((due.nextMs ?? Number.POSITIVE_INFINITY) - nowMs, lookEveryMs)
      if (due.now === 0) return untilNextMs
      const shut = pace.shut(lane)
      const busy = [...begun].map(({ channel }) => channel)
      const except = { channels: [...busy, ...shut.keys()], cards: [...atWork.now] }
      const isAll = except.channels.length + except.cards.length === 0
      const turn = (ranks: readonly Rank[]) => turns.next(ranks, isAll)
      const job = await atWork.asked(() => nextJob({ except }, nowMs, tasksOf[lane], turn))
      if (stopping) return lookEveryMs
      if (job === 'again') return 0
      if (job === null) return Math.min(untilNextMs, ...shut.values())
      const waitsMs = Math.min(pace.untilSpareMs(lane, job.rank), turns.patienceLeftMs(job.rank))
      if (waitsMs > 0) return waitsMs
      // At once, for others may look meanwhile.
      pace.took(lane, job.channel, job.rank)
      turns.had(job.rank)
      atWork.begin(job.cardId)
      const done = work(lane, job, turns).finally(() => {
        begun.delete(one)
        atWork.now.delete(job.cardId)
        // What follows may be due on another lane, or in this channel.
        wake()
      })
      const one = { channel: job.channel, done }
      begun.add(one)
      return 0
    }

    const watch = openWatch('delivery', { clock, logger }, round)
    return {
      ...watch,
      stop: async () => {
        await allOver([watch.stop(), ...[...begun].map(({ done }) => done)])
        await allOver([...begun].map(({ done }) => done))
      },
    }
  }

  async function work(lane: Lane, job: CardJob, turns: ReturnType<typeof openTurns>): Promise<void> {
    const outcome = await show(job)
    if (outcome !== null) {
      pace.heard(lane, job.channel, outcome)
      if (isHeldBack(outcome)) turns.restart()
    } else if (lane === 'post') pace.spared(lane, job.channel)
    if (outcome?.kind === 'shown') onShown()
    if (outcome?.kind === 'channel_unavailable') onClosed?.()
  }

  /** A long history takes several calls, each at its pace. */
  async function mayRead(channel: string): Promise<void> {
    const untilMs = () => Math.max(pace.untilMs('look'), pace.shut('look').get(channel) ?? 0)
    for (let ms = untilMs(); ms > 0 && !stopping; ms = untilMs()) await clock.wait(ms, stopped.signal())
    pace.took('look', channel, ranks.check)
  }

  function wake(): void {
    for (const lane of lanes) lane.wake()
  }

  return {
    start: () => {
      for (const lane of lanes) lane.start()
    },
    wake,
    reopen: (channel) => {
      pace.reopen(channel)
      wake()
    },
    stop: async () => {
      stopping = true
      stopped.ring()
      await allOver(lanes.map((lane) => lane.stop()))
    },
  }
}

/** The cards that something is done for now, on whatever lane: nothing else is done for them meanwhile. */
function openAtWork() {
  const now = new Set<string>()
  const asking = new Set<Set<string>>()
  return {
    now,
    begin: (cardId: string) => {
      now.add(cardId)
      for (const begun of asking) begun.add(cardId)
    },
    /** `again`: another lane began with that card meanwhile, so that what was read of it may be over. */
    asked: async (ask: () => Promise<CardJob | null | 'again'>): Promise<CardJob | null | 'again'> => {
      const begun = new Set<string>()
      asking.add(begun)
      const job = await ask().finally(() => asking.delete(begun))
      return job !== null && job !== 'again' && begun.has(job.cardId) ? 'again' : job
    },
  }
}

/** A card that cannot be read is set aside like one that cannot be rendered, and the others continue. */
function openNextJob({ store, clock, logger }: DeliverPorts) {
  return (...which: Parameters<typeof store.nextJob>): Promise<CardJob | null | 'again'> =>
    contain(
      { kind: 'card', logger },
      () => store.nextJob(...which),
      async (errorId, error) => {
        if (!(error instanceof UnreadableCard)) throw error
        const broken = { why: internalErrorText(errorId), isBegun: false, nowMs: clock.nowMs() }
        await store.settle(error.job.cardId, afterBreak(error.job, broken))
        return 'again' as const
      },
    )
}

/** Slack takes nothing for a while: all wait for that, and none for another's turn. */
function isHeldBack({ kind }: Outcome): boolean {
  return kind === 'later' || kind === 'unknown' || kind === 'channel_unavailable' || kind === 'no_token'
}

/** Who waits for a call, and since when: so that nothing waits for ever behind what is more urgent. */
function openTurns(steadyMs: () => number) {
  const sinceMs = new Map<Rank, number>()
  return {
    /** `isAll`: no other rank waits. Otherwise one may be hidden by a channel in which a call is under way, and keeps its place. */
    next: (waiting: readonly Rank[], isAll: boolean): Rank | undefined => {
      const nowMs = steadyMs()
      if (isAll) for (const rank of [...sinceMs.keys()]) if (!waiting.includes(rank)) sinceMs.delete(rank)
      for (const rank of waiting) if (!sinceMs.has(rank)) sinceMs.set(rank, nowMs)
      return turnOf(waiting, sinceMs, nowMs)
    },
    /** How long this rank still leaves the last calls to others. */
    patienceLeftMs: (rank: Rank) => Math.max(0, (sinceMs.get(rank) ?? steadyMs()) + patienceMs - steadyMs()),
    had: (rank: Rank) => {
      sinceMs.set(rank, steadyMs())
    },
    /** Once Slack takes something again, the most urgent goes first, however long the others had waited until then. */
    restart: () => sinceMs.clear(),
  }
}
