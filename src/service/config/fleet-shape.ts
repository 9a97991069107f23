/** The shape of the file at MONITOR_CONFIG: `scrape`, `triggers`, `custom_metrics`, `prometheus`; unknown keys are refused. */
import { z } from 'zod'
import { globsMatcher } from '../../shared/glob.ts'
import { outOfReach, type TriggerRule } from '../alerts/triggers.ts'
import { type MetricType, metricTypes, typeOfMetric } from '../metrics/metric-key.ts'
import { hostnameFault } from '../store/registry.ts'
import { durationText, parseDuration } from './duration.ts'
import { prometheusShape } from './prometheus-shape.ts'
import { address, listOf, mapping, textOf, tls } from './shapes.ts'

export const targetsMax = 1_000
const filesMax = 100
const rolesMax = 50
const triggersMax = 500
const globsMax = 100
const secondMs = 1_000
const dayMs = 86_400_000
const intervalUsualMs = 15_000
const timeoutUsualMs = 5_000
const noDataUsualMs = 60_000
/** A host that pushed and went is forgotten after this silence. */
export const forgetUsualMs = dayMs
/** Its alert that it sends no data comes first, and is seen. */
const forgetMinMs = 600_000
const forgetMaxMs = 400 * dayMs

const duration = (minMs: number, maxMs: number) => {
  const expected = `a duration from ${durationText(minMs)} to ${durationText(maxMs)}, such as 15s or 5m`
  return z.string({ error: expected }).transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== null && ms >= minMs && ms <= maxMs) return ms
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const hostnameExpected = 'a hostname: 1 to 253 characters, no control characters, not . or ..'
export const hostname = z
  .string({ error: hostnameExpected })
  .refine((text) => hostnameFault(text) === null, { error: hostnameExpected })

// The API separates roles with commas, so it could not name a role that contains one.
const roleExpected = 'a role: text of 1 to 100 characters without a comma'
export const role = z
  .string({ error: roleExpected })
  .refine((text) => text.trim() === text && text !== '' && text.length <= 100 && !text.includes(','), {
    error: roleExpected,
  })

/** The properties on which all targets of one server must agree; the target may be invalid otherwise. */
export const named = z.looseObject({
  url: address,
  server: hostname.optional(),
  environment: textOf(100).optional(),
})

const target = mapping({
  url: address,
  server: hostname.optional(),
  environment: textOf(100).optional(),
  roles: listOf(role, rolesMax, 'roles').default([]),
  tls: tls.optional(),
}).refine(({ url, tls: own }) => own === undefined || url.protocol === 'https:', {
  error: 'an address with https:// beside tls',
  path: ['url'],
})

/** Checks a mapping as a whole even if parts are invalid, so that all problems are reported at once. */
function whole<Given>(isGood: (given: Given) => boolean, error: string, path: readonly string[] = []) {
  const when = ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null
  return [
    (value: unknown) => isGood(value as Given),
    { error, path: [...path], when },
  ] satisfies unknown[] as Parameters<z.ZodType['refine']>
}

type Times = { readonly interval: unknown; readonly timeout?: unknown; readonly no_data?: unknown }
const isWithin = (time: unknown, interval: unknown): boolean =>
  typeof time !== 'number' || typeof interval !== 'number' || time <= interval

const scrape = mapping({
  interval: duration(secondMs, 300_000).prefault(durationText(intervalUsualMs)),
  timeout: duration(100, 300_000).optional(),
  targets: listOf(target, targetsMax, 'targets').optional(),
  no_data: z
    .union([z.literal('off'), z.literal(false), duration(secondMs, dayMs)], {
      error: 'a duration such as 60s, or off',
    })
    .optional(),
  files: listOf(textOf(1_000, 'a path, with * in its last part perhaps'), filesMax, 'paths').optional(),
  tls: tls.optional(),
})
  .refine(
    ...whole<object>((given) => 'targets' in given || 'files' in given, 'targets or files', ['targets']),
  )
  .refine(
    ...whole<Times>(({ timeout, interval }) => isWithin(timeout, interval), 'at most the interval', [
      'timeout',
    ]),
  )
  .refine(
    ...whole<Times>(
      ({ no_data: noData, interval }) => typeof noData !== 'number' || !isWithin(noData, interval),
      'more than the interval',
      ['no_data'],
    ),
  )
  .transform(({ interval, timeout, no_data: noData, targets = [], files = [], tls: common }) => ({
    intervalMs: interval,
    timeoutMs: timeout ?? Math.min(timeoutUsualMs, interval),
    noDataMs:
      noData === undefined
        ? Math.max(noDataUsualMs, 3 * interval)
        : typeof noData === 'number'
          ? noData
          : null,
    targets,
    files,
    tls: common,
  }))

const limit = z
  .number({ error: 'a number' })
  .refine((value) => Math.abs(value) < outOfReach, { error: `a number below ${outOfReach}` })
  .optional()

