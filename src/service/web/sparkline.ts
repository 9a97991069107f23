/** The picture of an alert: its metric from a while before it opened until a little after it closed, or until now. */
import type { AlertRecord } from '../alerts/alert-records.ts'
import { amountOf, labelOf, type MetricKey, type Point, type Window, wordsOf } from '../metrics/metric-key.ts'
import type { Readings } from '../metrics/readings.ts'
import type { Marker } from '../store/registry.ts'
import { type Chart, chartSvg } from './chart-svg.ts'

const beforeMs = 15 * 60_000
const afterMs = 2 * 60_000
/** Shortest time span of a chart, for recent alerts. */
const windowMinMs = 2 * 60_000
/** About as many points as the picture has room for. */
const pointsMax = 150
/** An alert open for weeks: only its last day is drawn. */
const windowMaxMs = 24 * 60 * 60_000

export type SparklineParts = {
  readonly readings: Readings
  readonly markers: readonly Marker[]
  readonly nowMs: number
}

/** Formats the time for the chart and the page. */
export function windowOf(
  alert: AlertRecord,
  nowMs: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const untilMs = Math.min(nowMs, (alert.endedMs ?? nowMs) + afterMs)
  const fromMs = Math.max(alert.openedMs - beforeMs, untilMs - windowMaxMs)
  return { fromMs, untilMs: Math.max(untilMs, fromMs + windowMinMs) }
}

/** An alert's metric over time, from either source. */
export type Course = {
  readonly title: string
  readonly fromMs: number
  readonly stepMs: number
  readonly points: readonly (Point | null)[]
  readonly limit: Chart['limit']
  readonly write: (value: number) => string
  readonly emptyWords: string
  /** Normal distance between values; a gap no longer than this is not silence. */
  readonly samplingMs: number
}

/** The chart of an alert, with its duration and the markers of the window. */
export function alertChartSvg(
  alert: AlertRecord,
  course: Course,
  { markers, nowMs }: Pick<SparklineParts, 'markers' | 'nowMs'>,
): string {
  const { title, stepMs, points, limit, write, emptyWords, samplingMs } = course
  const { fromMs, untilMs } = windowOf(alert, nowMs)
  const trimmed = withoutEmptyStart(points)
  return chartSvg({
    title,
    limit,
    write,
    emptyWords,
    episode: { fromMs: alert.openedMs, untilMs: alert.isOpen ? nowMs : (alert.endedMs ?? alert.openedMs) },
    markersMs: markers.map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs && atMs <= untilMs),
    fromMs: course.fromMs + (points.length - trimmed.length) * stepMs,
    stepMs,
    points: bridged(trimmed, Math.max(1, Math.ceil(samplingMs / stepMs))),
  })
}

/** The window of a chart: as many steps as it has room for, none shorter than `finestMs`. */
export function stepsOf(
  window: { readonly fromMs: number; readonly untilMs: number },
  finestMs: number,
): Window {
  const { fromMs, untilMs } = window
  const stepMs = Math.max(finestMs, Math.ceil((untilMs - fromMs) / pointsMax / 1_000) * 1_000)
  const alignedMs = Math.floor(fromMs / stepMs) * stepMs
  return { fromMs: alignedMs, stepMs, count: Math.ceil((untilMs - alignedMs) / stepMs) }
}

/** An empty course: a chart without a line that says why. */
export function emptyCourse(alert: AlertRecord, nowMs: number, emptyWords: string): Course {
  const { fromMs, untilMs } = windowOf(alert, nowMs)
  return {
    title: `${alert.serverName} · ${alert.plugin}`,
    fromMs,
    stepMs: untilMs - fromMs,
    points: [null],
    limit: null,
    write: String,
    emptyWords,
    samplingMs: 0,
  }
}

/** For an alert whose metric has a key: its label, and the format of its values. */
export function wordsOfChart(
  { serverName, limit }: AlertRecord,
  key: MetricKey,
): Pick<Course, 'title' | 'limit' | 'write' | 'emptyWords'> {
  const { units } = wordsOf(key)
  return {
    title: `${serverName} · ${labelOf(key)}`,
    emptyWords: 'no data',
    limit: limit === null ? null : { value: limit, words: `limit ${amountOf(limit, units)}` },
    write: (value) => amountOf(value, units, decimalsOf(value)),
  }
}

export const eventWords = 'Event only; no metric'

export function sparklineSvg(alert: AlertRecord, parts: SparklineParts): string {
  const { readings, nowMs } = parts
  const { key } = alert
  if (key === null) return alertChartSvg(alert, emptyCourse(alert, nowMs, eventWords), parts)
  const window = windowOf(alert, nowMs)
  const steps = stepsOf(window, readings.finestStepMs(alert.hostname, key, window.fromMs))
  const points = readings.points(alert.hostname, key, steps)
  return alertChartSvg(alert, { ...wordsOfChart(alert, key), ...steps, points, samplingMs }, parts)
}

/** The service's own readings come at least this often. */
const samplingMs = 6_000

/** A new machine's chart starts where its data starts. */
function withoutEmptyStart(points: readonly (Point | null)[]): readonly (Point | null)[] {
  const first = points.findIndex((point) => point !== null)
  // Keep at least a tenth of the chart, or a single sample would be drawn over its whole width.
  return first <= 0 ? points : points.slice(Math.min(first, Math.floor(points.length * 0.9)))
}

/** Fills gaps of at most `holeMax` points with the previous point. */
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

/** The fewest decimals that distinguish the ticks of an axis. */
function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0
  return Math.abs(value) < 1 ? 2 : 1
}
