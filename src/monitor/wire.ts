/**
 * Answers of the monitoring API, from `unknown` to what the bot knows: record by record, so that one bad record is
 * counted and left out, never the page. Both forms of every answer are taken: `results` and `result`.
 */
import { z } from 'zod'
import type { Sighting } from '../domain/alert.ts'
import { OutsideFailure } from '../domain/failure.ts'
import type { MetricAnswer, MetricSeries, Page, Trigger } from '../flow/ports.ts'

/** A whole number from 0 or its text, kept as text: numbers beyond 2^53 arrive as text (see `readAnswer`). */
const id = z
  .union([z.number().min(0).refine(Number.isSafeInteger), z.string().regex(/^\d{1,40}$/)])
  .transform((value) => (typeof value === 'number' ? String(value) : value))

/** A number; one in quotes counts too. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d{1,40}(\.\d{1,40})?$/)
    .transform(Number),
])

/** What the bot can do without: anything unusable is as good as absent. */
const optionalText = z.string().catch('')
const optionalNumber = number.nullable().catch(null)

const instant = z.string().transform((text, context) => {
  const ms = parseInstant(text)
  if (ms === null) {
    context.addIssue({ code: 'custom', message: 'not an ISO 8601 time' })
    return z.NEVER
  }
  return ms
})

const alertRecord = z
  .object({
    id,
    time: instant,
    server_name: optionalText,
    server_hostname: optionalText,
    lifecycle: z.enum(['start', 'end', 'oneoff']),
    title: z.string(),
    plugin_name: optionalText,
    metric_name: z.string().nullable().catch(null),
    metric_value: optionalNumber,
    url: optionalText,
    sparkline_url: optionalText,
    trigger_id: z
      .union([id, z.string().min(1)])
      .nullable()
      .catch(null),
  })
  .refine((record) => record.server_hostname !== '' || record.server_name !== '')
  .transform(
    (record): Sighting => ({
      alertId: record.id,
      timeMs: record.time,
      serverName: record.server_name === '' ? record.server_hostname : record.server_name,
      hostname: record.server_hostname === '' ? record.server_name : record.server_hostname,
      lifecycle: record.lifecycle,
      title: record.title,
      plugin: record.plugin_name,
      metric: record.metric_name,
      value: record.metric_value,
      url: record.url,
      sparklineUrl: record.sparkline_url,
      triggerId: record.trigger_id,
    }),
  )

const triggerRecord = z
  .object({
    id,
    condition: z.string(),
    metric: z.string(),
    max_value: optionalNumber,
    low_value: optionalNumber,
    duration_in_seconds: number,
  })
  .transform(
    (record): Trigger => ({
      triggerId: record.id,
      condition: record.condition,
      metric: record.metric,
      maxValue: record.max_value,
      lowValue: record.low_value,
      durationSeconds: record.duration_in_seconds,
    }),
  )

const seriesRecord = z.object({
  label: z.string(),
  units: optionalText,
  precision: number.catch(0),
  points: z.array(z.unknown()),
})

const point = z.tuple([number, number, number])

/**
 * `alerts.json` (api-spec.md 4.1). An answer without a list is an `unreachable` failure, here and below; so is a list in
 * which nothing is an alert, read or not: that is another API's answer, and who reads it as "nothing is open" is blind.
 */
export function parseAlerts(body: unknown): Page {
  const list = resultList(body)
  if (list.length > 0 && !list.some((entry) => isHash(entry) && Object.hasOwn(entry, 'id'))) {
    throw new OutsideFailure('unreachable', 'the monitoring API gave a list without a single alert in it')
  }
  const records = parseEach(list, alertRecord)
  return { records, size: list.length, skipped: list.length - records.length }
}

/** `triggers.json` (api-spec.md 4.2). */
export function parseTriggers(body: unknown): {
  readonly triggers: readonly Trigger[]
  readonly skipped: number
} {
  const list = resultList(body)
  const triggers = parseEach(list, triggerRecord)
  return { triggers, skipped: list.length - triggers.length }
}

/** `roles.json` (api-spec.md 4.3); a role whose value is no list, and a hostname that is no text, are left out. */
export function parseRoles(body: unknown): ReadonlyMap<string, readonly string[]> {
  const hash = results(body).find(isHash)
  if (hash === undefined) throw withoutResults()
  const roles = new Map<string, readonly string[]>()
  for (const [role, hostnames] of Object.entries(hash)) {
    if (Array.isArray(hostnames)) roles.set(role, parseEach(hostnames, z.string().min(1)))
  }
  return roles
}

/**
 * `metrics.json` (api-spec.md 4.10), at the top or under a result key. Each series has one point per timestamp: missing
 * points are null, superfluous ones are left out, and so is the place of a timestamp that is no number.
 */
export function parseMetrics(body: unknown): MetricAnswer {
  const answer = [body, ...results(body)]
    .filter(isHash)
    .flatMap(({ timestamps, metrics }): { timestamps: readonly unknown[]; metrics: readonly unknown[] }[] =>
      Array.isArray(timestamps) && Array.isArray(metrics) ? [{ timestamps, metrics }] : [],
    )
    .at(0)
  if (answer === undefined) throw withoutResults()
  const { timestamps, metrics } = answer
  const times: { at: number; ms: number }[] = []
  for (const [at, value] of timestamps.entries()) {
    const ms = number.safeParse(value)
    if (ms.success) times.push({ at, ms: ms.data })
  }
  const series = parseEach(metrics, seriesRecord).map(
    (record): MetricSeries => ({
      ...record,
      points: times.map(({ at }) => point.safeParse(record.points[at]).data ?? null),
    }),
  )
  return { timestampsMs: times.map(({ ms }) => ms), series, skipped: metrics.length - series.length }
}

/** The `message` that every hash has (api-spec.md 1); null where it is not there. Not yet fit to be shown. */
export function parseMessage(body: unknown): string | null {
  return isHash(body) && typeof body.message === 'string' ? body.message : null
}

/**
 * Epoch milliseconds of an ISO 8601 date and time with any offset, `-00:00` included; without one it is UTC, as the
 * specification says that all times are. Null for anything else, days that do not exist included.
 */
export function parseInstant(text: string): number | null {
  const parts =
    /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d)?)?$/i.exec(
      text,
    )
  if (parts === null) return null
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '0',
    fraction = '0',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = parts
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second.padStart(2, '0')}`
  const ms = Date.parse(`${wall}Z`)
  // Date rolls a day over that the month does not have; 2026-02-30 must not become a day in March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, wall.length) !== wall) return null
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  return ms + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offsetMs : offsetMs)
}

function parseEach<Schema extends z.ZodType>(list: readonly unknown[], schema: Schema): z.output<Schema>[] {
  return list.flatMap((record) => {
    const parsed = schema.safeParse(record)
    return parsed.success ? [parsed.data] : []
  })
}

/** What stands under either key; only own keys count, for an answer may hold any name. */
function results(body: unknown): readonly unknown[] {
  if (!isHash(body)) return []
  return ['results', 'result'].filter((key) => Object.hasOwn(body, key)).map((key) => body[key])
}

function resultList(body: unknown): readonly unknown[] {
  const list = results(body).find((value) => Array.isArray(value))
  if (list === undefined) throw withoutResults()
  return list
}

function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutResults(): OutsideFailure {
  return new OutsideFailure('unreachable', 'the monitoring API gave an answer without results')
}
