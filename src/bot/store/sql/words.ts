/** What SQLite and Postgres say in different words, and how a part of the store finds those of its database. */
import type { DialectAdapter, Insertable, InsertQueryBuilder, InsertResult, Kysely, RawBuilder } from 'kysely'
import type { Tables } from '../open/schema.ts'

export type InsertInto<Table extends keyof Tables> = InsertQueryBuilder<Tables, Table, InsertResult>
export type Rows<Table extends keyof Tables> = Insertable<Tables[Table]>

/** The words of one dialect. Columns are named as in the statement: `alerts.details`. */
export type Words = {
  readonly dialect: 'sqlite' | 'postgres'
  /** The order in which rows of `cards` and `outages` were written; not of time, as a clock may be set back. */
  readonly written: RawBuilder<number>
  /** A query of these values, for `in` and `not in`: any number of them, none too, in one parameter. */
  listed(values: readonly string[]): RawBuilder<string>
  /** The larger of two numbers. */
  larger(one: RawBuilder<number>, other: RawBuilder<number>): RawBuilder<number>
  /** Does the text fit this pattern with `%`, `_` and `\`? A to Z in either case. */
  fits(text: RawBuilder<unknown>, pattern: string): RawBuilder<boolean>
  /** A field of a column with a JSON object, as text; null where there is none. `within`: of an object in it. */
  field(column: string, name: string, within?: string): RawBuilder<string | null>
  /** Is this field of a column with a JSON object `true`? Never null. */
  isTrue(column: string, name: string): RawBuilder<boolean>
  /** How many values a list in one statement has at most. */
  readonly listMax: number
  /** How many rows of so many columns one statement writes at most. */
  rowsMax(columns: number): number
  /** Rows to be inserted, all with the same columns: with `values`, or as one parameter. */
  inserted<Table extends keyof Tables>(
    into: InsertInto<Table>,
    table: Table,
    rows: readonly Rows<Table>[],
  ): InsertInto<Table>
  /** A query of the fields `id` of a column with a JSON array of objects. */
  idsIn(column: string): RawBuilder<string>
  /** A query, of one column `value`, of the texts in the arrays `name` of the objects in the array `list` of a JSON object. */
  textsIn(column: string, list: string, name: string): RawBuilder<string>
}

/** An adapter of Kysely that carries its dialect's words: a transaction has the adapter of its database. */
export type Worded = DialectAdapter & { readonly words: Words }

export function sqlOf(db: Kysely<Tables>): Words {
  const { adapter } = db.getExecutor()
  if (!isWorded(adapter)) throw new Error('A dialect without its words')
  return adapter.words
}

function isWorded(adapter: DialectAdapter): adapter is Worded {
  return 'words' in adapter
}
