/** The picture of an alert: its metric from a while before it opened until a little after it closed, or until now. */
import type { AlertRecord } from '../alerts/alert-log.ts'
import { amountOf, type Point, pluginNameOf, wordsOf } from '../metrics/metric-key.ts'
import type { Readings } from '../metrics/readings.ts'
import type { Marker } from '../store/registry.ts'
import { type Chart, chartSvg } from './chart-svg.ts'

const beforeMs = 15 * 60_000
const afterMs = 2 * 60_000
/** A young alert still gets a chart of some length. */
const windowMinMs = 2 * 60_000
/** About as many as the picture has room for. */
const pointsMax = 150
/** An alert open for weeks: only its last day is drawn. */
const windowMaxMs = 24 * 60 * 60_000

export type SparklineParts = {
  readonly readings: Readings
  readonly markers: readonly Marker[]
  readonly nowMs: number
}

/** The time that the chart and the page show. */
export function windowOf(
  alert: AlertRecord,
  nowMs: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const untilMs = Math.min(nowMs, (alert.endedMs ?? nowMs) + afterMs)
  const fromMs = Math.max(alert.openedMs - beforeMs, untilMs - windowMaxMs)
  return { fromMs, untilMs: Math.max(untilMs, fromMs + windowMinMs) }
}

export function sparklineSvg(alert: AlertRecord, { readings, markers, nowMs }: SparklineParts): string {
  const { fromMs, untilMs } = windowOf(alert, nowMs)
  const shared = {
    episode: { fromMs: alert.openedMs, untilMs: alert.isOpen ? nowMs : (alert.endedMs ?? alert.openedMs) },
    markersMs: markers.map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs && atMs <= untilMs),
  }
  if (alert.key === null) {
    const none: Chart = {
      ...shared,
      title: `${alert.serverName} · ${alert.plugin}`,
      emptyWords: 'one event, without a metric',
      fromMs,
      stepMs: untilMs - fromMs,
      points: [null],
      limit: null,
      write: String,
    }
    return chartSvg(none)
  }
  const { human, units } = wordsOf(alert.key)
  const finestMs = readings.finestStepMs(alert.hostname, alert.key, fromMs)
  const stepMs = Math.max(finestMs, Math.ceil((untilMs - fromMs) / pointsMax / 1_000) * 1_000)
  const alignedMs = Math.floor(fromMs / stepMs) * stepMs
  const count = Math.ceil((untilMs - alignedMs) / stepMs)
  const points = readings.points(alert.hostname, alert.key, { fromMs: alignedMs, stepMs, count })
  const trimmed = withoutEmptyStart(points)
  const name = pluginNameOf(alert.key)
  return chartSvg({
    ...shared,
    title: human.startsWith(name)
      ? `${alert.serverName} · ${human}`
      : `${alert.serverName} · ${name} · ${human}`,
    fromMs: alignedMs + (points.length - trimmed.length) * stepMs,
    emptyWords: 'no data',
    stepMs,
    points: bridged(trimmed, Math.max(1, Math.ceil(samplingMs / stepMs))),
    limit:
      alert.limit === null ? null : { value: alert.limit, words: `limit ${amountOf(alert.limit, units)}` },
    write: (value) => amountOf(value, units, decimalsOf(value)),
  })
}

/** Samples may come this far apart; a hole no longer than that is no silence. */
const samplingMs = 6_000

/** Before the first sample there was nothing: a chart of a young machine begins where its data begin. */
function withoutEmptyStart(points: readonly (Point | null)[]): readonly (Point | null)[] {
  const first = points.findIndex((point) => point !== null)
  // At least a tenth of the chart is kept, or a single sample would be drawn over its whole width.
  return first <= 0 ? points : points.slice(Math.min(first, Math.floor(points.length * 0.9)))
}

/** Fills holes of at most `holeMax` points with the point before them. */
function bridged(points: readonly (Point | null)[], holeMax: number): (Point | null)[] {
  let last: Point | null = null
  let hole = 0
  return points.map((point, at) => {
    if (point !== null) {
      last = point
      hole = 0
      return point
    }
    hole += 1
    const goesOn = points.slice(at + 1, at + 1 + holeMax).some((later) => later !== null)
    return goesOn && hole <= holeMax ? last : null
  })
}

/** As few as tell the marks of an axis apart. */
function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0
  return Math.abs(value) < 1 ? 2 : 1
}
