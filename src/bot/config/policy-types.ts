/** The policy of the team as the program reads it: what `policy.ts` makes of the YAML file, with all defaults filled in. */
import type { Every, Severity } from '../world/types.ts'

/** All that is given must match. Globs (`*`, `?`, any case) but for labels' values, severity and lifecycle. */
export type Match = {
  readonly role?: readonly string[]
  readonly server?: readonly string[]
  readonly plugin?: readonly string[]
  readonly metric?: readonly string[]
  readonly title?: readonly string[]
  readonly severity?: readonly string[]
  readonly lifecycle?: 'start' | 'oneoff'
  readonly labels?: Readonly<Record<string, readonly string[]>>
}

export type PermissionName =
  | 'acknowledge'
  | 'add_note'
  | 'mute_server'
  | 'mute_account'
  | 'add_roles'
  | 'add_marker'
  | 'set_no_data'
  | 'delete_server'
  | 'delete_metric'
/** Ids of members (`U…`, `W…`) and user groups (`S…`). */
export type Allowed = 'everyone' | 'nobody' | readonly string[]

export type ReminderStep = {
  readonly afterMs: number
  readonly match: Match | null
  /** Text such as `<!subteam^S1>`, or `oncall`; null: whom the route mentions. */
  readonly mention: string | null
  /** Another channel, or a person's direct messages; null: the card's thread, and its channel. */
  readonly channel: string | null
  readonly page: boolean
}

export type Policy = {
  readonly routes: readonly {
    readonly match: Match
    readonly channel: string
    readonly mention: string | null
  }[]
  readonly severity: readonly { readonly match: Match; readonly is: Severity }[]
  readonly ignore: readonly Match[]
  readonly links: readonly { readonly match: Match; readonly text: string; readonly url: string }[]
  readonly showLabels: readonly string[]
  readonly permissions: Readonly<Record<PermissionName, Allowed>>
  /** Nobody said who may mute the account: in front of an Alertmanager nobody may. */
  readonly isAccountMuteUnset: boolean
  readonly limits: {
    readonly muteDefaultMs: number
    readonly muteMaxMs: number
    readonly accountMuteMaxMs: number
  }
  readonly reminders: readonly ReminderStep[]
  /** null: never. */
  readonly flapSettleMs: number | null
  readonly forgottenAfterMs: number | null
  readonly onCall: {
    readonly ical: string | null
    readonly pagerduty: string | null
    readonly people: Readonly<Record<string, string>>
    readonly handoff: boolean
  } | null
  readonly board: boolean
  readonly report: {
    readonly days: readonly number[]
    readonly atMinutes: number
    readonly channel: string
  } | null
  readonly lifecycle: 'flip' | 'pair'
  readonly images: boolean
  readonly timezone: string
  readonly maintenance: readonly {
    /** Its text, by which a window is known again. */
    readonly id: string
    /** Servers and patterns, or `account`. */
    readonly mute: readonly string[]
    readonly every: Every | null
    readonly fromMs: number | null
    readonly untilMs: number | null
    readonly reason: string
  }[]
}
