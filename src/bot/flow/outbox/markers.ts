/** Sets the markers of mutes and role changes, each with a link to the message that announces it. */
import { type FailureKind, mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import { brokenTriesMax, internalErrorText } from '../../domain/base/unexpected-error.ts'
import { markerWaitMaxMs } from '../../domain/mute/marker.ts'
import { attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { MarkerJob, MarkerPatch } from '../ports/card-store.ts'
import type { Chat, Clock, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookEveryMs = 60_000
/** Waits between the tries: five tries within an hour. Later than that, a marker says little about its time. */
const waitsMs = [15_000, 60_000, 5 * 60_000, 30 * 60_000]
/** The API takes the time of the call for the marker's, so one that is later than this would tell an untruth on the chart. */
const lateMaxMs = markerWaitMaxMs
/** What another try cannot change. */
const finalKinds: readonly FailureKind[] = ['rejected', 'missing']

export type Markers = Job & {
  /** There may be a marker to drop, or a message to link to. */
  wake(): void
}

/** Opens the markers; at the start, those that a crash interrupted are set aside. */
export function openMarkers(ports: {
  readonly store: Pick<Store, 'nextMarker' | 'recoverMarkers' | 'settleMarker'>
  readonly monitor: Pick<Monitor, 'addMarker'>
  readonly chat: Pick<Chat, 'permalink'>
  readonly clock: Clock
  readonly logger: Logger
}): Markers {
  const { store, monitor, chat, clock, logger } = ports
  let isRecovered = false

  async function round(): Promise<number> {
    if (!isRecovered) await recover()
    const nowMs = clock.nowMs()
    const { job, nextMs } = await store.nextMarker(nowMs)
    if (job === null) return Math.min(nextMs ?? nowMs + lookEveryMs, nowMs + lookEveryMs) - nowMs
    const { markerId } = job
    await contain(
      { kind: 'marker', logger, facts: { markerId } },
      () => drop(job),
      (errorId) => store.settleMarker(markerId, afterBreak(job, errorId, clock.nowMs())),
    )
    return 0
  }

  async function recover(): Promise<void> {
    const interrupted = await store.recoverMarkers()
    if (interrupted > 0) logger.warn('markers:interrupted', { count: interrupted })
    isRecovered = true
  }

  async function drop(job: MarkerJob): Promise<void> {
    const lateMs = clock.nowMs() - job.createdMs
    if (lateMs > lateMaxMs) {
      await store.settleMarker(job.markerId, { state: 'failed', why: 'more than an hour late' })
      logger.warn('marker:too_late', { markerId: job.markerId, lateMs })
      return
    }
    const link = await linkOf(job)
    // On disk before the call: the API lists no markers and takes the same one twice, so what a crash leaves here is not
    // dropped again. A missing line on a chart is a smaller harm than a chart full of them.
    await store.settleMarker(job.markerId, { state: 'sending' })
    const came = await attempt(() => monitor.addMarker(link === null ? job.text : `${job.text} ${link}`))
    if (!came.ok) {
      const { failure } = came
      const patch = afterFailure(job, failure, clock.nowMs())
      await store.settleMarker(job.markerId, patch)
      logger.warn('marker:not_dropped', { markerId: job.markerId, why: failure.message, now: patch.state })
      return
    }
    await store.settleMarker(job.markerId, { state: 'dropped' })
    logger.info('marker:dropped', { markerId: job.markerId })
  }

  /** A marker without its link is better than none. */
  async function linkOf({ card, markerId }: MarkerJob): Promise<string | null> {
    if (card === null || card.ts === null) return null
    const { channel, ts } = card
    const came = await attempt(() => chat.permalink({ channel, ts }))
    if (came.ok) return came.value
    logger.warn('marker:without_link', { markerId, why: came.failure.message })
    return null
  }

  return openWatch('marker', { clock, logger }, round)
}

/** Where the API was being asked when it broke, trying again may drop a second one: a few times is a bound on that as well. */
function afterBreak({ attempts: before }: MarkerJob, errorId: string, nowMs: number): MarkerPatch {
  const attempts = before + 1
  const why = internalErrorText(errorId)
  const waitMs = waitsMs[before]
  if (waitMs === undefined || attempts >= brokenTriesMax) return { state: 'failed', attempts, why }
  return { state: 'wanted', attempts, why, notBeforeMs: nowMs + waitMs }
}

function afterFailure(job: MarkerJob, failure: OutsideFailure, nowMs: number): MarkerPatch {
  const attempts = job.attempts + 1
  const why = failure.message
  // Perhaps it is there: the one answer that would tell, a list of markers, the API does not have.
  if (mayHaveBeenDone(failure)) return { state: 'unknown', attempts, why }
  const waitMs = waitsMs[job.attempts]
  const toldMs = Math.min(failure.retryAfterMs ?? 0, lateMaxMs)
  if (waitMs === undefined || finalKinds.includes(failure.kind)) return { state: 'failed', attempts, why }
  return { state: 'wanted', attempts, why, notBeforeMs: nowMs + Math.max(waitMs, toldMs) }
}
