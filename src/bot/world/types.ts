/**
 * The contract of the program, to be read first: what the bot remembers. Each kind is one map of the world, and one kind of row on
 * disk. Records are plain JSON, never changed in place: `world.patch` puts a new one. Times are epoch milliseconds.
 */
import type { Fact } from './facts.ts'

export type Records = {
  alerts: Alert
  posts: Post
  mutes: Mute
  switches: Switch
  acts: Act
  effects: Effect
  requests: Request
  facts: Fact
}
export type Kind = keyof Records

export type Severity = 'critical' | 'warning' | 'info'

/** One opening of one alert. A record of the API that opens again is another alert. */
export type Alert = {
  /** The key, and `#2`, `#3`… behind it for further openings of the same record. */
  readonly id: string
  /** `number@startedMs`: a record of the API. */
  readonly key: string
  /** The API's id; people write it, or an ending of it, as `#8398`. */
  readonly number: string
  /** The hostname of paths, and the name that people read. */
  readonly host: string
  readonly server: string
  /** A one-off neither opens nor closes: it is told once, without buttons. */
  readonly isOneoff: boolean
  readonly title: string
  readonly plugin: string
  readonly metric: string | null
  readonly value: number | null
  readonly url: string | null
  readonly sparklineUrl: string | null
  readonly severity: Severity
  readonly details: Details
  /** Why the monitoring itself notifies nobody of it. */
  readonly mutedBy: readonly MutedBy[]
  readonly startedMs: number
  readonly firstSeenMs: number
  /** In the quiet list of a first poll: it neither reminds nor pages until somebody touches it. */
  readonly isFirstPoll: boolean
  /** Complete lists in a row in which it was missing. */
  readonly missing: number
  /** Since when it is listed nowhere though nothing proves its end (⚪ on the card); null while it is listed. */
  readonly unlistedMs: number | null
  readonly closedMs: number | null
  /** How long it was open; null unless both ends were measured. */
  readonly closedAfterMs: number | null
  /** `end`: its record · `replaced`: its number is another alert now · `absence`: two complete lists without it · else a person's id. */
  readonly closedBy: 'end' | 'replaced' | 'absence' | (string & {}) | null
  /** Who is on it: a Slack member id, or a pager's `name:Ana`. */
  readonly holder: string | null
  readonly heldMs: number | null
  /** Then nobody is on it any more, which is told aloud once; it stays until somebody is again. */
  readonly snooze?: { readonly by: string; readonly untilMs: number } | null
  /** The stretch in which nobody is on it though it is audible. `count` never goes back: ids derived from it are new in each round. */
  readonly round: { readonly count: number; readonly fromMs: number } | null
  readonly rounds: number
  /** How often the same trouble came back onto its card, and when the first of that row came. */
  readonly reopened: number
  readonly reopenedFromMs: number | null
  /** When it became critical after it had been less: that is told aloud once. */
  readonly criticalMs?: number | null
  /** It is still to be told, once, though it is not open: a one-off, or what opened and closed between two polls. */
  readonly isUntold?: boolean
}

/** What a service that knows more says of an alert; null or empty where it does not. */
export type Details = {
  readonly labels: Readonly<Record<string, string>>
  readonly description: string | null
  readonly links: readonly { readonly text: string; readonly url: string }[]
  /** As the service says it, before the policy's rules. */
  readonly severity: string | null
  /** Equal for the same trouble under another number. */
  readonly trouble: string | null
  readonly triggerId: string | null
  readonly units: string | null
  readonly limit: number | null
  readonly side: 'high' | 'low' | null
  /** The service can mute this alert alone, as in front of an Alertmanager. */
  readonly canMute: boolean
}

export type MutedBy = {
  readonly kind: 'silence' | 'inhibition'
  readonly id: string | null
  readonly by: string | null
  readonly untilMs: number | null
  readonly why: string | null
  /** Made by the service for a mute of monbot. */
  readonly ours: boolean
}

