/** The answers to read-only queries, as data; the words and the pages' buttons are in `slack/`. */
import type { Alert } from '../alert/alert.ts'
import type { StillUnreadable } from '../alert/unreadable.ts'
import type { Mishap } from '../base/mishap.ts'
import type { ChannelTrouble } from '../delivery/channel-trouble.ts'
import type { CardState } from '../delivery/delivery.ts'
import type { Mute } from '../mute/mute.ts'
import type { OutageTimes } from '../outage/outage.ts'
import type { AuditEntry } from './audit.ts'
import type { Ask } from './queries.ts'

/** One page of a list; `page` from 1, `total` items in all. */
export type Paged<Item> = {
  readonly items: readonly Item[]
  readonly page: number
  readonly pages: number
  readonly total: number
}

/** How the parts of the bot are; times are epoch milliseconds. */
export type Health = {
  readonly nowMs: number
  /** When what is open was last read; null before the first time. */
  readonly lastPollMs: number | null
  /** `isPartial`: only what is over cannot be read; what is open can. */
  readonly failing: { readonly sinceMs: number; readonly why: string; readonly isPartial?: boolean } | null
  /** False: the list of what is open could not be read to its end, so that some of it may be told of nowhere. */
  readonly isWhole: boolean
  /** Records of the lists that could not be read; absent or null where all could. */
  readonly unreadable?: StillUnreadable | null
  readonly slack: { readonly ready: boolean; readonly sinceMs: number; readonly sockets: number }
  /** Why server roles cannot be read, where routes go by them; absent or null where they can. */
  readonly rolesUnread?: string | null
  /** Channels that take no cards now, each once. */
  readonly troubles: readonly ChannelTrouble[]
  /** Cards that are set aside though what they tell of is open, or though they stand there out of date. */
  readonly unshown?: number
  /** Cards that have not been shown as they should be for minutes, by channel; boards, which say how old they are, left out. */
  readonly late?: readonly LateCards[]
  /** What monbot itself broke at lately, one a kind of job. */
  readonly mishaps: readonly Mishap[]
}

/** `sinceMs`: since when the one waits that waits longest. */
export type LateCards = { readonly channel: string; readonly count: number; readonly sinceMs: number }

export type Status = Health & {
  readonly open: number
  /** Those of which nobody knows whether they are open; absent where there are none. */
  readonly lost?: number
  /** Open alerts that nobody has acknowledged and no mute hides. */
  readonly unacknowledged: number
  readonly mutes: readonly Mute[]
  readonly cards: ReadonlyMap<CardState, number>
  /** Cards that are behind what they should show. */
  readonly behind: number
  /** The same by channel; those without any are left out. */
  readonly behindIn: ReadonlyMap<string, number>
}

/** `behindIn`: those that are behind, by channel; channels without any are left out. */
export type CardCounts = {
  readonly byState: ReadonlyMap<CardState, number>
  readonly behind: number
  readonly behindIn: ReadonlyMap<string, number>
}

/** Alerts of one subject or plugin, most first. */
export type Count = { readonly name: string; readonly count: number }

export type Report = {
  readonly fromMs: number
  readonly toMs: number
  readonly opened: number
  readonly closed: number
  readonly stillOpen: number
  readonly servers: readonly Count[]
  readonly plugins: readonly Count[]
  /** Alerts by the day or hour in which they opened; `fromMs` of each part, all of the same length. */
  readonly parts: readonly { readonly fromMs: number; readonly opened: number }[]
  /** Median milliseconds; null where there was none. */
  readonly toAcknowledgeMs: number | null
  readonly toCloseMs: number | null
  readonly acknowledged: number
  /** What of that time was not seen as it happened. */
  readonly outage?: OutageTimes
}

/** A picture drawn for an answer. */
export type Drawing = { readonly png: Uint8Array; readonly alt: string }

export type Handoff = {
  readonly nowMs: number
  readonly open: readonly Alert[]
  /** As in `Status`. */
  readonly lost?: number
  readonly mutes: readonly Mute[]
  /** What was done in the last twelve hours, latest first. */
  readonly done: readonly AuditEntry[]
  /** What of those twelve hours was not seen as it happened. */
  readonly outage?: OutageTimes
  readonly health: Health
}

/** What the Home tab shows. */
export type HomeView = {
  readonly open: readonly Alert[]
  /** As in `Status`. */
  /** Those of which nobody knows whether they are open; absent where there are none. */
  readonly lost?: readonly Alert[]
  readonly mutes: readonly Mute[]
  readonly health: Health
}

export type Answer =
  | { readonly kind: 'help'; readonly topic: string | null }
  | { readonly kind: 'status'; readonly status: Status }
  | {
      readonly kind: 'alerts'
      readonly ask: Extract<Ask, { kind: 'alerts' }>
      readonly list: Paged<Alert>
      /** Of the servers that were asked for: those of which nobody knows whether they are open; absent where there are none. */
      readonly lost?: number
      readonly mutes: readonly Mute[]
      readonly health: Health
    }
  | { readonly kind: 'mutes'; readonly ask: Extract<Ask, { kind: 'mutes' }>; readonly list: Paged<Mute> }
  | {
      readonly kind: 'roles'
      readonly ask: Extract<Ask, { kind: 'roles' }>
      readonly list: Paged<{ readonly role: string; readonly servers: readonly string[] }>
      /** Roles and servers of them that could not be read. */
      readonly unreadable?: number
    }
  | {
      readonly kind: 'triggers'
      readonly ask: Extract<Ask, { kind: 'triggers' }>
      readonly list: Paged<{ readonly condition: string; readonly metric: string }>
      readonly unreadable?: number
    }
  | { readonly kind: 'handoff'; readonly handoff: Handoff }
  /** `drawing` is null where it could not be drawn; the numbers stand without it. */
  | {
      readonly kind: 'report'
      readonly report: Report
      readonly drawing: Drawing | null
      readonly health: Health
    }
  | {
      readonly kind: 'audit'
      readonly ask: Extract<Ask, { kind: 'audit' }>
      readonly list: Paged<AuditEntry>
    }
  | {
      readonly kind: 'chart'
      readonly server: string
      readonly metric: string
      /** Null: the API has no points of it in that time. */
      readonly drawing: Drawing | null
      readonly alertId: string | null
    }
