/** What a chart shows, as data: `svg.ts` draws it. Made of the API's series for the card of an alert, or for somebody who asked. */
import type { Series } from '../api/port.ts'
import { hour, minute } from '../clock.ts'

export type ChartPoint = Series['points'][number]
export type Chart = {
  readonly units: string
  readonly fromMs: number
  readonly untilMs: number
  /** IANA: of the time axis, which names it. */
  readonly zone: string
  readonly series: readonly { readonly label: string; readonly points: readonly ChartPoint[] }[]
  /** What of each point is the line: of an alert what met its limit, so that a spike reaches its peak; else the mean. */
  readonly line: 'min' | 'mean' | 'max'
  readonly limit: number | null
  /** While the alert is open. */
  readonly band: { readonly fromMs: number; readonly untilMs: number } | null
  /** Series that are not drawn. */
  readonly more: number
}

/** What an alert's chart needs of it: the fields of `view/picture.ts` that are drawn. */
export type Episode = {
  readonly fromMs: number
  readonly untilMs: number | null
  readonly limit: number | null
  readonly side: 'high' | 'low' | null
}

/** Fewer points say nothing. */
const pointsMin = 5
/** More lines cannot be told apart. */
const seriesMax = 6

/** What the chart of an alert shows: at least an hour before it, and a little after it. */
export function windowOf(
  { fromMs, untilMs }: Pick<Episode, 'fromMs' | 'untilMs'>,
  nowMs: number,
): { fromMs: number; untilMs: number } {
  const lengthMs = Math.max((untilMs ?? nowMs) - fromMs, 0)
  const afterMs = Math.max(5 * minute, lengthMs / 10)
  return {
    fromMs: fromMs - Math.max(hour, lengthMs / 2),
    untilMs: untilMs === null ? nowMs : Math.min(nowMs, untilMs + afterMs),
  }
}

/** Null: there is too little to draw. */
export function alertChart(
  episode: Episode,
  series: readonly Series[],
  { zone, nowMs }: { readonly zone: string; readonly nowMs: number },
): Chart | null {
  const span = windowOf(episode, nowMs)
  const chart = seriesChart(series, { ...span, zone, limit: episode.limit })
  const lineOf = { high: 'max', low: 'min' } as const
  const line = episode.side === null ? 'mean' : lineOf[episode.side]
  const band = { fromMs: episode.fromMs, untilMs: episode.untilMs ?? nowMs }
  return chart && { ...chart, line: chart.series.length > 1 ? chart.line : line, band }
}

/** Of many series those that reach highest. Null: there is too little to draw. */
export function seriesChart(
  series: readonly Series[],
  options: {
    readonly fromMs: number
    readonly untilMs: number
    readonly zone: string
    readonly limit: number | null
  },
): Chart | null {
  const isWithin = ({ atMs }: ChartPoint) => atMs >= options.fromMs && atMs <= options.untilMs
  const drawn = series
    .map(({ label, units, points }) => ({ label, units, points: points.filter(isWithin) }))
    .filter(({ points }) => points.length >= pointsMin)
  const peak = (points: readonly ChartPoint[]) =>
    points.reduce((most, { max }) => Math.max(most, max), Number.NEGATIVE_INFINITY)
  const chosen = drawn.toSorted((a, b) => peak(b.points) - peak(a.points)).slice(0, seriesMax)
  if (chosen.length === 0) return null
  return {
    ...options,
    units: chosen[0]?.units ?? '',
    series: chosen,
    line: 'mean',
    band: null,
    more: drawn.length - chosen.length,
  }
}