export type PostKind =
  /** The card of one alert, and of what came back onto it. `alert:<alert id>:<channel>` */
  | 'alert'
  /** The card of several: `data.of` is the kind of trouble (`kindOf`), or null for a mixed list. `list:<nextId>:<channel>` */
  | 'list'
  /** 80 lines of a list, in its thread. `lines:<list post id>:<page>` */
  | 'lines'
  /** Aloud in the thread of a card, and in the channel: reopened and stayed, became critical, or its snooze is over. `aloud:<post id>:<alert id>:<round>` */
  | 'aloud'
  /** A step of the reminders; broadcast, or in another channel. `remind:<post id>:<alert id>:<round>:<step>` */
  | 'remind'
  /** `forgotten:<post id>:<heldMs>`: are you still on it? */
  | 'forgotten'
  /** Something that was done, told in a channel and edited through its life: `data.act`. `said:<act id>:<channel>` */
  | 'said'
  /** A line in the thread of a card: a note, a take-over, who was paged. `line:<act id>:<post id>` */
  | 'line'
  /** `outage:<sinceMs>:<channel>` */
  | 'outage'
  /** `board:<channel>` */
  | 'board'
  /** A change of shift, or a cover. `shift:<beginMs>:<channel>` */
  | 'shift'
  /** `report:<dueMs>:<channel>` */
  | 'report'
  /** To one person: an alert was handed to them. `dm:<act id>`; its channel is the person's id */
  | 'dm'
  /** `hello:<channel>` */
  | 'hello'
  /** A picture in a card's thread: one that came late, or that somebody asked for. `chart:<post>:<hash of the picture's key>` */
  | 'chart'

/** What a post tells of one alert. `isQuiet`: it joined without a mention and without a new message. */
export type Shown = { readonly alert: string; readonly isQuiet: boolean; readonly atMs: number }

/** One message of Slack, wanted or there. The id says what it shows, so it cannot exist twice. */
export type Post = {
  readonly id: string
  readonly kind: PostKind
  /** `forChannel` is where its route wanted it: another one while that is shut. */
  readonly channel: string
  readonly forChannel: string
  /** The post in whose thread it stands; `isBroadcast`: and in the channel too. */
  readonly thread: string | null
  readonly isBroadcast: boolean
  /** As Slack takes it. Only the first sending mentions, an edit calls nobody. */
  readonly mention: string | null
  readonly isLoud: boolean
  readonly data: PostData
  readonly shows: readonly Shown[]
  /**
   * new: wanted · sending: on disk before its call · unsure: the call's outcome is unknown · live: at `ts` ·
   * dead: Slack will never take it, or a person deleted it and nothing needs it. A withdrawn one is removed from the world.
   */
  readonly state: 'new' | 'sending' | 'unsure' | 'live' | 'dead'
  /** Slack's id of the message. `channelId`: where Slack says that it is, as of a person the direct message's channel. */
  readonly ts: string | null
  readonly channelId: string | null
  /** Of the view that Slack shows; null while that is not known. */
  readonly shownHash: string | null
  /** Shown with all its alerts closed: a change of rendering leaves it as it is. */
  readonly isShownClosed: boolean
  readonly tries: number
  readonly dueMs: number
  readonly createdMs: number
  /** When the sending of now began, and the first one that may have arrived. A definite refusal puts the old one back. */
  readonly sentMs: number | null
  readonly firstSentMs: number | null
  /** The thread that the doubtful sendings used (a `ts`), null for the top level. */
  readonly threadTs: string | null
  /** When to look for copies next, and to repeat the edit, since a late one may have won; null for no more. */
  readonly recheckMs: number | null
  readonly repeatMs: number | null
  /** 0: what a person just did · 1: openings · 2: closings · 3: values · 4: lists · 5: boards · 6: re-rendering. */
  readonly urgency: number
  /** Slack refused its blocks, or its picture. */
  readonly isPlain: boolean
  readonly noPicture: boolean
  /** The uploaded one that it shows: Slack's file id, and which picture it is. */
  readonly picture: { readonly file: string; readonly key: string } | null
}

