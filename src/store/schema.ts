/** The tables, as Kysely knows them: integers and text only, so that SQLite and Postgres can hold the same. */

export type AlertRow = {
  alert_id: string
  hostname: string
  server_name: string
  title: string
  plugin: string
  metric: string | null
  value: number | null
  url: string
  sparkline_url: string
  trigger_id: string | null
  state: string
  started_ms: number
  closed_ms: number | null
  closed_by: string | null
  absences: number
  /** A JSON array of names. */
  roles: string
  version: number
  first_seen_ms: number
}

/** Closing records of services in pair form, and those whose meaning is not known yet. */
export type EndRow = {
  end_id: string
  ended_ms: number
  decided: number
  history: number
  /** The record as it was seen, JSON. */
  record: string
}

export type CardRow = {
  card_id: string
  kind: string
  channel: string
  parent_id: string | null
  page: number | null
  mention: string | null
  created_ms: number
  state: string
  wanted: number
  shown: number
  ts: string | null
  not_before_ms: number
  sending_ms: number | null
  first_sending_ms: number | null
  attempts: number
  plain: number
  tidy_ms: number | null
  tidies: number
  why: string | null
}

/** Which alerts a card shows, in their order on it. */
export type CardAlertRow = { card_id: string; alert_id: string; place: number }

export type PictureRow = {
  alert_id: string
  way: string
  state: string
  file_id: string | null
  attempts: number
  not_before_ms: number
  why: string | null
}

export type FactRow = { name: string; value: string }

export type Tables = {
  alerts: AlertRow
  ends: EndRow
  cards: CardRow
  card_alerts: CardAlertRow
  pictures: PictureRow
  facts: FactRow
}