type Limits = { readonly above?: unknown; readonly below?: unknown }
type Named = { readonly type?: unknown; readonly metric?: unknown }

const triggerOf = (isCustom: (metric: string) => boolean) => {
  const typeOf = (metric: string): MetricType | undefined =>
    typeOfMetric(metric) ?? (isCustom(metric) ? 'custom_metric' : undefined)
  return mapping({
    type: z.enum(metricTypes, { error: `one of ${metricTypes.join(', ')}` }).optional(),
    metric: textOf(300),
    source: textOf(300).optional(),
    servers: listOf(textOf(253), globsMax, 'globs of hostnames')
      .min(1, { error: 'a list of globs' })
      .optional(),
    roles: listOf(textOf(100), globsMax, 'roles').min(1, { error: 'a list of roles' }).optional(),
    above: limit,
    below: limit,
    for: duration(0, 7 * dayMs).prefault('0s'),
  })
    .refine(
      ...whole<Limits>(
        ({ above, below }) => above !== undefined || below !== undefined,
        'a limit: above, below or both',
      ),
    )
    .refine(
      ...whole<Limits>(
        ({ above, below }) => typeof above !== 'number' || typeof below !== 'number' || below < above,
        'less than above',
        ['below'],
      ),
    )
    .refine(
      ...whole<Named>(
        ({ type, metric }) =>
          type !== undefined || typeof metric !== 'string' || typeOf(metric) !== undefined,
        `a type beside a metric that is none of the known ones: one of ${metricTypes.join(', ')}`,
        ['metric'],
      ),
    )
    .transform(
      ({ type, metric, source, servers: names, roles, above, below, for: durationMs }): TriggerRule => {
        return {
          type: type ?? typeOf(metric) ?? 'custom_metric',
          metric,
          ...(source === undefined ? {} : { source }),
          servers: 'all',
          ...(names === undefined ? {} : { names }),
          ...(roles === undefined ? {} : { roles }),
          maxValue: above ?? outOfReach,
          lowValue: below ?? null,
          durationMs,
        }
      },
    )
}

const pushed = mapping({
  forget: z
    .union([z.literal('off'), z.literal(false), duration(forgetMinMs, forgetMaxMs)], {
      error: `a duration from ${durationText(forgetMinMs)} to ${durationText(forgetMaxMs)}, such as 24h, or off`,
    })
    .optional(),
})

type Silences = { readonly scrape?: unknown; readonly pushed?: unknown }
const msAt = (part: unknown, name: string): number | null => {
  const text: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, name) : null
  return typeof text === 'string' ? parseDuration(text) : typeof text === 'number' ? text : null
}

const globs = listOf(textOf(300, 'a glob on names of metrics'), globsMax, 'globs').default([])

/** The schema of the file. Everything except the targets has a default; `given` is the unchecked content of the file. */
export function fleetShape(given: unknown) {
  const custom = z.looseObject({ custom_metrics: globs }).safeParse(given).data?.custom_metrics ?? []
  const isCustom = globsMatcher(custom)
  const triggers = listOf(triggerOf(isCustom), triggersMax, 'triggers').superRefine((rules, context) => {
    const texts = rules.map((rule) => JSON.stringify(rule))
    for (const [at, text] of texts.entries()) {
      const first = texts.indexOf(text)
      const message = `another trigger than triggers[${first}]`
      if (first !== at) context.addIssue({ code: 'custom', path: [at], message })
    }
  })
  return mapping({
    scrape: scrape.optional(),
    triggers: triggers.optional(),
    custom_metrics: globs,
    prometheus: prometheusShape.optional(),
    pushed: pushed.optional(),
  })
    .refine(
      ...whole<object>((all) => !('prometheus' in all && 'scrape' in all), 'either scrape or prometheus', [
        'scrape',
      ]),
    )
    .refine(
      ...whole<object>(
        (all) => !('prometheus' in all && 'triggers' in all),
        'no triggers beside prometheus, whose rules say what is an alert',
        ['triggers'],
      ),
    )
    .refine(
      ...whole<object>((all) => !('prometheus' in all && 'pushed' in all), 'either pushed or prometheus', [
        'pushed',
      ]),
    )
    .refine(
      ...whole<Silences>(
        (all) => (msAt(all.pushed, 'forget') ?? forgetMaxMs) > (msAt(all.scrape, 'noDataMs') ?? 0),
        'more than no_data, whose alert would never be seen',
        ['pushed', 'forget'],
      ),
    )
    .transform((all) => ({
      scrape: all.scrape ?? null,
      triggers: all.triggers ?? null,
      customMetrics: all.custom_metrics,
      prometheus: all.prometheus ?? null,
      forgetMs:
        all.pushed?.forget === undefined
          ? Math.max(forgetUsualMs, 2 * (all.scrape?.noDataMs ?? 0))
          : typeof all.pushed.forget === 'number'
            ? all.pushed.forget
            : null,
    }))
}