export type AloudWhy = 'reopened' | 'critical' | 'snoozed'

export type PostData = {
  /** How often something was chosen from its menus: Slack's clients keep a choice until the block has another id. */
  readonly choices?: number
  /** list: its kind, null for a mixed one; and whether it is the quiet one of a first poll. */
  readonly of?: string | null
  readonly isFirst?: boolean
  /** lines */
  readonly page?: number
  /** remind: which step of the policy, and of which post. */
  readonly step?: number
  readonly about?: string
  /** aloud */
  readonly why?: AloudWhy
  /** said, line, dm: the act that it tells. */
  readonly act?: string
  /** outage, cover: since when, and until when it lasted; null or absent while it lasts. */
  readonly sinceMs?: number
  readonly untilMs?: number | null
  /** outage: nobody polled for a part of it, so nobody knows how long it lasted. */
  readonly isUnmeasured?: boolean
  /** shift, report. */
  readonly atMs?: number
  /** shift: what the one before brought, as it was at its end. */
  readonly handoff?: Numbers
}

/** What a stretch of time brought: what opened and closed in it, and what was open at its end, by who was on it. */
export type Numbers = {
  readonly fromMs: number
  readonly opened: number
  readonly closed: number
  readonly open: readonly (readonly [holder: string | null, alerts: number])[]
}

/**
 * One mute, or one window of a planned one: in force from `fromMs` to `untilMs` while it has not ended.
 * Subjects: `account` · `server:<host>` · `alert:<trouble>` (`troubleOf`) · `labels:<matchers, sorted>`.
 */
export type Mute = {
  readonly id: string
  readonly subject: string
  /** What people read: `web-2`, `CPU busy on web-2`, `namespace=pay-*`, `everything`. */
  readonly name: string
  /** labels: all must match; globs on values. */
  readonly matchers?: readonly { readonly label: string; readonly glob: string }[]
  /** alert: on which it was asked, and how bad that was: what becomes critical later is shown. */
  readonly alert?: string
  readonly severity?: Severity
  readonly by: string
  readonly reason: string
  readonly fromMs: number
  /** Null: until somebody ends it, at most until `maxUntilMs`, the policy's longest. */
  readonly untilMs: number | null
  readonly maxUntilMs: number
  /** It ends once the server has been without an alert for 15 min; `fineMs` is since when it has been. */
  readonly untilFine: boolean
  readonly fineMs: number | null
  /** A planned one that comes again: the next window is another record with the same `plan`. */
  readonly every?: Every
  readonly plan?: string
  /** The entry of the policy's `maintenance` that planned it. */
  readonly policyEntry?: string
  /** Only this window was skipped; the next one comes. */
  readonly isSkipped?: boolean
  /** null while it is in force or planned. by: a person, or `time`, `fine`, `refused`, `gone`, `elsewhere`, `replaced`, `restore`, `cancelled`. */
  readonly ended: { readonly atMs: number; readonly by: string; readonly why?: string } | null
  /** The act that made it: several mutes of one command share one, and one message. */
  readonly act: string
  /** The mute of the same subject that this one replaced; *Undo* within a minute puts it back. */
  readonly replaced?: string
  /** What the API heard: only a mute that it took at least once may be said to be over. */
  readonly isConfirmed: boolean
  readonly extendedBy?: string
}

/** Days 0 (Sunday) to 6; minutes after midnight in the zone. */
export type Every = {
  readonly days: readonly number[]
  readonly atMinutes: number
  readonly lengthMs: number
  readonly zone: string
}

/** What the API was told last of one subject: `account`, `server:<host>`, or `alertmanager:<mute id>`. On: it notifies. */
export type Switch = {
  readonly id: string
  readonly told: 'on' | 'off' | 'unknown'
  /** What was being told when that became unknown. */
  readonly telling: 'on' | 'off' | null
  readonly tries: number
  readonly dueMs: number
  /** When to tell it again though it agreed: an unclear call may have come late and won. */
  readonly repeatsMs: readonly number[]
  /** alertmanager: until when it was told to be off; an extension is told anew. */
  readonly untilMs?: number | null
  /** Since when the API has said in its own words that there is no such subject. */
  readonly missingMs: number | null
}

