/** The metrics of the API as PromQL, one series for each value of the labels that name servers: current values, and lowest, mean and highest of each step. Pure. */
import type { MetricKey } from '../metrics/metric-key.ts'
import type { Matcher } from './naming.ts'
import { matchersText } from './promql.ts'
import { quotedText } from './syntax.ts'

/** Aggregations over a step, in PromQL terms. */
export const spreads = ['min', 'avg', 'max'] as const
export type Spread = (typeof spreads)[number]

export type MetricQuery = {
  /** At one time. */
  readonly now: string
  /** For the step that ends at each requested time. */
  over(spread: Spread): string
}

export type Asked = {
  /** Those that name servers: `instance`. */
  readonly labels: readonly string[]
  /** Empty for all servers. */
  readonly matchers: readonly Matcher[]
  readonly stepMs: number
  /** Now: the last step goes on beyond it. */
  readonly untilMs?: number
}

/** How a metric follows a gauge: rises with it, falls when it rises, or the gauge is constant (a size). */
type Way = 'up' | 'down' | 'fixed'

type Reads = {
  /** Each series of a gauge separately. */
  raw(name: string, way: Way, only: string): string
  /** The highest per server, or per value of `also`. */
  gauge(name: string, way: Way, parts?: { readonly only?: string; readonly also?: string }): string
  /** Per second; grouped in the same way. */
  rate(name: string, only?: string): string
  selector(name: string, only?: string): string
  readonly by: string
  /** Whether rates are taken between two scrapes. */
  readonly isFine: boolean
}

type Template = {
  /** Whether it reads only gauges whose value in each step is known exactly. */
  readonly isOfGauges: boolean
  text(reads: Reads, source: string): string
}

const megabyte = 1_048_576
const hiddenFilesystems = 'fstype!~"tmpfs|devtmpfs|squashfs|overlay|ramfs|iso9660"'
const hiddenInterfaces = 'device!~"lo|veth.*|docker.*|br-.*"'

const ofGauges = (text: Template['text']): Template => ({ isOfGauges: true, text })
const ofRates = (text: Template['text']): Template => ({ isOfGauges: false, text })

/**
 * `rate` counts the time before a series began as zero: on a host that is new or was away, too little idle time would look like too
 * much work. The share of all known time is always right.
 */
function share({ rate, by, isFine }: Reads, mode: string): string {
  const family = 'node_cpu_seconds_total'
  const own = rate(family, `mode="${mode}"`)
  return isFine ? `clamp_max(avg ${by} (${own}), 1)` : `sum ${by} (${own}) / sum ${by} (${rate(family)})`
}

const total = ({ gauge }: Reads): string => gauge('node_memory_MemTotal_bytes', 'fixed')

/** Old kernels do not report available memory; there the spread of a step is a little too wide. */
function available({ gauge }: Reads): string {
  const part = (name: string): string => gauge(`node_memory_${name}_bytes`, 'down')
  const free = part('MemFree')
  return `(${part('MemAvailable')} or (${free} + ${part('Buffers')} + ${part('Cached')} + (${part('SReclaimable')} or ${free} * 0)))`
}

/** As in `df`: space reserved for root is neither used nor available. */
function disk({ gauge, by }: Reads, source: string, metric: 'used' | 'free'): string {
  const only = `mountpoint=${quotedText(source)},${hiddenFilesystems}`
  const part = (name: string, way: Way): string =>
    gauge(`node_filesystem_${name}`, way, { only, also: 'device' })
  const size = part('size_bytes', 'fixed')
  const free = part('avail_bytes', metric === 'used' ? 'down' : 'up')
  const used = `(${size} - (${part('free_bytes', 'down')} or ${free}))`
  const value =
    metric === 'used' ? `100 * ${used} / (${used} + ${free})` : `${free} / ${megabyte} and ${size} > 0`
  const hidden = ['readonly', 'device_error'].map((name) => ` unless ${part(name, 'fixed')} == 1`).join('')
  return `max ${by} ((${value})${hidden})`
}

