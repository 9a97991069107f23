/** The words of Postgres. */
import { PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely'
import { jsonOf, storable } from '../../domain/base/storable.ts'
import type { Rows, Worded, Words } from './words.ts'

const postgresWords: Words = {
  dialect: 'postgres',
  written: sql`seq`,
  listed: (values) => sql`(select json_array_elements_text(${jsonOf(values)}::json))`,
  // It takes 65,535 parameters, a list may stand in a statement twice, and each statement is a journey.
  listMax: 10_000,
  rowsMax: () => 5_000,
  // Thousands of rows as parameters would take longer to be parsed than to be written.
  inserted: (into, table, rows) => {
    const columns = Object.keys(rows[0] ?? {}) as (keyof Rows<typeof table>)[]
    const given = sql.join(columns.map((column) => sql.ref(String(column))))
    return into
      .columns(columns as never)
      .expression(
        sql`(select ${given} from json_populate_recordset(null::${sql.table(table)}, ${jsonOf(rows)}::json))` as never,
      )
  },
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

/** Every text that is written or asked for is one that Postgres takes, whoever typed it. */
export class StorablePostgresCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(typeof parameter === 'string' ? storable(parameter) : parameter)
  }
}

/** A statement that makes columns, whose texts are compared byte by byte, as SQLite does it. A column called `text` is quoted. */
export function collated(statement: string): string {
  return statement.replace(/ text(?=[\s,)]|$)/g, ' text collate "C"')
}