/** What the monitoring said of an alert, or people did about it. */
type AlertAct = 'opened' | 'closed' | 'reopened' | 'critical' | 'close' | 'note' | 'paged' | 'investigated'
type HoldAct = 'acknowledge' | 'take_over' | 'hand_back' | 'hand' | 'snooze' | 'snooze_ended' | 'still_on'
type MuteAct = 'mute' | 'unmute' | 'extend' | 'plan' | 'skip' | 'cancel_plan' | 'mute_ended'
/** One call of the monitoring, under the same name. */
type CallAct = 'marker' | 'add_roles' | 'no_data' | 'delete_server' | 'delete_metric' | 'end_silence'
type OtherAct = 'page' | 'cover' | 'end_cover' | 'refused' | 'outage' | 'restore'
export type ActKind = AlertAct | HoldAct | MuteAct | CallAct | OtherAct

/** The only history: audit, timeline, handoff and report read it. */
export type Act = {
  readonly id: string
  readonly atMs: number
  /** A Slack member id, `pager:Ana`, `name:ci`, `policy`, `monbot`, or `somebody`. */
  readonly by: string
  readonly kind: ActKind
  /** What people read: the server, the alert's headline, the names. */
  readonly subject: string
  readonly alert?: string
  readonly host?: string
  readonly channel?: string
  /** done · unknown: the API never answered clearly · failed · refused: no permission */
  readonly outcome: 'done' | 'unknown' | 'failed' | 'refused' | 'asked'
  readonly data: ActData
}

export type ActData = {
  readonly text?: string
  readonly to?: string
  readonly from?: string
  readonly roles?: readonly string[]
  readonly names?: readonly string[]
  readonly mutes?: readonly string[]
  readonly untilMs?: number | null
  readonly alerts?: readonly string[]
  readonly why?: string
  /** marker: the name of whoever dropped it, as a mention on each card would call them. */
  readonly name?: string
  /** page: who said that they are on it. */
  readonly answeredBy?: string
}

/** One call to the outside that is made once: `asked` on disk before it. Only pages repeat after an unclear answer, under the same id. */
export type Effect = {
  readonly id: string
  readonly does: CallAct | 'page' | 'file' | 'investigate'
  readonly data: EffectData
  readonly state: 'new' | 'asked' | 'done' | 'failed' | 'unknown'
  readonly tries: number
  readonly dueMs: number
  readonly atMs: number
  readonly why: string | null
  /** The act whose outcome it decides. */
  readonly act?: string
}

export type EffectData = {
  readonly notes?: string
  readonly host?: string
  readonly names?: readonly string[]
  readonly group?: string
  readonly silence?: string
  /** page */
  readonly type?: 'triggered' | 'acknowledged' | 'resolved'
  readonly dedupKey?: string
  readonly post?: string
  readonly alert?: string
  /** page: all that the call is about; `alert` is the first. */
  readonly alerts?: readonly string[]
  readonly step?: number
  readonly by?: string
  readonly text?: string
  /** file: what it holds, and whom it goes to. page: whom it calls, if that is not the pager's to decide. */
  readonly file?: 'timeline' | 'chart' | 'handoff_csv' | 'report_csv'
  readonly to?: string
  readonly forMs?: number
  /** file: the end of what it is about, if not the moment at which it is made. */
  readonly atMs?: number
  readonly chart?: ChartWish
}

/** A chart that somebody asked for: of the metrics API, or the one of an alert's card. */
export type ChartWish = {
  readonly alert?: string
  readonly servers: readonly string[]
  readonly metricName: string
  readonly metricType: string
  readonly source: string | null
  readonly durationMs: number
  readonly title: string
}

/** Of a person, and its answer: a repeat gets the same one. */
export type Request = { readonly id: string; readonly atMs: number; readonly answer: string | null }
