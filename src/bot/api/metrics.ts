/** How metrics are asked for (docs/api.md#metrics): for which lengths of time, and under which names. */
import { hour } from '../clock.ts'

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

/**
 * How the API, which lists no metrics, may know one of an alert, which names only its plugin. The likeliest first: `Disk /` is a disk's
 * volume; what does not begin with a type is a plugin, or a metric of its own.
 */
export function guessesOfPlugin(plugin: string, name: string): MetricKey[] {
  const [, kind = '', source = ''] = /^(CPU|Memory|Disk|Network|Process)(?: (.+))?$/.exec(plugin) ?? []
  const builtIn = kind === '' ? [] : [{ name, type: kind.toLowerCase(), source: source || null }]
  return [...builtIn, { name, type: 'plugin', source: plugin }, { name, type: 'custom_metric', source: name }]
}
