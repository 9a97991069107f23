/** The store as the flows see it: the port that `store/` implements. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { Note } from '../../domain/alert/note.ts'
import type { End } from '../../domain/alert/pairing.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import type { Forgetting } from '../../domain/base/retention.ts'
import type { Earlier } from '../../domain/card/fold.ts'
import type { CardKind, StoredView } from '../../domain/card/kinds.ts'
import type { ChannelQueue } from '../../domain/card/storm.ts'
import type { CardState, Delivery, DeliveryPatch } from '../../domain/delivery/delivery.ts'
import type { Rank, Turn } from '../../domain/delivery/pace.ts'
import type { PictureWay } from '../../domain/delivery/picture.ts'
import type { MarkerState, NewMarker } from '../../domain/mute/marker.ts'
import type { Mute, Over } from '../../domain/mute/mute.ts'
import type { Stray } from '../../domain/mute/stray.ts'
import type { Outage } from '../../domain/outage/outage.ts'
import type { Facts, Plan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { CardCounts, Report } from '../../domain/request/answer.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { ListedState } from '../../domain/request/queries.ts'

/** What `recall` returns: the poll decides on this, and on what it sees next. */
export type Recalled = Memory & {
  readonly facts: Facts
  /** Every mute that has not ended. */
  readonly mutes: readonly Mute[]
  /** Changes with every change of any mute; see `Plan.muteEpoch`. */
  readonly muteEpoch: number
}

/**
 * One thing to do for one card.
 *
 * - `post`: the first message, or another try at it
 * - `update`: the message is behind
 * - `check`: it is unknown whether the post was taken
 * - `tidy`: it may have been posted twice; look for copies
 */
export type CardTask = 'post' | 'update' | 'check' | 'tidy'

/** Those of one channel, or all except some channels and some ids. */
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

export type PictureState = 'wanted' | 'ready' | 'failed'

/** A picture to fetch or draw, and to upload. */
export type PictureJob = {
  readonly cardId: string
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
  readonly attempts?: number
  readonly notBeforeMs?: number
  readonly why?: string
}

/** Which of a card's pictures is meant; absent parts do not matter. */
export type MeantPicture = {
  readonly alertId?: string
  readonly way?: PictureWay
  readonly state?: PictureState
}

/**
 * The store. Every write is one transaction that is on disk when the call returns; it fails only by throwing an error that no
 * flow can handle.
 */
