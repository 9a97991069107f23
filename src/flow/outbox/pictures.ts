/**
 * Brings pictures after their cards: draws an alert's metric, uploads it, and has the card shown again with it. Runs beside
 * `deliver`, so that no alert ever waits for its picture.
 */

import { backoffMs } from '../../domain/base/backoff.ts'
import { isFinal, type OutsideFailure } from '../../domain/base/failure.ts'
import { brokeAt, brokenTriesMax } from '../../domain/base/mishap.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { aroundAlert } from '../../domain/chart/window.ts'
import { uploadEveryMs } from '../../domain/delivery/pace.ts'
import { pictureAttemptsMax, pictureWaitMaxMs } from '../../domain/delivery/picture.ts'
import { attempt } from '../attempt.ts'
import type { Charts } from '../chart.ts'
import { contain } from '../concurrency/contain.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { PictureJob, PicturePatch } from '../ports/card-store.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookEveryMs = 60_000
/** Slack takes a file in for a moment (scan, thumbnails) and refuses every message that shows it before. */
const takenInMs = 1_500
/** An episode is drawn once its end can be seen: the service measures about once a minute. */
const afterCloseMs = 60_000
/** The API's clock may be so much ahead of ours; of one that is further ahead nobody knows when the episode ended. */
const skewMaxMs = 5 * 60_000

export type Pictures = Job & {
  /** A card was shown, or a picture was asked for. */
  wake(): void
}

type PicturePorts = {
  store: Pick<Store, 'nextPicture' | 'settlePicture'>
  charts: Pick<Charts, 'ofAlert'>
  chat: Pick<Chat, 'upload'>
  clock: Clock
  logger: Logger
  /** The clock of pictures in channels, IANA. */
  zone: string
  /** Called when a picture is ready for its card. */
  onReady: () => void
}

export function openPictures(ports: PicturePorts): Pictures {
  const { store, charts, chat, clock, logger, zone, onReady } = ports

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const { job, nextMs } = await store.nextPicture(nowMs)
    if (job === null) return Math.min(nextMs ?? nowMs + lookEveryMs, nowMs + lookEveryMs) - nowMs
    const { cardId, way } = job
    await contain(
      { kind: 'picture', logger, facts: { cardId, way } },
      () => bring(job),
      (errorId) => broke(job, errorId),
    )
    return 0
  }

  /** Settles this job and no other: the alert may close while its picture is on its way, and then its episode is wanted. */
  function settling({ cardId, way, alert: { alertId } }: PictureJob) {
    return (patch: PicturePatch) => store.settlePicture(cardId, patch, { alertId, way })
  }

  async function bring(job: PictureJob): Promise<void> {
    const { cardId, way, alert } = job
    const settle = settling(job)
    if (way === 'episode' && job.fileId === null) {
      const seenMs = (alert.closedMs ?? alert.startedMs) + afterCloseMs
      const waitMs = remainingMs(seenMs, clock.nowMs(), afterCloseMs + skewMaxMs)
      if (waitMs > 0) return settle({ notBeforeMs: seenMs })
    }
    if (job.fileId !== null) return ready(job)
    // Counted before it is tried: what takes the whole process with it is given up as well, and not met at every start.
    if (job.attempts >= pictureAttemptsMax) {
      logger.warn('picture:failed', { cardId, why: 'it was begun too often' })
      return settle({ state: 'failed', why: 'it was begun too often' })
    }
    await settle({ attempts: job.attempts + 1 })
    const came = await attempt(async () => {
      const drawing = await charts.ofAlert(alert, aroundAlert(alert, clock.nowMs()), zone)
      return drawing === null ? null : chat.upload(drawing.png, `alert-${alert.alertId}.png`)
    })
    if (!came.ok) return failed(job, came.failure)
    if (came.value === null) {
      await settle({ state: 'failed', why: 'there is nothing to draw' })
      logger.debug('picture:empty', { cardId, way })
      return
    }
    await settle({ fileId: came.value, notBeforeMs: clock.nowMs() + takenInMs })
    await clock.wait(uploadEveryMs)
  }

  async function ready(job: PictureJob): Promise<void> {
    await settling(job)({ state: 'ready' })
    logger.info('picture:ready', { cardId: job.cardId, way: job.way })
    onReady()
  }

  async function failed(job: PictureJob, failure: OutsideFailure): Promise<void> {
    const attempts = job.attempts + 1
    const isOver = attempts >= pictureAttemptsMax || isFinal(failure)
    const waitMs = Math.min(failure.retryAfterMs ?? backoffMs(attempts), pictureWaitMaxMs)
    const settle = settling(job)
    await settle({
      attempts,
      why: failure.message,
      ...(isOver ? { state: 'failed' } : { notBeforeMs: clock.nowMs() + waitMs }),
    })
    logger.warn(isOver ? 'picture:failed' : 'picture:delayed', { cardId: job.cardId, why: failure.message })
  }

  async function broke(job: PictureJob, errorId: string): Promise<void> {
    const attempts = job.attempts + 1
    const isOver = attempts >= brokenTriesMax
    await settling(job)({
      attempts,
      why: brokeAt(errorId),
      ...(isOver ? { state: 'failed' } : { notBeforeMs: clock.nowMs() + backoffMs(attempts) }),
    })
  }

  return openWatch('picture', { clock, logger }, round)
}
