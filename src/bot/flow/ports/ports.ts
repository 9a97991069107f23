/** The ports to the outside world, which `monitor/` and `slack/` implement. The store's is in `store.ts`. */
import type { Clock, SteadyClock } from '../../../shared/clock.ts'
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { CardView } from '../../domain/card/kinds.ts'
import type { BarChart, SeriesChart } from '../../domain/chart/chart.ts'
import type { MetricDuration, MetricName } from '../../domain/chart/question.ts'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import type { ListedSilence } from '../../domain/mute/hiding.ts'
import type { ListedShifts } from '../../domain/oncall/shift.ts'
import type { HomeView, TextFile } from '../../domain/request/answer.ts'
import type { PersonIs } from '../../domain/request/reply.ts'
import type { Timeline } from '../../domain/request/timeline.ts'

export type { Clock, SteadyClock }

/** One page of a listing: the records that passed the check, and how many the API really sent. */
export type Page = {
  readonly records: readonly AlertRecord[]
  /** Records in the answer, including bad ones: only this distinguishes a full page (50) from the last one. */
  readonly size: number
  /** Records that failed the check and were left out. */
  readonly skipped: number
  /** Why the service itself says that its list may not be all; absent if it does not. */
  readonly doubt?: string
}

/** Which alerts to list: open ones, closed ones, or both (docs/api.md#alerts). */
export type ListAsked = 'start' | 'end' | 'all'

/** A trigger of the account (docs/api.md#triggers). */
export type Trigger = {
  /** A large integer, kept as text. */
  readonly triggerId: string
  readonly condition: string
  readonly metric: string
  readonly maxValue: number | null
  readonly lowValue: number | null
  readonly durationSeconds: number
}

export type RolesRead = {
  /** Role name → hostnames. A Map, because role names come from outside (`__proto__` is one). */
  readonly roles: ReadonlyMap<string, readonly string[]>
  /** Roles and hostnames that could not be read and were left out. */
  readonly skipped: number
}

/** A query to `metrics.json` (docs/api.md#metrics). */
export type MetricQuestion = MetricName & {
  /** A hostname, a wildcard, or a regular expression between slashes. */
  readonly server?: string
  readonly environment?: string
  readonly role?: string
  readonly duration?: MetricDuration
  readonly display?: 'range' | 'breakout'
  /** The number of the alert that it is asked for: of several series that a rule may have on a server, a service may tell its own. */
  readonly alert?: string
}

export type MetricSeries = {
  readonly label: string
  readonly units: string
  /** `[min, average, max]`, in the order of the timestamps; null, or missing at the end, if the API gave no numbers. */
  readonly points: readonly (readonly [number, number, number] | null)[]
}

export type MetricAnswer = {
  /** Epoch milliseconds, one per point. */
  readonly timestampsMs: readonly number[]
  readonly series: readonly MetricSeries[]
  readonly skipped: number
}

/** A mute of one alert or by matchers, as the service is told of it (docs/api.md#mutes). */
export type AlertMute = {
  readonly muteId: string
  /** An alert's number; null: by matchers alone. */
  readonly alert: string | null
  /** In Alertmanager's notation; null: the alert's own. */
  readonly matchers: readonly string[] | null
  /** Null: until it is ended. */
  readonly untilMs: number | null
  /** Who, and why, for people at the Alertmanager. */
  readonly by: string
  readonly why: string
}

export type MutePreview = {
  readonly matchers: readonly string[]
  /** Numbers of open alerts that it would hide, at most 500, and how many in all. */
  readonly alerts: readonly string[]
  readonly hides: number
}

/**
 * The monitoring API. Every call may throw an `OutsideFailure` and nothing else; calls that change something return the API's
 * `message`. The adapter never repeats a call that changes something.
 */
export type Monitor = {
  alerts(ask: { lifecycle: ListAsked; offset: number }): Promise<Page>
  triggers(): Promise<{ readonly triggers: readonly Trigger[]; readonly skipped: number }>
  roles(): Promise<RolesRead>
  metrics(question: MetricQuestion): Promise<MetricAnswer>
  setServerNotifications(hostname: string, on: boolean): Promise<string>
  setAccountNotifications(on: boolean): Promise<string>
  /** Every active silence, of a service that can mute single alerts; one that cannot answers `missing`. */
  silences(): Promise<readonly ListedSilence[]>
  /** Ends a mute or a silence by its id; one that is not there any more counts as ended. */
  endMute(id: string): Promise<string>
  /** Only of a service that says `canMute`. The same id again means the same mute, with these terms. */
  muteAlert(mute: AlertMute): Promise<string>
  /** What it would hide; changes nothing. */
  previewMute(of: Pick<AlertMute, 'alert' | 'matchers'>): Promise<MutePreview>
  setNoDataGroup(hostname: string, group: string): Promise<string>
  addRoles(hostname: string, roles: readonly string[]): Promise<string>
  addMarker(notes: string): Promise<string>
  deleteServer(hostname: string): Promise<string>
  /** At most 20 names. */
  deleteCustomMetrics(names: readonly string[]): Promise<string>
}

/** A file that was uploaded, and its address for people. */
export type Attached = {
  readonly fileId: string
  readonly permalink: string
  readonly name: string
  readonly bytes: number
}

