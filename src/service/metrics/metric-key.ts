/** Names of metrics: by type, source and name, as in requests to `metrics.json` (docs/api.md#metrics), and for people. */
import { z } from 'zod'

export const metricTypes = ['cpu', 'disk', 'memory', 'network', 'process', 'plugin', 'custom_metric'] as const
export type MetricType = (typeof metricTypes)[number]

/** Types with one source per server: their `source` is empty and `metric_source_name` may be left out. */
export const typesWithoutSource: ReadonlySet<MetricType> = new Set(['cpu', 'memory'])

/** One metric of one server. */
export const metricKey = z.object({ type: z.enum(metricTypes), source: z.string(), metric: z.string() })
export type MetricKey = Readonly<z.output<typeof metricKey>>

/** `[min, average, max]` over the time of one point. */
export type Point = readonly [min: number, average: number, max: number]

/** `count` points of `stepMs` each from `fromMs`. */
export type Window = { readonly fromMs: number; readonly stepMs: number; readonly count: number }

export type MetricWords = {
  /** The name for people: `last_minute` is "Last minute". */
  readonly human: string
  readonly units: string
  /** Decimals to show. */
  readonly precision: number
}

const percent = { units: '%', precision: 1 } as const
const megabytes = { units: 'MB', precision: 0 } as const
const kilobytesPerSecond = { units: 'KB/s', precision: 1 } as const

const words: ReadonlyMap<string, MetricWords> = new Map<string, MetricWords>([
  ['cpu cpu_busy', { human: 'CPU busy', ...percent }],
  ['cpu cpu_user', { human: 'CPU user', ...percent }],
  ['cpu cpu_system', { human: 'CPU system', ...percent }],
  ['cpu cpu_iowait', { human: 'CPU waiting for disks', ...percent }],
  ['memory memory_used_percent', { human: 'Memory used', ...percent }],
  ['memory memory_used', { human: 'Memory used', ...megabytes }],
  ['memory swap_used_percent', { human: 'Swap used', ...percent }],
  ['disk disk_used_percent', { human: 'Disk used', ...percent }],
  ['disk disk_free', { human: 'Disk free', ...megabytes }],
  ['disk disk_busy', { human: 'Disk busy', ...percent }],
  ['network network_in', { human: 'Traffic in', ...kilobytesPerSecond }],
  ['network network_out', { human: 'Traffic out', ...kilobytesPerSecond }],
  ['process process_memory', { human: 'Process memory', ...megabytes }],
  ['process process_count', { human: 'Processes', units: '', precision: 0 }],
  ['plugin seconds_since_report', { human: 'Seconds since report', units: 's', precision: 0 }],
])

/** Names, units and decimals for people; an undescribed metric gets its own name, no units, two decimals. */
export function wordsOf({ type, metric }: MetricKey): MetricWords {
  const known = words.get(`${type} ${metric}`)
  if (known !== undefined) return known
  const spaced = metric.replaceAll('_', ' ').trim()
  return { human: spaced.charAt(0).toUpperCase() + spaced.slice(1), units: '', precision: 2 }
}

const typesByMetric: ReadonlyMap<string, MetricType> = new Map([
  ...[...words.keys()].map((name): [string, MetricType] => {
    const [type = '', metric = ''] = name.split(' ')
    return [metric, metricTypes.find((one) => one === type) ?? 'plugin']
  }),
  ['last_minute', 'plugin'],
  ['last_five_minutes', 'plugin'],
  ['last_fifteen_minutes', 'plugin'],
  ['last_minute_per_core', 'plugin'],
])

/** The type of a metric whose name exists in only one type; undefined for any other. */
export function typeOfMetric(metric: string): MetricType | undefined {
  return typesByMetric.get(metric)
}

/** The name that a card shows first: `plugin_name` of an alert. */
export function pluginNameOf({ type, source, metric }: MetricKey): string {
  switch (type) {
    case 'cpu':
      return 'CPU'
    case 'memory':
      return 'Memory'
    case 'disk':
      return `Disk ${source}`
    case 'network':
      return `Network ${source}`
    case 'process':
      return `Process ${source}`
    case 'plugin':
      return source
    case 'custom_metric':
      return wordsOf({ type, source, metric }).human
  }
}

/** `CPU busy`, `Disk / · Disk used`, `Load Average · Last minute`. */
export function labelOf(key: MetricKey): string {
  const { human } = wordsOf(key)
  const name = pluginNameOf(key)
  return human.startsWith(name) ? human : `${name} · ${human}`
}

/** One text per key, for maps and for the disk. */
export function textOf({ type, source, metric }: MetricKey): string {
  return JSON.stringify([type, source, metric])
}

/** The same text for the same labels in any order. */
export function textOfLabels(labels: ReadonlyMap<string, string>): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Four decimals are more than people read; what is smaller keeps four digits, as a share of errors may be 0.00002. */
export function rounded(value: number): number {
  return Number(Math.abs(value) < 0.1 ? value.toPrecision(4) : value.toFixed(4))
}

/** A number with its units: `3.50`, `97.20%`, `480.00 MB`. `decimals` null: as many as it has, and no more than people read. */
export function amountOf(value: number, units: string, decimals: number | null = 2): string {
  const gap = units === '' || units === '%' ? '' : ' '
  return `${decimals === null ? rounded(value) : value.toFixed(decimals)}${gap}${units}`
}
