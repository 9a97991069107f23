/** Names that resemble known ones in a way that has to be asked about, and those that a glob matches. */
import { globMatcher, isGlob } from '../../../shared/glob.ts'
import { nearest } from '../../../shared/nearest.ts'

/**
 * A new role that must be confirmed, because it cannot be removed from here. `similar`: the existing role that it resembles; null
 * for an unusual name.
 */
export type OddRole = { readonly role: string; readonly similar: string | null }

const usual = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,39}$/u
/** More letters apart than this is another word, not a slip. */
const extraCharsMax = 2

/** Those of `fresh` (none of them exists) that are nearly an existing one, or have spaces, strange characters or great length. */
export function oddRoles(fresh: readonly string[], known: Iterable<string>): readonly OddRole[] {
  const names = [...known]
  return fresh.flatMap((role) => {
    const similar = nearest(role, names).find((name) => isSlip(role, name)) ?? null
    return similar !== null || !usual.test(role) ? [{ role, similar }] : []
  })
}

/** A number more or less is meant: `db-2` beside `db-1`. */
function isSlip(role: string, name: string): boolean {
  const letters = (text: string) => text.replace(/\d+/g, '')
  const isNumbered = letters(role) === letters(name) && role !== name
  return Math.abs(role.length - name.length) <= extraCharsMax && !isNumbered
}

/** The known names that a name or a glob (`*`, `?`) matches, ignoring case, in their order. */
export function matching(pattern: string, known: Iterable<string>): string[] {
  if (isGlob(pattern)) return [...known].filter(globMatcher(pattern))
  const wanted = pattern.toLowerCase()
  return [...known].filter((name) => name.toLowerCase() === wanted)
}
