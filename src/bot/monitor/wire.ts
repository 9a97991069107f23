/**
 * Parses answers of the monitoring API, from `unknown` to domain types: record by record, so that one bad record is
 * counted and left out, never the whole page. Both forms of every answer are accepted: `results` and `result`.
 */
import { type AlertRecord, type Lifecycle, unknownServerOf } from '../domain/alert/alert.ts'
import { unknownTimeMs } from '../domain/alert/believable.ts'
import { saidSeverityOf } from '../domain/alert/severity.ts'
import { OutsideFailure } from '../domain/base/failure.ts'
import { cutName } from '../domain/base/storable.ts'
import type { ListedSilence } from '../domain/mute/hiding.ts'
import type { ListAsked, MetricAnswer, MetricSeries, Page, RolesRead, Trigger } from '../flow/ports/ports.ts'
import { parseDetails, parseMutedBy } from './details.ts'
import { parseInstant } from './instant.ts'

/** Nothing longer is ever shown, and each text is scanned many times. */
const textCharsMax = 10_000
/** An API may list more at once than this one does, but a longer list is not plausible, and reading it would take seconds. */
const recordsMax = 5_000

const rolesMax = 20_000

const word = /^[\w.:~/+=-]{1,64}$/
const decimal = /^-?\d{1,40}(\.\d{1,40})?$/
/** The same number with and without them. */
const zerosInFront = /^0+(?=\d+$)/
const lifecycles: readonly Lifecycle[] = ['start', 'end', 'oneoff']

/** A record's identity: a number or a short word without spaces (a UUID). Numbers beyond 2^53 arrive as text (see `readAnswer`). */
function idOf(value: unknown): string | null {
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  const id = isExact || typeof value === 'string' ? String(value).trim() : ''
  return word.test(id) ? id.replace(zerosInFront, '') : null
}

/** A number; one in quotes counts too. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'string' && decimal.test(value)) return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** An unusable value counts as absent. */
function textOf(value: unknown): string {
  return typeof value === 'string' || Number.isFinite(value) ? String(value).slice(0, textCharsMax) : ''
}

function triggerIdOf(value: unknown): string | null {
  return idOf(value) ?? (typeof value === 'string' && value !== '' ? value : null)
}

/**
 * An open alert must not be lost because of an optional field, so only its id and its lifecycle are required. If the requested
 * list has only one lifecycle, a record without one gets that. By hand, because a schema takes several times as long, and thousands of
 * records are read at each start.
 */
function alertRecordOf(entry: unknown, asked: ListAsked): AlertRecord | null {
  if (!isHash(entry)) return null
  const alertId = idOf(entry.id)
  const said = textOf(entry.lifecycle).trim().toLowerCase()
  const lifecycle = lifecycles.find((one) => one === said) ?? (asked === 'all' ? null : asked)
  if (alertId === null || lifecycle === null) return null
  const [serverName, hostname] = [textOf(entry.server_name), textOf(entry.server_hostname)]
  return {
    alertId,
    timeMs: parseInstant(entry.time) ?? unknownTimeMs,
    hostname: cutName(hostname || serverName || unknownServerOf(alertId)),
    serverName: serverName || hostname || 'unknown server',
    lifecycle,
    title: textOf(entry.title),
    plugin: cutName(textOf(entry.plugin_name)),
    metric: typeof entry.metric_name === 'string' ? cutName(entry.metric_name) : null,
    value: numberOf(entry.metric_value),
    url: textOf(entry.url),
    triggerId: triggerIdOf(entry.trigger_id),
    // Some services send it (docs/api.md#real-answers).
    saidSeverity: saidSeverityOf(textOf(entry.severity)),
    ...parseDetails(entry),
  }
}

function triggerOf(entry: unknown): Trigger | null {
  if (!isHash(entry)) return null
  const [condition, metric] = [textOf(entry.condition), textOf(entry.metric)]
  if (condition === '' && metric === '') return null
  return {
    triggerId: idOf(entry.id) ?? '',
    condition,
    metric,
    maxValue: numberOf(entry.max_value),
    lowValue: numberOf(entry.low_value),
    durationSeconds: numberOf(entry.duration_in_seconds) ?? 0,
  }
}

/**
 * Parses `alerts.json` (docs/api.md#alerts). An answer without a list is an `unreachable` failure, here and below; so is a list
 * that contains no alert at all, readable or not: it is another API's answer, and taking it for "nothing is open" would be a lie.
 */
export function parseAlerts(body: unknown, asked: ListAsked): Page {
  const list = resultList(body)
  if (list.length > 0 && !list.some((entry) => isHash(entry) && Object.hasOwn(entry, 'id'))) {
    throw new OutsideFailure('unreachable', 'the monitoring API gave a list without a single alert in it')
  }
  const records = parseEach(list, (entry) => alertRecordOf(entry, asked))
  const doubt =
    isHash(body) && typeof body.doubt === 'string' ? body.doubt.trim().slice(0, doubtCharsMax) : ''
  return {
    records,
    size: list.length,
    skipped: list.length - records.length,
    ...(doubt === '' ? {} : { doubt }),
  }
}

const doubtCharsMax = 500

/** Parses `triggers.json` (docs/api.md#triggers). */
export function parseTriggers(body: unknown): {
  readonly triggers: readonly Trigger[]
  readonly skipped: number
} {
  const list = resultList(body)
  const triggers = parseEach(list, triggerOf)
  if (list.length > 0 && triggers.length === 0) throw noneReadable('triggers')
  return { triggers, skipped: list.length - triggers.length }
}

