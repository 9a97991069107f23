/** The metrics of servers that do not exist: generated for any time, with what scenarios lay over them. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { GeneratedMetric } from './fleet.ts'
import { generate, hashOf, type Level } from './generator.ts'
import { type MetricKey, metricTypes, type Point, textOf, type Window, wordsOf } from './metric-key.ts'
import { levelAt, type Overlays } from './overlays.ts'

/** Readings taken within one point: enough for an honest average, bounded for the widest chart. */
const readingsPerPoint = 12

/** Metrics that were added by hand; beyond it nothing more is accepted. */
const extrasMax = 10_000

const extraRecord = z.object({
  hostname: z.string(),
  key: z.object({ type: z.enum(metricTypes), source: z.string(), metric: z.string() }),
  level: z.object({ base: z.number(), swing: z.number() }),
})

export type Generated = {
  /** Gives a server its usual metrics. */
  addServer(hostname: string, metrics: readonly GeneratedMetric[]): void
  /** Gives a server one more metric, kept in the ledger; one it has already stays as it is. */
  addMetric(hostname: string, key: MetricKey, level: Level): void
  removeServer(hostname: string): void
  /** Forgets a custom metric on every server. */
  removeCustomMetric(metric: string): void
  has(hostname: string, key: MetricKey): boolean
  keysOf(hostname: string): readonly MetricKey[]
  /** Null while the server is silent. */
  valueAt(hostname: string, key: MetricKey, atMs: number): number | null
  /** Nothing after `nowMs` is told, though it could be. */
  points(hostname: string, key: MetricKey, window: Window, nowMs: number): (Point | null)[]
  /** Since when the server is silent at that time; null while it reports. */
  silentSinceMs(hostname: string, atMs: number): number | null
}

export function openGenerated(ledger: Ledger, overlays: Overlays, seed: number): Generated {
  const servers = new Map<string, Map<string, GeneratedMetric>>()
  const seeds = new Map<string, number>()
  let extras = 0

  const shelfOf = (hostname: string): Map<string, GeneratedMetric> => {
    const shelf = servers.get(hostname) ?? new Map<string, GeneratedMetric>()
    servers.set(hostname, shelf)
    return shelf
  }

  function seedOf(name: string): number {
    const known = seeds.get(name)
    if (known !== undefined) return known
    const made = hashOf(name, seed)
    seeds.set(name, made)
    return made
  }

  function usualAt(hostname: string, metric: GeneratedMetric, text: string, atMs: number): number {
    const value = generate(seedOf(`${hostname} ${text}`), metric.level, atMs)
    return Math.max(0, wordsOf(metric.key).units === '%' ? Math.min(100, value) : value)
  }

  function valueAt(hostname: string, key: MetricKey, atMs: number): number | null {
    const text = textOf(key)
    const metric = servers.get(hostname)?.get(text)
    if (metric === undefined) return null
    let value = usualAt(hostname, metric, text, atMs)
    for (const overlay of overlays.during(hostname, atMs, atMs + 1)) {
      if (overlay.key === null) return null
      if (textOf(overlay.key) === text) value = levelAt(overlay, value, atMs)
    }
    return value
  }

  function pointAt(
    hostname: string,
    key: MetricKey,
    startMs: number,
    stepMs: number,
    nowMs: number,
  ): Point | null {
    const times = Array.from(
      { length: readingsPerPoint },
      (_, at) => startMs + (at * stepMs) / readingsPerPoint,
    )
    const known = times.filter((atMs) => atMs <= nowMs)
    const regular = known.map((atMs) => valueAt(hostname, key, atMs)).filter((value) => value !== null)
    if (regular.length === 0) return null
    // A short scenario may lie between two regular readings, and would be missing from a chart of a whole year.
    const edges = overlays
      .during(hostname, startMs, startMs + stepMs)
      .flatMap(({ fromMs, untilMs }) => [fromMs, (untilMs ?? Number.POSITIVE_INFINITY) - 1])
      .filter((atMs) => atMs >= startMs && atMs < startMs + stepMs && atMs <= nowMs)
      .map((atMs) => valueAt(hostname, key, atMs))
      .filter((value) => value !== null)
    const average = regular.reduce((sum, value) => sum + value, 0) / regular.length
    const every = [...regular, ...edges]
    return [Math.min(...every), average, Math.max(...every)]
  }

  for (const { value } of ledger.load('metric')) {
    const { hostname, key, level } = extraRecord.parse(value)
    shelfOf(hostname).set(textOf(key), { key, level })
    extras += 1
  }

  return {
    addServer(hostname, metrics) {
      const shelf = shelfOf(hostname)
      for (const metric of metrics) shelf.set(textOf(metric.key), metric)
    },
    addMetric(hostname, key, level) {
      const text = textOf(key)
      if (servers.get(hostname)?.has(text) === true) return
      if (extras >= extrasMax)
        throw new Refusal(422, `expected at most ${extrasMax} metrics added by hand; there are that many`)
      extras += 1
      shelfOf(hostname).set(text, { key, level })
      ledger.put('metric', JSON.stringify([hostname, text]), { hostname, key, level })
    },
    removeServer(hostname) {
      for (const text of servers.get(hostname)?.keys() ?? [])
        ledger.remove('metric', JSON.stringify([hostname, text]))
      servers.delete(hostname)
      overlays.removeServer(hostname)
    },
    removeCustomMetric(metric) {
      const text = textOf({ type: 'custom_metric', source: metric, metric })
      for (const [hostname, shelf] of servers) {
        if (shelf.delete(text)) ledger.remove('metric', JSON.stringify([hostname, text]))
      }
    },
    has: (hostname, key) => servers.get(hostname)?.has(textOf(key)) === true,
    keysOf: (hostname) => [...(servers.get(hostname)?.values() ?? [])].map(({ key }) => key),
    valueAt,
    points: (hostname, key, { fromMs, stepMs, count }, nowMs) =>
      Array.from({ length: count }, (_, at) => pointAt(hostname, key, fromMs + at * stepMs, stepMs, nowMs)),
    silentSinceMs: (hostname, atMs) =>
      overlays.during(hostname, atMs, atMs + 1).find(({ key }) => key === null)?.fromMs ?? null,
  }
}
