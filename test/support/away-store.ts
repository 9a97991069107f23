/** A memory that goes away as a test says: before it does what it is asked, after it did it, or without a word. */
import { MemoryAway } from '../../src/bot/domain/base/failure.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'

/**
 * - `before`: refused, nothing was done
 * - `after`: done, and the answer got lost
 * - `silent`: not done, and there is no answer until the memory is back
 * - `silent_after`: done, and there is no answer until then
 */
export type Absence = 'before' | 'after' | 'silent' | 'silent_after'
export const absences: readonly Absence[] = ['before', 'after', 'silent', 'silent_after']

export type AwayStore<S extends Store = Store> = {
  readonly store: S
  /** From now on until `comeBack`; `of` null: every method. */
  goAway(how: Absence, of?: string | null): void
  comeBack(): void
  /** How often each method was called, before and while it was away. */
  readonly calls: ReadonlyMap<string, number>
  /** Takes the memory away at the call with this number (from 0) of a method. */
  awayAt(method: string, call: number, how: Absence): void
  /** Since it was taken away. */
  isAway(): boolean
}

export function awayStore<S extends Store>(under: S): AwayStore<S> {
  const calls = new Map<string, number>()
  let away: { readonly how: Absence; readonly of: string | null } | null = null
  let plan: { readonly method: string; readonly call: number; readonly how: Absence } | null = null
  let back = Promise.withResolvers<void>()

  async function absent(how: Absence, call: () => Promise<unknown>): Promise<never> {
    const isDone = how === 'after' || how === 'silent_after'
    if (isDone) await call()
    if (how === 'silent' || how === 'silent_after') await back.promise
    throw new MemoryAway('The memory is away', isDone)
  }

  const methods = Object.entries(under).map(([name, own]: [string, unknown]) => {
    if (typeof own !== 'function') return [name, own]
    const call = async (...given: unknown[]): Promise<unknown> => {
      const count = calls.get(name) ?? 0
      calls.set(name, count + 1)
      const run = async () => own(...given)
      if (plan?.method === name && plan.call === count) {
        const { how } = plan
        plan = null
        // What was done is done once; from then on the memory is away as a whole.
        away = { how: how === 'after' || how === 'before' ? 'before' : 'silent', of: null }
        return absent(how, run)
      }
      return away === null || (away.of !== null && away.of !== name) ? run() : absent(away.how, run)
    }
    // What belongs to the file is not the memory's.
    return [name, ['close', 'copy', 'durability'].includes(name) ? own : call]
  })

  return {
    store: Object.fromEntries(methods) as S,
    calls,
    goAway: (how, of = null) => {
      away = { how, of }
    },
    comeBack: () => {
      away = null
      plan = null
      back.resolve()
      back = Promise.withResolvers()
    },
    awayAt: (method, call, how) => {
      plan = { method, call, how }
    },
    isAway: () => away !== null,
  }
}
