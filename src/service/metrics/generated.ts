/** The metrics of simulated servers: generated for any time, with the scenarios' overlays. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { GeneratedMetric } from './fleet.ts'
import { generate, hashOf, type Level } from './generator.ts'
import { type MetricKey, metricKey, type Point, textOf, type Window, wordsOf } from './metric-key.ts'
import { levelAt, type Overlay, type Overlays } from './overlays.ts'

/** Readings per point: enough for a fair average, bounded for the widest chart. */
const readingsPerPoint = 12

/** Most metrics that can be added by hand; further ones are refused. */
const extrasMax = 10_000

const extraRecord = z.object({
  hostname: z.string(),
  key: metricKey,
  level: z.object({ base: z.number(), swing: z.number() }),
})

export type Generated = {
  /** Adds a server's usual metrics. */
  addServer(hostname: string, metrics: readonly GeneratedMetric[]): void
  /** Adds one metric to a server and to the ledger; an existing one stays as it is. */
  addMetric(hostname: string, key: MetricKey, level: Level): void
  removeServer(hostname: string): void
  /** Removes a custom metric from every server. */
  removeCustomMetric(metric: string): void
  has(hostname: string, key: MetricKey): boolean
  keysOf(hostname: string): readonly MetricKey[]
  /** Null while the server is silent. */
  valueAt(hostname: string, key: MetricKey, atMs: number): number | null
  /** Returns nothing after `nowMs`, though it could. */
  points(hostname: string, key: MetricKey, window: Window, nowMs: number): (Point | null)[]
  /** Since when the server has been silent at that time; null while it reports. */
  silentSinceMs(hostname: string, atMs: number): number | null
}

/** A metric with the inputs of its numbers, looked up once. */
type Source = GeneratedMetric & { readonly seed: number; readonly isPercent: boolean }

export function openGenerated(ledger: Ledger, overlays: Overlays, seed: number): Generated {
  const servers = new Map<string, Map<string, Source>>()
  /** The ledger documents of metrics that were added by hand. */
  const extras = new Set<string>()

  const documentKey = (hostname: string, text: string): string => JSON.stringify([hostname, text])

  function shelve(hostname: string, metric: GeneratedMetric): void {
    const shelf = servers.get(hostname) ?? new Map<string, Source>()
    const text = textOf(metric.key)
    const isPercent = wordsOf(metric.key).units === '%'
    shelf.set(text, { ...metric, seed: hashOf(`${hostname} ${text}`, seed), isPercent })
    servers.set(hostname, shelf)
  }

  function forget(hostname: string, text: string): void {
    const document = documentKey(hostname, text)
    if (!extras.has(document)) return
    ledger.remove('metric', document)
    extras.delete(document)
  }

  /** The overlays of a metric in a time span, looked up once for all readings in it. */
  function overlaysOn(hostname: string, text: string, fromMs: number, untilMs: number): readonly Overlay[] {
    return overlays
      .during(hostname, fromMs, untilMs)
      .filter(({ key }) => key === null || textOf(key) === text)
  }

  for (const { key: document, value } of ledger.load('metric', extraRecord)) {
    const { hostname, key, level } = value
    shelve(hostname, { key, level })
    extras.add(document)
  }

  return {
    addServer(hostname, metrics) {
      for (const metric of metrics) shelve(hostname, metric)
    },
    addMetric(hostname, key, level) {
      const text = textOf(key)
      if (servers.get(hostname)?.has(text) === true) return
      if (extras.size >= extrasMax) {
        throw new Refusal(422, `expected at most ${extrasMax} metrics added by hand; there are that many`)
      }
      ledger.put('metric', documentKey(hostname, text), { hostname, key, level })
      shelve(hostname, { key, level })
      extras.add(documentKey(hostname, text))
    },
    removeServer(hostname) {
      for (const text of servers.get(hostname)?.keys() ?? []) forget(hostname, text)
      servers.delete(hostname)
      overlays.removeServer(hostname)
    },
    removeCustomMetric(metric) {
      const text = textOf({ type: 'custom_metric', source: metric, metric })
      for (const [hostname, shelf] of servers) {
        forget(hostname, text)
        shelf.delete(text)
      }
    },
    has: (hostname, key) => servers.get(hostname)?.has(textOf(key)) === true,
    keysOf: (hostname) => [...(servers.get(hostname)?.values() ?? [])].map(({ key }) => key),
    valueAt(hostname, key, atMs) {
      const text = textOf(key)
      const source = servers.get(hostname)?.get(text)
      return source === undefined ? null : read(source, overlaysOn(hostname, text, atMs, atMs + 1), atMs)
    },
    points(hostname, key, { fromMs, stepMs, count }, nowMs) {
      const text = textOf(key)
      const source = servers.get(hostname)?.get(text)
      if (source === undefined) return Array(count).fill(null)
      const over = overlaysOn(hostname, text, fromMs, fromMs + stepMs * count)
      return Array.from({ length: count }, (_, at) =>
        pointOf(source, over, { fromMs: fromMs + at * stepMs, stepMs, count: 1 }, nowMs),
      )
    },
    silentSinceMs: (hostname, atMs) =>
      overlays.during(hostname, atMs, atMs + 1).find(({ key }) => key === null)?.fromMs ?? null,
  }
}

/** `over` may include overlays of other times. Null while the server is silent. */
function read(source: Source, over: readonly Overlay[], atMs: number): number | null {
  const made = generate(source.seed, source.level, atMs)
  let value = Math.max(0, source.isPercent ? Math.min(100, made) : made)
  for (const overlay of over) {
    if (atMs < overlay.fromMs || (overlay.untilMs !== null && atMs >= overlay.untilMs)) continue
    if (overlay.key === null) return null
    value = levelAt(overlay, value, atMs)
  }
  return value
}

/** One point: regular readings for the mean, plus the edges of every scenario in it. */
function pointOf(source: Source, over: readonly Overlay[], window: Window, nowMs: number): Point | null {
  const { fromMs, stepMs } = window
  const untilMs = Math.min(fromMs + stepMs, nowMs + 1)
  const touching = over.filter(
    (one) => one.fromMs < untilMs && (one.untilMs === null || one.untilMs > fromMs),
  )
  let [lowest, highest, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  for (let at = 0; at < readingsPerPoint; at += 1) {
    const atMs = fromMs + (at * stepMs) / readingsPerPoint
    const value = atMs < untilMs ? read(source, touching, atMs) : null
    if (value === null) continue
    lowest = Math.min(lowest, value)
    highest = Math.max(highest, value)
    sum += value
    count += 1
  }
  if (count === 0) return null
  // A short scenario may fall between two regular readings, and would be missing from a chart of a whole year.
  for (const overlay of touching) {
    for (const atMs of [overlay.fromMs, (overlay.untilMs ?? Number.POSITIVE_INFINITY) - 1]) {
      const value = atMs >= fromMs && atMs < untilMs ? read(source, touching, atMs) : null
      if (value === null) continue
      lowest = Math.min(lowest, value)
      highest = Math.max(highest, value)
    }
  }
  return [lowest, sum / count, highest]
}
