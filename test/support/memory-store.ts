/** Opens real SQLite in memory for one test, also one that dies with its process. */
import SQLite from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { ChannelQueue } from '../../src/bot/domain/card/storm.ts'
import { emptyPlan, type Plan } from '../../src/bot/domain/plan.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { type OpenStore, openStore } from '../../src/bot/store/open/open-store.ts'
import { realClock } from '../../src/shared/clock.ts'
import { readBy, rowsIn } from './rows-in.ts'

/**
 * Where the stories of the flows are told: in a file's memory; with `TEST_MEMORY=postgres` on a Postgres, without those that look at a
 * file; with `TEST_MEMORY=late:50` on one whose every answer comes 50 ms later.
 */
const [place, lateMs = '1'] = (process.env.TEST_MEMORY ?? 'file').split(':')
export const isOnFile = place !== 'postgres'

/** Migrated once per process, because that takes longer than most of what tests do with it. */
let migrated: Buffer | undefined

/** Opens a store that is closed after the test, later than what was started on it. */
export async function memoryStore(): Promise<OpenStore> {
  if (!isOnFile) return counted((await (await import('./postgres-store.ts')).postgresStore()) as OpenStore)
  const store = await openStore(':memory:', undefined, migrated)
  migrated ??= store.copy()
  onTestFinished(() => store.close())
  const own = place === 'late' ? counted(store, Number(lateMs)) : store
  return readBy(own, async (query) => {
    const copy = new SQLite(store.copy())
    try {
      return copy.prepare(query).all()
    } finally {
      copy.close()
    }
  })
}

let underWay = 0

/** Has a memory been asked that answers only later? SQLite answers at once. */
export const isMemoryAsked = (): boolean => underWay > 0

const ofFile = ['changes', 'close', 'copy', 'durability']

function counted(store: OpenStore, late = 0): OpenStore {
  const asked = Object.entries(store).filter(([name]) => !ofFile.includes(name))
  const calls = asked.map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      underWay += 1
      try {
        const answer = await Reflect.apply(call, store, given)
        if (late > 0) await realClock.wait(late)
        return answer
      } finally {
        underWay -= 1
      }
    },
  ])
  const own: OpenStore = { ...store, ...Object.fromEntries(calls) }
  return late > 0 ? own : readBy(own, (query) => rowsIn(store, query))
}

/** Opens an empty store that is closed after the test: on SQLite or on Postgres. */
export type OpenMemory = () => Promise<Store>

/**
 * A store that works until `diesAt`, or the test, says that it died; then no call ends any more, as in a process that is gone.
 */
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

/** The time at which tests of the store take place. */
export const storedMs = Date.UTC(2026, 10, 21, 4, 0, 0)

/** Commits these parts of a plan. */
export async function write(store: Store, plan: Partial<Plan>, atMs = storedMs): Promise<'saved' | 'stale'> {
  return store.commit({ ...emptyPlan(atMs), ...plan })
}

export async function queueIn(store: Store, channel = 'C1'): Promise<ChannelQueue> {
  const queue = (await store.queues([channel])).get(channel)
  if (queue === undefined) throw new Error('every channel of the question is in the answer')
  return queue
}
