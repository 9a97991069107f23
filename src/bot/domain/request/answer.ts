/** The answers to read-only queries, as data; words and page buttons are in `slack/`. */
import type { Alert } from '../alert/alert.ts'
import type { Coverage, StillUnreadable } from '../alert/unreadable.ts'
import type { UnexpectedError } from '../base/unexpected-error.ts'
import type { ChannelTrouble } from '../delivery/channel-trouble.ts'
import type { CardState } from '../delivery/delivery.ts'
import type { MutedElsewhere, Silence } from '../mute/hiding.ts'
import type { Mute } from '../mute/mute.ts'
import type { Coming, PlannedMute } from '../mute/planned.ts'
import type { OnCall } from '../oncall/shift.ts'
import type { OutageTimes } from '../outage/outage.ts'
import type { AuditEntry } from './audit.ts'
import type { Ask } from './queries.ts'
import type { Report } from './report.ts'
import type { Happened } from './rule-counts.ts'

/** One page of a list; `page` from 1, `total` items in all. */
export type Paged<Item> = {
  readonly items: readonly Item[]
  readonly page: number
  readonly pages: number
  readonly total: number
}

/** The health of the bot's parts; times are epoch milliseconds. */
export type Health = {
  readonly nowMs: number
  /** When open alerts were last read; null before the first time. */
  readonly lastPollMs: number | null
  /** `isPartial`: only ended alerts cannot be read; open ones can. */
  readonly failing: { readonly sinceMs: number; readonly why: string; readonly isPartial?: boolean } | null
  /** How much of the lists the last reading covered. */
  readonly coverage: Coverage
  /** Records of the lists that could not be read; absent or null if all could. */
  readonly unreadable?: StillUnreadable | null
  /** See `Seen`; absent for none. */
  readonly leftOut?: number
  /** Why the service itself says that its answers may not be complete; absent or null if it does not. */
  readonly doubt?: string | null
  readonly slack: { readonly ready: boolean; readonly sinceMs: number; readonly sockets: number }
  /** Why server roles cannot be read, if routes depend on them; absent or null if they can. */
  readonly rolesUnread?: string | null
  /** Since when the pager takes nothing, and why; absent or null if it does, or there is none. */
  readonly pager?: { readonly sinceMs: number; readonly why: string } | null
  /** Channels that cannot take cards now, each once. */
  readonly troubles: readonly ChannelTrouble[]
  /** Cards that were set aside although their alert is open or their message in Slack is out of date. */
  readonly unshown?: number
  /** Cards that have been behind for minutes, by channel; without boards, which say how old they are. */
  readonly late?: readonly LateCards[]
  /** Boards that could not be pinned; it is no trouble, and said only in the status. */
  readonly unpinned?: readonly Unpinned[]
  /** monbot's own recent errors, one per kind of job. */
  readonly unexpectedErrors: readonly UnexpectedError[]
  /** Absent or null where no others can be on the memory, or it is not known. */
  readonly lead?: Lead | null
  /** Absent or null where the policy has no on-call calendar. */
  readonly onCall?: OnCall | null
}

/** Who leads, since when (epoch milliseconds), and who stands by, of the bots on one memory. */
export type Lead = {
  readonly name: string
  readonly sinceMs: number
  readonly standbys: readonly { readonly name: string; readonly reachesSlack: boolean }[]
}

/** A board that could not be pinned, with Slack's word for the reason. */
export type Unpinned = { readonly channel: string; readonly why: string }

/** `sinceMs`: since when the oldest of them has waited. */
export type LateCards = { readonly channel: string; readonly count: number; readonly sinceMs: number }

export type Status = Health & {
  readonly open: number
  /** Open alerts that are critical; absent if there are none. */
  readonly critical?: number
  /** Alerts that are not known to be open or closed; absent if there are none. */
  readonly lost?: number
  /** Open alerts that nobody has acknowledged and that are not hidden. */
  readonly unacknowledged: number
  /** Open alerts that the policy leaves out; absent if there are none. */
  readonly ignored?: number
  readonly mutes: readonly Mute[]
  /** What hides alerts elsewhere; absent if nothing does. */
  readonly outside?: MutedElsewhere
  readonly cards: ReadonlyMap<CardState, number>
  /** Cards that are behind what they should show. */
  readonly behind: number
  /** The same by channel; channels without any are left out. */
  readonly behindIn: ReadonlyMap<string, number>
}

/** `behindIn`: those that are behind, by channel; channels without any are left out. */
export type CardCounts = {
  readonly byState: ReadonlyMap<CardState, number>
  readonly behind: number
  readonly behindIn: ReadonlyMap<string, number>
}

/** Alerts of one server, most first. */
export type Count = { readonly name: string; readonly count: number }

/** A text file made for people. */
export type TextFile = { readonly name: string; readonly bytes: Uint8Array }

