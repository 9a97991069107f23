/** The words of Postgres. */
import { PostgresAdapter, sql } from 'kysely'
import type { Worded, Words } from './words.ts'

const postgresWords: Words = {
  dialect: 'postgres',
  written: sql`seq`,
  listed: (values) => sql`(select json_array_elements_text(${JSON.stringify(values)}::json))`,
  larger: (one, other) => sql`greatest(${one}, ${other})`,
  fits: (text, pattern) => sql`${text} ilike ${pattern}`,
  field: (column, name, within) =>
    within === undefined
      ? sql`(${sql.raw(column)}::json ->> ${sql.lit(name)})`
      : sql`(${sql.raw(column)}::json -> ${sql.lit(within)} ->> ${name}::text)`,
  isTrue: (column, name) => sql`coalesce(${sql.raw(column)}::json ->> ${sql.lit(name)} = 'true', false)`,
  idsIn: (column) =>
    sql`(select one.value ->> 'id' from json_array_elements(${sql.raw(column)}::json) as one)`,
}

export class WordedPostgresAdapter extends PostgresAdapter implements Worded {
  readonly words = postgresWords

  // Taken by `preparePostgres` itself, for its transaction: one of the session would be lost behind a pooler.
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/** A statement that makes columns, whose texts are compared byte by byte, as SQLite does it. A column called `text` is quoted. */
export function collated(statement: string): string {
  return statement.replace(/ text(?=[\s,)]|$)/g, ' text collate "C"')
}
