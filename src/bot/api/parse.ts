/**
 * What the API's answers say: checked, cut and cleaned once, here. What is wrong in a record's optional fields is left out, never the
 * record (docs/api.md#more-than-the-plain-api). Text is free of control and direction characters; it is not yet escaped.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { isWeb } from '../call.ts'
import type { Details } from '../world/types.ts'
import type { ApiAlert, ApiMutes, Series } from './port.ts'

/**
 * One page of alerts.json. `contents`: a digest of each entry, by which two pages are laid together; `unreadable`: those of entries that
 * cannot be read.
 */
export type AlertPage = {
  readonly alerts: readonly ApiAlert[]
  readonly contents: readonly string[]
  readonly unreadable: readonly string[]
  readonly doubt: string | null
}

const entryMax = 5_000
const parsedMax = 20_000
const labelsMax = 40
const listMax = 5
const pointsMax = 5_000

/**
 * JSON in which integers beyond 2^53 are texts, since ids may be that large, and in which no text holds the key. Throws on anything
 * else than JSON.
 */
export function parseJson(text: string, key: string): unknown {
  // Digests within quotes have as many digits in a row, and need none of this; nor do most ids of 53 bits.
  const isPlain = !/[:[,]\s*-?(?:9|\d\d)\d{15}/.test(text) && !text.includes(key)
  if (isPlain) return JSON.parse(text)
  const revive = (_: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'string') return value.replaceAll(key, '[hidden]')
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
    return isExact || !/^-?\d+$/.test(context?.source ?? '') ? value : context?.source
  }
  return JSON.parse(text, revive)
}

/** Without control characters, invisible ones, and those that turn the direction of text; spaces as one; cut with an ellipsis. */
export function plain(text: string, max: number): string {
  const clean = text
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/(?!\u200d)[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  if (clean.length <= max) return clean
  return `${clean.slice(0, max - 1).toWellFormed()}…`
}

/** The object or list that an answer is about: both keys are met, and metrics stand in the answer itself. */
function resultsOf(body: unknown): unknown {
  if (!isHash(body)) return null
  return body.results ?? body.result ?? body
}

export function messageOf(body: unknown): string | null {
  const message = isHash(body) ? body.message : null
  return typeof message === 'string' && message.trim() !== '' ? plain(message, 300) : null
}

export function isHash(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By digest: each poll lists everything that is open once more, and nearly all of it says the same as before. */
const parsed = new Map<string, ApiAlert>()

/** Null: it is no list of alerts. */
export function parseAlerts(body: unknown, nowMs: number): AlertPage | null {
  const entries = resultsOf(body)
  if (!Array.isArray(entries)) return null
  const read = entries.slice(0, entryMax).map((entry) => {
    const digest = digestOf(entry)
    const alert = parsed.get(digest) ?? parseAlert(entry, nowMs)
    if (parsed.size >= parsedMax) parsed.clear()
    if (alert !== null) parsed.set(digest, alert)
    return { alert, content: alert?.content ?? digest }
  })
  return {
    alerts: read.flatMap(({ alert }) => alert ?? []),
    contents: read.map(({ content }) => content),
    unreadable: read.flatMap(({ alert, content }) => (alert === null ? content : [])),
    doubt: doubtOf.parse(isHash(body) ? body.doubt : null),
  }
}

function digestOf(value: unknown): string {
  return hash('sha1', JSON.stringify(value) ?? '', 'base64')
}

function text(max: number) {
  return z.string().transform((said) => plain(said, max))
}
/** A wrong one counts as none. One that is missing, as most are, must be no failure, which costs more than all else here. */
function orNull<T>(schema: z.ZodType<T>) {
  return schema
    .nullish()
    .transform((said) => said ?? null)
    .catch(null)
}
/** An empty text counts as none. */
function optional(max: number) {
  return orNull(text(max)).transform((said) => said || null)
}
const id = z.union([z.string().min(1), z.number().transform(String)]).transform((said) => plain(said, 100))
const number = orNull(z.number())
const doubtOf = optional(300)
/** As people click it. */
const link = z
  .string()
  .max(3_000)
  .refine(isWeb)
  .transform((said) => new URL(said).href)
/** ISO 8601 with any offset. */
const momentMs = z.iso.datetime({ offset: true }).transform((said) => Date.parse(said))
const timeMs = orNull(momentMs)

const linkEntry = orNull(z.object({ text: text(75).refine((said) => said !== ''), url: link }))
/** What cannot be read of it is left out, and the alert is muted all the same. */
const unknownMute = { kind: 'silence' as const, id: null, by: null, untilMs: null, why: null, ours: false }
const muteEntry = z
  .object({
    kind: z.enum(['silence', 'inhibition']).catch('silence'),
    id: optional(100),
    by: optional(100),
    until: timeMs,
    why: optional(300),
    ours: z.boolean().catch(false),
  })
  .transform(({ until: untilMs, ...rest }) => ({ ...rest, untilMs }))
  .catch(unknownMute)

const alertEntry = z.object({
  id: id.refine((said) => said !== ''),
  lifecycle: z.enum(['start', 'end', 'oneoff']),
  time: timeMs,
  server_name: optional(255),
  server_hostname: optional(255),
  title: optional(300),
  plugin_name: optional(150),
  metric_name: optional(255),
  metric_value: number,
  url: orNull(link),
  sparkline_url: orNull(link),
  labels: z.record(z.string(), z.unknown()).catch({}).transform(labelsOf),
  description: optional(300),
  links: z
    .array(linkEntry)
    .catch([])
    .transform((all) => all.filter((one) => one !== null).slice(0, listMax)),
  severity: optional(50),
  trouble: orNull(z.string().regex(/^\w{1,64}$/)),
  trigger_id: orNull(id),
  muted_by: z.array(muteEntry).nullish().catch([unknownMute]),
  can_mute: z.literal(true).optional().catch(undefined),
  units: optional(40),
  limit: number,
  limit_side: orNull(z.enum(['high', 'low'])),
})
type AlertEntry = z.infer<typeof alertEntry>

/** Null: without a readable id or lifecycle nobody can say what it is. */
function parseAlert(value: unknown, nowMs: number): ApiAlert | null {
  const read = alertEntry.safeParse(value)
  if (!read.success) return null
  const entry = read.data
  const plugin = entry.plugin_name ?? ''
  const alert = {
    number: entry.id,
    key: `${entry.id}@${entry.time ?? 0}`,
    lifecycle: entry.lifecycle,
    hasTime: entry.time !== null,
    host: entry.server_hostname ?? entry.server_name ?? '',
    server: entry.server_name ?? entry.server_hostname ?? 'an unnamed server',
    title: entry.title ?? (plugin === '' ? 'Alert without a title' : plugin),
    plugin,
    metric: entry.metric_name,
    value: entry.metric_value,
    url: entry.url,
    details: detailsOf(entry),
    mutedBy: (entry.muted_by ?? []).slice(0, listMax),
    endedMs: null,
  }
  // Not the picture's address, which may be another one at each request.
  const content = digestOf(alert)
  return { ...alert, startedMs: entry.time ?? nowMs, sparklineUrl: entry.sparkline_url, content }
}

function detailsOf(entry: AlertEntry): Details {
  const hasLimit = entry.limit !== null && entry.limit_side !== null
  return {
    labels: entry.labels,
    description: entry.description,
    links: entry.links,
    severity: entry.severity,
    trouble: entry.trouble,
    triggerId: entry.trigger_id,
    units: entry.units,
    limit: hasLimit ? entry.limit : null,
    side: hasLimit ? entry.limit_side : null,
    canMute: entry.can_mute === true,
  }
}

/** A label that is too long is left out and never cut: cut, it would match what it does not mean. */
function labelsOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const fit = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'string' || value.length > 256 || name.length > 256) return []
    const label = plain(name, 256)
    return label === '' ? [] : [[label, plain(value, 256)]]
  })
  return Object.fromEntries(fit.slice(0, labelsMax))
}