/** What the bot does in Slack; only the outbox posts to a channel. */
/** An outcome of a call that showed nothing. */
export type Refused = Exclude<Outcome, { kind: 'shown' }>

/** How far a history was read: where it goes on (empty: from its newest message), and what was found so far; `limit`: messages a page, once Slack took no more. `find` moves it on. */
export type HistorySearch = { cursor: string; found: readonly string[]; limit?: number }

export type Chat = {
  post(
    to: { channel: string; threadTs: string | null; key: string; plain: boolean },
    view: CardView,
  ): Promise<Outcome>
  update(at: { channel: string; ts: string; key: string; plain: boolean }, view: CardView): Promise<Outcome>
  /**
   * The bot's messages with this key since then, earliest first. A long history takes several calls: each after the first
   * waits for `mayGoOn`. May throw an `OutsideFailure`; with the same `search` it then goes on from there.
   */
  find(
    where: { channel: string; threadTs: string | null; key: string; sinceMs: number },
    mayGoOn?: () => Promise<void>,
    search?: HistorySearch,
  ): Promise<readonly string[]>
  /** The id of the direct messages with a person, opened if there are none yet. May throw an `OutsideFailure`. */
  direct(userId: string): Promise<string>
  /** Looks up whether the channel would refuse a post; null if nothing is known against it. */
  probe(channel: string): Promise<Refused | null>
  /** Deletes a copy; one that is gone already counts as deleted. May throw an `OutsideFailure`. */
  remove(at: { channel: string; ts: string }): Promise<void>
  /** Pins a message; one that is pinned already counts as pinned. May throw an `OutsideFailure`. */
  pin(at: { channel: string; ts: string }): Promise<void>
  /** Takes a pin away, if it is there. May throw an `OutsideFailure`. */
  unpin(at: { channel: string; ts: string }): Promise<void>
  /**
   * Uploads a text file. Nobody sees it until a message of the bot has its address in its text, once Slack has taken it in. May throw
   * an `OutsideFailure`.
   */
  attach(file: TextFile | Timeline): Promise<Attached>
  /** Has Slack taken the file in? Null: not known, because monbot may not ask. May throw an `OutsideFailure`. */
  isTakenIn(fileId: string): Promise<boolean | null>
  /** Uploads a PNG, not visible until a card shows it; returns its file id. May throw an `OutsideFailure`. */
  upload(png: Uint8Array, name: string): Promise<string>
  /**
   * Do the readers of this channel have access to the file? Null: not known, because monbot may not ask. May throw an
   * `OutsideFailure`.
   */
  isShared(fileId: string, channel: string): Promise<boolean | null>
  /** A link to a message for people of the workspace. May throw an `OutsideFailure`. */
  permalink(at: { channel: string; ts: string }): Promise<string>
  /** Shows a person's Home tab; null: that the memory is away, which is true even where another bot may lead. May throw an `OutsideFailure`. */
  publishHome(userId: string, view: HomeView | null): Promise<void>
}

/** People's data in Slack, cached. Every call may throw an `OutsideFailure`. */
export type Directory = {
  /** The person's time zone, IANA; `Etc/UTC` if Slack gives none. */
  zoneOf(userId: string): Promise<string>
  /** Whether somebody by this id can be given anything. */
  personIs(userId: string): Promise<PersonIs>
  /** What the person is called. */
  nameOf(userId: string): Promise<string>
  /** Users of a user group (`S…`). */
  membersOf(groupId: string): Promise<ReadonlySet<string>>
}

/** People by their e-mail, cached. Every call may throw an `OutsideFailure`. */
export type EmailBook = {
  /** The person's id; null: Slack knows nobody with it. */
  findByEmail(email: string): Promise<string | null>
}

/** Where it is read who is on call. */
export type OnCallSource = {
  /** In words, without a secret. */
  readonly from: string
  /** The same for the same source; it tells nothing of its address. */
  readonly id: string
  /** The shifts that overlap this time. May throw an `OutsideFailure`. */
  shifts(span: { readonly fromMs: number; readonly toMs: number }): Promise<ListedShifts>
}

/** A heartbeat: the bot works, or it cannot see what is open. */
export type Beat = 'alive' | 'failed'

/** The monitor outside, which raises an alarm when heartbeats stop. May throw an `OutsideFailure`. */
export type Heartbeat = { send(beat: Beat): Promise<void> }

/** Unique ids: of mutes, notes, audit entries, markers, errors. */
export type Ids = { make(): string }

/** Where the flows log what happened; `noun:verb`, with facts and never a secret. */
export type Logger = {
  debug(event: string, facts?: Record<string, unknown>): void
  info(event: string, facts?: Record<string, unknown>): void
  warn(event: string, facts?: Record<string, unknown>): void
  error(event: string, facts?: Record<string, unknown>): void
}

/** Draws pictures. Throws only on a bug: what cannot be drawn is filtered out earlier. */
export type Draw = {
  /** A metric over time: the band from min to max, the average in it, threshold, mutes and markers. PNG. */
  series(chart: SeriesChart): Promise<Uint8Array>
  /** A bar chart. PNG. */
  bars(chart: BarChart): Promise<Uint8Array>
}

/** Why Slack cannot be used now. `isRefused`: only a person can change that. `why`: a sentence for the operator, without a secret. */
export type SlackTrouble = {
  readonly isRefused: boolean
  readonly why: string
  readonly retryAfterMs: number | null
}
