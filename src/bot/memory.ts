/** Opens the bot's memory, with the right to act on it. */
import type { Lead } from './domain/request/answer.ts'
import { alone, type Leadership } from './flow/ports/leadership.ts'
import type { Store } from './flow/ports/store.ts'
import { openStore } from './store/open/open-store.ts'

export type OpenMemory = {
  readonly store: Store
  /** Who may act on it. */
  readonly leadership: Leadership
  /** Who leads and who stands by; absent where no other process can be on it. */
  lead?(): Lead | null
  /** Lets another process lead, where several may; nothing outside is changed from now on. */
  release(): Promise<void>
  /** Ends it, as the last thing of all. */
  close(): Promise<void>
}

/** A file, on which no other process can be. */
export async function openFileMemory(path: string): Promise<OpenMemory> {
  // Deliberately unhandled: the rejection ends the process, even if a request met the failure first and still gets its answer.
  const store = await openStore(path, (failure) => void Promise.reject(failure))
  return { store, leadership: alone, release: async () => undefined, close: store.close }
}
