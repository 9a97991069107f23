/** The mark of a move in a database, which keeps every bot out of it until the move is done, and for good where it left from. */
import type SQLite from 'better-sqlite3'
import { commandLine } from '../../../shared/command-name.ts'
import { StoreError } from '../open/store-error.ts'

/** Its name among the facts. */
export const markName = 'move'

/** `arrived`: it is whole, and a bot may use it. */
export type Mark = {
  readonly state: 'moving' | 'moved' | 'arriving' | 'arrived'
  readonly moveId: string
  /** Where it goes, or comes from: a path, or the host and the name of a Postgres database. */
  readonly other: string
  readonly atMs: number
}

/** Null if a bot may use this database; `name` is what people call it. */
export function whyMoved(name: string, mark: Mark | null): StoreError | null {
  if (mark === null || mark.state === 'arrived') return null
  return new StoreError(sentences[mark.state](name, mark), null, true)
}

const again = `end that with ${commandLine('move', '--from … --to …')} as it was begun`
const sentences: Record<Exclude<Mark['state'], 'arrived'>, (name: string, mark: Mark) => string> = {
  moving: (name, { other }) => `The database ${name} is being moved to ${other}: ${again}.`,
  moved: (name, { other, atMs }) =>
    `The database ${name} was moved to ${other} on ${new Date(atMs).toISOString().slice(0, 16)}Z, and holds nothing of since: set DATABASE_URL to that one.`,
  arriving: (name, { other }) =>
    `The database ${name} is being filled from ${other}, and is not whole: ${again}.`,
}

/** `value` as the fact has it; undefined: there is none. */
export function parseMark(value: string | undefined): Mark | null {
  return value === undefined ? null : (JSON.parse(value) as Mark)
}

/** The mark in a SQLite file that has its tables. */
export function markOf(sqlite: SQLite.Database): Mark | null {
  const read = sqlite.prepare('select value from facts where name = ?').pluck()
  return parseMark(read.get(markName) as string | undefined)
}
