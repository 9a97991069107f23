/**
 * Makes Slack follow the cards: takes the most urgent card that is behind, has it shown, and goes on at the pace that Slack
 * allows. There is one sender in a process, and nothing else says anything to a channel.
 *
 * Each channel has a lane of its own, so that trouble in one holds up no other; within a lane one thing is done at a time.
 */
import { closedDoorRetryMs, noTokenRetryMs, type Outcome, retryAfterMaxMs } from '../domain/delivery.ts'
import {
  boardOverdueMs,
  boardSpare,
  fullBucket,
  postEveryMs,
  takeToken,
  untilTokenMs,
} from '../domain/pace.ts'
import { openBell } from './bell.ts'
import { openShowCard, type ShowOptions, type ShowPorts } from './show-card.ts'
import type { CardJob, CardTask } from './store-port.ts'

const tasks: readonly CardTask[] = ['post', 'update', 'check', 'tidy']
/** Looks for work at least so often, should the clock have been set back meanwhile. */
const lookEveryMs = 60_000

export type Deliver = {
  /** There may be something new to show. */
  wake(): void
  /** Takes nothing new, and resolves when what was begun is written down. */
  stop(): Promise<void>
}

export type DeliverPorts = ShowPorts & {
  /** Called after a card was shown: its picture may follow now. */
  onShown: () => void
}

export function startDeliver(ports: DeliverPorts, options: ShowOptions): Deliver {
  const { store, clock, onShown } = ports
  const show = openShowCard(ports, options)
  const bell = openBell()
  const lanes = new Map<string, Promise<void>>()
  const nextPostMs = new Map<string, number>()
  /** Channels that do not work until someone acts: asked again now and then, one card at a time. */
  const closedUntilMs = new Map<string, number>()
  let updates = fullBucket(clock.nowMs())
  let reads = fullBucket(clock.nowMs())
  // A 429 on updates or reads, and a refused token, are the workspace's, not the channel's.
  let updatesNotBeforeMs = 0
  let readsNotBeforeMs = 0
  let nothingBeforeMs = 0
  let stopping = false

  async function watch(): Promise<void> {
    while (!stopping) {
      const rung = bell.signal()
      const nowMs = clock.nowMs()
      const { channels, nextMs } = await store.due(nowMs)
      for (const channel of channels.filter((channel) => !lanes.has(channel))) {
        lanes.set(channel, runLane(channel))
      }
      const nextLookMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, nowMs + lookEveryMs)
      await clock.wait(Math.max(0, nextLookMs - nowMs), rung)
    }
  }

  async function runLane(channel: string): Promise<void> {
    for (;;) {
      const job = stopping ? null : await nextJob(channel)
      if (job === null) break
      const outcome = await show(job)
      keepPace(job, outcome)
      if (outcome?.kind === 'shown') onShown()
    }
    lanes.delete(channel)
    bell.ring()
  }

  /** The next thing to do in a channel, once the pace allows it; null when nothing is due. */
  async function nextJob(channel: string): Promise<CardJob | null> {
    while (!stopping) {
      const rung = bell.signal()
      const nowMs = clock.nowMs()
      const waitMs = waits(channel, nowMs)
      const job = await store.nextJob(
        channel,
        nowMs,
        tasks.filter((task) => waitMs[task] === 0),
      )
      // A board leaves the other channels' alerts their calls, until it is late.
      const spareMs = isPatient(job, nowMs) ? untilTokenMs(updates, nowMs, boardSpare) : 0
      if (spareMs > 0) {
        await clock.wait(spareMs, rung)
        continue
      }
      if (job?.task === 'update') updates = takeToken(updates, nowMs)
      if (job?.task === 'check' || job?.task === 'tidy') reads = takeToken(reads, nowMs)
      if (job !== null) return job
      const held = await store.nextJob(channel, nowMs, tasks)
      if (held === null) return null
      // However long that is: a ring ends the wait, for it may tell of something that need not wait.
      await clock.wait(waitMs[held.task], rung)
    }
    return null
  }

  /** How long each kind of task must still wait; 0 for those that may be done now. */
  function waits(channel: string, nowMs: number): Record<CardTask, number> {
    const closedMs = closedUntilMs.get(channel) ?? 0
    const until = (atMs: number) => Math.max(0, nothingBeforeMs - nowMs, closedMs - nowMs, atMs - nowMs)
    const read = Math.max(until(readsNotBeforeMs), untilTokenMs(reads, nowMs))
    return {
      post: until(nextPostMs.get(channel) ?? 0),
      update: Math.max(until(updatesNotBeforeMs), untilTokenMs(updates, nowMs)),
      check: read,
      tidy: read,
    }
  }

  function keepPace(job: CardJob, outcome: Outcome | null): void {
    if (outcome === null) return
    const nowMs = clock.nowMs()
    const toldMs = outcome.kind === 'later' ? outcome.retryAfterMs : null
    const afterMs = toldMs === null ? null : Math.min(toldMs, retryAfterMaxMs)
    if (outcome.kind === 'no_token') nothingBeforeMs = nowMs + noTokenRetryMs
    if (outcome.kind === 'closed_door') closedUntilMs.set(job.channel, nowMs + closedDoorRetryMs)
    if (job.task === 'update' && afterMs !== null) updatesNotBeforeMs = nowMs + afterMs
    if ((job.task === 'check' || job.task === 'tidy') && afterMs !== null) readsNotBeforeMs = nowMs + afterMs
    // What was refused for its image was not posted, so the next post need not wait.
    if (job.task === 'post' && outcome.kind !== 'image_refused') {
      nextPostMs.set(job.channel, nowMs + Math.max(afterMs ?? 0, postEveryMs))
    }
  }

  const watching = watch()
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stopping = true
      bell.ring()
      await watching
      await Promise.all(lanes.values())
    },
  }
}

function isPatient(job: CardJob | null, nowMs: number): boolean {
  const isBoardUpdate = job?.task === 'update' && job.view.kind === 'board'
  return isBoardUpdate && job.notBeforeMs > nowMs - boardOverdueMs
}
