/** Real SQLite in memory, for one test. */
import { afterEach } from 'vitest'
import { type OpenStore, openStore } from '../../src/store/open/open-store.ts'

const opened: OpenStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** Migrated once in each process: that takes longer than most of what is asked of a memory afterwards. */
let migrated: Buffer | undefined

export async function memoryStore(): Promise<OpenStore> {
  const store = await openStore(':memory:', undefined, migrated)
  migrated ??= store.copy()
  opened.push(store)
  return store
}
