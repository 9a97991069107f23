/** Real SQLite in memory, for one test, and one that dies with its process. */
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

/** Works until it has died, when `diesAt` or the test says so; then nothing of it does any more, as in a process that is gone. */
export function mortal(
  store: OpenStore,
  diesAt: (name: string, given: readonly unknown[]) => boolean = () => false,
) {
  const life = { isOver: false }
  const wrapped = new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      return async (...given: unknown[]) => {
        life.isOver ||= diesAt(String(name), given)
        if (life.isOver) throw new Error('The process is gone')
        return Reflect.apply(own, target, given)
      }
    },
  })
  return { life, wrapped }
}
