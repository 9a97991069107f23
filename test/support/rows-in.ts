/** What stands in the tables, read from a copy: for what nothing in the bot asks for. */
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
