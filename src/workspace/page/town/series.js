/**
 * What a chart shows of a series: where things stand (scales, round ticks, lines that break where nothing was measured), and
 * the same in words, for those who do not see it and as its caption. Pure.
 *
 * @import { Series } from './shapes.js'
 */
import { exactClockOf, spanWords } from '../local-time.js'

/** Samples may come this far apart; a hole no longer than that is no silence. */
const holeMaxMs = 6_000

/** @param {number} fromValue @param {number} untilValue @param {number} from @param {number} until @returns {(value: number) => number} */
export function scale(fromValue, untilValue, from, until) {
  const span = untilValue - fromValue || 1
  return (value) => from + ((value - fromValue) / span) * (until - from)
}

/** The top of an axis that begins at 0, and its round ticks. @param {number} highest @returns {{ top: number, ticks: number[] }} */
export function valueAxis(highest) {
  const rough = Math.max(highest, 1e-6) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough
  const count = Math.max(1, Math.ceil(highest / step - 1e-9))
  return {
    top: count * step,
    ticks: Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(10))),
  }
}

const minuteMs = 60_000

/** At most `countMax` whole minutes. @param {number} fromMs @param {number} untilMs @param {number} countMax @returns {number[]} */
export function timeTicks(fromMs, untilMs, countMax) {
  const step =
    [1, 2, 5, 10, 15, 30, 60].find((minutes) => (untilMs - fromMs) / (minutes * minuteMs) <= countMax) ?? 120
  const stepMs = step * minuteMs
  const first = Math.ceil(fromMs / stepMs) * stepMs
  return Array.from(
    { length: Math.max(0, Math.floor((untilMs - first) / stepMs) + 1) },
    (_, at) => first + at * stepMs,
  )
}

/**
 * @typedef {{ atMs: number, low: number, mean: number, high: number }} Measured
 * @param {Pick<Series, 'points' | 'from_ms' | 'step_ms' | 'now_ms'>} series
 * @returns {Measured[][]} without holes, each with at least one point; times are the middles of the points
 */
export function unbroken({ points, from_ms: fromMs, step_ms: stepMs, now_ms: nowMs }) {
  /** @type {Measured[][]} */
  const parts = []
  let lastMs = Number.NEGATIVE_INFINITY
  points.forEach((point, at) => {
    if (point === null) return
    const atMs = Math.min(fromMs + (at + 0.5) * stepMs, nowMs)
    const [low, mean, high] = point
    const measured = { atMs, low, mean, high }
    const part = parts.at(-1)
    if (part !== undefined && atMs - lastMs <= Math.max(holeMaxMs, stepMs * 1.5)) part.push(measured)
    else parts.push([measured])
    lastMs = atMs
  })
  return parts
}

/** `23.4 %`, `3.5`, `480 MB`. @param {number} value @param {Pick<Series, 'units' | 'precision'>} series */
export function amount(value, { units, precision }) {
  const text = String(Number(value.toFixed(Math.abs(value) >= 1_000 ? 0 : precision)))
  return units === '' ? text : `${text} ${units}`
}

/** @param {Series} series */
export const titleOf = ({ label, server }) => `${label} on ${server}`

/** One sentence per thing that the chart shows. @param {Series} series @returns {string[]} */
export function describeSeries(series) {
  const measured = unbroken(series).flat()
  const span = spanWords(series.now_ms - series.from_ms)
  const [first] = measured
  if (first === undefined) return [`Nothing was measured in the last ${span}.`]
  const low = Math.min(...measured.map((one) => one.low))
  const high = Math.max(...measured.map((one) => one.high))
  const now = series.value === null ? 'No value at the moment' : `Now ${amount(series.value, series)}`
  return [
    `${now}; between ${amount(low, series)} and ${amount(high, series)} in the last ${span}.`,
    ...series.limits.map(({ side, value, met }) => {
      const limit = `an alert opens at ${amount(value, series)} or ${side === 'low' ? 'below' : 'above'}`
      return met ? `The limit is met: ${limit}.` : `Within the limit: ${limit}.`
    }),
    ...(series.markers.length === 0
      ? []
      : [`${series.markers.length === 1 ? '1 marker' : `${series.markers.length} markers`}, listed below.`]),
  ]
}

/** A dozen rows instead of a picture. @param {Series} series @returns {{ time: string, low: string, mean: string, high: string }[]} */
export function tableOf(series) {
  const rowsMax = 12
  const measured = unbroken(series).flat()
  const perRow = Math.ceil(measured.length / rowsMax) || 1
  return Array.from({ length: Math.ceil(measured.length / perRow) }, (_, at) => {
    const own = measured.slice(at * perRow, (at + 1) * perRow)
    const mean = own.reduce((sum, one) => sum + one.mean, 0) / own.length
    return {
      time: exactClockOf(own[0]?.atMs ?? series.from_ms),
      low: amount(Math.min(...own.map((one) => one.low)), series),
      mean: amount(mean, series),
      high: amount(Math.max(...own.map((one) => one.high)), series),
    }
  })
}
