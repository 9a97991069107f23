/** A database of SQLite with rows in every table and a value in every column, whatever tables and columns there will be. */
import SQLite from 'better-sqlite3'
import { openStore } from '../../src/bot/store/open/open-store.ts'

const words = ['Größe', 'a\tb\n"c"', '🚨 disk', "o'hara", '', 'Ω≠ 中文', 'x'.repeat(400)]
const numbers = [0, 1, -1, 1_764_000_000_123, 2 ** 53 - 1]
const smallNumbers = [0, 1, -1, 12_345, 2 ** 31 - 1]
const reals = [0.1, -2.5e-300, 1e308, 3, 0.1 + 0.2]
const refersTo: Readonly<Record<string, string>> = { alert_id: 'alerts', card_id: 'cards' }
const ownFacts = "('openedWith', 'generation', 'move')"

/** Makes the file with so many rows in each table, half of them with nulls. */
export async function fullDatabase(path: string, rows: number): Promise<void> {
  await (await openStore(path)).close()
  const sqlite = new SQLite(path)
  sqlite.pragma('foreign_keys = off')
  sqlite.exec('begin')
  for (const table of tablesOf(sqlite)) fill(sqlite, table, rows)
  sqlite.exec('commit')
  const broken = sqlite.pragma('foreign_key_check')
  sqlite.close()
  if (JSON.stringify(broken) !== '[]') throw new Error('Rows that refer to none')
}

type Column = { name: string; type: string; notnull: number; pk: number }

function fill(sqlite: SQLite.Database, table: string, rows: number): void {
  const columns = sqlite.pragma(`table_info(${table})`) as Column[]
  const values = columns.map(() => '?').join(', ')
  const insert = sqlite.prepare(`insert into ${table} values (${values})`)
  for (let n = 0; n < rows; n += 1) insert.run(columns.map((column) => cellOf(table, column, n, rows)))
}

function cellOf(
  table: string,
  { name, type, notnull, pk }: Column,
  n: number,
  rows: number,
): string | number | null {
  const at = (list: readonly (string | number)[]) => list[n % list.length] as string | number
  const parent = refersTo[name]
  // As the store writes them: in an order that is not that of the names.
  if (parent !== undefined) return `${parent} ${(n * 7_919) % rows}`
  if (pk > 0 || name === 'subject') return `${table} ${(n * 7_919) % rows}`
  // To a card that was written later, too.
  if (name === 'parent_id') return n % 2 === 0 ? null : `cards ${(n * 31) % rows}`
  if (notnull === 0 && n % 2 === 0) return null
  if (name === 'details') return JSON.stringify({ labels: { pod: at(words) }, trouble: `t ${n}` })
  if (type.toLowerCase() === 'text') return at(words)
  if (type.toLowerCase() === 'integer') return at(smallNumbers)
  return at(type.toLowerCase() === 'double precision' ? reals : numbers)
}

function tablesOf(sqlite: SQLite.Database): string[] {
  const own = "name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\'"
  return sqlite
    .prepare(`select name from sqlite_master where type = 'table' and ${own}`)
    .pluck()
    .all()
    .map(String)
}

/** All rows by table, in the order of writing where the store asks for it; without what a file says of itself. */
export function rowsIn(path: string): Record<string, unknown[]> {
  const sqlite = new SQLite(path, { readonly: true })
  const rows = tablesOf(sqlite).map((table) => {
    const where = table === 'facts' ? `where name not in ${ownFacts}` : ''
    const by = ['cards', 'outages'].includes(table) ? 'rowid' : '1, 2'
    return [table, sqlite.prepare(`select * from ${table} ${where} order by ${by}`).all()]
  })
  sqlite.close()
  return Object.fromEntries(rows)
}
