/** The words of Postgres. */
import { ColumnNode, type ColumnUpdateNode, PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely'
import { jsonOf, storable } from '../../domain/base/storable.ts'
import type { Rows, Worded, Words } from './words.ts'

/** The columns with values of metrics. Every other number is a time or a count, and its column takes whole ones alone. */
export const realColumns: ReadonlySet<string> = new Set(['value', 'limit_value', 'last_value', 'peak_value'])

/** SQLite keeps what Postgres refuses: half a millisecond, and the end of time. The same number is found again by itself. */
function whole(value: unknown): unknown {
  if (typeof value !== 'number') return value
  return Math.min(Math.max(Math.round(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

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
    const counts = columns.filter((column) => !realColumns.has(String(column)))
    const fit = rows.map((row) => {
      if (counts.every((column) => whole(row[column]) === row[column])) return row
      return { ...row, ...Object.fromEntries(counts.map((column) => [column, whole(row[column])])) }
    })
    return into
      .columns(columns as never)
      .expression(
        sql`(select ${given} from json_populate_recordset(null::${sql.table(table)}, ${jsonOf(fit)}::json))` as never,
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
  textsIn: (column, list, name) =>
    sql`(select text.value as value from json_array_elements(${sql.raw(column)}::json -> ${sql.lit(list)}) as one,
      json_array_elements_text(one.value -> ${sql.lit(name)}) as text)`,
}

export class WordedPostgresAdapter extends PostgresAdapter implements Worded {
  readonly words = postgresWords

  // Taken by `preparePostgres` itself, for its transaction: one of the session would be lost behind a pooler.
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

/** Every text and number that is written or asked for is one that Postgres takes, wherever it came from. */
export class StorablePostgresCompiler extends PostgresQueryCompiler {
  #isReal = false

  protected override visitColumnUpdate(node: ColumnUpdateNode): void {
    this.#isReal = ColumnNode.is(node.column) && realColumns.has(node.column.column.name)
    super.visitColumnUpdate(node)
    this.#isReal = false
  }

  protected override addParameter(parameter: unknown): void {
    if (typeof parameter === 'string') super.addParameter(storable(parameter))
    else super.addParameter(this.#isReal ? parameter : whole(parameter))
  }
}

/** A statement that makes columns, whose texts are compared byte by byte, as SQLite does it. A column called `text` is quoted. */
export function collated(statement: string): string {
  return statement.replace(/ text(?=[\s,)]|$)/g, ' text collate "C"')
}
