/** Makes one call to the outside world, and returns its failure as a value. */
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
