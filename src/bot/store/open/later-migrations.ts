/** The migrations that run on both SQLite and Postgres, oldest first; those before them made the tables of each. */
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { collated, WordedPostgresAdapter } from '../sql/postgres.ts'

/** Each statement as both understand it: `text`, `integer`, `bigint` and `double precision`, no foreign key on `card_alerts`. */
export const later: Record<string, Migration> = {}

export function executing(statements: readonly string[]): Migration {
  return {
    up: async (db) => {
      const isPostgres = db.getExecutor().adapter instanceof WordedPostgresAdapter
      for (const statement of statements) {
        await sql.raw(isPostgres ? collated(statement) : statement).execute(db)
      }
    },
  }
}