/** Parses `mutes.json` (docs/api.md#mutes). What cannot be read of one is left out; one without an id cannot be ended. */
export function parseSilences(body: unknown): readonly ListedSilence[] {
  const list = resultList(body)
  const silences = parseEach(list, silenceOf)
  if (list.length > 0 && silences.length === 0) throw noneReadable('silences')
  return silences
}

function silenceOf(entry: unknown): ListedSilence | null {
  if (!isHash(entry)) return null
  const { kind: _, id, ...said } = parseMutedBy(entry)
  if (id === null) return null
  const matchers = Array.isArray(entry.matchers) ? entry.matchers : []
  const hides = numberOf(entry.hides) ?? (Array.isArray(entry.alerts) ? entry.alerts.length : 0)
  return { ...said, id, matchers: matchers.filter(isName).map((one) => textOf(one)), hides }
}

/**
 * Parses `roles.json` (docs/api.md#roles); a role whose value is not a list, and a hostname that is not text, are left out and
 * counted.
 */
export function parseRoles(body: unknown): RolesRead {
  const hash = results(body).find(isHash)
  if (hash === undefined) throw withoutResults()
  const roles = new Map<string, readonly string[]>()
  let skipped = 0
  const names = notTooLong(Object.keys(hash), rolesMax) as readonly string[]
  for (const role of names) {
    const listed = hash[role]
    const hostnames = Array.isArray(listed) ? listed.filter(isName) : null
    if (hostnames !== null) roles.set(role, hostnames.map(cutName))
    skipped += hostnames === null ? 1 : (listed as readonly unknown[]).length - hostnames.length
  }
  if (skipped > 0 && roles.size === 0) throw noneReadable('roles')
  return { roles, skipped }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The `message` that every hash has (docs/api.md#requests-and-answers); null if it is missing. Not yet safe to show. */
export function parseMessage(body: unknown): string | null {
  return isHash(body) && typeof body.message === 'string' ? body.message : null
}

function parseEach<Parsed>(list: readonly unknown[], parse: (entry: unknown) => Parsed | null): Parsed[] {
  return list.flatMap((entry) => parse(entry) ?? [])
}

/** The value under either key; only own keys count, because an answer may contain any name. */
export function results(body: unknown): readonly unknown[] {
  if (!isHash(body)) return []
  return ['results', 'result'].filter((key) => Object.hasOwn(body, key)).map((key) => body[key])
}

function resultList(body: unknown): readonly unknown[] {
  const list = results(body).find((value) => Array.isArray(value))
  if (list === undefined) throw withoutResults()
  return notTooLong(list)
}

function notTooLong(list: readonly unknown[], max = recordsMax): readonly unknown[] {
  if (list.length <= max) return list
  const came = `a list of ${list.length} at once; at most ${max} are read`
  throw new OutsideFailure('unreachable', `the monitoring API gave ${came}`)
}

/** Is it a JSON object, as every answer of the API is (docs/api.md#requests-and-answers)? */
export function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All records unreadable is not the same as no records: it must not be reported as "there is nothing". */
function noneReadable(what: string): OutsideFailure {
  return new OutsideFailure('unreachable', `the monitoring API gave ${what} of which none can be read`)
}

function withoutResults(): OutsideFailure {
  return new OutsideFailure('unreachable', 'the monitoring API gave an answer without results')
}

/** Four times as many as a month has minutes, and more than any chart has room for. */
const timesMax = 200_000
/** A chart with more servers would be unreadable. */
const seriesMax = 1_000

/**
 * Parses `metrics.json` (docs/api.md#metrics), at the top or under a result key. Points are in the order of the timestamps: an
 * unreadable one is null; superfluous ones, and points whose timestamp is not a number, are left out. It may have a hundred
 * thousand points, so each is checked by hand: a schema would block the process for half a second.
 */
export function parseMetrics(body: unknown): MetricAnswer {
  const answer = [body, ...results(body)]
    .filter(isHash)
    .flatMap(({ timestamps, metrics }): { timestamps: readonly unknown[]; metrics: readonly unknown[] }[] =>
      Array.isArray(timestamps) && Array.isArray(metrics) ? [{ timestamps, metrics }] : [],
    )
    .at(0)
  if (answer === undefined) throw withoutResults()
  const { metrics } = answer
  const timestamps = notTooLong(answer.timestamps, timesMax)
  const places: number[] = []
  const timestampsMs: number[] = []
  for (let at = 0; at < timestamps.length; at += 1) {
    const ms = numberOf(timestamps[at])
    if (ms === null) continue
    places.push(at)
    timestampsMs.push(ms)
  }
  const series = notTooLong(metrics, seriesMax).flatMap((record) => seriesOf(record, places) ?? [])
  if (metrics.length > 0 && series.length === 0) throw noneReadable('metrics')
  return { timestampsMs, series, skipped: metrics.length - series.length }
}

function seriesOf(record: unknown, places: readonly number[]): MetricSeries | null {
  if (!isHash(record)) return null
  const { label, units, points: listed } = record
  if (typeof label !== 'string' || !Array.isArray(listed)) return null
  const points: MetricSeries['points'][number][] = []
  // Only as far as there are points: many short series over many timestamps are a small answer, and stay small in memory.
  for (const at of places) {
    if (at >= listed.length) break
    points.push(pointOf(listed[at]))
  }
  return {
    label,
    units: typeof units === 'string' || typeof units === 'number' ? String(units) : '',
    points,
  }
}

function pointOf(value: unknown): readonly [number, number, number] | null {
  if (!Array.isArray(value) || value.length !== 3) return null
  const low = numberOf(value[0])
  const mean = numberOf(value[1])
  const high = numberOf(value[2])
  return low === null || mean === null || high === null ? null : [low, mean, high]
}
