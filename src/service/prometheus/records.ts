/** What an Alertmanager lists: alerts and silences, each list read whole or refused in one sentence, and merged over several. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { textOfLabels } from '../metrics/metric-key.ts'
import { Refusal } from '../refusal.ts'
import { openTurn } from '../turn.ts'
import type { Labels, Matcher } from './naming.ts'

export const texts = z.array(z.string())

/** Milliseconds since 1970; null if it is missing, not a time, or the year 1, which is Go's zero time. */
export const instant = z
  .string()
  .transform((text) => {
    const ms = Date.parse(text)
    return ms > 0 ? ms : null
  })
  .nullable()
  .catch(null)

/** Yields to other work if the list is long. Rejects with a `Refusal` unless every record fits its schema. */
export async function listOf<Found, Value>(
  name: string,
  what: 'alerts' | 'silences',
  answer: unknown,
  schema: z.ZodType<Found>,
  toValue: (found: Found) => Value,
): Promise<readonly Value[]> {
  if (!Array.isArray(answer)) {
    throw new Refusal(502, `${name}: expected a list of ${what}; came something else`)
  }
  const values: Value[] = []
  const turn = openTurn()
  let fault: z.ZodError | null = null
  for (const one of answer) {
    if (turn.isOver()) await turn.next()
    const found = schema.safeParse(one)
    if (found.success) values.push(toValue(found.data))
    else fault ??= found.error
  }
  if (fault === null) return values
  const [issue] = fault.issues
  const place = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.map(String).join('.')
  throw new Refusal(
    502,
    `${name}: ${answer.length - values.length} of ${answer.length} ${what} cannot be read: ${place}: ${issue?.message ?? ''}`,
  )
}

export type Silence = {
  readonly id: string
  readonly state: 'active' | 'pending' | 'expired'
  readonly createdBy: string
  readonly comment: string
  readonly matchers: readonly Matcher[]
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** When it was last created, changed or ended by hand; expiry does not change this. */
  readonly updatedAtMs: number
}

/** With an id, that silence is changed if only its end differs; otherwise a new one replaces it. */
export type SilenceDraft = Pick<Silence, 'createdBy' | 'comment' | 'matchers' | 'startsAtMs' | 'endsAtMs'> & {
  readonly id: string | null
}

const silenceRecord = z.object({
  id: z.string().min(1),
  status: z.object({ state: z.enum(['active', 'pending', 'expired']) }),
  createdBy: z.string().catch(''),
  comment: z.string().catch(''),
  matchers: z
    .array(
      z.object({
        name: z.string(),
        value: z.string(),
        isRegex: z.boolean().default(false),
        isEqual: z.boolean().default(true),
      }),
    )
    .catch(() => []),
  startsAt: instant,
  endsAt: instant,
  updatedAt: instant,
})

/** Rejects with a `Refusal` if one of them cannot be read. */
export function readSilences(name: string, answer: unknown): Promise<readonly Silence[]> {
  return listOf(
    name,
    'silences',
    answer,
    silenceRecord,
    ({ status, startsAt, endsAt, updatedAt, ...found }) => ({
      ...found,
      state: status.state,
      startsAtMs: startsAt ?? 0,
      endsAtMs: endsAt ?? 0,
      updatedAtMs: updatedAt ?? 0,
    }),
  )
}

/** Each silence once, in its latest version, which all of them will have eventually. */
export function uniteSilences(views: readonly (readonly Silence[])[]): readonly Silence[] {
  const found = new Map<string, Silence>()
  for (const silence of views.flat()) {
    const known = found.get(silence.id)
    if (known === undefined || silence.updatedAtMs > known.updatedAtMs) found.set(silence.id, silence)
  }
  return [...found.values()]
}

export function bodyOf({ id, startsAtMs, endsAtMs, ...draft }: SilenceDraft): object {
  return {
    ...(id === null ? {} : { id }),
    ...draft,
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: new Date(endsAtMs).toISOString(),
  }
}

/** The id from an Alertmanager's answer. */
export function idOf(name: string, answer: unknown): string {
  const found = z.object({ silenceID: z.string().min(1) }).safeParse(answer)
  if (found.success) return found.data.silenceID
  throw new Refusal(502, `${name}: expected the id of a silence; came something else`)
}

const states = ['active', 'suppressed', 'unprocessed'] as const

