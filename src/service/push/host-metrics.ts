/**
 * The names of OpenTelemetry's host metrics (opentelemetry.io/docs/specs/semconv/system/system-metrics/, and those that the
 * Collector's hostmetrics receiver used before) as node_exporter's series, so that both give the same metrics here.
 */
import type { ExposedSample } from '../scrape/exposition.ts'
import type { PushedPoint } from './otlp.ts'

/** OpenTelemetry's own names, which become custom metrics only on request. */
export function isHostMetric(name: string): boolean {
  return /^(?:system|process)\./.test(name)
}

export function exposed(points: readonly PushedPoint[]): ExposedSample[] {
  const byName = Map.groupBy(points, ({ name }) => name)
  const of = (name: string): readonly PushedPoint[] => byName.get(name) ?? []
  return [
    ...of('system.cpu.time').map((point) =>
      told('node_cpu_seconds_total', point, {
        cpu: label(point, 'cpu.logical_number', 'system.cpu.logical_number', 'cpu'),
        mode: modeOf(label(point, 'cpu.mode', 'system.cpu.state', 'state')),
      }),
    ),
    ...loads.flatMap(([name, family]) => of(name).map((point) => told(family, point))),
    ...memory(of),
    ...swap(of('system.paging.usage')),
    ...filesystems(of('system.filesystem.usage')),
    ...of('system.disk.io_time').map((point) =>
      told('node_disk_io_time_seconds_total', point, {
        device: label(point, 'system.device', 'device'),
      }),
    ),
    ...of('system.network.io').map((point) =>
      told(
        label(point, 'network.io.direction', 'system.network.io.direction', 'direction') === 'receive'
          ? 'node_network_receive_bytes_total'
          : 'node_network_transmit_bytes_total',
        point,
        { device: label(point, 'network.interface.name', 'system.device', 'device') },
      ),
    ),
    ...[...of('system.processes.count'), ...of('system.process.count')].flatMap((point) => {
      const family = processes.get(label(point, 'process.state', 'system.process.status', 'status'))
      return family === undefined ? [] : [told(family, point)]
    }),
  ]
}

/** Every mode counts, whatever its name: together they make up all of a CPU's time. */
function modeOf(state: string): string {
  return modes.get(state) ?? state
}

const modes: ReadonlyMap<string, string> = new Map([
  ['kernel', 'system'],
  ['wait', 'iowait'],
])

const loads = [
  ['system.cpu.load_average.1m', 'node_load1'],
  ['system.cpu.load_average.5m', 'node_load5'],
  ['system.cpu.load_average.15m', 'node_load15'],
] as const

const processes: ReadonlyMap<string, string> = new Map([
  ['running', 'node_procs_running'],
  ['blocked', 'node_procs_blocked'],
])

/** The value of the first of these labels that exists. */
function label({ labels }: PushedPoint, ...names: readonly string[]): string {
  const name = names.find((one) => labels.has(one))
  return name === undefined ? '' : (labels.get(name) ?? '')
}

function told(
  name: string,
  point: PushedPoint,
  labels: Readonly<Record<string, string>> = {},
): ExposedSample {
  return {
    name,
    labels: new Map(Object.entries(labels)),
    value: point.value,
    isCounter: point.counter !== null,
    ...(point.startMs === null ? {} : { startMs: point.startMs }),
  }
}

function gauge(name: string, value: number, labels: Readonly<Record<string, string>> = {}): ExposedSample {
  return { name, labels: new Map(Object.entries(labels)), value, isCounter: false }
}

/** Bytes by state; on Linux `used` is the total minus free, buffers and cache. */
function memory(of: (name: string) => readonly PushedPoint[]): ExposedSample[] {
  const states = byState(of('system.memory.usage'), 'system.memory.state', 'state')
  const limit = of('system.memory.limit')[0]?.value
  const available =
    of('system.linux.memory.available')[0]?.value ?? of('system.memory.linux.available')[0]?.value
  const used = states.get('used')
  const free = states.get('free')
  if (used === undefined || free === undefined) return []
  // Slabs are included in the others.
  const idle = free + (states.get('buffered') ?? states.get('buffers') ?? 0) + (states.get('cached') ?? 0)
  return [
    gauge('node_memory_MemTotal_bytes', limit ?? used + idle),
    gauge('node_memory_MemAvailable_bytes', available ?? idle),
  ]
}

/** Sum over all devices. */
function swap(points: readonly PushedPoint[]): ExposedSample[] {
  const states = byState(points, 'system.paging.state', 'state')
  const used = states.get('used')
  const free = states.get('free')
  if (used === undefined || free === undefined) return []
  return [gauge('node_memory_SwapTotal_bytes', used + free), gauge('node_memory_SwapFree_bytes', free)]
}

/** `free` is available to all users, `reserved` only to root. */
function filesystems(points: readonly PushedPoint[]): ExposedSample[] {
  const byMount = Map.groupBy(points, (point) => label(point, 'system.filesystem.mountpoint', 'mountpoint'))
  return [...byMount].flatMap(([mountpoint, own]) => {
    const states = byState(own, 'system.filesystem.state', 'state')
    const used = states.get('used')
    const free = states.get('free')
    const first = own[0]
    if (first === undefined || used === undefined || free === undefined) return []
    const reserved = states.get('reserved') ?? 0
    const labels = { mountpoint, fstype: label(first, 'system.filesystem.type', 'type') }
    const isReadOnly = label(first, 'system.filesystem.mode', 'mode') === 'ro'
    return [
      gauge('node_filesystem_size_bytes', used + free + reserved, labels),
      gauge('node_filesystem_free_bytes', free + reserved, labels),
      gauge('node_filesystem_avail_bytes', free, labels),
      gauge('node_filesystem_readonly', isReadOnly ? 1 : 0, labels),
    ]
  })
}

function byState(points: readonly PushedPoint[], ...names: readonly string[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const point of points) {
    const state = label(point, ...names)
    sums.set(state, (sums.get(state) ?? 0) + point.value)
  }
  return sums
}