const templates: Readonly<Record<string, Template>> = {
  'cpu cpu_busy': ofRates((reads) => `100 * (1 - ${share(reads, 'idle')})`),
  'cpu cpu_user': ofRates((reads) => `100 * ${share(reads, 'user')}`),
  'cpu cpu_system': ofRates((reads) => `100 * ${share(reads, 'system')}`),
  'cpu cpu_iowait': ofRates((reads) => `100 * ${share(reads, 'iowait')}`),
  'plugin last_minute': ofGauges(({ gauge }) => gauge('node_load1', 'up')),
  'plugin last_five_minutes': ofGauges(({ gauge }) => gauge('node_load5', 'up')),
  'plugin last_fifteen_minutes': ofGauges(({ gauge }) => gauge('node_load15', 'up')),
  'plugin last_minute_per_core': ofGauges(
    ({ gauge, by }) =>
      `${gauge('node_load1', 'up')} / count ${by} (${gauge('node_cpu_seconds_total', 'fixed', { only: 'mode="idle"', also: 'cpu' })})`,
  ),
  'memory memory_used_percent': ofGauges((reads) => `100 * (1 - ${available(reads)} / ${total(reads)})`),
  'memory memory_used': ofGauges((reads) => `(${total(reads)} - ${available(reads)}) / ${megabyte}`),
  'memory swap_used_percent': ofGauges(
    ({ gauge }) =>
      `100 * (1 - ${gauge('node_memory_SwapFree_bytes', 'down')} / (${gauge('node_memory_SwapTotal_bytes', 'fixed')} > 0))`,
  ),
  'disk disk_used_percent': ofGauges((reads, source) => disk(reads, source, 'used')),
  'disk disk_free': ofGauges((reads, source) => disk(reads, source, 'free')),
  'disk disk_busy': ofRates(
    ({ rate, by }, source) =>
      `100 * clamp_max(max ${by} (${rate('node_disk_io_time_seconds_total', `device=${quotedText(source)}`)}), 1)`,
  ),
  'network network_in': ofRates((reads, source) => traffic(reads, source, 'receive')),
  'network network_out': ofRates((reads, source) => traffic(reads, source, 'transmit')),
  'process process_count': ofGauges(
    ({ gauge }) =>
      `${gauge('node_procs_running', 'up')} + ${gauge('node_procs_blocked', 'up')} or ${gauge('node_processes_pids', 'up')}`,
  ),
}

function traffic({ rate, by }: Reads, source: string, direction: string): string {
  const only = `device=${quotedText(source)},${hiddenInterfaces}`
  return `max ${by} (${rate(`node_network_${direction}_bytes_total`, only)}) / 1024`
}

const sources: Readonly<Record<string, string>> = { plugin: 'Load Average', process: 'all' }

/** Null if it is not a host metric: a custom one, one of an alert's rule, or unknown. */
export function hostQuery({ type, source, metric }: MetricKey, asked: Asked): MetricQuery | null {
  const template = templates[`${type} ${metric}`]
  if (template === undefined || (sources[type] ?? source) !== source) return null
  const now = template.text(readsOf(asked, null), source)
  if (!template.isOfGauges || asked.stepMs <= fineMs) {
    return subqueryOf(now, template.text(readsOf(asked, 'rate'), source), asked)
  }
  return { now, over: (spread) => template.text(readsOf(asked, spread), source) }
}

/**
 * The sum over all other labels; rates for counters. In long steps the lowest and highest of several such gauges are
 * summed from each series' own.
 */
export function customQuery(name: string, isCounter: boolean, asked: Asked): MetricQuery {
  const only = `__name__=${quotedText(name)}`
  const sum = (spread: Spread | 'rate' | null): string => {
    const reads = readsOf(asked, spread)
    const part = isCounter ? reads.rate('', only) : reads.raw('', 'up', only)
    return `sum ${reads.by} (${part})`
  }
  if (isCounter || asked.stepMs <= fineMs) return subqueryOf(sum(null), sum('rate'), asked)
  return { now: sum(null), over: sum }
}

