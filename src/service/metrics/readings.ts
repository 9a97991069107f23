/** Every metric of every server behind one door: measured for this machine, generated for the others. */
import { heartbeatKey } from '../alerts/triggers.ts'
import type { Registry } from '../store/registry.ts'
import type { Generated } from './generated.ts'
import { type MetricKey, type Point, textOf, type Window } from './metric-key.ts'
import type { SeriesStore } from './series.ts'

/** A measured value older than this says nothing about now. */
const freshMs = 15_000

export type Readings = {
  /** Without custom metrics that were deleted. */
  keysOf(hostname: string): readonly MetricKey[]
  /** The value now; null while there is none. */
  valueNow(hostname: string, key: MetricKey): number | null
  points(hostname: string, key: MetricKey, window: Window): (Point | null)[]
  /** The narrowest points that there are for a time so long ago. */
  finestStepMs(hostname: string, key: MetricKey, fromMs: number): number
  /** When a server last sent anything; null: never. */
  lastReportMs(hostname: string): number | null
}

export function openReadings(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly generated: Generated
  readonly nowMs: () => number
}): Readings {
  const { registry, series, generated, nowMs } = parts
  const heartbeat = textOf(heartbeatKey)

  const isMeasured = (hostname: string, key: MetricKey): boolean =>
    registry.server(hostname)?.kind === 'machine' && !generated.has(hostname, key)

  function lastReportMs(hostname: string): number | null {
    const server = registry.server(hostname)
    if (server === undefined) return null
    if (server.kind !== 'machine') return generated.silentSinceMs(hostname, nowMs()) ?? nowMs()
    const times = series.keys().filter((key) => textOf(key) !== heartbeat)
    return times.reduce<number | null>((latest, key) => {
      const atMs = series.latest(key)?.atMs ?? null
      return atMs === null ? latest : Math.max(atMs, latest ?? atMs)
    }, null)
  }

  /** Seconds of silence that a generated server had at a time. */
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
      const own = server.kind === 'machine' ? series.keys() : [heartbeatKey]
      return [...own, ...generated.keysOf(hostname)].filter(
        ({ type, metric }) => type !== 'custom_metric' || !registry.isCustomMetricDeleted(metric),
      )
    },
    valueNow(hostname, key) {
      if (isMeasured(hostname, key)) {
        const latest = series.latest(key)
        return latest !== null && nowMs() - latest.atMs <= freshMs ? latest.value : null
      }
      if (textOf(key) === heartbeat) return silence(hostname, nowMs())
      return generated.valueAt(hostname, key, nowMs())
    },
    points(hostname, key, window) {
      if (isMeasured(hostname, key)) return series.points(key, window)
      if (textOf(key) !== heartbeat) return generated.points(hostname, key, window, nowMs())
      return Array.from({ length: window.count }, (_, at) =>
        silencePoint(hostname, window.fromMs + at * window.stepMs, window.stepMs),
      )
    },
    finestStepMs: (hostname, key, fromMs) =>
      isMeasured(hostname, key) ? series.finestStepMs(key, fromMs) : 1_000,
    lastReportMs,
  }
}
