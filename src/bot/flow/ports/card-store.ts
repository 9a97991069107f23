/** The store as the outbox sees it: cards, their pictures and markers, and how far Slack shows them. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { CardKind, NoticeTopic, StoredView } from '../../domain/card/kinds.ts'
import type { Reminded } from '../../domain/card/reminders.ts'
import type { CardState, Delivery, DeliveryPatch } from '../../domain/delivery/delivery.ts'
import type { Rank, Turn } from '../../domain/delivery/pace.ts'
import type { PictureState, PictureWay } from '../../domain/delivery/picture.ts'
import type { MarkerState, NewMarker } from '../../domain/mute/marker.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import type { CardCounts } from '../../domain/request/answer.ts'

/**
 * One thing to do for one card.
 *
 * - `post`: the first message, or another try at it
 * - `update`: the message is behind
 * - `check`: it is unknown whether the post was taken
 * - `tidy`: it may have been posted twice; look for copies
 */
export type CardTask = 'post' | 'update' | 'check' | 'tidy'

/** Which cards: those of one channel, or all except some channels and some ids. */
export type WhichCards =
  | string
  | { readonly except: { readonly channels: readonly string[]; readonly cards: readonly string[] } }

export type CardJob = Delivery & {
  readonly task: CardTask
  readonly rank: Rank
  readonly cardId: string
  readonly channel: string
  /** The message whose thread it is in. */
  readonly parentTs: string | null
  readonly view: StoredView
}

/** One post of a card, by when it was begun. */
export type PostClaim = { readonly sendingMs: number }

/** One update of a card, by when it was begun. */
export type UpdateClaim = { readonly callMs: number }

/** A message that was posted for a card by a process that does not lead any more. `ts` null: Slack's answer was lost. */
export type Copy = { readonly cardId: string; readonly channel: string; readonly ts: string | null }

/** A chart to draw and to upload, or to make visible to people. */
export type PictureJob = {
  readonly cardId: string
  readonly channel: string
  /** The card in whose thread this one is. */
  readonly parentId: string | null
  readonly state: Exclude<PictureState, 'ready' | 'failed'>
  /** Is its card in Slack? If not, the chart goes with the card's first message. */
  readonly isPosted: boolean
  /** The state of the reply that shows it; null if there is none. */
  readonly reply: CardState | null
  readonly way: PictureWay
  readonly alert: Alert
  /** Already uploaded; Slack processes it before it can show it. */
  readonly fileId: string | null
  readonly attempts: number
}

export type PicturePatch = {
  readonly state?: PictureState
  readonly way?: PictureWay
  readonly fileId?: string
  /** People have access to it: the card shows it until there is another. */
  readonly isSeen?: true
  /** The card must be updated, because what it shows has changed. */
  readonly touches?: true
  /** The file that the card shows; null: none any more. */
  readonly shownFileId?: string | null
  readonly attempts?: number
  readonly notBeforeMs?: number
  readonly why?: string
}

/** Which of a card's charts is meant; absent parts do not matter. */
export type MeantPicture = {
  readonly alertId?: string
  readonly way?: PictureWay
  /** Null: not uploaded yet. */
  readonly fileId?: string | null
  readonly shownFileId?: string
}

/** A reply that shows a picture of a card. `isSettled`: nothing more is posted for it, and no copy can turn up. */
export type PictureReply = Pick<CardPlace, 'cardId' | 'channel' | 'ts'> & { readonly isSettled: boolean }

/** A card's place in Slack. */
export type CardPlace = {
  readonly cardId: string
  readonly kind: CardKind
  readonly topic: NoticeTopic | null
  readonly channel: string
  readonly mention: string | null
  readonly ts: string | null
  readonly parentId: string | null
  /** The version to show. */
  readonly version: number
  /** In their order on the card; if they are folded, the last one is the newest. */
  readonly alertIds: readonly string[]
  readonly subjectId: string | null
}

export type MarkerJob = Pick<NewMarker, 'markerId' | 'text'> & {
  readonly card: CardPlace | null
  readonly attempts: number
  /** When what it reports happened. */
  readonly createdMs: number
}

export type MarkerPatch = {
  readonly state?: MarkerState
  readonly attempts?: number
  readonly notBeforeMs?: number
  readonly why?: string
}

