/** What is to be silent of a server: each way in which labels name it, and what is silent of it already. */
import type { Matcher } from './naming.ts'
import type { Servers } from './servers.ts'
import { areSame, meantForPeople, type Scope } from './silence-book.ts'
import type { Silences } from './silences.ts'

export type ServerScopes = {
  /**
   * A mute outlives the alerts that it was made for, so what is silent already stays. `isNarrower`: one of these would hide a
   * neighbour by now, and has other matchers instead.
   */
  of(hostname: string): Scope & { readonly isNarrower: boolean }
  /** It is on again. */
  forget(hostname: string): void
}

export function openServerScopes(
  { waysOf, names }: Pick<Servers, 'waysOf' | 'names'>,
  /** Null: nothing can be silenced. */
  silences: Pick<Silences, 'of'> | null,
): ServerScopes {
  /** For each server: by the way of naming, the matchers that it had last. */
  const matchersOfWays = new Map<string, ReadonlyMap<string, readonly Matcher[]>>()

  return {
    of(hostname) {
      const subject = { kind: 'server', hostname } as const
      const before = matchersOfWays.get(hostname)
      const now = new Map(
        waysOf(hostname).map((named) => {
          const matchers = meantForPeople(names.matchersOf(named))
          return [`${named.by} ${named.way ?? ''}`, matchers] as const
        }),
      )
      const over = [...now].flatMap(([way, matchers]) => {
        const had = before?.get(way)
        return had === undefined || areSame(had, matchers) ? [] : [had]
      })
      const others = [...now.values(), ...over]
      const held = (silences?.of(subject) ?? []).flatMap(({ state, matchers }) =>
        state === 'off' && !others.some((one) => areSame(one, matchers)) ? [matchers] : [],
      )
      matchersOfWays.set(hostname, new Map([...(before ?? []), ...now]))
      return { subject, ways: [...now.values(), ...held], isNarrower: over.length > 0 }
    },
    forget: (hostname) => void matchersOfWays.delete(hostname),
  }
}
