/** Both databases have the same tables: columns, what they hold, and indexes. */
import SQLite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { realColumns } from '../../../src/bot/store/sql/postgres.ts'
import { sharedPostgres } from '../../support/postgres.ts'
import { migratedDatabase } from '../../support/postgres-store.ts'

type Column = { readonly at: string; readonly type: string; readonly needed: number; readonly usual: string }

const own = "not like 'kysely%'"

function ofSqlite(sqlite: SQLite.Database) {
  const columns = sqlite
    .prepare(`select t.name || '.' || c.name as at, lower(c.type) as type, c."notnull" or c.pk > 0 as needed, coalesce(c.dflt_value, '') as usual
      from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table' and t.name ${own} order by 1`)
    .all() as Column[]
  const indexes = sqlite
    .prepare(`select name from sqlite_master where type = 'index' and sql is not null order by 1`)
    .pluck()
    .all() as string[]
  return { columns, indexes }
}

async function ofPostgres(url: string) {
  const postgres = await sharedPostgres()
  const database = new URL(url).pathname.slice(1)
  const columns = await postgres.query<Column & { seq: boolean; collation: string | null }>(
    `select table_name || '.' || column_name as at, data_type as type, (is_nullable = 'NO')::int as needed,
      coalesce(column_default, '') as usual, is_identity = 'YES' as seq, collation_name as collation
    from information_schema.columns where table_schema = 'public' and table_name ${own}
      and table_name not in ('leader', 'gate', 'writers', 'presence') order by 1`,
    database,
  )
  const indexes = await postgres.query<{ indexname: string }>(
    `select indexname from pg_indexes where schemaname = 'public' and indexname not like '%_pkey'
      and tablename not in ('leader', 'gate', 'writers', 'presence') order by 1`,
    database,
  )
  return { columns, indexes: indexes.map(({ indexname }) => indexname) }
}

test('the tables on Postgres are those on SQLite', async () => {
  const store = await openStore(':memory:')
  const sqlite = ofSqlite(new SQLite(store.copy()))
  await store.close()
  const postgres = await ofPostgres(await migratedDatabase())
  // Of SQLite alone: see the schema for Postgres.
  expect(sqlite.indexes.filter((name) => !postgres.indexes.includes(name))).toEqual(['alerts_by_subject'])
  expect(postgres.indexes.filter((name) => !sqlite.indexes.includes(name))).toEqual([])
  const shared = postgres.columns.filter(({ seq }) => !seq)
  expect(shared.length).toBe(postgres.columns.length - 2)
  const bare = (columns: readonly Column[]) =>
    columns
      .map(({ at, type, needed, usual }) => `${at} ${type} ${needed} ${usual.replace(/::\w+$/, '')}`)
      .sort()
  expect(bare(shared)).toEqual(bare(sqlite.columns))
  const texts = postgres.columns.filter(({ type }) => type === 'text')
  expect(texts.filter(({ collation }) => collation !== 'C')).toEqual([])
  const reals = postgres.columns.filter(({ type }) => type === 'double precision')
  expect(reals.map(({ at }) => at).sort()).toEqual([...realColumns].map((name) => `alerts.${name}`).sort())
})
