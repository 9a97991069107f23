/** What is known of the world beside alerts, messages and acts: one row a fact. */

/** `id` names it, and its shape stands in `Facts`. */
export type Fact = { readonly id: string; readonly value: unknown }

/** A channel that takes nothing until a person acts: since when, Slack's word, and when it is asked next. */
export type Shut = { readonly sinceMs: number; readonly why: string; readonly nextMs: number }

export type Facts = {
  /** The last poll that read both lists. */
  polled: { readonly atMs: number; readonly unreadable: number }
  /** The API fails: since when, how often in a row, why in words; `toldMs` once it is an outage that is told. */
  failing: {
    readonly sinceMs: number
    readonly count: number
    readonly why: string
    readonly toldMs: number | null
    /** The last poll that failed. */
    readonly lastMs?: number
  } | null
  /** Servers by role, the last that could be read. */
  roles: { readonly atMs: number; readonly servers: Readonly<Record<string, readonly string[]>> }
  /** Shifts that the calendar said last; `unread` counts those that could not be read. */
  oncall: OnCall | null
  /** Who covered whoever is on call, and who does: one after the other, over what the calendar says. */
  covers: readonly Shift[]
  /** Channels that refuse. Archived ones are no lasting trouble. */
  shut: Readonly<Record<string, Shut>>
  /** The team's own words: its name, `https://team.slack.com/`, the bot's ids. */
  slack: SlackIdentity
  /** Names and zones of people, groups' members. */
  people: Readonly<Record<string, Person>>
  /** What Slack refuses of the token, in words; null while it takes it. */
  tokenRefused: string | null
  /** The service stands in front of an Alertmanager: it can mute one alert alone. */
  canMuteAlerts: boolean
  /** Calls of the pager fail: since when. */
  pagerFailing: { readonly sinceMs: number; readonly why: string } | null
  /** The newest id that was given, so that a later one is larger. */
  lastId: string
  /** Written into a backup that was brought back; the next start acts on it and removes it. */
  restored: { readonly atMs: number }
}

export type SlackIdentity = {
  readonly teamUrl: string
  readonly teamId: string
  /** The Grid that the workspace belongs to; null or absent for none. */
  readonly enterpriseId?: string | null
  readonly botId: string
  readonly botUserId: string
}

export type Person = {
  readonly id: string
  readonly name: string
  readonly realName: string
  readonly email: string | null
  readonly zone: string
  readonly isBot: boolean
  readonly isDeleted: boolean
  readonly readMs: number
}

export type OnCall = {
  readonly atMs: number
  readonly unread: number
  readonly why: string | null
  readonly shifts: readonly Shift[]
}
/** `person` is a Slack member id, or `name:Ana` where nobody in Slack is known by it. `covers`: in whose place, of a cover. */
export type Shift = {
  readonly fromMs: number
  readonly untilMs: number
  readonly person: string
  readonly name: string
  readonly covers?: readonly string[]
}
