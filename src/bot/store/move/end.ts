/** One end of a move: a database that stands still, and is read or filled table by table. */
import type { Tables } from '../open/schema.ts'
import { type Mark, markName } from './mark.ts'

export type TableName = keyof Tables

/** Values in the order of `columns`. */
export type Row = readonly (string | number | null)[]

export type End = {
  /** As people are told it: a path, or the host and the name of a Postgres database. */
  readonly name: string
  /** In the order of the alphabet, without those of one dialect alone. */
  columns(table: TableName): Promise<readonly string[]>
  /** Makes what another database holds storable in this one. */
  fitting(table: TableName): Promise<(row: Row) => Row>
  /** Those that are moved, in the order of `order`. */
  rows(table: TableName): AsyncIterable<Row>
  /** The first table with a row that would be moved; null if there is none. */
  holds(): Promise<TableName | null>
  mark(): Promise<Mark | null>
  setMark(mark: Mark | null): Promise<void>
  /**
   * Runs `work`, and keeps the rows that it wrote, and this mark, or nothing of it. Throws a `MemoryAway` that `mayBeWritten` if the
   * answer to the commit was lost.
   */
  fill(work: (write: Write) => Promise<void>, mark: Mark): Promise<void>
  close(): Promise<void>
}

type Write = (table: TableName, rows: readonly Row[]) => Promise<void>

/**
 * Every table, after those that its rows refer to, and what its rows are read by, on both sides the same: `written` is the order
 * in which they were written, where the store asks for it.
 */
export const order = {
  alerts: 'alert_id',
  ends: 'end_id',
  cards: 'written',
  card_alerts: 'card_id, alert_id',
  card_pictures: 'card_id',
  mutes: 'mute_id',
  switches: 'subject',
  planned_mutes: 'planned_id',
  outages: 'written',
  notes: 'note_id',
  audit: 'audit_id',
  markers: 'marker_id',
  pages: 'page_key',
  requests: 'request_key',
  pending: 'pending_id',
  homes: 'user_id',
  verdicts: 'alert_id, user_id',
  copies: 'card_id, ts',
  facts: 'name',
} as const satisfies Record<TableName, string>

export const tableNames = Object.keys(order) as TableName[]

/** Facts of the database itself, which stay where they are. */
export const ownFacts: readonly string[] = [markName, 'openedWith', 'generation']
