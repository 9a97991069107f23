/** Converts an exporter's series to API metrics: node_exporter's own, and custom metrics by name. Missing values are absent, never 0. */
import type { Sample } from '../metrics/machine.ts'
import type { MetricKey } from '../metrics/metric-key.ts'
import { cpuShares, type Reading, readingsOf, readSeries, type Series } from './exposed-series.ts'
import type { Exposition, Wanted } from './exposition.ts'
import { openRates } from './rates.ts'

/** Most metrics per server, not counting its heartbeat. */
export const metricsMax = 199

/** As `metrics.json` accepts it. */
const sourceCharsMax = 300
const megabyte = 1024 * 1024
const kilobyte = 1024

const families: ReadonlySet<string> = new Set([
  'node_cpu_seconds_total',
  'node_load1',
  'node_load5',
  'node_load15',
  'node_memory_MemTotal_bytes',
  'node_memory_MemAvailable_bytes',
  'node_memory_MemFree_bytes',
  'node_memory_Buffers_bytes',
  'node_memory_Cached_bytes',
  'node_memory_SReclaimable_bytes',
  'node_memory_SwapTotal_bytes',
  'node_memory_SwapFree_bytes',
  'node_filesystem_size_bytes',
  'node_filesystem_free_bytes',
  'node_filesystem_avail_bytes',
  'node_filesystem_readonly',
  'node_filesystem_device_error',
  'node_disk_io_time_seconds_total',
  'node_network_receive_bytes_total',
  'node_network_transmit_bytes_total',
  'node_procs_running',
  'node_procs_blocked',
  'node_processes_pids',
])

const hiddenFilesystems: ReadonlySet<string> = new Set([
  'tmpfs',
  'devtmpfs',
  'squashfs',
  'overlay',
  'ramfs',
  'iso9660',
])
const hiddenInterfaces = /^(?:lo$|veth|docker|br-)/

/** A counter of seconds that runs at more than twice real time is implausible: it was set, or jumped. */
const shareMax = 2

export type Mapped = {
  readonly samples: readonly Sample[]
  /** Number of metrics beyond the limit. */
  readonly leftOut: readonly MetricKey[]
}

export type NodeMetrics = {
  readonly wanted: (name: string) => Wanted
  /** The metrics of a good answer. Rates need a second one, at most `gapMaxMs` later on a monotonic clock. */
  map(exposition: Exposition, upMs: number): Mapped
}

/** For one exporter: remembers the counters of its last answer. */
export function openNodeMetrics(isCustom: (name: string) => boolean, gapMaxMs: number): NodeMetrics {
  const rates = openRates(gapMaxMs)
  return {
    wanted: (name) => (families.has(name) ? 'known' : isCustom(name) ? 'custom' : null),
    map(exposition, upMs) {
      const series = readSeries(exposition, rates, upMs)
      rates.prune(upMs)
      const own = [cpu, load, memory, processes, disks, network].flatMap((part) => part(series))
      const custom = [...series.keys()]
        .filter(isCustom)
        .sort()
        .flatMap((name) => customMetric(name, series))
      const all = [...own, ...custom].filter(({ value }) => Number.isFinite(value))
      return { samples: all.slice(0, metricsMax), leftOut: all.slice(metricsMax).map(({ key }) => key) }
    },
  }
}

const cpuFamily = 'node_cpu_seconds_total'

function cpu(series: Series): Sample[] {
  const shares = cpuShares(readingsOf(series, cpuFamily))
  const share = (mode: string): number | null => shares.get(mode) ?? null
  const idle = share('idle')
  return [
    ...sample('cpu', '', 'cpu_busy', percent(idle === null ? null : 1 - idle)),
    ...sample('cpu', '', 'cpu_user', percent(share('user'))),
    ...sample('cpu', '', 'cpu_system', percent(share('system'))),
    ...sample('cpu', '', 'cpu_iowait', percent(share('iowait'))),
  ]
}

/** Seconds per second, from 0 to 1; slightly more is due to the exporter's timing. */
function shareOf({ value, isAnew }: Reading): number | null {
  return value === null || isAnew || value > shareMax ? null : Math.min(1, value)
}

function percent(share: number | null): number | null {
  return share === null ? null : share * 100
}

function load(series: Series): Sample[] {
  const source = 'Load Average'
  const minute = only(series, 'node_load1')
  const cores = readingsOf(series, cpuFamily).filter(({ labels }) => labels.get('mode') === 'idle').length
  return [
    ...sample('plugin', source, 'last_minute', minute),
    ...sample('plugin', source, 'last_five_minutes', only(series, 'node_load5')),
    ...sample('plugin', source, 'last_fifteen_minutes', only(series, 'node_load15')),
    ...sample(
      'plugin',
      source,
      'last_minute_per_core',
      minute === null || cores === 0 ? null : minute / cores,
    ),
  ]
}

