/** What comes from outside, made fit to be drawn: whatever is measured, the scales and the axes can say it. */
import type { SeriesChart } from '../domain/chart/chart.ts'

/** Nothing that is measured is larger, and between numbers of this size there is still room for an axis. */
const valueMax = 1e100
/** What is nearer to zero than this is zero on every axis. */
const valueMin = 1e-100
/** Years that a calendar of four digits has, a little less for the zones. */
const timeMinMs = Date.UTC(1000, 0, 1)
const timeMaxMs = Date.UTC(9998, 0, 1)
const windowMinMs = 60_000
const decimalsMax = 2
/** Longer than any label that is drawn; what a neighbour calls things may be of any length. */
const wordsMax = 500

/** The same chart where it can be drawn as it is. */
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
    units: chart.units.slice(0, wordsMax),
    precision: Math.trunc(Math.min(Math.max(chart.precision || 0, 0), decimalsMax)),
    fromMs,
    toMs,
    timesMs: chart.timesMs.map(time),
    points,
    threshold: Number.isFinite(chart.threshold) ? value(chart.threshold ?? 0) : null,
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