/** The query for any expression; of several series the worst counts: the lowest if `side` is low. */
export function expressionQuery(
  expression: string,
  parts: { readonly by: readonly string[]; readonly side: 'max' | 'low' },
  asked: Asked,
): MetricQuery {
  const names = parts.by.map(labelText).join(', ')
  const now = `${parts.side === 'low' ? 'min' : 'max'} by (${names}) (${expression})`
  return subqueryOf(now, asked.untilMs === undefined ? now : knownUntil(now, asked.untilMs), asked)
}

/** Cuts off values of the future: a rate over a time that is not over yet would be too low. */
export function knownUntil(expression: string, untilMs: number): string {
  return `(${expression}) and on () (vector(time()) <= ${untilMs / 1_000})`
}

/** One spread per step of any expression, with all its labels. */
export function expressionSpread(expression: string, spread: Spread, stepMs: number): string {
  // One second less excludes samples of the previous step.
  const width = `${stepMs / 1_000 - 1}s:${resolutionOf(stepMs) / 1_000}s`
  return `${spread}_over_time((${expression})[${width}])`
}

/** When each server was last scraped successfully, in seconds since 1970. */
export function lastSeenQuery(asked: Asked): { readonly now: string; readonly last: string } {
  const { by, selector } = readsOf(asked, null)
  const seen = `max ${by} (timestamp(${selector('up')}) and ${selector('up')} == 1)`
  return { now: seen, last: subqueryOf(seen, seen, asked).over('max') }
}

/** Steps up to this are sampled every 15 s, so that targets scraped less often have a value too. */
const fineMs = 5 * 60_000
const resolutionMinMs = 15_000
const rateMinMs = 5 * 60_000

/** At least the usual scrape interval, and about twelve per step. */
export function resolutionOf(stepMs: number): number {
  return Math.max(resolutionMinMs, Math.ceil(stepMs / 12 / resolutionMinMs) * resolutionMinMs)
}

function subqueryOf(now: string, inner: string, { stepMs }: Asked): MetricQuery {
  return { now, over: (spread) => expressionSpread(inner, spread, stepMs) }
}

/** `spread` null: values now; `rate`: within a subquery. */
function readsOf({ labels, matchers, stepMs }: Asked, spread: Spread | 'rate' | null): Reads {
  const names = labels.map(labelText).join(', ')
  const by = `by (${names})`
  const within = (only: string): string =>
    [only, matchersText(matchers)].filter((part) => part !== '').join(',')
  const selector = (name: string, only = ''): string => `${name}{${within(only)}}`
  const opposite = { min: 'max', avg: 'avg', max: 'min' } as const

  function raw(name: string, way: Way, only: string): string {
    if (spread === null || spread === 'rate') return selector(name, only)
    const of = way === 'fixed' ? 'last' : way === 'down' ? opposite[spread] : spread
    return `${of}_over_time(${selector(name, only)}[${stepMs / 1_000}s])`
  }

  function gauge(name: string, way: Way, { only = '', also = '' } = {}): string {
    const group = also === '' ? by : `by (${names}, ${also})`
    return `max ${group} (${raw(name, way, only)})`
  }

  const isFine = spread === null || stepMs <= fineMs

  function rate(name: string, only = ''): string {
    // Short steps use the time between two scrapes, long ones all of their time.
    return isFine
      ? `irate(${selector(name, only)}[${rateMinMs / 1_000}s])`
      : `rate(${selector(name, only)}[${Math.max(rateMinMs, resolutionOf(stepMs)) / 1_000}s])`
  }

  return { by, isFine, raw, gauge, rate, selector }
}

const labelText = (label: string): string => (/^[a-z_]\w*$/i.test(label) ? label : quotedText(label))