/** The part of the store for cards; `Store` says what a write promises. */
export type CardStore = {
  /** At start-up: posts that a crash interrupted become `unknown`. Returns how many. */
  recoverSending(): Promise<number>
  /**
   * Where another process led before: what it had under way, nobody knows the end of. Its updates are repeated, and so are its
   * changes of notifications. Returns the ids of the cards.
   */
  takeOver(): Promise<readonly string[]>
  /**
   * The memory is older than it was, as after a failover that lost the last seconds: cards that it does not know to be in Slack
   * are looked for before they are posted, new ones too for ten minutes; what Slack shows of open alerts, and mutes, are repeated.
   */
  doubtMemory(nowMs: number): Promise<void>
  /** Another process leads, and this one has posted this: the message is deleted, or belongs to the card if that has none. */
  noteCopy(copy: Copy): Promise<void>
  /** Another process leads, and this one has updated this card late: it is shown once more as it is to be. */
  noteLateUpdate(cardId: string): Promise<void>
  /** Another process leads, and this one has told the API of this subject late: it is said once more. */
  noteLateSwitch(subject: Subject): Promise<void>
  /** With the state of the card and the message that it has; null: there is no such card, or it has none. */
  copies(): Promise<readonly (Copy & { readonly state: CardState | null; readonly shownTs: string | null })[]>
  /** Makes this message that of its card, if it has none and none is being posted; false: it has another, or is gone. */
  takeCopy(copy: Copy & { readonly ts: string }): Promise<boolean>
  forgetCopy(copy: Copy): Promise<void>
  /** How many cards `retryDead` would try. */
  countUnshown(): Promise<number>
  /** Has refused cards tried once more: those of open alerts, boards, and outdated messages. Returns how many. */
  retryDead(): Promise<number>
  /** A closed channel works again: everything waiting for it is due at once. */
  reopen(channel: string): Promise<void>
  /** How many of these tasks are due, and when the next one will be; null: none. */
  due(
    nowMs: number,
    tasks: readonly CardTask[],
  ): Promise<{ readonly now: number; readonly nextMs: number | null }>
  /** The most urgent task, or that of the rank whose `turn` it is; the oldest of a rank. Throws an `UnreadableCard` if unreadable. */
  nextJob(which: WhichCards, nowMs: number, tasks: readonly CardTask[], turn?: Turn): Promise<CardJob | null>
  /**
   * False if the card no longer exists: it was withdrawn before it was sent. With `from`, also false, and nothing written, if
   * it is in another state, or claimed for another call: the message it was posted under is gone, and it must be posted again.
   * With `fileId`, it was posted with that picture.
   */
  settle(
    cardId: string,
    patch: DeliveryPatch,
    from?: CardState | PostClaim | UpdateClaim,
    fileId?: string,
  ): Promise<boolean>
  /**
   * Claims a card for one post, before Slack is asked: it is `sending` from then on. False if it is not `wanted` any more. The
   * same claim once more is answered the same, because the answer to the first may have been lost.
   */
  claimPost(cardId: string, claim: PostClaim & { readonly firstSendingMs: number }): Promise<boolean>
  /** Notes on disk that an update is under way, for whoever takes the lead before its result is written. False if it is not shown. */
  claimUpdate(cardId: string, claim: UpdateClaim): Promise<boolean>
  /** Makes a reply a message of the channel, about the card whose reply it was, because Slack allows no replies there. */
  detach(cardId: string): Promise<void>
  /** Sends notes for the thread of this card to the channel, because its message is gone for good. */
  detachNotes(cardId: string): Promise<void>
  /** Deletes a card that is not needed any more; does nothing if its post was begun. */
  dropUnsent(cardId: string): Promise<void>
  /** The next chart to work on, first those of cards that are about to be posted; none of the cards in `except`. */
  nextPicture(
    nowMs: number,
    except?: readonly string[],
  ): Promise<{ readonly job: PictureJob | null; readonly nextMs: number | null }>
  /**
   * Writes the state of a chart. Does nothing if `meant` is no longer the card's chart (the alert may have closed meanwhile), nor
   * does it offer one to a card that was posted meanwhile.
   */
  settlePicture(cardId: string, patch: PicturePatch, meant?: MeantPicture): Promise<void>
  /** The replies with other pictures of this card. */
  olderReplies(cardId: string, fileId: string): Promise<readonly PictureReply[]>
  /** Cards by state, and how many are behind, for the status. */
  countCards(): Promise<CardCounts>
  /** Cards with news that Slack does not show yet; without boards, and alerts for which only a mute or a chart has changed. */
  waitingCards(): Promise<readonly Pick<CardJob, 'cardId' | 'channel' | 'shown'>[]>
  cardById(cardId: string): Promise<CardPlace | null>
  cardAt(channel: string, ts: string): Promise<CardPlace | null>
  /** `alert` cards of these alerts. */
  cardsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** `storm` and `summary` cards with any of these alerts. */
  listsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** The reminders that were made for these alerts, for each alert separately. */
  remindersOf(alertIds: readonly string[]): Promise<readonly Reminded[]>
  /** Every channel that any card is for. */
  cardChannels(): Promise<readonly string[]>
  /**
   * Clears a channel that takes nothing any more. Messages for everybody that wait there go to `fallback` (null: they keep
   * waiting), unless one of the channels in `read` has them; those about alerts that one of these shows are dropped. If no
   * setting names the channel (`isWanted` false), everything about it is deleted. Returns how many cards changed.
   */
  letGo(
    channel: string,
    to: {
      readonly isWanted: boolean
      readonly read: readonly string[]
      readonly fallback: string | null
    },
  ): Promise<number>
  /** Channels in which a card shows an open alert of these servers or troubles; null: of any. */
  channelsWithOpen(subjects: readonly string[] | null): Promise<readonly string[]>
  /** Channels that have a message of their own (not in a thread) about this change, or the beginning of this mute. */
  channelsTold(
    of: { readonly auditId: string } | Pick<Mute, 'muteId' | 'subject' | 'alert'>,
  ): Promise<readonly string[]>
  /** Cards of this kind, in any channel. */
  cardsOfKind(kind: CardKind): Promise<readonly CardPlace[]>
  noticesOf(topic: NoticeTopic): Promise<readonly CardPlace[]>
  /** Every board, and the state of its message. */
  boards(): Promise<readonly (Pick<CardPlace, 'cardId' | 'channel' | 'ts'> & { readonly state: CardState })[]>
  /** Forgets a card whose message was deleted. */
  forgetCard(cardId: string): Promise<void>

  /** A marker that may be placed now: its card is shown, or it has none, or the card will never be. */
  nextMarker(nowMs: number): Promise<{ readonly job: MarkerJob | null; readonly nextMs: number | null }>
  settleMarker(markerId: string, patch: MarkerPatch): Promise<void>
  /** At start-up: markers that a crash interrupted become `unknown`. Returns how many. */
  recoverMarkers(): Promise<number>
}

/** Thrown instead of a job whose card's content could not be read from the store. */
export class UnreadableCard extends Error {
  override readonly name = 'UnreadableCard'
  readonly job: Omit<CardJob, 'view'>

  constructor(job: Omit<CardJob, 'view'>, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.job = job
  }
}
