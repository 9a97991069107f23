/** The simulated servers: their names, roles and environments, and the usual levels of their metrics. */
import type { Level } from './generator.ts'
import { hashOf } from './generator.ts'
import type { MetricKey } from './metric-key.ts'

/** Enough for a storm on a laptop; each server costs about twenty generated numbers per evaluation. */
export const fleetSizeMax = 1_000

export type FleetServer = {
  readonly hostname: string
  readonly environment: string
  readonly roles: readonly string[]
}

export type GeneratedMetric = { readonly key: MetricKey; readonly level: Level }

/** The order in which a fleet grows: of twelve servers four are web, two db, two cache, two worker, one lb, one ci. */
const pattern = ['web', 'web', 'db', 'cache', 'worker', 'web', 'lb', 'web', 'db', 'cache', 'worker', 'ci']

/** The first server of each role, and every `ci`, is staging in one case out of four; the seed decides which. */
export function fleetOf(size: number, seed: number): FleetServer[] {
  const counts = new Map<string, number>()
  return Array.from({ length: size }, (_, at) => {
    const role = pattern[at % pattern.length] ?? 'web'
    const nth = (counts.get(role) ?? 0) + 1
    counts.set(role, nth)
    const hostname = `${role}-${nth}`
    const isStaging = nth > 1 && hashOf(hostname, seed) % 3 === 0
    const kind = role === 'db' || role === 'cache' ? 'data' : 'app'
    return { hostname, environment: isStaging ? 'staging' : 'production', roles: [role, kind] }
  })
}

const plugin = (source: string, metric: string, base: number, swing: number): GeneratedMetric => ({
  key: { type: 'plugin', source, metric },
  level: { base, swing },
})

const custom = (metric: string, base: number, swing: number): GeneratedMetric => ({
  key: { type: 'custom_metric', source: metric, metric },
  level: { base, swing },
})

const running = (source: string, memory: number): GeneratedMetric[] => [
  { key: { type: 'process', source, metric: 'process_memory' }, level: { base: memory, swing: memory / 8 } },
  { key: { type: 'process', source, metric: 'process_count' }, level: { base: 6, swing: 2 } },
]

const byRole: ReadonlyMap<string, readonly GeneratedMetric[]> = new Map([
  [
    'web',
    [...running('nginx', 180), plugin('Nginx', 'requests_per_second', 240, 120), custom('signups', 12, 9)],
  ],
  ['db', [...running('postgres', 2_400), plugin('PostgreSQL', 'connections', 60, 25)]],
  ['cache', [...running('redis', 900), plugin('Redis', 'hit_percent', 94, 4)]],
  ['worker', [...running('worker', 400), custom('jobs_waiting', 40, 30)]],
  ['lb', [...running('haproxy', 120), plugin('HAProxy', 'sessions', 800, 300)]],
])

/** Usual levels stay clear of the default triggers, so that alerts open only through scenarios. */
export function metricsOf(server: { readonly hostname: string }, role: string): GeneratedMetric[] {
  const busy = role === 'db' ? 38 : 26
  const usual = (type: MetricKey['type'], source: string, metric: string, base: number, swing: number) => ({
    key: { type, source, metric },
    level: { base, swing },
  })
  return [
    usual('cpu', '', 'cpu_busy', busy, 22),
    usual('cpu', '', 'cpu_user', busy * 0.7, 15),
    usual('cpu', '', 'cpu_system', busy * 0.3, 6),
    plugin('Load Average', 'last_minute', 1.1, 0.8),
    plugin('Load Average', 'last_five_minutes', 1, 0.6),
    usual('memory', '', 'memory_used_percent', 55, 18),
    usual('memory', '', 'memory_used', 8_800, 2_600),
    usual('memory', '', 'swap_used_percent', 4, 3),
    usual('disk', '/', 'disk_used_percent', 48 + (hashOf(server.hostname) % 20), 3),
    usual('disk', '/', 'disk_free', 38_000, 3_000),
    usual('network', 'eth0', 'network_in', 900, 600),
    usual('network', 'eth0', 'network_out', 1_400, 900),
    ...(byRole.get(role) ?? []),
  ]
}
