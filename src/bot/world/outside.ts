/**
 * The only way out. Whatever changes something outside (a message, the API, the pager, an answer to a person) takes a `Pass`, and only
 * `outside` gives one: after all that was decided is on disk, and while this process still leads.
 */
import { type Journal, type Lease, LostLead } from './store.ts'

declare const cleared: unique symbol
/** Proof that what was decided is on disk. Every client asks for one. */
export type Pass = { readonly [cleared]: true }

export type Outside = <T>(work: (pass: Pass) => Promise<T>) => Promise<T>

/** Throws `LostLead` in place of going out once another one leads. */
export function outsideOf(journal: Journal, lease: Lease): Outside {
  return async (work) => {
    await journal.cleared()
    if (!lease.isFresh()) throw new LostLead('the lead is no longer certain')
    return work({} as Pass)
  }
}