function memory(series: Series): Sample[] {
  const total = only(series, 'node_memory_MemTotal_bytes')
  const free = availableMemory(series)
  const used = total === null || free === null || total <= 0 ? null : Math.max(0, total - free)
  const swap = only(series, 'node_memory_SwapTotal_bytes')
  const swapFree = only(series, 'node_memory_SwapFree_bytes')
  return [
    ...sample('memory', '', 'memory_used_percent', used === null ? null : (used / (total ?? 0)) * 100),
    ...sample('memory', '', 'memory_used', used === null ? null : used / megabyte),
    ...(swap === null || swapFree === null || swap <= 0
      ? []
      : sample('memory', '', 'swap_used_percent', ((swap - swapFree) / swap) * 100)),
  ]
}

/** Old kernels do not report available memory; SReclaimable is newer than the others. */
function availableMemory(series: Series): number | null {
  if (series.has('node_memory_MemAvailable_bytes')) return only(series, 'node_memory_MemAvailable_bytes')
  const parts = ['MemFree', 'Buffers', 'Cached'].map((name) => only(series, `node_memory_${name}_bytes`))
  const sum = parts.reduce((all, part) => (all === null || part === null ? null : all + part), 0)
  return sum === null ? null : sum + (only(series, 'node_memory_SReclaimable_bytes') ?? 0)
}

function processes(series: Series): Sample[] {
  const running = only(series, 'node_procs_running')
  const blocked = only(series, 'node_procs_blocked')
  const count = running === null || blocked === null ? only(series, 'node_processes_pids') : running + blocked
  return sample('process', 'all', 'process_count', count)
}

function disks(series: Series): Sample[] {
  const byMount = new Map<string, Sample[]>()
  for (const [id, { labels, value: size }] of series.get('node_filesystem_size_bytes') ?? []) {
    const mount = labels.get('mountpoint')
    if (mount === undefined || mount === '' || byMount.has(mount)) continue
    const of = (name: string): number | null => series.get(`node_filesystem_${name}`)?.get(id)?.value ?? null
    const isShown = !hiddenFilesystems.has(labels.get('fstype') ?? '')
    if (!isShown || of('readonly') === 1 || of('device_error') === 1) continue
    const available = of('avail_bytes')
    if (size === null || size <= 0 || available === null) continue
    // As in `df`: space reserved for root is neither used nor available.
    const used = size - (of('free_bytes') ?? available)
    byMount.set(mount, [
      ...sample(
        'disk',
        mount,
        'disk_used_percent',
        used + available <= 0 ? null : (used / (used + available)) * 100,
      ),
      ...sample('disk', mount, 'disk_free', available / megabyte),
    ])
  }
  const busy = readingsOf(series, 'node_disk_io_time_seconds_total').flatMap((reading) =>
    sample('disk', reading.labels.get('device') ?? '', 'disk_busy', percent(shareOf(reading))),
  )
  return [...byMount.values(), busy].flat()
}

function network(series: Series): Sample[] {
  const directions = [
    ['node_network_receive_bytes_total', 'network_in'],
    ['node_network_transmit_bytes_total', 'network_out'],
  ] as const
  return directions.flatMap(([family, metric]) =>
    readingsOf(series, family).flatMap(({ labels, value }) => {
      const device = labels.get('device') ?? ''
      return hiddenInterfaces.test(device) || value === null
        ? []
        : sample('network', device, metric, value / kilobyte)
    }),
  )
}

/** The sum over all labels. An unknown part makes the sum unknown, as a partial sum would be wrong. */
function customMetric(name: string, series: Series): Sample[] {
  const parts = readingsOf(series, name).filter(({ isNew }) => !isNew)
  if (parts.length === 0) return []
  const sum = parts.reduce<number | null>(
    (all, { value }) => (all === null || value === null ? null : all + value),
    0,
  )
  return sample('custom_metric', name, name, sum)
}

/** The value of a family with one series; with several it is ambiguous. */
function only(series: Series, family: string): number | null {
  const found = readingsOf(series, family)
  return found.length === 1 ? (found[0]?.value ?? null) : null
}

/** One sample, or none: a source needs a name that is not too long, except for the types without sources. */
function sample(type: MetricKey['type'], source: string, metric: string, value: number | null): Sample[] {
  const isNameless = source === '' && type !== 'cpu' && type !== 'memory'
  return value === null || isNameless || source.length > sourceCharsMax
    ? []
    : [{ key: { type, source, metric }, value }]
}
