/** The store as the flows see it: the port that `store/` implements. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { End } from '../../domain/alert/end.ts'
import type { Reading } from '../../domain/alert/reading.ts'
import type { GivenVerdict } from '../../domain/alert/rule.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import type { Forgetting } from '../../domain/base/retention.ts'
import type { Earlier } from '../../domain/card/fold.ts'
import type { ChannelQueue } from '../../domain/card/storm.ts'
import type { LabelGlob } from '../../domain/command/words.ts'
import type { Mute, Over } from '../../domain/mute/mute.ts'
import type { PlannedMute } from '../../domain/mute/planned.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import type { Switch } from '../../domain/mute/switch.ts'
import type { Outage } from '../../domain/outage/outage.ts'
import type { Page } from '../../domain/page/page.ts'
import type { Facts, Plan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { ListedAlert } from '../../domain/request/alert-csv.ts'
import type { Handoff } from '../../domain/request/answer.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { ListedState } from '../../domain/request/queries.ts'
import type { Report } from '../../domain/request/report.ts'
import type { Happened } from '../../domain/request/rule-counts.ts'
import type { TimelineFacts } from '../../domain/request/timeline.ts'
import type { CardStore } from './card-store.ts'

/** What `recall` returns: a poll decides with this, and with what it reads next. */
export type Recalled = Memory & {
  readonly facts: Facts
  /** Every mute that has not ended. */
  readonly mutes: readonly Mute[]
  /** Changes with every change of any mute; see `Plan.muteEpoch`. */
  readonly muteEpoch: number
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
  /** The alerts that people name by this ending of a long number, else those whose number ends so; a few, the newest first. */
  recallByEnding(ending: string): Promise<readonly Alert[]>
  /** The kept ends with these numbers. */
  recallEnds(numbers: readonly string[]): Promise<readonly End[]>
  /** The channels in which each alert has a card, its own or one of many; without alerts that have none. */
  carded(alertIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Writes a whole decision, or nothing: `stale` if an alert is not at the version the decision was made on. */
  commit(plan: Plan): Promise<'saved' | 'stale'>
  /** What parts keep for themselves (see `Plan.state`), by what follows `of` in its name. */
  state(of: string): Promise<ReadonlyMap<string, string>>
  /** The pages for which somebody is called, or of which the pager is to be told; the longest unchanged first. */
  livePages(): Promise<readonly Page[]>
  /** Those with these keys, live or not. */
  pagesByKey(keys: readonly string[]): Promise<readonly Page[]>
  /** What waits for these channels, and their last storms; the result has every requested channel. */
  queues(channels: readonly string[]): Promise<ReadonlyMap<string, ChannelQueue>>
  /** The outage that began last, even if it is over; null if none is stored. */
  lastOutage(): Promise<Outage | null>
  /** Notes that a card says that the outage is over. */
  noteOutageTold(outageId: string, atMs: number): Promise<void>
  /** The outages that lasted beyond then, in the order in which they began. */
  outagesSince(fromMs: number): Promise<readonly Outage[]>
  /** The alert whose metric is to be read next, of those with a card in Slack; null until `nextMs`. */
  nextReading(nowMs: number): Promise<{ readonly alert: Alert | null; readonly nextMs: number | null }>
  /**
   * Writes a reading (null: there was none), and when to read next. The alert's cards are updated if people see a difference,
   * with a new chart if wanted; returns whether they are. Does nothing if the alert's state has changed meanwhile.
   */
  settleReading(
    alert: Alert,
    settled: {
      readonly reading: Reading | null
      readonly nextMs: number | null
      readonly withPicture: boolean
    },
  ): Promise<boolean>
} & CardStore &
  ActingStore

export type AlertQuery = {
  /** `closed` also finds one-offs and alerts that are no longer reported. */
  readonly state: ListedState
  /** Who has it; absent: whoever it is, or nobody. */
  readonly ackedBy?: string
  /** Null: any server; a list: any of these. */
  readonly hostname: string | readonly string[] | null
  /** The labels that it has, by globs; all of them. */
  readonly labels?: readonly LabelGlob[]
  readonly offset: number
  readonly limit: number
}

/** An open alert, and the card that announced it. */
export type AlertForReminders = {
  readonly alert: Alert
  readonly cardId: string
  readonly kind: 'alert' | 'summary' | 'storm'
  readonly channel: string
  /** Whom the card and its pages mentioned. */
  readonly mention: string | null
  readonly createdMs: number
  /** Slack has not taken the card yet: its channel may be closed. */
  readonly isWaiting: boolean
  /** It reopened on the card of another alert, which mentioned nobody. */
  readonly isFold: boolean
}

/** The part of the store for actions, queries and clean-up, without cards. */
export type ActingStore = {
  /** Stores these keys: `repeat` if any of them was already there. One transaction. */
  claim(keys: readonly string[], nowMs: number): Promise<'new' | 'repeat'>
  /** Deletes these keys, because what was not done may be requested again. */
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
   * Every active mute, and those that have ended and are not known to be so at the API; and the epoch of `Plan.muteEpoch`. `over`
   * some subjects: only theirs, the account's and those by matchers, so that an action on thousands of servers does not read all
   * mutes for each.
   */
  mutes(over?: Over): Promise<{ readonly mutes: readonly Mute[]; readonly muteEpoch: number }>
  /** By id, ended ones too. */
  muteById(muteId: string): Promise<Mute | null>
  /** Mutes active at some time since then: of the server, of the account, and of any alert. `hostname` null: all. */
  mutesSince(hostname: string | null, sinceMs: number): Promise<readonly Mute[]>

  /** All mutes that are planned for later, in no order. */
  planned(): Promise<readonly PlannedMute[]>

  /** What the API is still to be told, or to be told again; what is due first comes first. */
  switches(): Promise<readonly Switch[]>
  /** Those of these subjects (null: the account), settled ones too; in no order. */
  switchesOf(subjects: readonly Subject[]): Promise<readonly Switch[]>
  /** Writes one row before the API is asked; `stale` if it is not at version `was` any more. */
  noteAsked(next: Switch, was: number): Promise<'saved' | 'stale'>
  /** Those that this request decided and the API has not answered for good. */
  switchesAsked(auditId: string): Promise<readonly Switch[]>

  /** Latest first; of open ones the critical first. */
  findAlerts(query: AlertQuery): Promise<{ readonly alerts: readonly Alert[]; readonly total: number }>
  /** Alerts that are listed as open and that the policy leaves out. */
  countIgnored(): Promise<number>
  /** Alerts that opened since then, on these servers or of these troubles (null: any), one-offs too. */
  countAlerts(of: { readonly subjects: readonly string[] | null; readonly sinceMs: number }): Promise<number>
  /** When the most recent alert began, by the API's clock; null if none is remembered. */
  newestStartMs(): Promise<number | null>
  /** When the most recent close was, on this server or of this trouble (null: any); null if there is none. */
  lastClosedMs(subject: Subject): Promise<number | null>
  /** Open alerts on these servers or of these troubles (null: any), critical ones first, then the latest. */
  openAlerts(subjects: readonly string[] | null): Promise<readonly Alert[]>
  /** Alerts on these servers or of these troubles (null: any) that are not known to be open or closed (`isLost`), critical ones first. */
  lostAlerts(subjects: readonly string[] | null): Promise<readonly Alert[]>
  /** One-offs first seen since then on these servers or of these troubles (null: any) that are on no card; latest first. */
  untoldOneoffs(of: {
    readonly subjects: readonly string[] | null
    readonly sinceMs: number
    readonly untilMs: number | null
  }): Promise<readonly Alert[]>
  /**
   * Open alerts that nobody has, or (`isAcked`) that somebody has had since then at least, with an `alert`, `summary` or `storm` card
   * from before then; what joined a list later comes with it. Each with all such cards, later ones too. Without those that a mute or
   * something elsewhere hides; longest open first.
   */
  alertsForReminders(of: {
    readonly isAcked: boolean
    readonly beforeMs: number
    /** A card dated later than this was written before the clock was set back, and may have any age. */
    readonly aheadMs?: number
  }): Promise<readonly AlertForReminders[]>
  /** Alerts of the same server, plugin and metric as any of these that started since then, earliest first. */
  episodes(alerts: readonly Alert[], sinceMs: number): Promise<readonly Earlier[]>
  /** Can the service mute alerts by themselves, as it said of one of the newest? */
  canMuteAlerts(): Promise<boolean>
  /** Hostnames of every stored alert, sorted. */
  hostnames(): Promise<readonly string[]>
  /** Display names that differ from the hostname, from remembered alerts. */
  displayNames(): Promise<readonly { readonly name: string; readonly hostname: string }[]>

  /** One row of the audit; null when it is not there (any more). */
  auditById(auditId: string): Promise<AuditEntry | null>
  /** Latest first. `hostname` null: all, but an action on several at once is listed once, and not for each of them. */
  audit(query: {
    readonly hostname: string | null
    readonly sinceMs: number
    readonly offset: number
    readonly limit: number
  }): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>
  /** Markers that people set in this time, and changes of this server's roles; the latest, at most `limit`, earliest first. */
  markersDuring(query: {
    readonly hostname: string
    readonly fromMs: number
    readonly toMs: number
    readonly limit: number
  }): Promise<readonly AuditEntry[]>
  /**
   * Numbers for the report; medians are of alerts that were closed, or acknowledged, since then. `startsMs`: when each of its
   * parts begins, earliest first; the first one at `fromMs`.
   */
  report(fromMs: number, toMs: number, startsMs: readonly number[]): Promise<Omit<Report, 'happened'>>
  /** The storms and the flapping alerts since then, as a handoff lists them. */
  unrest(sinceMs: number): Promise<Pick<Handoff, 'storms' | 'flaps'>>

  /** What opened in this time, by rule. `isBeforeKnown`: nothing says that the time before, which is as long, was not seen. */
  happened(fromMs: number, toMs: number, isBeforeKnown: boolean): Promise<Happened>
  /** The latest of what opened in this time, latest first, at most `limit`, and how many there are in all. */
  openedAlerts(
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<{ readonly alerts: readonly ListedAlert[]; readonly total: number }>
  /** What happened about these alerts, and on their servers in this time. `cardIds`: the cards that show them. */
  timelineFacts(of: {
    readonly alertIds: readonly string[]
    readonly hostnames: readonly string[]
    readonly cardIds: readonly string[]
    readonly fromMs: number
    readonly toMs: number
  }): Promise<TimelineFacts>
  /** What people think of these alerts. */
  verdictsOn(alertIds: readonly string[]): Promise<readonly GivenVerdict[]>

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
