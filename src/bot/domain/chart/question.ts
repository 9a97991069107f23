/** Guesses how to query `metrics.json` for the metric that an alert or a person names (docs/api.md#metrics). */
import type { Alert } from '../alert/alert.ts'
import { dayMs, hourMs } from '../base/duration.ts'

/** A metric as the API knows it, without the server and the time. */
export type MetricName = {
  readonly metric: string
  readonly type: 'cpu' | 'disk' | 'memory' | 'network' | 'process' | 'plugin' | 'custom_metric'
  /** Plugin, process, volume, interface or custom metric name; `cpu` and `memory` have none. */
  readonly source?: string
}

const typesBySubject = [
  ['Disk ', 'disk'],
  ['Network ', 'network'],
  ['Process ', 'process'],
] as const

/**
 * The metric of an alert, best guess first; empty if it has none. A record gives its plugin's display name, so the kind of
 * metric has to be guessed.
 */
export function metricsOfAlert({ plugin, metric }: Pick<Alert, 'plugin' | 'metric'>): MetricName[] {
  if (metric === null || metric === '') return []
  const guesses: MetricName[] = []
  if (plugin === 'CPU') guesses.push({ metric, type: 'cpu' })
  if (plugin === 'Memory') guesses.push({ metric, type: 'memory' })
  for (const [start, type] of typesBySubject) {
    if (plugin.startsWith(start)) guesses.push({ metric, type, source: plugin.slice(start.length) })
  }
  guesses.push({ metric, type: 'plugin', source: plugin }, { metric, type: 'custom_metric', source: metric })
  return guesses
}

/** The usual volume and interface, if no alert has named another. */
const usualSources = { disk: ['/'], network: ['eth0'] } as const
const guessesMax = 12

/**
 * The metrics that a person's bare name may mean; `alerts` are those of the server, whose plugins are the known sources. At
 * most twelve guesses, best first.
 */
export function metricsNamed(
  named: string,
  alerts: readonly Pick<Alert, 'plugin' | 'metric'>[],
): MetricName[] {
  // `CPU busy` stands for `cpu_busy`, unless it is a custom metric of that very name.
  const metric = named.includes(' ') ? named.toLowerCase().replace(/\s+/g, '_') : named
  const ofSameMetric = alerts.filter((alert) => alert.metric === metric).flatMap(metricsOfAlert)
  const ofSamePlugins = alerts.flatMap((alert) => metricsOfAlert({ plugin: alert.plugin, metric }))
  const kind = metric.split('_')[0] ?? ''
  const guesses: MetricName[] = [
    ...ofSameMetric,
    { metric, type: 'cpu' },
    { metric, type: 'memory' },
    ...usualSources.disk.map((source) => ({ metric, type: 'disk' as const, source })),
    ...usualSources.network.map((source) => ({ metric, type: 'network' as const, source })),
    { metric: named, type: 'custom_metric', source: named },
    ...ofSamePlugins,
  ]
  // `disk_used_percent` belongs to a disk: the name's own first word comes before the rest, and after what an alert has shown.
  const ranked = guesses.toSorted((a, b) => rank(a, kind, ofSameMetric) - rank(b, kind, ofSameMetric))
  return [...new Map(ranked.map((guess) => [JSON.stringify(guess), guess])).values()].slice(0, guessesMax)
}

function rank(guess: MetricName, kind: string, sure: readonly MetricName[]): number {
  if (sure.includes(guess)) return 0
  return guess.type === kind || (kind === 'swap' && guess.type === 'memory') ? 1 : 2
}

const durations = [
  ['5 hours', 5 * hourMs],
  ['12 hours', 12 * hourMs],
  ['1 day', dayMs],
  ['1 week', 7 * dayMs],
  ['2 weeks', 14 * dayMs],
  ['1 month', 28 * dayMs],
  ['3 months', 89 * dayMs],
  ['6 months', 181 * dayMs],
  ['1 year', 365 * dayMs],
] as const

export type MetricDuration = (typeof durations)[number][0]

/** The API's nine durations, the shortest first. */
export const metricDurations: readonly MetricDuration[] = durations.map(([name]) => name)

/** How far back the longest of them reaches. */
export const reachMaxMs = durations.reduce((longest, [, ms]) => Math.max(longest, ms), 0)

/** How far back the shortest duration reaches that covers this long. */
export function reachCovering(ms: number): number {
  return durations.find(([, long]) => long >= ms)?.[1] ?? reachMaxMs
}

/** The shortest of the API's nine durations that reaches back this far from now; the longest if none does. */
export function durationCovering(ms: number): MetricDuration {
  return durations.find(([, long]) => long >= ms)?.[0] ?? '1 year'
}
