/** Chooses the time range of a report, its parts, and the labels of its bars. */

import { dayMs, hourMs } from '../base/duration.ts'
import type { BarChart } from '../chart/chart.ts'
import { nextClock } from '../mute/until.ts'
import type { Report } from './report.ts'

/** The day on which clocks are set back. */
const longestDayMs = 25 * hourMs

/** A report of less than this is drawn hour by hour. */
const hourlyBelowMs = 2 * dayMs

/** `partMs`: a day or an hour, the usual length of a part. `startsMs`: when each part begins, the first one at `fromMs`. */
type ReportWindow = {
  readonly fromMs: number
  readonly toMs: number
  readonly partMs: number
  readonly startsMs: readonly number[]
}

/**
 * The window of a report about the last `ms`. It begins with a whole day of the zone, or a whole hour, so that every bar is a
 * full part: it covers at least what was asked for, and at most a little over one part more.
 */
export function reportWindow(ask: { nowMs: number; ms: number; zone: string }): ReportWindow {
  const { nowMs, ms, zone } = ask
  if (ms < hourlyBelowMs) {
    const fromMs = Math.floor((nowMs - ms) / hourMs) * hourMs
    const startsMs = startsOf(fromMs, nowMs, (startMs) => startMs + hourMs)
    return { fromMs, toMs: nowMs, partMs: hourMs, startsMs }
  }
  const fromMs = nextClock(0, 0, nowMs - ms - longestDayMs, zone)
  // If a clock is set back at midnight, midnight comes twice: that is one day.
  const startsMs = startsOf(fromMs, nowMs, (startMs) => nextClock(0, 0, startMs + dayMs / 2, zone))
  return { fromMs, toMs: nowMs, partMs: dayMs, startsMs }
}

function startsOf(fromMs: number, toMs: number, next: (startMs: number) => number): number[] {
  const startsMs: number[] = []
  for (let startMs = fromMs; startMs < toMs; startMs = next(startMs)) startsMs.push(startMs)
  return startsMs
}

/** Alerts by day or by hour, with clocks and days of the zone. */
export function reportBars(report: Report, partMs: number, zone: string): BarChart {
  const name = partMs < dayMs ? hourName(zone) : dayName(zone)
  return {
    title: `Alerts by ${partMs < dayMs ? 'hour' : 'day'}, ${zone}`,
    // The middle of a part names it: on a day of 23 or 25 hours its start may be in the day before.
    bars: report.parts.map((part) => ({ label: name(part.fromMs, partMs), value: part.opened })),
  }
}

/** What the bars show, as alt text. */
export function barsInWords({ title, bars }: BarChart): string {
  return `${title}: ${bars.map(({ label, value }) => `${label} ${value}`).join(', ')}`
}

function hourName(zone: string): (fromMs: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (fromMs) => format.format(fromMs)
}

function dayName(zone: string): (fromMs: number, partMs: number) => string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  const weekday = part({ weekday: 'short' })
  const day = part({ day: 'numeric' })
  return (fromMs, partMs) => {
    const middleMs = fromMs + partMs / 2
    return `${weekday.format(middleMs)} ${day.format(middleMs)}`
  }
}
