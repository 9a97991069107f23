/**
 * The silences that the service wants: each has a token, written to the ledger before the request and into the silence's comment,
 * and its own matchers, so that no later change of names or settings changes what it hides.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import { type Matcher, namingByLabel } from './naming.ts'
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
  z.object({ kind: z.literal('mute'), id: z.string() }),
])

/** What is silent: all alerts, a server, or what a mute says, under the name that its client gave it. */
export type Subject = Readonly<z.output<typeof subject>>

const terms = z.object({
  /** Milliseconds since 1970; null: until it is deleted. */
  untilMs: z.number().nullable(),
  /** For people; empty if not known. */
  by: z.string(),
  why: z.string(),
  /** Of the alert that it was made for; null: none. */
  trouble: z.string().nullable(),
})

/** What else is known of a mute. */
export type Terms = Readonly<z.output<typeof terms>>

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
const entry = z.object({ subject, matchers, terms: terms.optional(), ...held })
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
  /** The one with this id from an Alertmanager; null: one that has none yet. */
  withId(id: string | null): Entry | undefined
  put(one: Entry): Entry
  remove(token: string): void
  /** Those of a server are another one's from now on, with the same matchers. */
  rename(from: string, to: string): void
}

/** Gives those of an earlier version the matchers that these names mean now, once and for all. */
export function openSilenceBook(
  ledger: Ledger,
  names: Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>,
): SilenceBook {
  const entries = new Map<string, Entry>()
  /** Tokens by the text key of their subject. */
  const tokensOf = new Map<string, ReadonlySet<string>>()
  /** By their ids from an Alertmanager. Cached, because every listed alert asks. */
  let byId: ReadonlyMap<string | null, Entry> | null = null

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
    byId = null
  }

  ledger.together(() => {
    for (const { key: token, value } of ledger.load('silence', z.union([entry, earlierEntry]))) {
      if ('subject' in value) hold({ ...value, token })
      else {
        const { named, ...rest } = value
        const isAccount = named === null
        put({
          subject: isAccount ? { kind: 'account' } : { kind: 'server', hostname: named.hostname },
          matchers: isAccount ? [anyName] : namingByLabel(names).matchersOf({ ...named, used: [] }),
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
    withId(id) {
      byId ??= new Map([...entries.values()].map((one) => [one.id, one]))
      return byId.get(id)
    },
    put,
    remove,
    rename(from, to) {
      ledger.together(() => {
        for (const token of tokensOf.get(keyOf({ kind: 'server', hostname: from })) ?? []) {
          const one = entries.get(token)
          remove(token)
          if (one !== undefined) put({ ...one, subject: { kind: 'server', hostname: to } })
        }
      })
    },
  }

  function remove(token: string): void {
    const one = entries.get(token)
    if (one === undefined) return
    ledger.remove('silence', token)
    entries.delete(token)
    const key = keyOf(one.subject)
    const others = [...(tokensOf.get(key) ?? [])].filter((other) => other !== token)
    if (others.length === 0) tokensOf.delete(key)
    else tokensOf.set(key, new Set(others))
    byId = null
  }
}

/** The text key of what is silent. */
export function keyOf(subject: Subject): string {
  switch (subject.kind) {
    case 'account':
      return 'account'
    case 'server':
      return `server ${subject.hostname}`
    case 'mute':
      return `mute ${subject.id}`
  }
}

/** `random`: at least 64 bits as text. A mute's token ends with its name, so that it is known again without a ledger. */
export function tokenFor(subject: Subject, random: string): string {
  return subject.kind === 'mute' ? `${random}/${subject.id}` : random
}

const forGood = 'it is ended'
const nameCharsMax = 100

/** The comment on an Alertmanager's page: its effect, and the token. */
export function commentOf({
  subject,
  matchers,
  terms,
  token,
}: Pick<Entry, 'subject' | 'matchers' | 'terms' | 'token'>): string {
  const mark = `(${createdBy} ${token})`
  switch (subject.kind) {
    case 'account':
      return `All notifications are off ${mark}`
    case 'server':
      return `Notifications of ${subject.hostname} are off ${mark}`
    case 'mute': {
      const { untilMs = null, by = '', why = '' } = terms ?? {}
      const until = untilMs === null ? forGood : secondOf(untilMs)
      // Without blanks and colons in the names, so that the comment can be read again.
      const name = matchers.find((one) => one.name === 'alertname' && one.isEqual)?.value ?? ''
      const what = name.replaceAll(/\s+/g, '_').slice(0, nameCharsMax).toWellFormed() || 'alerts'
      const who = by === '' ? '' : ` by ${by.replaceAll(':', ' ')}`
      return `Muted ${what} until ${until}${who}${why === '' ? '' : `: ${why}`} ${mark}`
    }
  }
}

/** `2026-11-24 15:04:05 UTC` */
function secondOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** The token of a silence; null if it is not ours. */
export function tokenOf(silence: Silence): string | null {
  if (silence.createdBy !== createdBy) return null
  return /\(monbot ([^\s()]+)\)$/.exec(silence.comment)?.[1] ?? null
}

const anyName: Matcher = { name: 'alertname', value: '.+', isRegex: true, isEqual: true }
/** Not Watchdog and the like: they are for machines, and their silence is an alarm elsewhere. */
const notForNobody: Matcher = { name: 'severity', value: '(?i)none', isRegex: true, isEqual: false }

/** Of a silence of many alerts: these, but none that is meant for nobody. */
export function meantForPeople(matchers: readonly Matcher[]): readonly Matcher[] {
  return [...matchers, notForNobody]
}

export const accountMatchers: readonly Matcher[] = meantForPeople([anyName])

const textOf = ({ name, value, isRegex, isEqual }: Matcher): string =>
  JSON.stringify([name, value, isRegex, isEqual])

/** Whether these hide at least what the others hide. */
export function isAsWide(some: readonly Matcher[], others: readonly Matcher[]): boolean {
  const texts = new Set(others.map(textOf))
  return some.every((one) => texts.has(textOf(one)))
}

export function areSame(some: readonly Matcher[], others: readonly Matcher[]): boolean {
  return some.map(textOf).sort().join() === others.map(textOf).sort().join()
}

/** What one of our silences is for, as token and comment say; null if they say nothing of ours. */
export function purposeOf(silence: Silence): Pick<Entry, 'subject' | 'terms'> | null {
  const { comment, matchers } = silence
  const [, id] = tokenOf(silence)?.split('/') ?? []
  const what = comment.replace(/ \(monbot [^\s()]+\)$/, '')
  if (matchers.length === 0) return null
  if (id !== undefined) {
    const [, until = '', by = '', why = ''] =
      /^Muted \S+ until (it is ended|[\d-]{10} [\d:]{8} UTC)(?: by ([^:]*))?(?:: (.*))?$/s.exec(what) ?? []
    const untilMs = Date.parse(until.replace(' UTC', 'Z'))
    if (Number.isNaN(untilMs) && until !== forGood) return null
    const terms = { untilMs: until === forGood ? null : untilMs, by, why, trouble: null }
    return { subject: { kind: 'mute', id }, terms }
  }
  if (what === 'All notifications are off')
    // An earlier version left nothing out.
    return isAsWide(matchers, accountMatchers) && isAsWide([anyName], matchers)
      ? { subject: { kind: 'account' } }
      : null
  const hostname = /^Notifications of (.+) are off$/s.exec(what)?.[1]
  return hostname === undefined ? null : { subject: { kind: 'server', hostname } }
}

/**
 * What is to be silent, and the matchers of each of its silences: one for the account and for a mute, for a server one for each way in
 * which alerts name it.
 */
export type Scope = {
  readonly subject: Subject
  readonly ways: readonly (readonly Matcher[])[]
  /** Of a mute. */
  readonly terms?: Terms | undefined
}

/** Whether it is what this scope wants, as one of its silences. */
export function isOf(
  { matchers, terms }: Entry,
  way: readonly Matcher[],
  scope: Pick<Scope, 'terms'>,
): boolean {
  return areSame(matchers, way) && isDeepStrictEqual(terms, scope.terms)
}

/** Whether somebody wants it, or waits for the answer that it is ended. */
export function isWanted({ state }: Entry): boolean {
  return state !== 'gone'
}

/** Whether it is silent, as far as is known. */
export function isOff({ state }: Entry): boolean {
  return state === 'off' || state === 'leaving'
}
