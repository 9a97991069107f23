/** Puts a chart into words, for people who cannot see it. */
import { formatAmount, formatLimit } from '../base/amount.ts'
import { wallClock } from '../base/wall-clock.ts'
import type { SeriesChart } from './chart.ts'
import { extremes } from './series.ts'

/** Of the alerts and mutes of a chart. */
const spansInWords = 5

/** Alt text: the numbers that the picture shows. */
export function chartInWords(chart: SeriesChart): string {
  const { points, timesMs, limits, units, zone } = chart
  const numbers = extremes(points)
  const amount = (value: number): string => formatAmount(value, units, limits[0]?.value)
  const clock = wallClock(zone)
  const time = (ms: number): string => new Date(clock(ms)).toISOString().slice(0, 16).replace('T', ' ')
  const isOneDay = time(chart.fromMs).slice(0, 10) === time(chart.toMs).slice(0, 10)
  const short = (ms: number): string => (isOneDay ? time(ms).slice(11) : time(ms))
  const lastMs = timesMs[points.findLastIndex((point) => point !== null)] ?? chart.toMs
  const parts = [
    `${chart.title}, ${time(chart.fromMs)} to ${time(chart.toMs)} ${zone.replace(/^Etc\/UTC$/, 'UTC')}`,
    ...(numbers === null
      ? []
      : [
          `from ${amount(numbers.min)} to ${amount(numbers.max)}, last ${amount(numbers.last)} at ${short(lastMs)}`,
        ]),
    ...limits.map(({ value, side }) => `${side === 'low' ? 'low ' : ''}limit ${formatLimit(value, units)}`),
    ...chart.spans
      .slice(0, spansInWords)
      .map(({ label, fromMs, toMs }) => `${label} ${short(fromMs)} to ${short(toMs)}`),
  ]
  return parts.join(': ').slice(0, 1_000)
}
