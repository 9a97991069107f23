/** Reads the tables from a copy of the database, for what the bot itself never reads. */
import SQLite from 'better-sqlite3'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'

export function rowsIn(store: OpenStore, query: string): unknown[] {
  const copy = new SQLite(store.copy())
  try {
    return copy.prepare(query).all()
  } finally {
    copy.close()
  }
}
