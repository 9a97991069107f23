/** Looks into a database without changing it, whether or not a bot is using it. */
import SQLite from 'better-sqlite3'
import { migrations } from './migrations.ts'
import { unknownMigration } from './open-store.ts'
import { translated } from './sqlite-file.ts'
import { StoreError } from './store-error.ts'

export type Inspected = {
  /** How many migrations it has, and how many it will get at the next start. */
  readonly migrations: number
  readonly waiting: number
  readonly alerts: number
}

/** Throws a `StoreError` if the file is damaged, cannot be read, or is of another version. */
export function inspectDatabase(path: string): Inspected {
  return translated(path, () => {
    const sqlite = new SQLite(path, { readonly: true, fileMustExist: true })
    try {
      if (sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok') {
        throw new StoreError(`The database ${path} is damaged: bring the file back from a backup.`)
      }
      const all = (query: string) => sqlite.prepare(query).pluck().all()
      const hasTables = all("select 1 from sqlite_master where name = 'kysely_migration'").length > 0
      const names = hasTables ? all('select name from kysely_migration order by name').map(String) : []
      const unknown = unknownMigration(names, path)
      if (unknown !== null) throw unknown
      return {
        migrations: names.length,
        waiting: Object.keys(migrations).length - names.length,
        alerts: hasTables ? Number(all('select count(*) from alerts')[0]) : 0,
      }
    } finally {
      sqlite.close()
    }
  })
}
