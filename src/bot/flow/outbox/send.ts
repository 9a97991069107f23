/** Carries out one task for one card: calls Slack, and stores the outcome. */

import type { OutsideFailure } from '../../domain/base/failure.ts'
import { internalErrorText } from '../../domain/base/unexpected-error.ts'
import { labelsFor } from '../../domain/card/details-shown.ts'
import { type CardView, cardKinds, pictureOn, type StoredView, worthOf } from '../../domain/card/kinds.ts'
import { type LinkRule, linksOf } from '../../domain/card/links.ts'
import type { LiveRouting } from '../../domain/card/reach.ts'
import { calledFor, heldBy } from '../../domain/card/reminders.ts'
import {
  afterBreak,
  afterFailedTidy,
  afterPost,
  afterUpdate,
  type DeliveryPatch,
  type Outcome,
} from '../../domain/delivery/delivery.ts'
import { afterPictureReply, refusedWaitMs } from '../../domain/delivery/picture.ts'
import { isHidden } from '../../domain/mute/hiding.ts'
import { type Mute, standingOf } from '../../domain/mute/mute.ts'
import { subjectsOver } from '../../domain/mute/subject.ts'
import type { Health } from '../../domain/request/answer.ts'
import { handoffFromMs } from '../../domain/request/queries.ts'
import { attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { orNote } from '../concurrency/or-note.ts'
import { within } from '../concurrency/within.ts'
import type { CardJob, PicturePatch, PostClaim, UpdateClaim } from '../ports/card-store.ts'
import type { Chat, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { type HandoffPorts, handoffSince } from '../queries/overviews.ts'
import { ofPerson, placeOf, tellUnreached, unopened } from './direct.ts'
import { type LookUpPorts, openLookUp, type Posts } from './look-up.ts'
import { openOwnChannel } from './own-channel.ts'

/** The adapter has its own limit; no card waits for a call that it forgot. */
const callMaxMs = 30_000

export type ShowPorts = LookUpPorts & {
  store: Pick<
    Store,
    | 'cardById'
    | 'carded'
    | 'claimPost'
    | 'claimUpdate'
    | 'commit'
    | 'countUnshown'
    | 'detach'
    | 'detachNotes'
    | 'dropUnsent'
    | 'findAlerts'
    | 'mutes'
    | 'noteCopy'
    | 'noteLateUpdate'
    | 'noteOutageTold'
    | 'settle'
    | 'settlePicture'
  > &
    HandoffPorts['store']
  chat: LookUpPorts['chat'] & Pick<Chat, 'permalink' | 'post' | 'update'>
  /** Told just before each post: the next one in this channel keeps its distance from that moment. */
  posting: (channel: string) => void
  /** The bot's health, for boards. */
  health: () => Health
  /** What cards of alerts link to. */
  links: readonly LinkRule[]
  /** The labels that they show; null for the usual ones. */
  showLabels: readonly string[] | null
  /** Which alerts concern which channel. */
  routing: LiveRouting
}

/**
 * Returns what Slack answered to a post or an update; null if nothing was sent, because the card was withdrawn before. For a search
 * of the history it returns an outcome only if further reads must pause, else null.
 */
type ShowCard = (job: CardJob) => Promise<Outcome | null>

export function openShowCard(ports: ShowPorts): ShowCard {
  const { store, clock, logger } = ports
  const posts: Posts = { begunMs: new Map(), slackBehindMs: 0 }
  const { post, update } = openSend(ports, posts)
  const { check, tidy } = openLookUp(ports, posts)

  async function show(job: CardJob): Promise<Outcome | null> {
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

  return (job) =>
    contain(
      jobOf(job, logger),
      () => show(job),
      async (errorId) => {
        const nowMs = clock.nowMs()
        const broken = afterBreak(job, {
          why: internalErrorText(errorId),
          isBegun: job.task === 'post' && posts.begunMs.has(job.cardId),
          nowMs,
        })
        await store.settle(job.cardId, job.task === 'tidy' ? afterFailedTidy(job, nowMs) : broken)
        return null
      },
    )
}

/** A reminder under a mute that is not confirmed looks again after this long. */
const unconfirmedRestMs = 5_000

/** Posts and updates, each of which says in the log what came of it. */
function openSend(ports: ShowPorts, posts: Posts) {
  const { store, chat, clock, logger, posting } = ports
  const viewOf = openViewOf(ports)
  const withoutPicture = openWithoutPicture(ports)

  async function post(job: CardJob): Promise<Outcome | null> {
    const fate = job.firstSendingMs === null ? await fateOf(ports, job) : 'sent'
    if (fate === 'dropped') await store.dropUnsent(job.cardId)
    // Under a mute that the API may still refuse.
    if (fate === 'waits') await store.settle(job.cardId, { notBeforeMs: clock.nowMs() + unconfirmedRestMs })
    if (fate !== 'sent') return null
    // Before the claim, as it may take calls: between the claim and the post nothing is waited for.
    const view = await viewOf(job)
    const place = await attempt(() => placeOf(chat, job.channel))
    if (!place.ok) return notOpened(ports, job, place.failure)
    const sendingMs = clock.nowMs()
    // On disk before the call: a crash from here on leaves a card whose fate must be looked up, never a lost one.
    const firstSendingMs = job.firstSendingMs ?? sendingMs
    if (!(await store.claimPost(job.cardId, { sendingMs, firstSendingMs }))) return null
    posts.begunMs.set(job.cardId, clock.steadyMs())
    const { channel, parentTs: threadTs, cardId: key, plain } = job
    posting(channel)
    const to = { channel: place.value, threadTs, key, plain }
    const outcome = ofPerson(job, await answered(ports, job, () => chat.post(to, view)))
    const note = async () => {
      if (outcome.kind === 'shown') await store.noteCopy({ cardId: key, channel, ts: outcome.ts })
      if (mayBeThere(outcome)) await store.noteCopy({ cardId: key, channel, ts: null })
    }
    return orNote(() => posted({ ...job, sendingMs, firstSendingMs }, outcome), note)
  }

  /** Writes what came of a post. */
  async function posted(job: CardJob & PostClaim, outcome: Outcome): Promise<Outcome> {
    const nowMs = clock.nowMs()
    await noteTold(ports, job.view, outcome)
    if (outcome.kind === 'no_person') await tellUnreached(ports, job, outcome.why)
    if (outcome.kind === 'shown')
      posts.slackBehindMs = Math.max(0, nowMs - Number.parseFloat(outcome.ts) * 1000)
    const told = await withoutPicture(job, outcome, nowMs)
    const patch = afterPost(job, told, nowMs)
    const next =
      job.view.kind === 'picture'
        ? afterPictureReply(job, told, patch, nowMs)
        : atItsPace(job, patch, told, nowMs)
    const shown = outcome.kind === 'shown' ? pictureOn(job.view)?.fileId : undefined
    // A picture is no news, and stands nowhere but in its thread.
    if (outcome.kind === 'no_thread' && job.view.kind !== 'picture') await store.detach(job.cardId)
    // Meanwhile an update may have found that its thread is gone: then it is wanted in the new one, whatever came of this.
    await store.settle(job.cardId, next, { sendingMs: job.sendingMs }, shown)
    if (outcome.kind !== 'unknown') posts.begunMs.delete(job.cardId)
    say(logger, job, told)
    return told
  }

  async function update(job: CardJob): Promise<Outcome | null> {
    const { channel, ts, cardId: key, plain } = job
    if (ts === null) throw new Error(`The card ${key} is shown and has no ts`)
    const view = await viewOf(job)
    const place = await attempt(() => placeOf(chat, channel))
    if (!place.ok) return notOpened(ports, job, place.failure)
    // Where nobody else can take the lead, a repeated update is all that follows from one that was interrupted.
    const claim = ports.leadership.term === 0 ? undefined : { callMs: clock.nowMs() }
    if (claim !== undefined && !(await store.claimUpdate(key, claim))) return null
    const at = { channel: place.value, ts, key, plain }
    const outcome = ofPerson(job, await answered(ports, job, () => chat.update(at, view)))
    return orNote(
      () => updated(job, outcome, claim),
      () => store.noteLateUpdate(key),
    )
  }

  /** Writes what came of an update. */
  async function updated(job: CardJob, outcome: Outcome, claim: UpdateClaim | undefined): Promise<Outcome> {
    const nowMs = clock.nowMs()
    await noteTold(ports, job.view, outcome)
    const told = await withoutPicture(job, outcome, nowMs)
    const patch = afterUpdate(job, told, nowMs, worthOf(job.view, job.sendingMs))
    await store.settle(job.cardId, atItsPace(job, patch, told, nowMs), claim)
    // It is not posted again, so that nothing else would show what somebody wrote.
    if (told.kind === 'gone' && patch.state === undefined) await store.detachNotes(job.cardId)
    say(logger, job, told)
    return told
  }

  return { post, update }
}

/** The direct message with a person could not be opened: nothing was posted. */
async function notOpened(ports: ShowPorts, job: CardJob, failure: OutsideFailure): Promise<Outcome> {
  const { store, clock, logger } = ports
  const outcome = unopened(failure)
  if (outcome.kind === 'no_person') await tellUnreached(ports, job, outcome.why)
  const patch = job.task === 'post' ? afterPost(job, outcome, clock.nowMs()) : null
  const next = patch ?? afterUpdate(job, outcome, clock.nowMs(), worthOf(job.view, job.sendingMs))
  await store.settle(job.cardId, next)
  say(logger, job, outcome)
  return outcome
}

/** What a call came to; one that has no end may have been carried out. */
async function answered(
  { clock, logger }: ShowPorts,
  job: CardJob,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await contain(
    jobOf(job, logger),
    () => within(clock, callMaxMs, call()),
    // The adapter tells every failure of a call by its outcome: what it throws, it broke at before it said anything.
    (errorId) => ({ kind: 'bad_payload' as const, why: internalErrorText(errorId) }),
  )
  return outcome === 'late' ? { kind: 'unknown', why: 'no_answer' } : outcome
}

/** It is not known whether Slack took it. */
function mayBeThere({ kind }: Outcome): boolean {
  return kind === 'unknown' || kind === 'unlisted'
}

/** What it would call people for may be over by now, or muted. */
async function fateOf(
  { store }: ShowPorts,
  { view, parentTs }: CardJob,
): Promise<'sent' | 'dropped' | 'waits'> {
  // Outside of its thread nobody knows what it describes.
  if (view.kind === 'notice' && view.topic === 'description' && parentTs === null) return 'dropped'
  // Somebody else has it by now, or it is over: the thread says so.
  if (view.kind === 'notice' && view.topic === 'handed' && heldBy(view.alerts, view.to).length === 0)
    return 'dropped'
  const alerts = view.kind === 'notice' ? calledFor(view) : null
  if (alerts === null) return 'sent'
  const { mutes } = await store.mutes(subjectsOver(alerts))
  const isUnder = (some: readonly Mute[]) => alerts.every((alert) => isHidden(alert, some))
  if (!isUnder(mutes)) return 'sent'
  return isUnder(mutes.filter((mute) => standingOf(mute) === 'active')) ? 'dropped' : 'waits'
}

/** Everything that the card shows: adds what the store does not know, and limits other channels to what this one may show. */
function openViewOf(ports: ShowPorts): (job: CardJob) => Promise<CardView> {
  const { store, chat, health, links, showLabels } = ports
  const ofChannel = openOwnChannel(ports, ports.routing)
  return async ({ view: whole, channel }) => {
    const view = await ofChannel(whole, channel)
    switch (view.kind) {
      case 'alert':
        return { ...view, links: linksOf(view.alert, links), labels: labelsFor(view.alert, showLabels) }
      case 'notice': {
        if (view.topic === 'report') return { ...view, health: health() }
        if (view.topic === 'handoff') {
          const fromMs = handoffFromMs(view.entry.detail.shift?.beforeFromMs ?? null, ports.clock.nowMs())
          return { ...view, handoff: await handoffSince(fromMs, ports) }
        }
        if (view.topic !== 'unacknowledged' && view.topic !== 'handed') return view
        const { above } = view
        if (above?.ts == null) return view
        const { channel, ts } = above
        const link = await attempt(() => chat.permalink({ channel, ts }))
        return link.ok ? { ...view, above: { ...above, link: link.value } } : view
      }
      case 'board':
        return { ...view, health: { ...health(), unshown: await store.countUnshown() } }
      default:
        return view
    }
  }
}

/** Notes that a card said that an outage is over, so that the next one gets a message of its own. */
async function noteTold({ store, clock }: ShowPorts, view: StoredView, { kind }: Outcome): Promise<void> {
  if (kind !== 'shown' && kind !== 'unknown') return
  const over = view.kind === 'outage' ? view.outages.at(-1)?.outage : undefined
  if (over !== undefined && over.untilMs !== null) await store.noteOutageTold(over.outageId, clock.nowMs())
}

function jobOf({ cardId, task }: CardJob, logger: Logger) {
  return { kind: 'card', logger, facts: { cardId, task } } as const
}

function say(logger: Logger, job: CardJob, outcome: Outcome): void {
  const facts = { cardId: job.cardId, channel: job.channel, version: job.wanted }
  if (outcome.kind === 'shown') logger.info('card:shown', { ...facts, ts: outcome.ts, by: job.task })
  else logger.warn(`card:${outcome.kind}`, { ...facts, why: outcome.why, by: job.task })
}

/** A card of many alerts that was shown rests: what changes meanwhile is shown together. */
function atItsPace({ view }: CardJob, patch: DeliveryPatch, outcome: Outcome, nowMs: number): DeliveryPatch {
  const { restMs } = cardKinds[view.kind]
  return restMs === 0 || outcome.kind !== 'shown' ? patch : { ...patch, notBeforeMs: nowMs + restMs }
}

/**
 * Handles a picture that Slack refuses: the card is posted without it at once, and the picture may follow later. Returns what the
 * refusal means for the card. If it is unclear what was refused, the picture is dropped before the buttons.
 */
function openWithoutPicture({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'settlePicture'>
  readonly logger: Logger
}) {
  return async ({ cardId, view, plain }: CardJob, outcome: Outcome, nowMs: number): Promise<Outcome> => {
    const { kind } = outcome
    const picture = plain ? null : pictureOn(view)
    const isRefused = kind === 'image_refused' || kind === 'bad_payload' || kind === 'unlisted'
    if (picture === null || !isRefused) return outcome
    const { fileId } = picture
    const { why } = outcome
    const isFinal = kind === 'image_refused' && outcome.isFinal === true
    const waitMs = isFinal ? null : refusedWaitMs(picture.attempts)
    const patch: PicturePatch = {
      attempts: picture.attempts + 1,
      why,
      ...(waitMs === null ? { state: 'failed' } : { state: 'wanted', notBeforeMs: nowMs + waitMs }),
    }
    await store.settlePicture(cardId, { shownFileId: null }, { shownFileId: fileId })
    // Only what was shown can have been refused: by now another picture may be wanted instead.
    await store.settlePicture(cardId, patch, { fileId })
    logger.info('picture:refused', { cardId, why, now: patch.state })
    // After an undocumented code it may be there anyway.
    return kind === 'unlisted' ? outcome : { kind: 'image_refused', why }
  }
}
