/**
 * A chart in words: what it shows, for those who do not see it and as its caption. Pure.
 *
 * @import { Series } from './shapes.js'
 */
import { unbroken } from './chart-scale.js'
import { clockTime, spanWords } from './town-time.js'

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
    ...series.mutes.map(({ from_ms: fromMs, until_ms: untilMs, scope }) => {
      const what = scope === 'account' ? 'The whole account was muted' : 'Muted'
      const until = untilMs === null ? 'and still is' : `until ${clockTime(untilMs)}`
      return `${what} from ${clockTime(fromMs)} ${until}.`
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
      time: clockTime(own[0]?.atMs ?? series.from_ms),
      low: amount(Math.min(...own.map((one) => one.low)), series),
      mean: amount(mean, series),
      high: amount(Math.max(...own.map((one) => one.high)), series),
    }
  })
}