export type ManagedAlert = {
  /** The Alertmanagers', the same at each; made of the labels if one gives none, which no known version does. */
  readonly fingerprint: string
  readonly labels: Labels
  readonly annotations: Labels
  readonly startsAtMs: number
  /** When it counts as over unless its sender sends it again. */
  readonly endsAtMs: number
  readonly updatedAtMs: number
  readonly state: (typeof states)[number]
  /** Ids of the silences that suppress it; empty if it is not suppressed. */
  readonly silencedBy: readonly string[]
  /** Fingerprints of the alerts that suppress it. */
  readonly inhibitedBy: readonly string[]
}

/** How long an alert counts without an end in its record: an Alertmanager's own `resolve_timeout`. */
const believedMs = 300_000

const labels = z.record(z.string(), z.string())
const none = (): string[] => []

/** Only the labels must be readable: a firing alert is reported, however odd its record is. */
const alertRecord = z.object({
  labels,
  fingerprint: z.string().min(1).nullable().catch(null),
  annotations: labels.catch(() => ({})),
  startsAt: instant,
  endsAt: instant,
  updatedAt: instant,
  status: z
    .object({
      state: z.enum(states).catch('active'),
      silencedBy: texts.catch(none),
      inhibitedBy: texts.catch(none),
      mutedBy: texts.catch(none),
    })
    .catch(() => ({ state: 'active' as const, silencedBy: [], inhibitedBy: [], mutedBy: [] })),
})

/** Rejects with a `Refusal` if one of them cannot be read: half a list would say that an alert is over. */
export function readAlerts(name: string, answer: unknown, nowMs: number): Promise<readonly ManagedAlert[]> {
  return listOf(name, 'alerts', answer, alertRecord, (found) => {
    const { status } = found
    // Mute times belong to routes, which are not carried over.
    const isTimed = status.mutedBy.length > 0 && status.silencedBy.length + status.inhibitedBy.length === 0
    const isSuppressed = status.state === 'suppressed' && !isTimed
    return {
      fingerprint: found.fingerprint ?? fingerprintOf(found.labels),
      labels: found.labels,
      annotations: found.annotations,
      startsAtMs: found.startsAt ?? found.updatedAt ?? nowMs,
      endsAtMs: found.endsAt ?? nowMs + believedMs,
      updatedAtMs: found.updatedAt ?? nowMs,
      state: status.state === 'suppressed' && isTimed ? 'active' : status.state,
      silencedBy: isSuppressed ? status.silencedBy : [],
      inhibitedBy: isSuppressed ? status.inhibitedBy : [],
    }
  })
}

/** Each alert once. It is hidden only if all that list it hide it. */
export async function uniteAlerts(
  views: readonly (readonly ManagedAlert[])[],
): Promise<readonly ManagedAlert[]> {
  const [first = [], ...others] = views
  if (others.length === 0) return first
  const found = new Map<string, ManagedAlert>()
  const turn = openTurn()
  for (const alert of views.flat()) {
    if (turn.isOver()) await turn.next()
    const known = found.get(alert.fingerprint)
    found.set(alert.fingerprint, known === undefined ? alert : both(known, alert))
  }
  return [...found.values()]
}

/** One alert of two that are the same; whoever notifies of one of them notifies of it. */
export function both(one: ManagedAlert, other: ManagedAlert): ManagedAlert {
  const newer = other.updatedAtMs > one.updatedAtMs ? other : one
  const shown = [one, other].find(({ state }) => state !== 'suppressed')
  const isActive = one.state === 'active' || other.state === 'active'
  return {
    ...newer,
    // Each Alertmanager invents a start if the sender gave none. The earliest one is the same in every reading.
    startsAtMs: Math.min(one.startsAtMs, other.startsAtMs),
    state: isActive ? 'active' : (shown?.state ?? 'suppressed'),
    silencedBy: shown === undefined ? united(one.silencedBy, other.silencedBy) : [],
    inhibitedBy: shown === undefined ? united(one.inhibitedBy, other.inhibitedBy) : [],
  }
}

function united(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])]
}

const fingerprints = new WeakMap<Labels, string>()

/** Of an alert's labels in any order. Kept by the object: hashing thousands takes its time. */
export function fingerprintOf(labels: Labels): string {
  const known = fingerprints.get(labels)
  if (known !== undefined) return known
  const text = textOfLabels(new Map(Object.entries(labels)))
  const found = createHash('sha256').update(text).digest('hex').slice(0, 16)
  fingerprints.set(labels, found)
  return found
}
