/** The memory, as the flows see it: the port that `store/` fills. */
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

/** What `recall` brings back: the poll decides on this, and on what it sees next. */
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
 * - `post`: a first message, or another try at it
 * - `update`: the message is behind
 * - `check`: it is unknown whether the post was taken
 * - `tidy`: it was posted twice perhaps; look for copies
 */
export type CardTask = 'post' | 'update' | 'check' | 'tidy'

/** Those of one channel, or all but those of some channels and some by their ids. */
export type WhichCards =
  | string
  | { readonly except: { readonly channels: readonly string[]; readonly cards: readonly string[] } }

export type CardJob = Delivery & {
  readonly task: CardTask
  readonly rank: Rank
  readonly cardId: string
  readonly channel: string
  /** The message in whose thread it stands. */
  readonly parentTs: string | null
  readonly view: StoredView
}

export type PictureState = 'wanted' | 'ready' | 'failed'

/** A picture to fetch or draw, and to upload. */
export type PictureJob = {
  readonly cardId: string
  readonly way: PictureWay
  readonly alert: Alert
  /** Uploaded already; Slack takes it in before it shows it. */
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

/** Which picture of a card is settled; absent parts do not matter. */
export type MeantPicture = {
  readonly alertId?: string
  readonly way?: PictureWay
  readonly state?: PictureState
}

/**
 * The memory. Every write is one transaction that is on disk when the call returns; it fails only by throwing what no
 * flow can mend.
 */
export type Store = {
  /** Every open alert, the ends that could close one or whose meaning is open, and the facts. */
  recall(): Promise<Recalled>
  /** The alerts with these ids, in whatever state. */
  recallByIds(alertIds: readonly string[]): Promise<readonly Alert[]>
  /** Every episode of these numbers of the API's; see `numberOf`. */
  recallByNumbers(numbers: readonly string[]): Promise<readonly Alert[]>
  /** The kept ends with these numbers. */
  recallEnds(numbers: readonly string[]): Promise<readonly End[]>
  /** Which of these alerts stand on a card. */
  carded(alertIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Writes a whole decision, or nothing: `stale` when an alert is not at the version the decision was made on. */
  commit(plan: Plan): Promise<'saved' | 'stale'>
  /** At start-up: posts that a crash interrupted become `unknown`. Answers how many. */
  recoverSending(): Promise<number>
  /** How many cards `retryDead` would try. */
  countUnshown(): Promise<number>
  /** One more try for what was refused: cards of what is open, boards, what stands there out of date. Answers how many. */
  retryDead(): Promise<number>
  /** A channel that was closed works again: what waits there is due at once. */
  reopen(channel: string): Promise<void>
  /** How many such tasks are due, and when the next one after them is; null: none. */
  due(
    nowMs: number,
    tasks: readonly CardTask[],
  ): Promise<{ readonly now: number; readonly nextMs: number | null }>
  /** The most urgent thing to do, or that of the rank whose `turn` it is; of one rank the oldest. Throws an `UnreadableCard` where it cannot be read. */
  nextJob(which: WhichCards, nowMs: number, tasks: readonly CardTask[], turn?: Turn): Promise<CardJob | null>
  /**
   * False where there is no such card any more: it was withdrawn before it was sent. With `from`, false and nothing written
   * too where it is in another state: the message that it was posted under is gone, and it is to be posted anew.
   */
  settle(cardId: string, patch: DeliveryPatch, from?: CardState): Promise<boolean>
  /** What these channels have waiting, and their last storms; every channel of the question is in the answer. */
  queues(channels: readonly string[]): Promise<ReadonlyMap<string, ChannelQueue>>
  /** The blind time that began last, also when it is over; null when none is remembered. */
  lastOutage(): Promise<Outage | null>
  /** The blind times that lasted beyond then, in the order in which they began. */
  outagesSince(fromMs: number): Promise<readonly Outage[]>
  nextPicture(nowMs: number): Promise<{ readonly job: PictureJob | null; readonly nextMs: number | null }>
  /**
   * Also makes the card wanted anew when the picture became ready. Nothing happens where the card's picture is not (any
   * more) the one that is meant: the alert may have closed while the picture of the open one was on its way.
   */
  settlePicture(cardId: string, patch: PicturePatch, meant?: MeantPicture): Promise<void>
  /** Cards by state, and how many are behind what they should show, for people who ask how things are. */
  countCards(): Promise<CardCounts>
  /** Cards whose news Slack does not show. No boards, and no alerts around which only a mute or a picture has changed. */
  waitingCards(): Promise<readonly Pick<CardJob, 'cardId' | 'channel' | 'shown'>[]>
} & ActingStore

/** A card as it stands in Slack, for who presses or shares it. */
export type CardPlace = {
  readonly cardId: string
  readonly kind: CardKind
  readonly channel: string
  readonly mention: string | null
  readonly ts: string | null
  readonly parentId: string | null
  /** The wanted version. */
  readonly version: number
  /** In their order on it; the last one is the newest where they are folded. */
  readonly alertIds: readonly string[]
  readonly subjectId: string | null
}

export type AlertQuery = {
  /** `closed` also finds those that are no longer reported and one-offs. */
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
  /** When what it tells of was done. */
  readonly createdMs: number
}

export type MarkerPatch = {
  readonly state?: MarkerState
  readonly attempts?: number
  readonly notBeforeMs?: number
  readonly why?: string
}

/** What acting and asking need of the memory. */
export type ActingStore = {
  /** Notes that these keys were seen: `repeat` when any of them was before. One transaction. */
  claim(keys: readonly string[], nowMs: number): Promise<'new' | 'repeat'>
  /** What was not done may be asked for again with the same key. */
  release(keys: readonly string[]): Promise<void>
  /** Keeps a change until it is confirmed. */
  keepPending(pending: {
    readonly pendingId: string
    readonly userId: string
    readonly change: Change
    readonly atMs: number
  }): Promise<void>
  /** Takes it away; null when it is not there (any more). */
  takePending(
    pendingId: string,
  ): Promise<{ readonly userId: string; readonly change: Change; readonly atMs: number } | null>

  /**
   * Every mute that has not ended, and the epoch of `Plan.muteEpoch`. `over` some servers: only theirs and the account's,
   * so that what is done to each of thousands does not read all of them each time.
   */
  mutes(over?: Over): Promise<{ readonly mutes: readonly Mute[]; readonly muteEpoch: number }>
  /** By id, ended ones too. */
  muteById(muteId: string): Promise<Mute | null>
  /** Mutes that were live at some time since then: of the server, and of the account. For charts. */
  mutesSince(hostname: string, sinceMs: number): Promise<readonly Mute[]>

  /** Requests to switch notifications that may be carried out late; the one that is due first before the others. */
  strays(): Promise<readonly Stray[]>
  /** Takes the place of the one of this subject and direction. */
  noteStray(stray: Stray): Promise<void>
  dropStray(of: Pick<Stray, 'hostname' | 'on'>): Promise<void>

  /** Latest first. */
  findAlerts(query: AlertQuery): Promise<{ readonly alerts: readonly Alert[]; readonly total: number }>
  /** Alerts that opened since then, on these servers (null: on any), one-offs too. */
  countAlerts(of: { readonly hostnames: readonly string[] | null; readonly sinceMs: number }): Promise<number>
  /** When the alert that began last did so, by the API's clock; null when none is remembered. */
  newestStartMs(): Promise<number | null>
  /** When the last alert that has closed did so, on this server (null: on any); null when none has. */
  lastClosedMs(hostname: string | null): Promise<number | null>
  /** Open alerts on these servers (null: on any), latest first. */
  openAlerts(hostnames: readonly string[] | null): Promise<readonly Alert[]>
  /** The same of those of which nobody knows whether they are open (`isLost`). */
  lostAlerts(hostnames: readonly string[] | null): Promise<readonly Alert[]>
  /**
   * Open alerts without an acknowledgement that started before then and have an `alert` card, a `summary` or a `storm` that was
   * made before then as well and does not wait for Slack, but no reminder (for a summary or storm: of any of its alerts); not
   * those that a mute hides. Longest open first.
   */
  /** One-offs that were first seen since then on one of these servers (null: any), and that stand on no card; latest first. */
  untoldOneoffs(of: {
    readonly hostnames: readonly string[] | null
    readonly sinceMs: number
    readonly untilMs: number | null
  }): Promise<readonly Alert[]>
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
  /** Hostnames of every alert that is remembered, sorted. */
  hostnames(): Promise<readonly string[]>
  /** Names that people know servers by, where they are not the hostname, as they stand on remembered alerts. */
  displayNames(): Promise<readonly { readonly name: string; readonly hostname: string }[]>

  cardById(cardId: string): Promise<CardPlace | null>
  cardAt(channel: string, ts: string): Promise<CardPlace | null>
  /** `alert` cards of these alerts. */
  cardsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** `storm` and `summary` cards on which any of these alerts stands. */
  listsOf(alertIds: readonly string[]): Promise<readonly CardPlace[]>
  /** Cards of this kind, in any channel. */
  cardsOfKind(kind: CardKind): Promise<readonly CardPlace[]>
  /** Every board, and what became of its message. */
  boards(): Promise<readonly (Pick<CardPlace, 'cardId' | 'channel' | 'ts'> & { readonly state: CardState })[]>
  /** Its message is deleted: the channel never had one. */
  forgetBoard(cardId: string): Promise<void>

  notesOf(alertId: string): Promise<readonly Note[]>
  /** One row of the audit; null when it is not there (any more). */
  auditById(auditId: string): Promise<AuditEntry | null>
  /** Latest first. `hostname` null: all, but what was done to several at once stands there once, and not for each of them. */
  audit(query: {
    readonly hostname: string | null
    readonly sinceMs: number
    readonly offset: number
    readonly limit: number
  }): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>
  /**
   * Numbers for the report; medians are of alerts that closed, or were acknowledged, since then. `startsMs`: when each of its
   * parts begins, earliest first; the first one at `fromMs`.
   */
  report(fromMs: number, toMs: number, startsMs: readonly number[]): Promise<Report>

  /** A marker that may be dropped now: its card is shown, or it has none, or the card will never be. */
  nextMarker(nowMs: number): Promise<{ readonly job: MarkerJob | null; readonly nextMs: number | null }>
  settleMarker(markerId: string, patch: MarkerPatch): Promise<void>
  /** At start-up: markers that a crash interrupted become `unknown`. Answers how many. */
  recoverMarkers(): Promise<number>

  /** Remembers who looks at the Home tab. */
  noteHome(userId: string, atMs: number): Promise<void>
  /** Who opened it since then, latest first, at most 50. */
  homes(sinceMs: number): Promise<readonly string[]>
  /** Deletes keys and pending changes older than this. */
  forgetRequests(beforeMs: number): Promise<void>
  /**
   * Deletes what is over and older than that, at most about so many rows in one transaction, and never what is open, in
   * force or still to be shown. Answers how many rows went; 0 when nothing is left to go.
   */
  prune(before: Forgetting, batchRows: number): Promise<number>
}
