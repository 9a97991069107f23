/** The tables, as Kysely knows them: integers and text only, so that both SQLite and Postgres can hold them. */

import type { Generated } from 'kysely'

export type AlertRow = {
  alert_id: string
  /** What the API calls it; see `numberOf`. */
  number: string
  hostname: string
  server_name: string
  title: string
  plugin: string
  metric: string | null
  value: number | null
  url: string
  trigger_id: string | null
  said_severity: string | null
  severity: string
  state: string
  started_ms: number
  closed_ms: number | null
  closed_by: string | null
  closed_after_ms: number | null
  absences: number
  missing_ms: number | null
  /** A JSON array of names. */
  roles: string
  acked_by: string | null
  acked_ms: number | null
  acked_before: string | null
  said_ms: number | null
  reopened_ms: number | null
  unmuted_ms: number | null
  /** Written by the store alone, for reports, whoever has the alert now. */
  first_acked_ms: Generated<number | null>
  version: number
  first_seen_ms: number
  /** JSON; null on the plain API. */
  details: Generated<string | null>
  /** A JSON array that is not empty. */
  muted_by: Generated<string | null>
  /** The name of its trouble, as mutes of it have it in `subject`. */
  trouble: Generated<string | null>
  /** Of a long number, written by `alert/endings.ts` alone. */
  ending: Generated<string | null>
  /** Of its metric, written by `alert/readings.ts` alone; see `Reading`. */
  units: Generated<string | null>
  limit_value: Generated<number | null>
  limit_side: Generated<string | null>
  last_value: Generated<number | null>
  last_ms: Generated<number | null>
  peak_value: Generated<number | null>
  read_ms: Generated<number | null>
  /** When it is to be read next. */
  next_read_ms: Generated<number | null>
}

/** Closing records of services in pair form, and undecided ones. */
export type EndRow = {
  end_id: string
  number: string
  hostname: string
  ended_ms: number
  decided: number
  history: number
  /** The record as it was seen, JSON. */
  record: string
}

export type CardRow = {
  card_id: string
  kind: string
  /** Of a notice. */
  topic: string | null
  channel: string
  parent_id: string | null
  page: number | null
  mention: string | null
  created_ms: number
  state: string
  wanted: number
  shown: number
  /** The version at which what it reports last changed itself; later versions changed its surroundings (a mute, a picture). */
  moved: number
  ts: string | null
  not_before_ms: number
  sending_ms: number | null
  first_sending_ms: number | null
  attempts: number
  plain: number
  tidy_ms: number | null
  tidies: number
  why: string | null
  subject_id: string | null
  /** Since when an update of it is under way; only where another process may take the lead. */
  call_ms: Generated<number | null>
}

/** A message that a process posted for a card after another had taken the lead; `ts` is empty where Slack's answer was lost. */
export type CopyRow = { card_id: string; channel: string; ts: string }

/** Which alerts a card shows, in their order on it. */
export type CardAlertRow = { card_id: string; alert_id: string; place: number }

/** The picture of a card, and the alert that it shows. */
export type CardPictureRow = {
  card_id: string
  alert_id: string
  way: string
  state: string
  file_id: string | null
  /** What the card shows until this one is ready. */
  shown_file_id: Generated<string | null>
  attempts: number
  not_before_ms: number
  why: string | null
}

export type MuteRow = {
  mute_id: string
  /** A hostname or the name of a trouble; empty for the account, so that an index can limit it to one live row. */
  subject: string
  /** JSON; null for the account and servers. */
  alert: Generated<string | null>
  mode: string
  until_ms: number | null
  user_id: string
  reason: string
  state: string
  started_ms: number
  terms_ms: number
  /** The former terms, JSON. */
  previous: string | null
  channel: string
  card_id: string | null
  handback_ms: number | null
  ended_ms: number | null
  ended_by: string | null
  ended_by_user_id: string | null
  confirmation: string
  version: number
}

/** `subject` as in `mutes`; `places` JSON; `moot` 1: settled without asking. */
export type SwitchRow = {
  subject: string
  wanted: string
  revision: number
  said_revision: number
  asked_revision: number
  mute_id: string | null
  audit_id: string | null
  places: string
  moot: number
  asked_ms: number | null
  doubt_ms: number | null
  attempts: number
  not_before_ms: number
  gone_ms: number | null
  version: number
}

/** `what` and `rule` JSON; `user_id` null: of the policy file. */
export type PlannedMuteRow = {
  planned_id: string
  what: string
  rule: string
  zone: string
  reason: string
  user_id: string | null
  channel: string
  card_id: string | null
  done_ms: number
  skipped_ms: number | null
  told_ms: number | null
  version: number
}

export type OutageRow = {
  outage_id: string
  card_of: string
  card_since_ms: number
  since_ms: number
  why: string
  until_ms: number | null
  sure_ms: number | null
  told_ms: number | null
  version: number
}

export type NoteRow = { note_id: string; alert_id: string; user_id: string; at_ms: number; text: string }

export type AuditRow = {
  audit_id: string
  at_ms: number
  user_id: string | null
  via: string
  act: string
  hostname: string | null
  alert_id: string | null
  channel: string | null
  outcome: string
  why: string | null
  /** JSON. */
  detail: string
  part_of: string | null
}

export type MarkerRow = {
  marker_id: string
  text: string
  card_id: string | null
  created_ms: number
  state: string
  attempts: number
  not_before_ms: number
  why: string | null
}

/** `live` 1: somebody is to be called, or something is to be told; `at_ms`: when it last changed; `page` JSON. */
export type PageRow = {
  page_key: string
  live: number
  at_ms: number
  page: string
  version: number
}

/** A key from Slack that identifies a repeat. */
export type RequestRow = { request_key: string; at_ms: number }

/** A change that waits for its confirmation, JSON. */
export type PendingRow = { pending_id: string; user_id: string; change: string; at_ms: number }

/** Who opened the Home tab, and when last. */
export type HomeRow = { user_id: string; at_ms: number }

/** What a person thinks of an alert; `rule` as it was called then. */
export type VerdictRow = {
  alert_id: string
  user_id: string
  rule: string
  /** `useful` or `noise`. */
  verdict: string
  at_ms: number
}

export type FactRow = { name: string; value: string }

export type Tables = {
  alerts: AlertRow
  ends: EndRow
  cards: CardRow
  copies: CopyRow
  card_alerts: CardAlertRow
  card_pictures: CardPictureRow
  mutes: MuteRow
  switches: SwitchRow
  planned_mutes: PlannedMuteRow
  outages: OutageRow
  notes: NoteRow
  audit: AuditRow
  markers: MarkerRow
  pages: PageRow
  requests: RequestRow
  pending: PendingRow
  homes: HomeRow
  facts: FactRow
  verdicts: VerdictRow
}
