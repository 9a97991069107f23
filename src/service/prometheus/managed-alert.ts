/** Parses an Alertmanager's alerts record by record, and merges the lists of several Alertmanagers. */
import { z } from 'zod'
import { openTurn } from '../turn.ts'
import type { Labels } from './naming.ts'
import { instant, listOf, texts } from './records.ts'

const states = ['active', 'suppressed', 'unprocessed'] as const

export type ManagedAlert = {
  /** 16 hexadecimal digits, the same at every Alertmanager. */
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
  /** Fingerprints of the alerts, and names of the mute times, that suppress it. */
  readonly inhibitedBy: readonly string[]
}

/** How long an alert counts without an end in its record: an Alertmanager's own `resolve_timeout`. */
const believedMs = 300_000

const labels = z.record(z.string(), z.string())
const none = (): string[] => []

/** Only the labels must be readable: a firing alert is reported, however odd its record is. */
const record = z.object({
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
  return listOf(name, 'alerts', answer, record, (found) => {
    const { status } = found
    const isSuppressed = status.state === 'suppressed'
    return {
      fingerprint: found.fingerprint ?? fingerprintOf(found.labels),
      labels: found.labels,
      annotations: found.annotations,
      startsAtMs: found.startsAt ?? found.updatedAt ?? nowMs,
      endsAtMs: found.endsAt ?? nowMs + believedMs,
      updatedAtMs: found.updatedAt ?? nowMs,
      state: status.state,
      silencedBy: isSuppressed ? status.silencedBy : [],
      inhibitedBy: isSuppressed ? [...status.inhibitedBy, ...status.mutedBy] : [],
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

function both(one: ManagedAlert, other: ManagedAlert): ManagedAlert {
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

const separator = 0xff

/** As Prometheus does: FNV-1a of 64 bits over the labels, sorted by name. */
function fingerprintOf(labels: Labels): string {
  let hash = 0xcbf29ce484222325n
  const add = (byte: number): void => {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  for (const [name, value] of Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const text of [name, value]) {
      for (const byte of Buffer.from(text)) add(byte)
      add(separator)
    }
  }
  return hash.toString(16).padStart(16, '0')
}
