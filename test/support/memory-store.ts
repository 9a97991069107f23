/** Real SQLite in memory, for one test. */
import { onTestFinished } from 'vitest'
import { type OpenStore, openStore } from '../../src/store/open/open-store.ts'

/** Migrated once in each process: that takes longer than most of what is asked of a memory afterwards. */
let migrated: Buffer | undefined

/** Closed after the test, later than whatever was started on it. */
export async function memoryStore(): Promise<OpenStore> {
  const store = await openStore(':memory:', undefined, migrated)
  migrated ??= store.copy()
  onTestFinished(() => store.close())
  return store
}
