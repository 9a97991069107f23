/** Does one task for one card: says it to Slack, and writes down what came of it. */
import type { Alert } from '../domain/alert.ts'
import type { Health } from '../domain/answer.ts'
import type { CardPicture, CardView, StoredView } from '../domain/card.ts'
import {
  afterCheck,
  afterFailedCheck,
  afterFailedTidy,
  afterPost,
  afterTidy,
  afterUpdate,
  backoffMs,
  type DeliveryPatch,
  historySkewMs,
  type Outcome,
  type Worth,
} from '../domain/delivery.ts'
import { OutsideFailure } from '../domain/failure.ts'
import { boardEveryMs } from '../domain/pace.ts'
import { pictureAttemptsMax, wayAfterRefusal } from '../domain/picture.ts'
import type { PictureOptions } from '../domain/wanted-pictures.ts'
import type { Chat, Clock, Journal } from './ports.ts'
import type { CardJob, PicturePatch, Store } from './store-port.ts'

export type ShowPorts = {
  store: Store
  chat: Chat
  clock: Clock
  journal: Journal
  /** How the bot is now: a board tells of it. */
  health: () => Health
}
export type ShowOptions = PictureOptions

/** Answers what Slack said to a post or an update; of a look only that it must wait, else null. */
export type ShowCard = (job: CardJob) => Promise<Outcome | null>

export function openShowCard(ports: ShowPorts, options: ShowOptions): ShowCard {
  const { store, chat, clock, journal, health } = ports

  async function post(job: CardJob): Promise<Outcome> {
    const sendingMs = clock.nowMs()
    // On disk before the call: a crash from here on leaves a card whose fate must be looked up, never a lost one.
    const firstSendingMs = job.firstSendingMs ?? sendingMs
    await store.settle(job.cardId, { state: 'sending', sendingMs, firstSendingMs })
    const { channel, parentTs: threadTs, cardId: key, plain } = job
    const outcome = await chat.post({ channel, threadTs, key, plain }, viewOf(job.view))
    const nowMs = clock.nowMs()
    // A link that makes Slack slow is as bad as one that it refuses: the next try goes without.
    const isSlowLink = outcome.kind === 'unknown' && hasLink(job.view)
    if (outcome.kind === 'image_refused' || isSlowLink) await dropPicture(job, outcome.why, nowMs)
    const patch = afterPost({ ...job, sendingMs, firstSendingMs }, outcome, nowMs)
    await store.settle(job.cardId, atItsPace(job, patch, outcome, nowMs))
    say(job, outcome)
    return outcome
  }

  async function update(job: CardJob): Promise<Outcome> {
    const { channel, ts, cardId: key, plain } = job
    if (ts === null) throw new Error(`The card ${key} is shown and has no ts`)
    const outcome = await chat.update({ channel, ts, key, plain }, viewOf(job.view))
    const nowMs = clock.nowMs()
    if (outcome.kind === 'image_refused') await dropPicture(job, outcome.why, nowMs)
    const patch = afterUpdate(job, outcome, nowMs, worthOf(job.view))
    await store.settle(job.cardId, atItsPace(job, patch, outcome, nowMs))
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

  function viewOf(view: StoredView): CardView {
    return view.kind === 'board' ? { ...view, health: health() } : view
  }

  /** The card goes out without its picture, now; the picture may follow by another way. */
  async function dropPicture({ cardId, view }: CardJob, why: string, nowMs: number): Promise<void> {
    const picture = pictureOf(view)
    if (picture === null) return
    const sparklineUrl = view.kind === 'alert' ? view.alert.sparklineUrl : ''
    const patch = afterRefusal(sparklineUrl, picture, nowMs, options)
    // Only what was shown can have been refused: by now another picture may be wanted instead.
    await store.settlePicture(cardId, { ...patch, why }, { state: 'ready' })
    journal.info('picture:refused', { cardId, why, now: patch.state })
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

function pictureOf(view: StoredView): CardPicture | null {
  return view.kind === 'alert' || view.kind === 'handback' ? view.picture : null
}

function hasLink(view: StoredView): boolean {
  return pictureOf(view)?.kind === 'url'
}

/** A board that was shown rests: what changes meanwhile is shown together. */
function atItsPace({ view }: CardJob, patch: DeliveryPatch, outcome: Outcome, nowMs: number): DeliveryPatch {
  if (view.kind !== 'board' || outcome.kind !== 'shown') return patch
  return { ...patch, notBeforeMs: nowMs + boardEveryMs }
}

function worthOf(view: StoredView): Worth {
  switch (view.kind) {
    case 'alert':
      return isOpen(view.alert) ? 'open' : 'over'
    case 'summary':
    case 'page':
      return view.alerts.some(isOpen) ? 'open' : 'over'
    case 'board':
      return 'kept'
    case 'handback':
    case 'reminder':
    case 'note':
    case 'told':
    case 'mute_ended':
      return 'said'
  }
}

function isOpen({ state }: Alert): boolean {
  return state === 'open' || state === 'oneoff'
}
