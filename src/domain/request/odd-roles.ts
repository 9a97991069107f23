/** New roles that are asked about before they are made, because nobody can take them away from here. Pure. */
import { nearest } from './nearest.ts'

/** `similar`: the existing role that it is nearly; null for an unusual name. */
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