export type Store = {
  /** Every open alert, the ends that could close one or are undecided, and the facts. */
  recall(): Promise<Recalled>
  /** The alerts with these ids, in any state. */
  recallByIds(alertIds: readonly string[]): Promise<readonly Alert[]>
  /** Every episode of these API numbers; see `numberOf`. */
  recallByNumbers(numbers: readonly string[]): Promise<readonly Alert[]>
  /** The kept ends with these numbers. */
  recallEnds(numbers: readonly string[]): Promise<readonly End[]>
  /** Which of these alerts are on a card. */
  carded(alertIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Writes a whole decision, or nothing: `stale` if an alert is not at the version the decision was made on. */
  commit(plan: Plan): Promise<'saved' | 'stale'>
  /** At start-up: posts that a crash interrupted become `unknown`. Returns how many. */
  recoverSending(): Promise<number>
  /** How many cards `retryDead` would try. */
  countUnshown(): Promise<number>
  /** One more try for what was refused: cards of open alerts, boards, messages that are out of date. Returns how many. */
  retryDead(): Promise<number>
  /** A closed channel works again: everything waiting for it is due at once. */
  reopen(channel: string): Promise<void>
  /** How many such tasks are due, and when the next one after them is; null: none. */
  due(
    nowMs: number,
    tasks: readonly CardTask[],
  ): Promise<{ readonly now: number; readonly nextMs: number | null }>
  /** The most urgent task, or that of the rank whose `turn` it is; the oldest of a rank. Throws an `UnreadableCard` if unreadable. */
  nextJob(which: WhichCards, nowMs: number, tasks: readonly CardTask[], turn?: Turn): Promise<CardJob | null>
  /**
   * False if the card no longer exists: it was withdrawn before it was sent. With `from`, also false, and nothing written, if
   * it is in another state: the message it was posted under is gone, and it must be posted again.
   */
  settle(cardId: string, patch: DeliveryPatch, from?: CardState): Promise<boolean>
  /** What these channels have waiting, and their last storms; the result has every channel asked for. */
  queues(channels: readonly string[]): Promise<ReadonlyMap<string, ChannelQueue>>
  /** The outage that began last, even if it is over; null if none is remembered. */
  lastOutage(): Promise<Outage | null>
  /** The outages that lasted beyond then, in the order in which they began. */
  outagesSince(fromMs: number): Promise<readonly Outage[]>
  nextPicture(nowMs: number): Promise<{ readonly job: PictureJob | null; readonly nextMs: number | null }>
  /**
   * Also makes the card due for an update if the picture became ready. Does nothing if `meant` is no longer the card's
   * picture: the alert may have closed while the picture of the open one was on its way.
   */
  settlePicture(cardId: string, patch: PicturePatch, meant?: MeantPicture): Promise<void>
  /** Cards by state, and how many are behind, for the status. */
  countCards(): Promise<CardCounts>
  /** Cards whose news Slack does not show yet. No boards, and no alerts for which only a mute or a picture has changed. */
  waitingCards(): Promise<readonly Pick<CardJob, 'cardId' | 'channel' | 'shown'>[]>
} & ActingStore

/** A card as it is in Slack: finds it by id or message. */
export type CardPlace = {
  readonly cardId: string
  readonly kind: CardKind
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

export type AlertQuery = {
  /** `closed` also finds one-offs and alerts that are no longer reported. */
  readonly state: ListedState
  /** Null: any server; a list: any of these. */
  readonly hostname: string | readonly string[] | null
  readonly offset: number
  readonly limit: number
}

export type MarkerJob = NewMarker & {
  readonly state: MarkerState
  readonly card: CardPlace | null
  readonly attempts: number
  /** When what it reports was done. */
  readonly createdMs: number
}

export type MarkerPatch = {
  readonly state?: MarkerState
  readonly attempts?: number
  readonly notBeforeMs?: number
  readonly why?: string
}

/** What actions and queries need of the store. */
export type ActingStore = {
  /** Stores these keys: `repeat` if any of them was already there. One transaction. */
  claim(keys: readonly string[], nowMs: number): Promise<'new' | 'repeat'>
  /** What was not done may be requested again with the same key. */
  release(keys: readonly string[]): Promise<void>
  /** Keeps a change until it is confirmed. */
  keepPending(pending: {
    readonly pendingId: string
    readonly userId: string
    readonly change: Change
    readonly atMs: number
  }): Promise<void>
  /** Removes and returns it; null if it is not there (any more). */
  takePending(
    pendingId: string,
  ): Promise<{ readonly userId: string; readonly change: Change; readonly atMs: number } | null>

  /**
   * Every active mute, and the epoch of `Plan.muteEpoch`. `over` some servers: only theirs and the account's, so that an
   * action on thousands of servers does not read all mutes for each of them.
   */
  mutes(over?: Over): Promise<{ readonly mutes: readonly Mute[]; readonly muteEpoch: number }>
  /** By id, ended ones too. */
  muteById(muteId: string): Promise<Mute | null>
  /** Mutes active at some time since then: of the server, and of the account. For charts. */
  mutesSince(hostname: string, sinceMs: number): Promise<readonly Mute[]>

  /** Notification switches that the API may carry out late; the one due first comes first. */
  strays(): Promise<readonly Stray[]>
  /** Replaces the one with this subject and direction. */
  noteStray(stray: Stray): Promise<void>
  dropStray(of: Pick<Stray, 'hostname' | 'on'>): Promise<void>

  /** Latest first. */
  findAlerts(query: AlertQuery): Promise<{ readonly alerts: readonly Alert[]; readonly total: number }>
  /** Alerts that opened since then, on these servers (null: on any), one-offs too. */
  countAlerts(of: { readonly hostnames: readonly string[] | null; readonly sinceMs: number }): Promise<number>
  /** When the most recent alert began, by the API's clock; null if none is remembered. */
  newestStartMs(): Promise<number | null>
  /** When the most recent close was, on this server (null: on any); null if there is none. */
  lastClosedMs(hostname: string | null): Promise<number | null>
  /** Open alerts on these servers (null: on any), latest first. */
  openAlerts(hostnames: readonly string[] | null): Promise<readonly Alert[]>
  /** The same for alerts that are not known to be open or closed (`isLost`). */
  lostAlerts(hostnames: readonly string[] | null): Promise<readonly Alert[]>
  /** One-offs first seen since then on one of these servers (null: any) that are on no card; latest first. */
  untoldOneoffs(of: {
    readonly hostnames: readonly string[] | null
    readonly sinceMs: number
    readonly untilMs: number | null
  }): Promise<readonly Alert[]>
  /**
   * Open, unacknowledged alerts that started before then and have an `alert`, `summary` or `storm` card that was also created
   * before then and is not waiting for Slack, but no reminder (for a summary or storm: of any of its alerts); without those
   * that a mute hides. Longest open first.
   */
  unacknowledged(startedBeforeMs: number): Promise<
    readonly {
      readonly alert: Alert
      readonly cardId: string
      readonly kind: 'alert' | 'summary' | 'storm'
      readonly channel: string
      readonly mention: string | null
    }[]
  >
  /** Alerts of the same server, plugin and metric as any of these that started since then, earliest first. */
  episodes(alerts: readonly Alert[], sinceMs: number): Promise<readonly Earlier[]>
  /** Hostnames of every remembered alert, sorted. */
  hostnames(): Promise<readonly string[]>
  /** Display names that differ from the hostname, from remembered alerts. */
  displayNames(): Promise<readonly { readonly name: string; readonly hostname: string }[]>

  cardById(cardId: string): Promise<CardPlace | null>
  cardAt(channel: string, ts: string): Promise<CardPlace | null>
  /** `alert` cards of these alerts. */
  cardsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** `storm` and `summary` cards with any of these alerts. */
  listsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** Cards of this kind, in any channel. */
  cardsOfKind(kind: CardKind): Promise<readonly CardPlace[]>
  /** Every board, and the state of its message. */
  boards(): Promise<readonly (Pick<CardPlace, 'cardId' | 'channel' | 'ts'> & { readonly state: CardState })[]>
  /** Its message was deleted: treats the channel as never having had one. */
  forgetBoard(cardId: string): Promise<void>

  notesOf(alertId: string): Promise<readonly Note[]>
  /** One row of the audit; null when it is not there (any more). */
  auditById(auditId: string): Promise<AuditEntry | null>
  /** Latest first. `hostname` null: all, but an action on several at once is listed once, and not for each of them. */
  audit(query: {
    readonly hostname: string | null
    readonly sinceMs: number
    readonly offset: number
    readonly limit: number
  }): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>
  /**
   * Numbers for the report; medians are of alerts that were closed, or acknowledged, since then. `startsMs`: when each of its
   * parts begins, earliest first; the first one at `fromMs`.
   */
  report(fromMs: number, toMs: number, startsMs: readonly number[]): Promise<Report>

  /** A marker that may be placed now: its card is shown, or it has none, or the card will never be. */
  nextMarker(nowMs: number): Promise<{ readonly job: MarkerJob | null; readonly nextMs: number | null }>
  settleMarker(markerId: string, patch: MarkerPatch): Promise<void>
  /** At start-up: markers that a crash interrupted become `unknown`. Returns how many. */
  recoverMarkers(): Promise<number>

  /** Remembers who opened the Home tab. */
  noteHome(userId: string, atMs: number): Promise<void>
  /** Who opened it since then, latest first, at most 50. */
  homes(sinceMs: number): Promise<readonly string[]>
  /** Deletes keys and pending changes older than this. */
  forgetRequests(beforeMs: number): Promise<void>
  /**
   * Deletes what ended before then, about this many rows per transaction, and never what is open, in force or still to be
   * shown. Returns how many rows were deleted; 0 when nothing is left to delete.
   */
  prune(before: Forgetting, batchRows: number): Promise<number>
}