/** A picture drawn for an answer. */
export type Drawing = { readonly png: Uint8Array; readonly alt: string }

export type Storm = { readonly atMs: number; readonly alerts: number; readonly open: number }
export type Flap = { readonly server: string; readonly plugin: string; readonly times: number }

export type Handoff = {
  readonly nowMs: number
  readonly open: readonly Alert[]
  /** As in `Status`. */
  readonly lost?: number
  readonly mutes: readonly Mute[]
  /** What opened in its time, whoever acted on it. */
  readonly happened: Happened
  /** What was done in that time, latest first. */
  readonly done: readonly AuditEntry[]
  /** Storms of that time, latest first. */
  readonly storms: readonly Storm[]
  /** What opened three times or more in it, most often first. */
  readonly flaps: readonly Flap[]
  /** The part of that time that was not observed live. */
  readonly outage?: OutageTimes
  readonly health: Health
}

/** The message in which an alert stands: its own card, or the list of its storm. */
export type AlertPlace = {
  readonly alertId: string
  readonly cardId: string
  readonly channel: string
  readonly ts: string
}

/** What the Home tab shows. */
/** A list of many alerts on a card, as the Home tab acts on it. */
export type HomeStorm = {
  readonly kind: 'storm' | 'summary'
  readonly cardId: string
  readonly channel: string
  readonly ts: string
  /** Its open alerts, and how many it has in all. */
  readonly open: readonly Alert[]
  readonly count: number
}

export type HomeView = {
  /** Those with several open alerts that Slack shows, the newest first. */
  readonly storms?: readonly HomeStorm[]
  /** Of the alerts that are listed; one that Slack does not show yet has none. */
  readonly places?: readonly AlertPlace[]
  readonly open: readonly Alert[]
  /** Alerts that are not known to be open or closed; absent if there are none. */
  readonly lost?: readonly Alert[]
  readonly mutes: readonly Mute[]
  /** What is planned for later; absent where nothing is. */
  readonly planned?: readonly PlannedMute[]
  readonly health: Health
}

export type Answer =
  | { readonly kind: 'help'; readonly topic: string | null }
  | { readonly kind: 'status'; readonly status: Status }
  | { readonly kind: 'oncall'; readonly health: Health }
  | {
      readonly kind: 'alerts'
      readonly ask: Extract<Ask, { kind: 'alerts' }>
      readonly list: Paged<Alert>
      /** Among the requested servers: alerts that are not known to be open or closed; absent if there are none. */
      readonly lost?: number
      readonly mutes: readonly Mute[]
      readonly health: Health
    }
  | {
      readonly kind: 'mutes'
      readonly ask: Extract<Ask, { kind: 'mutes' }>
      readonly list: Paged<Mute | Silence | Coming>
      /** What hides alerts elsewhere, of which the list has the silences; absent if nothing does. */
      readonly outside?: MutedElsewhere
    }
  | {
      readonly kind: 'roles'
      readonly ask: Extract<Ask, { kind: 'roles' }>
      readonly list: Paged<{ readonly role: string; readonly servers: readonly string[] }>
      /** Roles, and servers in them, that could not be read. */
      readonly unreadable?: number
    }
  | {
      readonly kind: 'triggers'
      readonly ask: Extract<Ask, { kind: 'triggers' }>
      readonly list: Paged<{ readonly condition: string; readonly metric: string }>
      readonly unreadable?: number
    }
  | { readonly kind: 'handoff'; readonly handoff: Handoff }
  /** One row an alert: `rows` of the `total` that opened in this time. Sent to the person as a direct message. */
  | {
      readonly kind: 'file'
      readonly file: TextFile
      readonly fromMs: number
      readonly toMs: number
      readonly rows: number
      readonly total: number
      readonly outage: OutageTimes
      readonly health: Health
    }
  /** `drawing` is null if it could not be drawn; the numbers are shown without it. */
  | {
      readonly kind: 'report'
      readonly report: Report
      /** As it was asked for. */
      readonly ms: number
      readonly drawing: Drawing | null
      readonly health: Health
    }
  | {
      readonly kind: 'audit'
      readonly ask: Extract<Ask, { kind: 'audit' }>
      readonly list: Paged<AuditEntry>
    }
  /** `metrics` in people's words; `fitting`: what they were typed as, null if all of the server's were asked for. */
  | {
      readonly kind: 'metrics'
      readonly server: string
      /** Of the charts that can be chosen. */
      readonly ms: number
      readonly fitting: string | null
      readonly metrics: readonly string[]
    }
  | {
      readonly kind: 'chart'
      readonly server: string
      /** What people call it. */
      readonly metric: string
      /** Null: the API has no points of it in that time. */
      readonly drawing: Drawing | null
      readonly alertId: string | null
    }
