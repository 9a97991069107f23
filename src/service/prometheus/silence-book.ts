/** Knows which silences are ours: each has a token, written to the ledger before the request and into the silence's comment. */
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import { escapeRegex, everywhere, type Matcher, matchersOf, type Named, serverRegex } from './naming.ts'
import type { Silence } from './records.ts'
import type { PrometheusSettings } from './settings.ts'

/** The creator that an Alertmanager shows. */
export const createdBy = 'monbot'

type Names = Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>

const entry = z.object({
  /** Null: all alerts. */
  named: z.object({ hostname: z.string(), by: z.enum(['server', 'service', 'none']) }).nullable(),
  /**
   * `asking`: requested, not answered. `off`: accepted; to be kept. `leaving`: to be ended, and off until then. `gone`: ended, or
   * never answered; to be ended if it turns up, until it would have expired by itself.
   */
  state: z.enum(['asking', 'off', 'leaving', 'gone']),
  /** The Alertmanager's; null if it never answered. */
  id: z.string().nullable(),
  /** If gone, until when it may turn up; else when it expires unless renewed. */
  untilMs: z.number(),
  /** Duplicates with the same token, or its former ids, which we ended ourselves. */
  ended: z.array(z.string()),
})

export type Entry = Readonly<z.output<typeof entry>> & { readonly token: string }

export type SilenceBook = {
  all(): readonly Entry[]
  /** Silences of a server or the account, by `keyOf`. */
  of(key: string): readonly Entry[]
  get(token: string): Entry | undefined
  /** Of all that have an id from an Alertmanager. */
  ids(): ReadonlySet<string>
  put(one: Entry): Entry
  remove(token: string): void
}

export function openSilenceBook(ledger: Ledger): SilenceBook {
  const entries = new Map<string, Entry>()
  let ids: ReadonlySet<string> | null = null
  for (const { key, value } of ledger.load('silence', entry)) entries.set(key, { ...value, token: key })
  return {
    all: () => [...entries.values()],
    of: (key) => [...entries.values()].filter(({ named }) => keyOf(named) === key),
    get: (token) => entries.get(token),
    ids() {
      ids ??= new Set([...entries.values()].flatMap(({ id }) => id ?? []))
      return ids
    },
    put(one) {
      const { token, ...value } = one
      ledger.put('silence', token, value)
      entries.set(token, one)
      ids = null
      return one
    },
    remove(token) {
      ledger.remove('silence', token)
      entries.delete(token)
      ids = null
    },
  }
}

/** The text key of a scope. */
export function keyOf(named: Named | null): string {
  return named === null ? 'account' : `server ${named.hostname}`
}

/** The comment on an Alertmanager's page: its effect, and the token. */
export function commentOf({ named, token }: Pick<Entry, 'named' | 'token'>): string {
  const what = named === null ? 'All notifications are off' : `Notifications of ${named.hostname} are off`
  return `${what} (${createdBy} ${token})`
}

/** The token of a silence; null if it is not ours. */
export function tokenOf(silence: Silence): string | null {
  if (silence.createdBy !== createdBy) return null
  return /\(monbot ([^\s()]+)\)$/.exec(silence.comment)?.[1] ?? null
}

const accountMatchers: readonly Matcher[] = [{ name: 'alertname', value: '.+', isRegex: true, isEqual: true }]

export function matchersFor(named: Named | null, names: Names): readonly Matcher[] {
  return named === null ? accountMatchers : matchersOf(named, names)
}

const textOf = ({ name, value, isRegex, isEqual }: Matcher): string =>
  JSON.stringify([name, value, isRegex, isEqual])

export function areSame(some: readonly Matcher[], others: readonly Matcher[]): boolean {
  return some.map(textOf).sort().join() === others.map(textOf).sort().join()
}

/** The scope of our matchers; undefined if they are not ours. */
export function namedOf(matchers: readonly Matcher[], names: Names): Named | null | undefined {
  const guesses: (Named | null)[] = [null, { hostname: everywhere, by: 'none' }]
  const ending = serverRegex([''])
  for (const { name, value } of matchers) {
    if (name === names.serverLabel && value.endsWith(ending)) {
      const hostname = value.slice(0, -ending.length).replace(/\\(.)/gsu, '$1')
      if (value === escapeRegex(hostname) + ending) guesses.push({ hostname, by: 'server' })
    }
    if (name === names.serviceless) guesses.push({ hostname: value, by: 'service' })
  }
  return guesses.find((named) => areSame(matchersFor(named, names), matchers))
}

/** What is silenced: the account (`[null]`), or a server under each name that alerts give it. Each gets a silence of its own. */
export type Scope = readonly (Named | null)[]

/** The key of a scope; null if no alert names the server. */
export function keyOfScope([first]: Scope): string | null {
  return first === undefined ? null : keyOf(first)
}

export function scopeOf(entries: readonly Entry[]): Scope {
  return entries.map(({ named }) => named)
}

export function isSame(one: Named | null, other: Named | null): boolean {
  return one?.hostname === other?.hostname && one?.by === other?.by
}

export function isOff({ state }: Entry): boolean {
  return state === 'off' || state === 'leaving'
}
