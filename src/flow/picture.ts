/**
 * Brings pictures after their cards: fetches an alert's sparkline, uploads it, and has the card shown anew with it. Runs
 * beside `deliver`, so that no alert ever waits for its picture.
 */
import { backoffMs } from '../domain/delivery.ts'
import { type FailureKind, OutsideFailure } from '../domain/failure.ts'
import { uploadEveryMs } from '../domain/pace.ts'
import { pictureAttemptsMax } from '../domain/picture.ts'
import { openBell } from './bell.ts'
import type { Chat, Clock, Journal, Monitor, PictureJob, Store } from './ports.ts'

const lookEveryMs = 60_000
/** What another try cannot change: no picture there, not allowed, or not a picture. */
const finalKinds: readonly FailureKind[] = ['missing', 'rejected', 'forbidden']
/** Slack takes a file in for a moment (scan, thumbnails) and refuses every message that shows it before. */
const takenInMs = 1_500

export type Pictures = {
  /** A card was shown, or a picture was asked for. */
  wake(): void
  stop(): Promise<void>
}

export function startPictures(ports: {
  store: Store
  monitor: Monitor
  chat: Chat
  clock: Clock
  journal: Journal
  /** Called when a picture is ready for its card. */
  onReady: () => void
}): Pictures {
  const { store, monitor, chat, clock, journal, onReady } = ports
  const bell = openBell()
  let stopping = false

  async function watch(): Promise<void> {
    while (!stopping) {
      const rung = bell.signal()
      const nowMs = clock.nowMs()
      const { job, nextMs } = await store.nextPicture(nowMs)
      if (job === null)
        await clock.wait(Math.min(nextMs ?? nowMs + lookEveryMs, nowMs + lookEveryMs) - nowMs, rung)
      else await bring(job)
    }
  }

  async function bring(job: PictureJob): Promise<void> {
    try {
      if (job.fileId === null) {
        const fileId = await upload(job)
        await store.settlePicture(job.alertId, { fileId, notBeforeMs: clock.nowMs() + takenInMs })
        await clock.wait(uploadEveryMs)
        return
      }
      await store.settlePicture(job.alertId, { state: 'ready' })
      journal.info('picture:ready', { alertId: job.alertId })
      onReady()
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      await failed(job, error)
    }
  }

  async function upload({ alertId, sparklineUrl }: PictureJob): Promise<string> {
    const picture = await monitor.picture(sparklineUrl)
    return chat.upload(picture, `alert-${alertId}.${picture.format}`)
  }

  async function failed(job: PictureJob, failure: OutsideFailure): Promise<void> {
    const attempts = job.attempts + 1
    const isOver = attempts >= pictureAttemptsMax || finalKinds.includes(failure.kind)
    const waitMs = failure.retryAfterMs ?? backoffMs(attempts)
    await store.settlePicture(job.alertId, {
      attempts,
      why: failure.message,
      ...(isOver ? { state: 'failed' } : { notBeforeMs: clock.nowMs() + waitMs }),
    })
    journal.warn(isOver ? 'picture:failed' : 'picture:delayed', {
      alertId: job.alertId,
      why: failure.message,
    })
  }

  const watching = watch()
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stopping = true
      bell.ring()
      await watching
    },
  }
}
