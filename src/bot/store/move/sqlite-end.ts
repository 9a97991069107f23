/** A SQLite file as one end of a move. */
import { closeSync, existsSync, openSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type SQLite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { keepMode } from '../../../shared/replace-database.ts'
import { holdForBot } from '../open/one-process.ts'
import { bringUpToDate } from '../open/open-store.ts'
import { forKysely, openFile, translated } from '../open/sqlite-file.ts'
import { StoreError } from '../open/store-error.ts'
import { yieldingDialect } from '../open/yielding.ts'
import { type End, order, ownFacts, type Row, type TableName, tableNames } from './end.ts'
import { type Mark, markName, markOf } from './mark.ts'

/**
 * Opens the file, which no bot may use until it is closed, with tables of this version. Throws a `StoreError` if a bot uses it, if
 * it is of another program or of a newer version, or if a source is not there.
 */
export async function openSqliteEnd(path: string, role: 'source' | 'target'): Promise<End> {
  if (role === 'source' && !existsSync(path)) throw new StoreError(`There is no database ${path}.`)
  const held = holdForBot(path)
  let sqlite: SQLite.Database | null = null
  const close = async () => {
    sqlite?.close()
    held.release()
  }
  try {
    if (!existsSync(path)) makeFile(path)
    sqlite = openFile(path)
    assertOurs(sqlite, path, role)
    await bringUpToDate(sqlite, new Kysely({ dialect: yieldingDialect(forKysely(sqlite, path)) }), path)
    return { ...endOf(sqlite, resolve(realpathSync(path)), held.assertHeld), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Empty, for whom the folder belongs to and nobody else, whoever runs the move; SQLite gives its log the same permissions. */
function makeFile(path: string): void {
  translated(path, () => {
    closeSync(openSync(path, 'a', 0o600))
    keepMode(path, dirname(resolve(path)))
  })
}

/** Before tables are made in it. */
function assertOurs(sqlite: SQLite.Database, path: string, role: 'source' | 'target'): void {
  const names = translated(path, () => sqlite.prepare('select name from sqlite_master').pluck().all())
  if (names.includes('kysely_migration') || (role === 'target' && names.length === 0)) return
  throw new StoreError(`The file ${path} is no database of monbot.`)
}

function endOf(sqlite: SQLite.Database, name: string, assertHeld: () => void): Omit<End, 'close'> {
  const asked = <T>(talk: () => T): T => translated(name, talk)
  const one = (query: string) => asked(() => sqlite.prepare(query).pluck().get())
  const columnsOf = (table: TableName): string[] =>
    asked(() =>
      sqlite.prepare(`select name from pragma_table_info('${table}') order by name`).pluck().all(),
    ).map(String)
  const where = (table: TableName) =>
    table === 'facts' ? `where name not in (${ownFacts.map((fact) => `'${fact}'`).join(', ')})` : ''

  async function* rows(table: TableName): AsyncGenerator<Row> {
    const by = order[table] === 'written' ? 'rowid' : order[table]
    const query = `select ${columnsOf(table).join(', ')} from ${table} ${where(table)} order by ${by}`
    yield* asked(() => sqlite.prepare(query).raw().iterate()) as IterableIterator<Row>
  }

  function setMark(mark: Mark | null): void {
    assertHeld()
    if (mark === null) asked(() => sqlite.prepare('delete from facts where name = ?').run(markName))
    else
      asked(() =>
        sqlite
          .prepare('insert or replace into facts (name, value) values (?, ?)')
          .run(markName, JSON.stringify(mark)),
      )
  }

  return {
    name,
    columns: async (table) => columnsOf(table),
    // It holds whatever another one does.
    fitting: async () => (row) => row,
    rows,
    holds: async () =>
      tableNames.find((table) => one(`select 1 from ${table} ${where(table)} limit 1`) !== undefined) ?? null,
    mark: async () => asked(() => markOf(sqlite)),
    setMark: async (mark) => setMark(mark),
    fill: async (work, mark) => {
      asked(() => sqlite.exec('begin immediate'))
      try {
        // A card may stand before the one that it replies to.
        sqlite.pragma('defer_foreign_keys = on')
        await work(async (table, some) => {
          const columns = columnsOf(table)
          const values = columns.map(() => '?').join(', ')
          const insert = sqlite.prepare(`insert into ${table} (${columns.join(', ')}) values (${values})`)
          asked(() => {
            for (const row of some) insert.run(...row)
          })
        })
        setMark(mark)
        asked(() => sqlite.exec('commit'))
      } catch (error) {
        if (sqlite.inTransaction) sqlite.exec('rollback')
        throw error
      }
    },
  }
}