/** Those that can be read; null: it is no list. */
function listOf<T>(entry: z.ZodType<T>): (body: unknown) => readonly T[] | null {
  return (body) => {
    const entries = resultsOf(body)
    return Array.isArray(entries) ? entries.flatMap((one) => entry.safeParse(one).data ?? []) : null
  }
}

const triggerEntry = z
  .object({
    id,
    condition: text(300).catch(''),
    metric: text(255).catch(''),
    max_value: number,
    low_value: number,
    duration_in_seconds: z.number().catch(0),
  })
  .transform(({ max_value: maxValue, low_value: lowValue, duration_in_seconds: durationS, ...rest }) => ({
    ...rest,
    ...{ maxValue, lowValue, durationS },
  }))
export type Trigger = z.output<typeof triggerEntry>
export const parseTriggers = listOf(triggerEntry)

/** `by`: who set it, where the service knows. */
const markerEntry = z
  .object({ time: momentMs, notes: text(600).refine((said) => said !== ''), by: optional(60) })
  .transform(({ time: atMs, notes, by }) => ({ atMs, text: notes, by }))
export type Marker = z.output<typeof markerEntry>
export const parseMarkers = listOf(markerEntry)

const roleEntries = z.record(text(255), z.array(text(255)).catch([]))

export function parseRoles(body: unknown): Readonly<Record<string, readonly string[]>> | null {
  return (isHash(body) && roleEntries.safeParse(body.results ?? body.result).data) || null
}

const metricEntry = z.object({
  label: text(255).catch(''),
  units: text(40).catch(''),
  points: z.array(z.unknown()),
})
const triple = z.tuple([z.number(), z.number(), z.number()])

export function parseSeries(body: unknown): readonly Series[] | null {
  const given = resultsOf(body)
  if (!isHash(given) || !Array.isArray(given.timestamps) || !Array.isArray(given.metrics)) return null
  const times: unknown[] = given.timestamps.slice(0, pointsMax)
  return given.metrics.flatMap((one: unknown) => {
    const { data } = metricEntry.safeParse(one)
    if (data === undefined) return []
    const points = times.flatMap((atMs, at) => {
      const { data: point } = triple.safeParse(data.points[at])
      if (point === undefined || typeof atMs !== 'number') return []
      const [min, mean, max] = point
      return [{ atMs, min, mean, max }]
    })
    return [{ label: data.label, units: data.units, points: points.sort((a, b) => a.atMs - b.atMs) }]
  })
}

const silenceEntry = z
  .object({
    id: text(100),
    kind: text(50).catch('silence'),
    ours: z.boolean().catch(false),
    by: optional(100),
    until: timeMs,
    why: optional(300),
    matchers: z.array(text(600)).catch([]),
    hides: z.number().catch(0),
    alerts: z.array(id).catch([]),
  })
  .transform(({ ours: isOurs, until: untilMs, ...rest }) => ({ ...rest, isOurs, untilMs }))
export type ApiMute = z.output<typeof silenceEntry>
const parseSilences = listOf(silenceEntry)

export function parseMutes(body: unknown): ApiMutes | null {
  const silences = parseSilences(body)
  const { data } = z.object({ held: z.array(z.string()) }).safeParse(body)
  return silences === null ? null : { silences, held: data?.held ?? null }
}
