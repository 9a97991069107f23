/** The monitoring API as the rest of the program sees it. `client.ts` does it over HTTP. Each call throws `ApiFailure`, nothing else. */
import { createHash } from 'node:crypto'
import { hour } from '../clock.ts'
import type { Pass } from '../world/journal.ts'
import type { Details, MutedBy } from '../world/types.ts'
import type { ApiMute, Marker, Trigger } from './parse.ts'

/** A record of alerts.json: parsed, cut and cleaned of control characters, not yet escaped. */
export type ApiAlert = {
  readonly number: string
  readonly key: string
  readonly lifecycle: 'start' | 'end' | 'oneoff'
  readonly startedMs: number
  /** False: it had no readable time, and `startedMs` is when it was read. */
  readonly hasTime: boolean
  readonly host: string
  readonly server: string
  readonly title: string
  readonly plugin: string
  readonly metric: string | null
  readonly value: number | null
  readonly url: string | null
  readonly sparklineUrl: string | null
  readonly details: Details
  readonly mutedBy: readonly MutedBy[]
  /** Of a record that ended, where the service says when. */
  readonly endedMs: number | null
  /** A digest of all that it says: two pages share a record only if this is equal too. */
  readonly content: string
}

/** What `sweep.ts` read: a whole list, proven complete by overlaps. */
export type Sweep = {
  readonly alerts: readonly ApiAlert[]
  readonly unreadable: number
  /** Why the service itself doubts that this is all; then absence proves nothing. */
  readonly doubt: string | null
}

export type FailureKind =
  /** No answer, a timeout, a reset, a proxy's page: whatever was asked may have been done. */
  | 'unclear'
  /** Certainly not done: refused connections, 429, 503 with the API's own message. */
  | 'later'
  /** The key was refused. */
  | 'key'
  /** 404 in the API's own words. */
  | 'missing'
  /** 400, 422: in the API's own words. */
  | 'refused'

export class ApiFailure extends Error {
  override name = 'ApiFailure'
  readonly kind: FailureKind
  readonly retryAfterMs: number | null

  /** `message` is fit for people: never the URL, the key or a body. */
  constructor(kind: FailureKind, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

export type MetricQuery = {
  readonly name: string
  readonly type: string
  readonly source: string | null
  /** An exact hostname, a glob, or `/regex/`. */
  readonly server: string | null
  readonly role: string | null
  readonly environment: string | null
  /** One of the API's nine, the next larger of what was wished: `durationFor`. */
  readonly duration: string
  /** Of several series the one that this alert is about (an extension that others ignore). */
  readonly alertNumber: string | null
}
export type Series = {
  readonly label: string
  readonly units: string
  /** Times in ascending order; a point without a value is left out. */
  readonly points: readonly {
    readonly atMs: number
    readonly min: number
    readonly mean: number
    readonly max: number
  }[]
}

/** `held`: the names of the mutes that it keeps, as it was told of them (`muteName`); null where it does not say. */
export type ApiMutes = { readonly silences: readonly ApiMute[]; readonly held: readonly string[] | null }
export type ApiMuteWish = {
  /** An alert's number, or matchers as `namespace=~"pay-.*"`. */
  readonly alert: string | null
  readonly matchers: readonly string[] | null
  readonly untilMs: number | null
  readonly by: string
  readonly why: string
}

/** A mute's id as the service takes it: ours name what they mute, in any letters. Those of silences of others stay. */
export function muteName(id: string): string {
  return /^[\w.:-]{1,100}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)
}

export type Monitor = {
  /** What is open: the whole list, and behind its end while a `known` key is not found. */
  sweep(known: readonly string[]): Promise<Sweep>
  /** Records of any lifecycle, the newest page first, and further until `wanted` keys are decided or the end is proven. */
  head(wanted: readonly string[]): Promise<Sweep & { readonly isWhole: boolean }>
  triggers(): Promise<readonly Trigger[]>
  roles(): Promise<Readonly<Record<string, readonly string[]>>>
  metrics(query: MetricQuery): Promise<readonly Series[]>
  setServer(pass: Pass, host: string, isOn: boolean): Promise<void>
  setAccount(pass: Pass, isOn: boolean): Promise<void>
  setNoDataGroup(pass: Pass, host: string, group: string): Promise<void>
  addRoles(pass: Pass, host: string, roles: readonly string[]): Promise<void>
  addMarker(pass: Pass, notes: string): Promise<void>
  deleteServer(pass: Pass, host: string): Promise<void>
  deleteMetrics(pass: Pass, names: readonly string[]): Promise<void>
  /** The newest ones; most services list none. */
  markers(): Promise<readonly Marker[]>
  /** In front of an Alertmanager; `missing` elsewhere. */
  mutes(): Promise<ApiMutes>
  putMute(pass: Pass, id: string, wish: ApiMuteWish): Promise<void>
  endMute(pass: Pass, id: string): Promise<void>
  /** The API's own little picture: a PNG of at most 2 MiB, or null. */
  picture(url: string): Promise<Uint8Array | null>
}

/** For these the API gives them. */
const durations = [
  ['5 hours', 5],
  ['12 hours', 12],
  ['1 day', 24],
  ['1 week', 7 * 24],
  ['2 weeks', 14 * 24],
  ['1 month', 30 * 24],
  ['3 months', 91 * 24],
  ['6 months', 182 * 24],
  ['1 year', 365 * 24],
] as const

/** The shortest of the API's nine durations that covers so much. */
export function durationFor(ms: number): string {
  return durations.find(([, hours]) => hours * hour >= ms)?.[0] ?? '1 year'
}

/** As `metrics.json` takes it. */
export type MetricKey = { readonly name: string; readonly type: string; readonly source: string | null }

/** What stands in place of a server's name. */
export const serverFilter = /^(role|env)=(.+)$/

/** `server`: a name, a pattern, `role=…` or `env=…`. */
export function queryFor(key: MetricKey, server: string, forMs: number): MetricQuery {
  const [, filter, value = ''] = serverFilter.exec(server) ?? []
  return {
    ...key,
    server: filter === undefined ? server : null,
    role: filter === 'role' ? value : null,
    environment: filter === 'env' ? value : null,
    duration: durationFor(forMs),
    alertNumber: null,
  }
}

/** None where the API knows no such server or metric: the guess was wrong. */
export async function measured(
  monitor: Pick<Monitor, 'metrics'>,
  query: MetricQuery,
): Promise<readonly Series[]> {
  try {
    const series = await monitor.metrics(query)
    return series.some(({ points }) => points.length > 0) ? series : []
  } catch (error) {
    if (error instanceof ApiFailure && ['missing', 'refused'].includes(error.kind)) return []
    throw error
  }
}

/**
 * How the API, which lists no metrics, may know one of an alert, which names only its plugin. The likeliest first: `Disk /` is a disk's
 * volume; what does not begin with a type is a plugin, or a metric of its own.
 */
export function guessesOfPlugin(plugin: string, name: string): MetricKey[] {
  const [, kind = '', source = ''] = /^(CPU|Memory|Disk|Network|Process)(?: (.+))?$/.exec(plugin) ?? []
  const builtIn = kind === '' ? [] : [{ name, type: kind.toLowerCase(), source: source || null }]
  return [...builtIn, { name, type: 'plugin', source: plugin }, { name, type: 'custom_metric', source: name }]
}
