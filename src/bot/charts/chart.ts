/**
 * What a chart shows, as data, of the API's series for a card or for somebody who asked; and its axes: which range the values need, ticks on
 * whole hours or days of the reader's zone. `svg.ts` draws it.
 */
import type { Series } from '../api/port.ts'
import { day, hour, minute, momentOf, wallOf } from '../clock.ts'

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

type Episode = {
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

type Range = readonly [low: number, high: number]

/** A limit is shown unless the points would become flat by it: they fill at least this share of the height. */
const flatShare = 0.2
/** An axis of percent up to 100 would hide what stays below a limit this low. */
const smallPercent = 10

/** 0 to 100 for percent, else what the points need, with the limit unless it is far away. */
export function valueRange(values: readonly number[], limit: number | null, units: string): Range {
  const [low, high] = extent(values)
  const isPercent = units === '%' && low >= 0 && high <= 100
  const isSmall = high < smallPercent && limit !== null && limit < smallPercent
  if (isPercent && !isSmall) return [0, 100]
  const own = fitted(low, high)
  if (limit === null) return own
  const wide = fitted(Math.min(low, limit), Math.max(high, limit))
  const isFlatAnyway = low === high
  return isFlatAnyway || (own[1] - own[0]) / (wide[1] - wide[0]) >= flatShare ? wide : own
}

function extent(values: readonly number[]): Range {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  return values.length === 0 ? [0, 1] : [low, high]
}

/** Never empty. From zero, or their size would mislead, but for values that vary little far from it. */
function fitted(low: number, high: number): Range {
  const span = high - low
  const isFar = span > 0 && low * high > 0 && Math.min(Math.abs(low), Math.abs(high)) > 3 * span
  if (isFar) return [low - span * 0.15, high + span * 0.15]
  const [least, most] = [Math.min(0, low * 1.08), Math.max(0, high * 1.08)]
  return least === most ? [0, 1] : [least, most]
}

const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 60, 90].map((n) => n * day),
]

/** At most `max` ticks. An hour that the clocks skip gets none. */
export function timeTicks(
  fromMs: number,
  untilMs: number,
  zone: string,
  max: number,
): { atMs: number; label: string }[] {
  const step = steps.find((one) => (untilMs - fromMs) / one <= max) ?? 365 * day
  const label = labelIn(zone, untilMs - fromMs, step)
  const ticks: { atMs: number; label: string }[] = []
  const lastMs = wallOf(untilMs, zone)
  for (let wall = Math.ceil(wallOf(fromMs, zone) / step) * step; wall <= lastMs; wall += step) {
    const atMs = momentOf(wall, zone)
    if (atMs >= fromMs && atMs <= untilMs && wallOf(atMs, zone) === wall)
      ticks.push({ atMs, label: label(atMs) })
  }
  return ticks
}

function labelIn(timeZone: string, spanMs: number, step: number): (ms: number) => string {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  const date = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' })
  const weekday = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' })
  if (step >= day) return (ms) => date.format(ms)
  return (ms) => (spanMs > day ? `${weekday.format(ms)} ${clock.format(ms)}` : clock.format(ms))
}

/** `UTC`, `UTC+1`. */
export function zoneName(atMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(atMs)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
  return name.replace('GMT', 'UTC').replace(/\+0$/, '')
}
