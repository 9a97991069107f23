/** One interface to every metric of every server: measured for real servers, generated for simulated ones. */
import { heartbeatKey } from '../alerts/triggers.ts'
import { isMeasured, type Registry } from '../store/registry.ts'
import type { Generated } from './generated.ts'
import { type MetricKey, type Point, textOf, type Window } from './metric-key.ts'
import type { SeriesStore } from './series.ts'

export type Readings = {
  /** Without deleted custom metrics. */
  keysOf(hostname: string): readonly MetricKey[]
  has(hostname: string, key: MetricKey): boolean
  /** The current value; null if there is none or it is stale. */
  valueNow(hostname: string, key: MetricKey): number | null
  points(hostname: string, key: MetricKey, window: Window): (Point | null)[]
  /** The narrowest points that still exist for a time so long ago. */
  finestStepMs(hostname: string, key: MetricKey, fromMs: number): number
  /** When a server last sent anything in this run; null: never. */
  lastReportMs(hostname: string): number | null
  /** Older values of this metric are stale. */
  freshMsOf(hostname: string, key: MetricKey): number
}

export function openReadings(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly generated: Generated
  readonly nowMs: () => number
  readonly freshMsOf: Readings['freshMsOf']
  /** The last good answer of a scraped server, or the last push of a pushing one; null: none yet. */
  readonly lastReportMs: Readonly<Record<'scraped' | 'pushed', (hostname: string) => number | null>>
}): Readings {
  const { registry, series, generated, nowMs, freshMsOf } = parts
  const heartbeat = textOf(heartbeatKey)

  const isSampled = (hostname: string, key: MetricKey): boolean =>
    isMeasured(registry.server(hostname)) && !generated.has(hostname, key)

  const isListed = ({ type, metric }: MetricKey): boolean =>
    type !== 'custom_metric' || !registry.isCustomMetricDeleted(metric)

  function lastReportMs(hostname: string): number | null {
    const server = registry.server(hostname)
    if (server === undefined) return null
    if (server.kind === 'scraped' || server.kind === 'pushed')
      return parts.lastReportMs[server.kind](hostname)
    if (!isMeasured(server)) return generated.silentSinceMs(hostname, nowMs()) ?? nowMs()
    const reports = series.keysOf(hostname).filter((key) => textOf(key) !== heartbeat)
    return reports.reduce<number | null>((latest, key) => {
      const atMs = series.lastMs(hostname, key)
      return atMs === null ? latest : Math.max(atMs, latest ?? atMs)
    }, null)
  }

  /** Seconds of silence of a generated server at a time. */
  function silence(hostname: string, atMs: number): number {
    return (atMs - (generated.silentSinceMs(hostname, atMs) ?? atMs)) / 1_000
  }

  function silencePoint(hostname: string, fromMs: number, stepMs: number): Point | null {
    if (fromMs > nowMs()) return null
    const untilMs = Math.min(fromMs + stepMs, nowMs())
    const ends = [silence(hostname, fromMs), silence(hostname, untilMs)] as const
    return [Math.min(...ends), (ends[0] + ends[1]) / 2, Math.max(...ends)]
  }

  return {
    keysOf(hostname) {
      const server = registry.server(hostname)
      if (server === undefined) return []
      const own = isMeasured(server) ? series.keysOf(hostname) : [heartbeatKey]
      return [...own, ...generated.keysOf(hostname)].filter(isListed)
    },
    has(hostname, key) {
      const server = registry.server(hostname)
      if (server === undefined || !isListed(key)) return false
      const isOwn = isMeasured(server) ? series.has(hostname, key) : textOf(key) === heartbeat
      return isOwn || generated.has(hostname, key)
    },
    valueNow(hostname, key) {
      if (isSampled(hostname, key)) {
        const latest = series.latest(hostname, key)
        // Values from the future, after the clock was set back, are stale too.
        const isFresh = latest !== null && Math.abs(nowMs() - latest.atMs) <= freshMsOf(hostname, key)
        return isFresh ? latest.value : null
      }
      if (textOf(key) === heartbeat) return silence(hostname, nowMs())
      return generated.valueAt(hostname, key, nowMs())
    },
    points(hostname, key, window) {
      if (isSampled(hostname, key)) return series.points(hostname, key, window)
      if (textOf(key) !== heartbeat) return generated.points(hostname, key, window, nowMs())
      return Array.from({ length: window.count }, (_, at) =>
        silencePoint(hostname, window.fromMs + at * window.stepMs, window.stepMs),
      )
    },
    finestStepMs: (hostname, key, fromMs) =>
      isSampled(hostname, key) ? series.finestStepMs(hostname, key, fromMs) : 1_000,
    lastReportMs,
    freshMsOf,
  }
}
