/** When a scheduled report is due, by the clock of the policy's time zone. */
import { dayMs, hourMs, minuteMs } from '../base/duration.ts'
import { momentsOf, wallClock } from '../base/wall-clock.ts'

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** `days`: 0 is Sunday, as in `weekdays`; never empty. */
export type ReportTimes = { readonly days: readonly number[]; readonly hour: number; readonly minute: number }

/** `mon 09:00`, `mon, thu 09:00`, `every day 08:00`; null if it is no such text. */
export function parseReportTimes(text: string): ReportTimes | null {
  const [, days = '', hour = '', minute = ''] =
    /^(.+?)\s+(?:at\s+)?([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim().toLowerCase()) ?? []
  if (days === '') return null
  const clock = { hour: Number(hour), minute: Number(minute) }
  if (/^(?:every day|daily)$/.test(days)) return { days: weekdays.map((_, day) => day), ...clock }
  const named = days.replace(/^every\s+/, '').split(/\s*,\s*|\s+(?:and\s+)?/)
  const found = named.map((name) => weekdays.findIndex((day) => day === name.slice(0, 3) && isDay(name, day)))
  return found.includes(-1) ? null : { days: [...new Set(found)].sort((a, b) => a - b), ...clock }
}

const longNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

function isDay(name: string, day: string): boolean {
  return name === day || longNames.includes(name) || name === `${day}s`
}

/** A report's time: when it is due, when the one before was and the next one will be. */
export type Occurrence = { readonly fromMs: number; readonly atMs: number; readonly nextMs: number }

/**
 * The last one that was due by now. Every day has one at most: where a clock shows the time twice, the first is meant, and where it
 * skips the time, the moment at which it does. A recurrence library would answer the same with more.
 */
export function lastOccurrence({ days, hour, minute }: ReportTimes, nowMs: number, zone: string): Occurrence {
  const wallOf = wallClock(zone)
  const today = Math.floor(wallOf(nowMs) / dayMs)
  const moments: number[] = []
  // Two weeks back, as the same weekday is a week apart, and the one before it one more.
  for (let day = today - 15; day <= today + 8; day += 1) {
    if (!days.includes(new Date(day * dayMs).getUTCDay())) continue
    moments.push(Math.min(...momentsOf(day * dayMs + hour * hourMs + minute * minuteMs, wallOf)))
  }
  const at = moments.findLastIndex((ms) => ms <= nowMs)
  const [fromMs, atMs, nextMs] = [moments[at - 1], moments[at], moments[at + 1]]
  if (fromMs === undefined || atMs === undefined || nextMs === undefined)
    throw new Error('three weeks without one of their days')
  return { fromMs, atMs, nextMs }
}
