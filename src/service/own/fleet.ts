/** The simulated fleet of the demo: servers, and metrics that are functions of time. Nothing of it is stored. */
import { createHash } from 'node:crypto'
import { keyFor, keyText, wordsOf } from '../metrics.ts'
import type { MetricKey, Point, ReadServer, Window } from '../source.ts'

export const fleetMax = 1000
const minute = 60_000

/** Values stay within `base ± swing`. */
type Level = { readonly key: MetricKey; readonly base: number; readonly swing: number; readonly seed: number }

/** A change of one metric, or a silence of the whole server (`key` null), from one time to another. */
export type Overlay = {
  readonly host: string
  readonly key: MetricKey | null
  /** `hold` is at the level; `ramp` climbs to it; `square` is at it for the first half of every period. */
  readonly shape: 'hold' | 'ramp' | 'square'
  readonly level: number
  readonly fromMs: number
  readonly untilMs: number
  readonly periodMs: number
}

const roles = ['web', 'web', 'db', 'cache', 'worker', 'web', 'lb', 'web', 'db', 'cache', 'worker', 'ci']

export class Fleet {
  readonly servers: readonly ReadServer[]
  private readonly seed: number
  private readonly levels = new Map<string, Map<string, Level>>()
  private overlays: Overlay[] = []

  constructor(size: number, seed: number) {
    this.seed = seed
    const counts = new Map<string, number>()
    this.servers = Array.from({ length: size }, (_, at) => {
      const role = roles[at % roles.length] ?? 'web'
      const nth = (counts.get(role) ?? 0) + 1
      counts.set(role, nth)
      const host = `${role}-${nth}`
      const isStaging = nth > 1 && hashOf(host, seed) % 3 === 0
      for (const [key, base, swing] of usualOf(role, host)) this.addMetric(host, key, base, swing)
      const environment = isStaging ? 'staging' : 'production'
      const tier = ['db', 'cache'].includes(role) ? 'data' : 'app'
      return { host, environment, roles: [role, tier], kind: 'fleet' }
    })
  }

  has(host: string): boolean {
    return this.levels.has(host)
  }

  keysOf(host: string): readonly MetricKey[] {
    return [...(this.levels.get(host)?.values() ?? [])].map(({ key }) => key)
  }

  /** Null while the server is silent, and for a metric that it lacks. */
  valueAt(host: string, key: MetricKey, atMs: number): number | null {
    const source = this.levels.get(host)?.get(keyText(key))
    if (source === undefined) return null
    let value = Math.max(0, generated(source, atMs))
    if (wordsOf(key).units === '%') value = Math.min(100, value)
    for (const overlay of this.overlays) {
      if (overlay.host !== host || atMs < overlay.fromMs || atMs >= overlay.untilMs) continue
      if (overlay.key === null) return null
      if (keyText(overlay.key) === keyText(key)) value = levelAt(overlay, value, atMs)
    }
    return value
  }

  points(host: string, key: MetricKey, { fromMs, stepMs, count }: Window, nowMs: number): (Point | null)[] {
    return Array.from({ length: count }, (_, n) => {
      const readings = Array.from({ length: 6 }, (__, m) => fromMs + (n + m / 6) * stepMs)
        .filter((atMs) => atMs <= nowMs)
        .flatMap((atMs) => this.valueAt(host, key, atMs) ?? [])
      if (readings.length === 0) return null
      const mean = readings.reduce((sum, value) => sum + value, 0) / readings.length
      return [Math.min(...readings), mean, Math.max(...readings)] as const
    })
  }

  /** Since when it is silent; null while it reports. */
  silentSinceMs(host: string, atMs: number): number | null {
    const silence = this.overlays.find(
      (one) => one.host === host && one.key === null && one.fromMs <= atMs && atMs < one.untilMs,
    )
    return silence?.fromMs ?? null
  }

  addMetric(host: string, key: MetricKey, base: number, swing = base / 8): void {
    const text = keyText(key)
    const shelf = this.levels.get(host) ?? new Map()
    if (!shelf.has(text)) shelf.set(text, { key, base, swing, seed: hashOf(`${host} ${text}`, this.seed) })
    this.levels.set(host, shelf)
  }

  deleteMetric(name: string): boolean {
    const text = keyText(keyFor('custom_metric', name, name))
    return [...this.levels.values()].filter((shelf) => shelf.delete(text)).length > 0
  }

  overlay(overlay: Overlay): void {
    const isNeeded = ({ untilMs }: Overlay) => untilMs > overlay.fromMs - 24 * 60 * minute
    this.overlays = [...this.overlays.filter(isNeeded), overlay]
  }

  clear(nowMs: number): void {
    this.overlays = this.overlays.map((one) => ({ ...one, untilMs: Math.min(one.untilMs, nowMs) }))
  }
}

function levelAt({ shape, level, fromMs, untilMs, periodMs }: Overlay, usual: number, atMs: number): number {
  if (shape === 'hold') return level
  if (shape === 'square') return (atMs - fromMs) % periodMs < periodMs / 2 ? level : usual
  const share = Math.min(1, (atMs - fromMs) / ((untilMs - fromMs) * 0.6))
  return usual + (level - usual) * share
}

/** Usual levels stay clear of the triggers, so that alerts come of scenarios alone. */
function usualOf(role: string, host: string): readonly (readonly [MetricKey, number, number])[] {
  const busy = role === 'db' ? 38 : 26
  const own: Readonly<Record<string, readonly (readonly [MetricKey, number, number])[]>> = {
    web: [
      [keyFor('plugin', 'Nginx', 'requests_per_second'), 240, 120],
      [keyFor('custom_metric', 'signups', 'signups'), 12, 9],
    ],
    db: [[keyFor('process', 'postgres', 'process_memory'), 2400, 300]],
    cache: [[keyFor('plugin', 'Redis', 'hit_percent'), 94, 4]],
    worker: [[keyFor('custom_metric', 'jobs_waiting', 'jobs_waiting'), 40, 30]],
  }
  return [
    [keyFor('cpu', '', 'cpu_busy'), busy, 22],
    [keyFor('cpu', '', 'cpu_user'), busy * 0.7, 15],
    [keyFor('plugin', 'Load Average', 'last_minute'), 1.1, 0.8],
    [keyFor('memory', '', 'memory_used_percent'), 55, 18],
    [keyFor('disk', '/', 'disk_used_percent'), 48 + (hashOf(host, 0) % 20), 3],
    [keyFor('disk', '/', 'disk_free'), 38_000, 3000],
    [keyFor('network', 'eth0', 'network_in'), 900, 600],
    ...(own[role] ?? []),
  ]
}

/** A period, and its part of the swing: the day, and what goes on in it. */
const waves = [
  [24 * 60 * minute, 0.4],
  [47 * minute, 0.25],
  [7 * minute, 0.2],
  [minute, 0.15],
] as const

function generated({ seed, base, swing }: Level, atMs: number): number {
  const parts = waves.map(
    ([periodMs, part], at) => part * Math.sin((2 * Math.PI * atMs) / periodMs + (seed >>> at)),
  )
  return base + swing * parts.reduce((sum, one) => sum + one, 0)
}

export function hashOf(text: string, seed: number): number {
  return createHash('md5').update(`${seed} ${text}`).digest().readUInt32BE()
}
