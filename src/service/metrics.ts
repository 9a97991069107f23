/** Names of metrics for people, and the windows of `metrics.json` (docs/api.md#metrics). */
import { RE2JS } from 're2js'
import { globMatcher, isGlob } from '../shared/glob.ts'
import type { Server, Servers } from './servers.ts'
import { type MetricKey, type MetricType, quoted, Refusal, type Window } from './source.ts'

export const metricTypes = ['cpu', 'disk', 'memory', 'network', 'process', 'plugin', 'custom_metric'] as const

/** Tells of a server that sends nothing. */
export const heartbeat: MetricKey = { type: 'plugin', source: 'Heartbeat', metric: 'seconds_since_report' }
/** The protocol requires an upper limit; this is one of a trigger that has none. */
export const outOfReach = 1e15

const hour = 60 * 60_000
const day = 24 * hour
/** The nine durations, with the width of their points: 240 to 365 of them each. */
export const durations = {
  '5 hours': { lengthMs: 5 * hour, stepMs: hour / 60 },
  '12 hours': { lengthMs: 12 * hour, stepMs: hour / 20 },
  '1 day': { lengthMs: day, stepMs: hour / 12 },
  '1 week': { lengthMs: 7 * day, stepMs: hour / 2 },
  '2 weeks': { lengthMs: 14 * day, stepMs: hour },
  '1 month': { lengthMs: 30 * day, stepMs: 2 * hour },
  '3 months': { lengthMs: 90 * day, stepMs: 6 * hour },
  '6 months': { lengthMs: 180 * day, stepMs: 12 * hour },
  '1 year': { lengthMs: 365 * day, stepMs: day },
} as const
export const durationNames = Object.keys(durations) as (keyof typeof durations)[]

export function windowOf(duration: keyof typeof durations, nowMs: number): Window {
  const { lengthMs, stepMs } = durations[duration]
  return { fromMs: (Math.floor(nowMs / stepMs) + 1) * stepMs - lengthMs, stepMs, count: lengthMs / stepMs }
}

type Words = { readonly human: string; readonly units: string; readonly precision: number }

const known: Readonly<Record<string, Words>> = {
  'cpu cpu_busy': { human: 'CPU busy', units: '%', precision: 1 },
  'cpu cpu_user': { human: 'CPU user', units: '%', precision: 1 },
  'cpu cpu_system': { human: 'CPU system', units: '%', precision: 1 },
  'memory memory_used_percent': { human: 'Memory used', units: '%', precision: 1 },
  'memory memory_used': { human: 'Memory used', units: 'MB', precision: 0 },
  'memory swap_used_percent': { human: 'Swap used', units: '%', precision: 1 },
  'disk disk_used_percent': { human: 'Disk used', units: '%', precision: 1 },
  'disk disk_free': { human: 'Disk free', units: 'MB', precision: 0 },
  'network network_in': { human: 'Traffic in', units: 'KB/s', precision: 1 },
  'network network_out': { human: 'Traffic out', units: 'KB/s', precision: 1 },
  'process process_memory': { human: 'Process memory', units: 'MB', precision: 0 },
  'plugin seconds_since_report': { human: 'Seconds since report', units: 's', precision: 0 },
}

export function wordsOf({ type, metric }: MetricKey): Words {
  const words = known[`${type} ${metric}`]
  if (words !== undefined) return words
  const spaced = metric.replaceAll('_', ' ').trim()
  return { human: spaced.charAt(0).toUpperCase() + spaced.slice(1), units: '', precision: 2 }
}

/** `plugin_name` of an alert: what a card shows first. */
export function pluginOf(key: MetricKey): string {
  if (key.type === 'cpu') return 'CPU'
  if (key.type === 'plugin') return key.source
  if (key.type === 'custom_metric') return wordsOf(key).human
  const type = key.type.charAt(0).toUpperCase() + key.type.slice(1)
  return key.source === '' ? type : `${type} ${key.source}`
}

export function keyFor(type: MetricType, source: string, metric: string): MetricKey {
  return { type, source, metric }
}

export function keyText({ type, source, metric }: MetricKey): string {
  return JSON.stringify([type, source, metric])
}

/** Six digits are kept, whatever the size of the number. */
export function rounded(value: number): number {
  return Number(value.toPrecision(Math.abs(value) >= 100_000 ? 10 : 6))
}

export function amount(value: number, units: string): string {
  const gap = units === '' || units === '%' ? '' : ' '
  return `${value.toFixed(2)}${gap}${units}`
}

/** Most servers in one answer; a wider request is refused rather than cut. */
export const blocksMax = 200

/**
 * The servers that a request means. An exact name that is unknown, or an unknown role, is 404; a pattern or an environment that fits
 * none is an empty answer.
 */
export function chosenServers(
  servers: Servers,
  by: { server: string; environment: string; role: string },
): readonly Server[] {
  const matches = matcherOf(by.server)
  if (matches === null) servers.known(by.server)
  const members = by.role === '' ? null : servers.roles().get(by.role)
  if (members === undefined) throw new Refusal(404, `role: no role is called ${quoted(by.role)}`)
  return servers.all().filter(({ host, environment }) => {
    const isMeant = matches === null ? host === by.server : matches(host)
    return isMeant && (by.environment || environment) === environment && (members ?? [host]).includes(host)
  })
}

/** A wildcard, or a regular expression between slashes; nothing is everything; null for a name. RE2 matches in linear time, whatever the pattern. */
function matcherOf(pattern: string): ((host: string) => boolean) | null {
  const [, expression, flag] = /^\/(.*)\/(i?)$/s.exec(pattern || '//') ?? []
  if (expression === undefined) return isGlob(pattern) ? globMatcher(pattern) : null
  try {
    if (/\{\d{3,}/.test(expression)) throw new Error('it repeats too often')
    const compiled = RE2JS.compile(expression, flag === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
    return (host) => compiled.matcher(host).find()
  } catch (error) {
    const expected = 'server: expected a regular expression between slashes'
    throw new Refusal(422, `${expected}; came ${quoted(pattern)}: ${(error as Error).message}`)
  }
}
