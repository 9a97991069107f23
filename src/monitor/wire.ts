/**
 * Parses answers of the monitoring API, from `unknown` to domain types: record by record, so that one bad record is
 * counted and left out, never the whole page. Both forms of every answer are accepted: `results` and `result`.
 */
import { z } from 'zod'
import { type AlertRecord, type Lifecycle, unknownServerOf } from '../domain/alert/alert.ts'
import { unknownTimeMs } from '../domain/alert/believable.ts'
import { severityOf } from '../domain/alert/severity.ts'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { ListAsked, Page, RolesRead, Trigger } from '../flow/ports/ports.ts'
import { parseInstant } from './instant.ts'

/** Nothing longer is ever shown, and each text is scanned many times. */
const textCharsMax = 10_000
/** An API may list more at once than this one does, but a longer list is not plausible, and reading it would take seconds. */
const recordsMax = 5_000

const rolesMax = 20_000

/** A record's identity: a number or a short word without spaces (a UUID). Numbers beyond 2^53 arrive as text (see `readAnswer`). */
const id = z
  .union([z.number().refine((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER), z.string()])
  .transform((value) => String(value).trim())
  .pipe(z.string().regex(/^[\w.:~/+=-]{1,64}$/))

/** A number; one in quotes counts too. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d{1,40}(\.\d{1,40})?$/)
    .transform(Number),
])

/** An optional field: an unusable value counts as absent. Nothing fails here, as composing an issue takes longer than reading the record. */
const optionalText = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'string' || Number.isFinite(value) ? String(value).slice(0, textCharsMax) : '',
  )
const optionalNumber = number.nullable().catch(null)

const alertRecord = z.object({
  id,
  time: z
    .unknown()
    .optional()
    .transform((value) => parseInstant(value) ?? unknownTimeMs),
  server_name: optionalText,
  server_hostname: optionalText,
  lifecycle: optionalText.transform((word) => lifecycles.find((one) => one === word.trim().toLowerCase())),
  title: optionalText,
  plugin_name: optionalText,
  metric_name: z.string().nullable().catch(null),
  metric_value: optionalNumber,
  url: optionalText,
  trigger_id: z
    .union([id, z.string().min(1)])
    .nullable()
    .catch(null),
  // Some services send it (api-in-the-wild.md).
  severity: optionalText.transform(severityOf),
})

const lifecycles: readonly Lifecycle[] = ['start', 'end', 'oneoff']

/**
 * An open alert must not be lost because of an optional field, so only its id and its lifecycle are
 * required. If the requested list has only one lifecycle, a record without one gets that.
 */
function alertRecordOf(asked: ListAsked) {
  return alertRecord.transform((record, context): AlertRecord => {
    const lifecycle = record.lifecycle ?? (asked === 'all' ? undefined : asked)
    if (lifecycle === undefined) {
      context.addIssue({ code: 'custom', message: 'not a lifecycle' })
      return z.NEVER
    }
    const hostname = record.server_hostname || record.server_name || unknownServerOf(record.id)
    return {
      alertId: record.id,
      timeMs: record.time,
      hostname,
      serverName: record.server_name || record.server_hostname || 'unknown server',
      lifecycle,
      title: record.title,
      plugin: record.plugin_name,
      metric: record.metric_name,
      value: record.metric_value,
      url: record.url,
      triggerId: record.trigger_id,
      saidSeverity: record.severity,
    }
  })
}

const triggerRecord = z
  .object({
    id: id.catch(''),
    condition: optionalText,
    metric: optionalText,
    max_value: optionalNumber,
    low_value: optionalNumber,
    duration_in_seconds: number.catch(0),
  })
  .refine((record) => record.condition !== '' || record.metric !== '')
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

/**
 * `alerts.json` (api-spec.md 4.1), as requested. An answer without a list is an `unreachable` failure, here and
 * below; so is a list that contains no alert at all, readable or not: it is another API's answer, and taking it for
 * "nothing is open" would be a lie.
 */
export function parseAlerts(body: unknown, asked: ListAsked): Page {
  const list = resultList(body)
  if (list.length > 0 && !list.some((entry) => isHash(entry) && Object.hasOwn(entry, 'id'))) {
    throw new OutsideFailure('unreachable', 'the monitoring API gave a list without a single alert in it')
  }
  const records = parseEach(list, alertRecordOf(asked))
  return { records, size: list.length, skipped: list.length - records.length }
}

/** `triggers.json` (api-spec.md 4.2). */
export function parseTriggers(body: unknown): {
  readonly triggers: readonly Trigger[]
  readonly skipped: number
} {
  const list = resultList(body)
  const triggers = parseEach(list, triggerRecord)
  if (list.length > 0 && triggers.length === 0) throw noneReadable('triggers')
  return { triggers, skipped: list.length - triggers.length }
}

/** `roles.json` (api-spec.md 4.3); a role whose value is not a list, and a hostname that is not text, are left out and counted. */
export function parseRoles(body: unknown): RolesRead {
  const hash = results(body).find(isHash)
  if (hash === undefined) throw withoutResults()
  const roles = new Map<string, readonly string[]>()
  let skipped = 0
  const names = notTooLong(Object.keys(hash), rolesMax) as readonly string[]
  for (const role of names) {
    const listed = hash[role]
    const hostnames = Array.isArray(listed) ? listed.filter(isName) : null
    if (hostnames !== null) roles.set(role, hostnames)
    skipped += hostnames === null ? 1 : (listed as readonly unknown[]).length - hostnames.length
  }
  if (skipped > 0 && roles.size === 0) throw noneReadable('roles')
  return { roles, skipped }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** The `message` that every hash has (api-spec.md 1); null if it is missing. Not yet safe to show. */
export function parseMessage(body: unknown): string | null {
  return isHash(body) && typeof body.message === 'string' ? body.message : null
}

function parseEach<Schema extends z.ZodType>(list: readonly unknown[], schema: Schema): z.output<Schema>[] {
  return list.flatMap((record) => {
    const parsed = schema.safeParse(record)
    return parsed.success ? [parsed.data] : []
  })
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

export function notTooLong(list: readonly unknown[], max = recordsMax): readonly unknown[] {
  if (list.length <= max) return list
  const came = `a list of ${list.length} at once; at most ${max} are read`
  throw new OutsideFailure('unreachable', `the monitoring API gave ${came}`)
}

/** The envelope of every answer of the API (api-spec.md 1). */
export function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All records unreadable is not the same as no records: it must not be reported as "there is nothing". */
export function noneReadable(what: string): OutsideFailure {
  return new OutsideFailure('unreachable', `the monitoring API gave ${what} of which none can be read`)
}

export function withoutResults(): OutsideFailure {
  return new OutsideFailure('unreachable', 'the monitoring API gave an answer without results')
}
