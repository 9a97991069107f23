/** SQLite's words. */
import { SqliteAdapter, sql } from 'kysely'
import type { Worded, Words } from './words.ts'

const sqliteWords: Words = {
  dialect: 'sqlite',
  written: sql`rowid`,
  listed: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  larger: (one, other) => sql`max(${one}, ${other})`,
  fits: (text, pattern) => sql`${text} like ${pattern} escape '\\'`,
  // Written into the statement, as in the index of it.
  field: (column, name, within) =>
    within === undefined
      ? sql`json_extract(${sql.raw(column)}, ${sql.lit(`$.${name}`)})`
      : sql`json_extract(${sql.raw(column)}, ${`$.${within}.${JSON.stringify(name)}`})`,
  isTrue: (column, name) => sql`ifnull(json_extract(${sql.raw(column)}, ${sql.lit(`$.${name}`)}), 0)`,
  idsIn: (column) => sql`(select json_extract(one.value, '$.id') from json_each(${sql.raw(column)}) as one)`,
}

export class WordedSqliteAdapter extends SqliteAdapter implements Worded {
  readonly words = sqliteWords
}
