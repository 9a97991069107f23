/** Finds in Slack whom a calendar names. */
import { failsForAll, type OutsideFailure } from '../../domain/base/failure.ts'
import type { Duty, Named, OnCallPerson } from '../../domain/oncall/shift.ts'
import { type Attempt, attempt } from '../attempt.ts'
import type { EmailBook } from '../ports/ports.ts'

export type PeopleFound = {
  /** By `keyOf`. */
  readonly found: ReadonlyMap<string, OnCallPerson>
  /** Why Slack could not be asked of all of them; null if it could. */
  readonly failure: OutsideFailure | null
}

/**
 * By the table of the policy (`listed`: user ids by e-mail or name, in lower case), else by e-mail in Slack; where that fails, as
 * it was in the last `duties`.
 */
export async function findPeople(
  named: readonly Named[],
  { listed, duties }: { readonly listed: ReadonlyMap<string, string>; readonly duties: readonly Duty[] },
  directory: EmailBook,
): Promise<PeopleFound> {
  const found = new Map<string, OnCallPerson>()
  let failure: OutsideFailure | null = null
  for (const who of named) {
    const key = keyOf(who)
    if (found.has(key)) continue
    const { email, name } = who
    let userId = listed.get(key) ?? listed.get(name.toLowerCase()) ?? null
    if (userId === null && email !== null) {
      const looked: Attempt<string | null> =
        failure !== null && failsForAll(failure)
          ? { ok: false, failure }
          : await attempt(() => directory.findByEmail(email))
      if (!looked.ok) failure = looked.failure
      const last = duties.find(({ person }) => person.key === key)?.person.userId ?? null
      userId = looked.ok ? looked.value : last
    }
    found.set(key, { key, name, userId })
  }
  return { found, failure }
}

/** The same for the same person. */
export function keyOf({ email, name }: Named): string {
  return email ?? name.toLowerCase()
}
