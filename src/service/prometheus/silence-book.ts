/**
 * The silences that the service wants: each has a token, written to the ledger before the request and into the silence's comment,
 * and its own matchers, so that no later change of names or settings changes what it hides.
 */
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import { type Matcher, matchersOf } from './naming.ts'
import type { Silence } from './records.ts'
import type { PrometheusSettings } from './settings.ts'

/** The creator that an Alertmanager shows. */
export const createdBy = 'monbot'

const matchers: z.ZodType<readonly Matcher[]> = z.array(
  z.object({ name: z.string(), value: z.string(), isRegex: z.boolean(), isEqual: z.boolean() }),
)

const subject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('account') }),
  z.object({ kind: z.literal('server'), hostname: z.string() }),
])

/** What is silent: all alerts, or a server. */
export type Subject = Readonly<z.output<typeof subject>>

const held = {
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
}
const entry = z.object({ subject, matchers, ...held })
/** As it was stored before it had matchers of its own: they follow from the name. Null: all alerts. */
const earlierEntry = z.object({
  named: z.object({ hostname: z.string(), by: z.enum(['server', 'service', 'none']) }).nullable(),
  ...held,
})

export type Entry = Readonly<z.output<typeof entry>> & { readonly token: string }

export type SilenceBook = {
  all(): readonly Entry[]
  of(subject: Subject): readonly Entry[]
  get(token: string): Entry | undefined
  /** Whether one of them has this id from an Alertmanager. */
  hasId(id: string): boolean
  /** Whether one of them has no id from an Alertmanager yet. */
  isAnyUnanswered(): boolean
  put(one: Entry): Entry
  remove(token: string): void
}

/** Gives those of an earlier version the matchers that these names mean now, once and for all. */
export function openSilenceBook(
  ledger: Ledger,
  names: Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>,
): SilenceBook {
  const entries = new Map<string, Entry>()
  /** Tokens by the text key of their subject. */
  const tokensOf = new Map<string, ReadonlySet<string>>()
  /** Ids from an Alertmanager, null among them if one has none yet. Cached, because every listed alert asks. */
  let ids: ReadonlySet<string | null> | null = null
  const idsNow = (): ReadonlySet<string | null> => {
    ids ??= new Set([...entries.values()].map(({ id }) => id))
    return ids
  }

  function put(one: Entry): Entry {
    const { token, ...value } = one
    ledger.put('silence', token, value)
    hold(one)
    return one
  }

  function hold(one: Entry): void {
    entries.set(one.token, one)
    const key = keyOf(one.subject)
    tokensOf.set(key, new Set([...(tokensOf.get(key) ?? []), one.token]))
    ids = null
  }

  ledger.together(() => {
    for (const { key: token, value } of ledger.load('silence', z.union([entry, earlierEntry]))) {
      if ('subject' in value) hold({ ...value, token })
      else {
        const { named, ...rest } = value
        const isAccount = named === null
        put({
          subject: isAccount ? { kind: 'account' } : { kind: 'server', hostname: named.hostname },
          matchers: isAccount ? accountMatchers : matchersOf(named, names),
          ...rest,
          token,
        })
      }
    }
  })
  return {
    all: () => [...entries.values()],
    of: (subject) => [...(tokensOf.get(keyOf(subject)) ?? [])].flatMap((token) => entries.get(token) ?? []),
    get: (token) => entries.get(token),
    hasId: (id) => idsNow().has(id),
    isAnyUnanswered: () => idsNow().has(null),
    put,
    remove(token) {
      const one = entries.get(token)
      if (one === undefined) return
      ledger.remove('silence', token)
      entries.delete(token)
      const key = keyOf(one.subject)
      const others = [...(tokensOf.get(key) ?? [])].filter((other) => other !== token)
      if (others.length === 0) tokensOf.delete(key)
      else tokensOf.set(key, new Set(others))
      ids = null
    },
  }
}

/** The text key of what is silent. */
export function keyOf(subject: Subject): string {
  return subject.kind === 'account' ? 'account' : `server ${subject.hostname}`
}

/** The comment on an Alertmanager's page: its effect, and the token. */
export function commentOf({ subject, token }: Pick<Entry, 'subject' | 'token'>): string {
  const what =
    subject.kind === 'account' ? 'All notifications are off' : `Notifications of ${subject.hostname} are off`
  return `${what} (${createdBy} ${token})`
}

/** The token of a silence; null if it is not ours. */
export function tokenOf(silence: Silence): string | null {
  if (silence.createdBy !== createdBy) return null
  return /\(monbot ([^\s()]+)\)$/.exec(silence.comment)?.[1] ?? null
}

export const accountMatchers: readonly Matcher[] = [
  { name: 'alertname', value: '.+', isRegex: true, isEqual: true },
]

const textOf = ({ name, value, isRegex, isEqual }: Matcher): string =>
  JSON.stringify([name, value, isRegex, isEqual])

export function areSame(some: readonly Matcher[], others: readonly Matcher[]): boolean {
  return some.map(textOf).sort().join() === others.map(textOf).sort().join()
}

/** What one of our silences is about, as its comment says; null if it says nothing of ours. */
export function subjectOf({ comment, matchers }: Silence): Subject | null {
  const what = comment.replace(/ \(monbot [^\s()]+\)$/, '')
  if (what === 'All notifications are off')
    return areSame(matchers, accountMatchers) ? { kind: 'account' } : null
  const hostname = /^Notifications of (.+) are off$/s.exec(what)?.[1]
  return hostname === undefined || matchers.length === 0 ? null : { kind: 'server', hostname }
}

/** What is to be silent, and the matchers of each of its silences: one for the account, for a server one for each way in which alerts name it. */
export type Scope = { readonly subject: Subject; readonly ways: readonly (readonly Matcher[])[] }

export function isOff({ state }: Entry): boolean {
  return state === 'off' || state === 'leaving'
}
