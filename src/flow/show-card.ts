/** Does one task for one card: says it to Slack, and writes down what came of it. */
import type { CardPicture, CardView } from '../domain/card.ts'
import {
  afterCheck,
  afterFailedCheck,
  afterFailedTidy,
  afterPost,
  afterTidy,
  afterUpdate,
  backoffMs,
  historySkewMs,
  type Outcome,
} from '../domain/delivery.ts'
import { OutsideFailure } from '../domain/failure.ts'
import { type Images, pictureAttemptsMax, wayAfterRefusal } from '../domain/picture.ts'
import type { CardJob, Chat, Clock, Journal, PicturePatch, Store } from './ports.ts'

export type ShowPorts = { store: Store; chat: Chat; clock: Clock; journal: Journal }
export type ShowOptions = { readonly images: Images; readonly apiOrigin: string }

/** Answers what Slack said to a post or an update; of a look only that it must wait, else null. */
export type ShowCard = (job: CardJob) => Promise<Outcome | null>

export function openShowCard(ports: ShowPorts, options: ShowOptions): ShowCard {
  const { store, chat, clock, journal } = ports

  async function post(job: CardJob): Promise<Outcome> {
    const sendingMs = clock.nowMs()
    // On disk before the call: a crash from here on leaves a card whose fate must be looked up, never a lost one.
    const firstSendingMs = job.firstSendingMs ?? sendingMs
    await store.settle(job.cardId, { state: 'sending', sendingMs, firstSendingMs })
    const { channel, parentTs: threadTs, cardId: key, plain } = job
    const outcome = await chat.post({ channel, threadTs, key, plain }, job.view)
    const nowMs = clock.nowMs()
    // A link that makes Slack slow is as bad as one that it refuses: the next try goes without.
    const isSlowLink = outcome.kind === 'unknown' && hasLink(job.view)
    if (outcome.kind === 'image_refused' || isSlowLink) await dropPicture(job.view, outcome.why, nowMs)
    await store.settle(job.cardId, afterPost({ ...job, sendingMs, firstSendingMs }, outcome, nowMs))
    say(job, outcome)
    return outcome
  }

  async function update(job: CardJob): Promise<Outcome> {
    const { channel, ts, cardId: key, plain } = job
    if (ts === null) throw new Error(`The card ${key} is shown and has no ts`)
    const outcome = await chat.update({ channel, ts, key, plain }, job.view)
    const nowMs = clock.nowMs()
    if (outcome.kind === 'image_refused') await dropPicture(job.view, outcome.why, nowMs)
    await store.settle(job.cardId, afterUpdate(job, outcome, nowMs, isStillOpen(job.view)))
    say(job, outcome)
    return outcome
  }

  async function check(job: CardJob): Promise<Outcome | null> {
    try {
      const [ts] = await find(job)
      const patch = afterCheck(job, ts ?? null, clock.nowMs())
      await store.settle(job.cardId, patch)
      if (patch.state !== undefined) journal.info('card:checked', { cardId: job.cardId, found: ts ?? null })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      await store.settle(job.cardId, afterFailedCheck(job, error, clock.nowMs()))
      journal.warn('card:unchecked', { cardId: job.cardId, why: error.message })
      return { kind: 'later', why: error.message, retryAfterMs: error.retryAfterMs }
    }
    return null
  }

  async function tidy(job: CardJob): Promise<Outcome | null> {
    try {
      const [kept, ...copies] = await find(job)
      for (const ts of copies) await chat.remove({ channel: job.channel, ts })
      await store.settle(job.cardId, afterTidy(job, kept ?? null, clock.nowMs()))
      if (copies.length > 0) journal.info('card:tidied', { cardId: job.cardId, deleted: copies.length })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      await store.settle(job.cardId, afterFailedTidy(job, clock.nowMs()))
      journal.warn('card:untidied', { cardId: job.cardId, why: error.message })
      return { kind: 'later', why: error.message, retryAfterMs: error.retryAfterMs }
    }
    return null
  }

  function find(job: CardJob): Promise<readonly string[]> {
    const sinceMs = (job.firstSendingMs ?? job.sendingMs ?? clock.nowMs()) - historySkewMs
    return chat.find({ channel: job.channel, threadTs: job.parentTs, key: job.cardId, sinceMs })
  }

  /** The alert goes out without its picture, now; the picture may follow by another way. */
  async function dropPicture(view: CardView, why: string, nowMs: number): Promise<void> {
    if (view.kind !== 'alert' || view.picture === null) return
    const patch = afterRefusal(view.alert.sparklineUrl, view.picture, nowMs, options)
    await store.settlePicture(view.alert.alertId, { ...patch, why })
    journal.info('picture:refused', { alertId: view.alert.alertId, why, now: patch.state })
  }

  function say(job: CardJob, outcome: Outcome): void {
    const facts = { cardId: job.cardId, channel: job.channel, version: job.wanted }
    if (outcome.kind === 'shown') journal.info('card:shown', { ...facts, ts: outcome.ts, by: job.task })
    else journal.warn(`card:${outcome.kind}`, { ...facts, why: outcome.why, by: job.task })
  }

  return (job) => {
    switch (job.task) {
      case 'post':
        return post(job)
      case 'update':
        return update(job)
      case 'check':
        return check(job)
      case 'tidy':
        return tidy(job)
    }
  }
}

/** A link that Slack cannot fetch is uploaded; a file that it has not taken in yet is shown a little later. */
function afterRefusal(
  sparklineUrl: string,
  picture: CardPicture,
  nowMs: number,
  { images, apiOrigin }: ShowOptions,
): PicturePatch {
  if (picture.kind === 'url') {
    const way = wayAfterRefusal(sparklineUrl, images, apiOrigin)
    return way === null ? { state: 'failed' } : { state: 'wanted', way, notBeforeMs: nowMs }
  }
  const attempts = picture.attempts + 1
  if (attempts >= pictureAttemptsMax) return { state: 'failed', attempts }
  return { state: 'wanted', attempts, notBeforeMs: nowMs + backoffMs(picture.attempts) }
}

function hasLink(view: CardView): boolean {
  return view.kind === 'alert' && view.picture?.kind === 'url'
}

function isStillOpen(view: CardView): boolean {
  const alerts = view.kind === 'alert' ? [view.alert] : view.alerts
  return alerts.some((alert) => alert.state === 'open' || alert.state === 'oneoff')
}
