/** Makes outside data drawable: limits numbers, times and labels to what scales and axes can show. */
import type { SeriesChart } from '../domain/chart/chart.ts'

/** No real measurement is larger, and an axis still works with numbers of this size. */
const valueMax = 1e100
/** Anything nearer to zero than this shows as zero on every axis. */
const valueMin = 1e-100
/** Four-digit years, a little less to leave room for time zones. */
const timeMinMs = Date.UTC(1000, 0, 1)
const timeMaxMs = Date.UTC(9998, 0, 1)
const windowMinMs = 60_000
const unitsMax = 12
/** Longer than any label that is drawn; names from outside may have any length. */
const wordsMax = 500

/** Returns the same chart if it can be drawn as it is. */
export function drawable(chart: SeriesChart): SeriesChart {
  const fromMs = time(chart.fromMs)
  const toMs = Math.max(time(chart.toMs), fromMs + windowMinMs)
  const points = chart.points.map((point) =>
    point === null || !point.every(Number.isFinite)
      ? null
      : ([value(point[0]), value(point[1]), value(point[2])] as const),
  )
  return {
    ...chart,
    title: chart.title.slice(0, wordsMax),
    units: chart.units.slice(0, unitsMax),
    fromMs,
    toMs,
    timesMs: chart.timesMs.map(time),
    points,
    limits: chart.limits
      .filter((limit) => Number.isFinite(limit.value))
      .map((limit) => ({ ...limit, value: value(limit.value) })),
    spans: chart.spans.map((span) => ({ ...span, fromMs: time(span.fromMs), toMs: time(span.toMs) })),
    marks: chart.marks
      .filter(({ atMs }) => Number.isFinite(atMs))
      .map(({ atMs, label }) => ({ atMs, label: label.slice(0, wordsMax) })),
  }
}

function value(given: number): number {
  return Math.abs(given) < valueMin ? 0 : Math.min(Math.max(given, -valueMax), valueMax)
}

function time(ms: number): number {
  return Number.isNaN(ms) ? timeMinMs : Math.min(Math.max(ms, timeMinMs), timeMaxMs)
}
