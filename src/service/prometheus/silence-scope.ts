/** What can be switched off: the account, and each server in all the ways in which alerts name it. */
import type { Named } from './naming.ts'
import { type Entry, keyOf } from './silence-book.ts'

/** All ways to name one server share its hostname. */
export type Scope =
  | { readonly kind: 'server'; readonly named: readonly Named[] }
  | { readonly kind: 'account' }

/** Each gets a silence; null: the account's. */
export function namedIn(scope: Scope): readonly (Named | null)[] {
  if (scope.kind === 'account') return [null]
  return scope.named.filter((named, n) => scope.named.findIndex((other) => isSame(named, other)) === n)
}

/** Null if no alert names the server. */
export function keyOfScope(scope: Scope): string | null {
  const [first] = namedIn(scope)
  return first === undefined ? null : keyOf(first)
}

export function scopeOf(entries: readonly Entry[]): Scope {
  const named = entries.flatMap((one) => (one.named === null ? [] : [one.named]))
  return named.length === 0 ? { kind: 'account' } : { kind: 'server', named }
}

export function isSame(one: Named | null, other: Named | null): boolean {
  return one?.hostname === other?.hostname && one?.by === other?.by
}

export function isOff({ state }: Entry): boolean {
  return state === 'off' || state === 'leaving'
}
