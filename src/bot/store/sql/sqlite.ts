/** SQLite's words. */
import { SqliteAdapter, sql } from 'kysely'
import { jsonOf } from '../../domain/base/storable.ts'
import type { Worded, Words } from './words.ts'

const sqliteWords: Words = {
  dialect: 'sqlite',
  written: sql`rowid`,
  listed: (values) => sql`(select value from json_each(${jsonOf(values)}))`,
  // It takes 32,766 parameters; far fewer keep each statement short.
  listMax: 500,
  rowsMax: (columns) => Math.min(500, Math.floor(7_200 / columns)),
  inserted: (into, _, rows) => into.values(rows),
  larger: (one, other) => sql`max(${one}, ${other})`,
  fits: (text, pattern) => sql`${text} like ${pattern} escape '\\'`,
  // Written into the statement, as in the index of it.
  field: (column, name, within) =>
    within === undefined
      ? sql`json_extract(${sql.raw(column)}, ${sql.lit(`$.${name}`)})`
      : sql`json_extract(${sql.raw(column)}, ${`$.${within}.${JSON.stringify(name)}`})`,
  isTrue: (column, name) => sql`ifnull(json_extract(${sql.raw(column)}, ${sql.lit(`$.${name}`)}), 0)`,
  idsIn: (column) => sql`(select json_extract(one.value, '$.id') from json_each(${sql.raw(column)}) as one)`,
  textsIn: (column, list, name) =>
    sql`(select text.value as value from json_each(${sql.raw(column)}, ${sql.lit(`$.${list}`)}) as one,
      json_each(one.value, ${sql.lit(`$.${name}`)}) as text)`,
}

export class WordedSqliteAdapter extends SqliteAdapter implements Worded {
  readonly words = sqliteWords
}
