/**
 * One call to a neighbour, with its failure as a value: the only place where the actions of `handle` meet the outside world.
 */
import { OutsideFailure } from '../domain/base/failure.ts'

export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: OutsideFailure }

export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await call() }
  } catch (error) {
    if (!(error instanceof OutsideFailure)) throw error
    return { ok: false, failure: error }
  }
}
