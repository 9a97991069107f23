/**
 * Adds charts to cards: draws an alert's metric and uploads it, for the card's first message if that still waits, else for an
 * edit. It runs beside the outbox, so that no alert waits longer than intended.
 */

import { backoffMs } from '../../domain/base/backoff.ts'
import { isFinal, type OutsideFailure } from '../../domain/base/failure.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { brokenTriesMax, internalErrorText } from '../../domain/base/unexpected-error.ts'
import { aroundAlert } from '../../domain/chart/window.ts'
import { newBucket, takeToken, untilTokenMs, uploads } from '../../domain/delivery/pace.ts'
import { pictureAttemptsMax, pictureWaitMaxMs, takenInMs } from '../../domain/delivery/picture.ts'
import { attempt } from '../attempt.ts'
import type { Charts } from '../chart.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { PictureJob, PicturePatch } from '../ports/card-store.ts'
import type { Chat, Logger, SteadyClock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { openLatePictures } from './late-pictures.ts'

const lookEveryMs = 60_000
/** So many at once: one that hangs keeps none of the others from its card. */
const atOnceMax = 4
/** An episode is drawn once its end can be seen: the service measures about once a minute. */
const afterCloseMs = 60_000
/** The API's clock may be so much ahead of ours; of one that is further ahead nobody knows when the episode ended. */
const skewMaxMs = 5 * 60_000

export type Pictures = Job & {
  /** A card was made or shown, or a picture was asked for. */
  wake(): void
}

type PicturePorts = Parameters<typeof openLatePictures>[0] & {
  store: Pick<Store, 'nextPicture' | 'settlePicture'>
  charts: Pick<Charts, 'ofAlert'>
  chat: Pick<Chat, 'upload'>
  clock: SteadyClock
  logger: Logger
  /** The clock of pictures in channels, IANA. */
  zone: string
  /** Called when a card need not wait for a picture any more, or is to show one. */
  onReady: () => void
}

export function openPictures(ports: PicturePorts): Pictures {
  const { store, clock, logger, onReady } = ports
  const bring = openBring(ports)
  const begun = new Map<string, Promise<void>>()

  async function round(): Promise<number> {
    if (begun.size >= atOnceMax) return lookEveryMs
    const nowMs = clock.nowMs()
    const { job, nextMs } = await store.nextPicture(nowMs, [...begun.keys()])
    if (job === null) return Math.min(nextMs ?? nowMs + lookEveryMs, nowMs + lookEveryMs) - nowMs
    if (watch.isStopping()) return lookEveryMs
    const done = contained(job).finally(() => {
      begun.delete(job.cardId)
      watch.wake()
      onReady()
    })
    begun.set(job.cardId, done)
    return 0
  }

  function contained(job: PictureJob): Promise<void> {
    const { cardId, way } = job
    const settle = settling(job)
    return contain(
      { kind: 'picture', logger, facts: { cardId, way } },
      () => bring(job, settle),
      (errorId) => broke(job, errorId, settle),
    )
  }

  /** Settles this job and no other: the alert may close while its picture is on its way, and then its episode is wanted. */
  function settling({ cardId, way, fileId, alert: { alertId } }: PictureJob) {
    return (patch: PicturePatch) => store.settlePicture(cardId, patch, { alertId, way, fileId })
  }

  async function broke(job: PictureJob, errorId: string, settle: Settle): Promise<void> {
    const attempts = job.attempts + 1
    const isOver = attempts >= brokenTriesMax
    await settle({
      attempts,
      why: internalErrorText(errorId),
      ...(isOver ? { state: 'failed' } : { notBeforeMs: clock.nowMs() + backoffMs(attempts) }),
    })
  }

  const watch = openWatch('picture', { clock, logger }, round)
  return {
    ...watch,
    stop: async () => {
      await watch.stop()
      await Promise.all(begun.values())
    },
  }
}

type Settle = (patch: PicturePatch) => Promise<void>

function openBring(ports: PicturePorts) {
  const { charts, chat, clock, logger, zone } = ports
  const late = openLatePictures(ports)
  let bucket = newBucket(uploads, clock.steadyMs())

  async function bring(job: PictureJob, settle: Settle): Promise<void> {
    const { fileId, isPosted } = job
    if (fileId === null) return draw(job, settle)
    if (isPosted) return late({ ...job, fileId }, settle)
    await settle({ state: 'offered' })
    logger.info('picture:ready', { cardId: job.cardId, way: job.way })
  }

  async function draw(job: PictureJob, settle: Settle): Promise<void> {
    const { cardId, way, alert } = job
    if (way === 'episode') {
      const seenMs = (alert.closedMs ?? alert.startedMs) + afterCloseMs
      const waitMs = remainingMs(seenMs, clock.nowMs(), afterCloseMs + skewMaxMs)
      if (waitMs > 0) return settle({ notBeforeMs: seenMs })
    }
    // Counted before it is tried: what takes the whole process with it is given up as well, and not met at every start.
    if (job.attempts >= pictureAttemptsMax) {
      logger.warn('picture:failed', { cardId, why: 'it was begun too often' })
      return settle({ state: 'failed', why: 'it was begun too often' })
    }
    await settle({ attempts: job.attempts + 1 })
    const came = await attempt(async () => {
      const drawing = await charts.ofAlert(alert, aroundAlert(alert, clock.nowMs()), zone)
      return drawing === null ? null : upload(drawing.png, alert.alertId)
    })
    if (!came.ok) return failed(job, came.failure, settle)
    if (came.value === null) {
      await settle({ state: 'failed', why: 'there is nothing to draw' })
      logger.debug('picture:empty', { cardId, way })
      return
    }
    await settle({ fileId: came.value, attempts: 0, notBeforeMs: clock.nowMs() + takenInMs })
  }

  async function upload(png: Uint8Array, alertId: string): Promise<string> {
    const waitMs = untilTokenMs(bucket, uploads, clock.steadyMs())
    bucket = takeToken(bucket, uploads, clock.steadyMs())
    if (waitMs > 0) await clock.wait(waitMs)
    return chat.upload(png, `alert-${alertId}.png`)
  }

  async function failed(job: PictureJob, failure: OutsideFailure, settle: Settle): Promise<void> {
    const attempts = job.attempts + 1
    const isOver = attempts >= pictureAttemptsMax || isFinal(failure)
    const waitMs = Math.min(failure.retryAfterMs ?? backoffMs(attempts), pictureWaitMaxMs)
    await settle({
      attempts,
      why: failure.message,
      ...(isOver ? { state: 'failed' } : { notBeforeMs: clock.nowMs() + waitMs }),
    })
    logger.warn(isOver ? 'picture:failed' : 'picture:delayed', { cardId: job.cardId, why: failure.message })
  }

  return bring
}
