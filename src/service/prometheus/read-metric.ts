/** Finds the metric of the API behind an expression by the series that it reads. Pure. */
import { heartbeatKey } from '../alerts/triggers.ts'
import type { MetricKey } from '../metrics/metric-key.ts'
import { parse, type Selector, selectorsIn } from './syntax.ts'

export type ReadMetric = {
  /** Its source is empty if only an alert's labels name it. */
  readonly key: MetricKey
  /** The label that names the source. */
  readonly sourceLabel: 'mountpoint' | 'device' | null
}

/** Series of node_exporter, and those recorded by its usual rules. */
type Family = {
  /** One of these must be read, */
  readonly needed: RegExp
  /** and besides them only these: an expression over several things is not about one metric. */
  readonly beside: RegExp
  readonly sourceLabel?: 'mountpoint' | 'device'
  key(selectors: readonly Selector[]): MetricKey | null
}

const cpuModes: Readonly<Record<string, string>> = {
  iowait: 'cpu_iowait',
  user: 'cpu_user',
  system: 'cpu_system',
  idle: 'cpu_busy',
}

const load = (metric: string): MetricKey => ({ type: 'plugin', source: 'Load Average', metric })
const nothing = /^$/

const families: readonly Family[] = [
  {
    needed: /^(?:node_cpu_seconds_total|instance:node_cpu_utilisation:rate\w+)$/,
    beside: nothing,
    key(selectors) {
      const modes = new Set(
        selectors.flatMap(({ matchers }) =>
          matchers.filter(({ name, isEqual }) => name === 'mode' && isEqual).map(({ value }) => value),
        ),
      )
      if (modes.size > 1) return null
      const [mode = 'idle'] = modes
      const metric = cpuModes[mode]
      return metric === undefined ? null : { type: 'cpu', source: '', metric }
    },
  },
  {
    needed: /^(?:node_load1|instance:node_load1_per_cpu:ratio)$/,
    beside: /^(?:node_cpu_seconds_total|instance:node_num_cpu:sum)$/,
    key: (selectors) =>
      load(selectors.some(({ metric }) => metric !== 'node_load1') ? 'last_minute_per_core' : 'last_minute'),
  },
  {
    needed: /^node_load5$/,
    beside: /^(?:node_cpu_seconds_total|instance:node_num_cpu:sum)$/,
    key: () => load('last_five_minutes'),
  },
  {
    needed: /^node_load15$/,
    beside: /^(?:node_cpu_seconds_total|instance:node_num_cpu:sum)$/,
    key: () => load('last_fifteen_minutes'),
  },
  {
    needed: /^(?:node_memory_(?:MemAvailable|MemFree)_bytes|instance:node_memory_utilisation:ratio)$/,
    beside: /^node_memory_(?:MemTotal|Buffers|Cached|SReclaimable|Slab)_bytes$/,
    key: () => ({ type: 'memory', source: '', metric: 'memory_used_percent' }),
  },
  {
    needed: /^node_memory_SwapFree_bytes$/,
    beside: /^node_memory_SwapTotal_bytes$/,
    key: () => ({ type: 'memory', source: '', metric: 'swap_used_percent' }),
  },
  {
    needed: /^node_filesystem_(?:avail|free)_bytes$/,
    beside: /^node_filesystem_(?:size_bytes|readonly|device_error)$/,
    sourceLabel: 'mountpoint',
    key: (selectors) => ({
      type: 'disk',
      source: labelIn(selectors, 'mountpoint'),
      metric: 'disk_used_percent',
    }),
  },
  {
    needed: /^(?:node_disk_io_time_seconds_total|instance_device:node_disk_io_time_seconds:rate\w+)$/,
    beside: nothing,
    sourceLabel: 'device',
    key: (selectors) => ({ type: 'disk', source: labelIn(selectors, 'device'), metric: 'disk_busy' }),
  },
  {
    needed: /^node_network_receive_bytes_total$/,
    beside: nothing,
    sourceLabel: 'device',
    key: (selectors) => ({ type: 'network', source: labelIn(selectors, 'device'), metric: 'network_in' }),
  },
  {
    needed: /^node_network_transmit_bytes_total$/,
    beside: nothing,
    sourceLabel: 'device',
    key: (selectors) => ({ type: 'network', source: labelIn(selectors, 'device'), metric: 'network_out' }),
  },
  {
    needed: /^(?:node_procs_(?:running|blocked)|node_processes_pids)$/,
    beside: nothing,
    key: () => ({ type: 'process', source: 'all', metric: 'process_count' }),
  },
  { needed: /^up$/, beside: nothing, key: () => heartbeatKey },
]

/** They only contribute labels: `* on (instance) group_left (nodename) node_uname_info`. */
const lenders = /_info$/

/** Null if it is about something else, or about several things. */
export function readMetric(expression: string): ReadMetric | null {
  const source = parse(expression)
  if (source === null) return null
  const selectors = selectorsIn(source).filter(({ metric }) => metric === null || !lenders.test(metric))
  const names = selectors.map(({ metric }) => metric ?? '')
  const family = families.find(
    ({ needed, beside }) =>
      names.some((name) => needed.test(name)) &&
      names.every((name) => name !== '' && (needed.test(name) || beside.test(name))),
  )
  const key = family?.key(selectors) ?? null
  return key === null ? null : { key, sourceLabel: family?.sourceLabel ?? null }
}

/** The value that every selector requires with `=`; null if they differ. */
function labelIn(selectors: readonly Selector[], label: string): string {
  const values = new Set(
    selectors.map(
      ({ matchers }) =>
        matchers.find(({ name, isEqual, isRegex }) => name === label && isEqual && !isRegex)?.value ?? '',
    ),
  )
  const [only = ''] = values
  return values.size === 1 ? only : ''
}
