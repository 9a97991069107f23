/** Times as settings and the policy file have them: durations, days and clock times, polls. What is not understood is null. */
import { createTask, parse, validate } from 'node-cron'
import { day, hour, minute, second } from '../clock.ts'
import { isZone } from '../zone.ts'
import { read } from './shapes.ts'

const durationMaxMs = 366 * day
const unitMs: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day, w: 7 * day }
const unit = '(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)'
const part = `(\\d{1,6}(?:\\.\\d{1,3})?)\\s*(${unit})`
const wholeDuration = new RegExp(`^(?:${part}\\s*)+$`, 'i')
const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const clock = '([01]?\\d|2[0-4]):([0-5]\\d)'
const dayMinutes = day / minute

export const durationExpected = 'a duration with a unit, such as 90s, 1h30m or 30d'
const everyExpected =
  'days and times, such as "tue 02:00-04:00", "day 22:00-02:00" or "mon,wed 02:00 for 2h" (at most a day)'
const fromExpected = 'a day and a time, such as 2026-12-01 22:00'
const reportExpected = 'days and a time, such as mon 09:00, "mon, thu 09:00" or every day 08:00'

export const duration = read(durationExpected, parseDuration)
export const zone = read('an IANA time zone such as UTC or Europe/Berlin', (text) =>
  isZone(text) ? text : null,
)
export const window = read(everyExpected, parseEvery)
export const wallTime = read(fromExpected, parseWallTime)
export const reportTimes = read(reportExpected, parseTimes)

/** Days 0 (Sunday) to 6, and minutes after midnight. */
type Times = { readonly days: readonly number[]; readonly atMinutes: number }

/** Whole milliseconds above 0; a number alone is none. */
export function parseDuration(text: string): number | null {
  // A capital M may have been meant as a month.
  if (!wholeDuration.test(text.trim()) || /\dM/.test(text)) return null
  const parts = text.matchAll(new RegExp(part, 'gi'))
  const ms = [...parts].reduce((sum, [, count, name = '']) => {
    return sum + Number(count) * (unitMs[name.charAt(0).toLowerCase()] ?? 0)
  }, 0)
  return ms > 0 && ms <= durationMaxMs ? Math.round(ms) : null
}

/** `tue 02:00-04:00`, `day 22:00 for 1h`: at most a day long. */
export function parseEvery(text: string): (Times & { readonly lengthMs: number }) | null {
  const shape = new RegExp(`^(.+?)\\s+${clock}\\s*(?:[-–]\\s*${clock}|for\\s+(.+))$`, 'i')
  const [, days = '', hours, minutes, endHours, endMinutes, length] = shape.exec(text.trim()) ?? []
  const times = parseTimes(`${days} ${hours}:${minutes}`)
  if (times === null) return null
  const endMinute = Number(endHours) * 60 + Number(endMinutes)
  const span = (endMinute - times.atMinutes + dayMinutes) % dayMinutes
  const lengthMs = length === undefined ? span * minute : parseDuration(length)
  if (lengthMs === null || lengthMs < minute || lengthMs > day || endMinute > dayMinutes) return null
  return { ...times, lengthMs }
}

/** `mon, thu 09:00`, `every weekday 08:00`. */
function parseTimes(text: string): Times | null {
  const shape = new RegExp(`^(?:every\\s+)?(.+?)\\s+(?:at\\s+)?${clock}$`, 'i')
  const [, words = '', hours, minutes] = shape.exec(text.trim()) ?? []
  const days = parseDays(words.toLowerCase())
  const atMinutes = Number(hours) * 60 + Number(minutes)
  return days === null || !(atMinutes < dayMinutes) ? null : { days, atMinutes }
}

function parseDays(words: string): number[] | null {
  if (/^(?:days?|daily)$/.test(words)) return [0, 1, 2, 3, 4, 5, 6]
  if (/^weekdays?$/.test(words)) return [1, 2, 3, 4, 5]
  const named = words.split(/\s*,\s*|\s+(?:and\s+)?/).map((word) => {
    const name = word.replace(/(?<=day)s$/, '')
    return name.length < 3 ? -1 : dayNames.findIndex((one) => one.startsWith(name))
  })
  return named.includes(-1) ? null : [...new Set(named)].sort((a, b) => a - b)
}

/** What the clock shows, as if it were UTC. */
function parseWallTime(text: string): number | null {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d)$/.exec(text.trim()) ?? []
  const ms = Date.parse(`${date}T${time}:00Z`)
  // 2026-02-30 would be the second of March.
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(`${date}T${time}`) ? null : ms
}

/** A longer gap between two polls is warned of: the seconds may be missing. */
export const seldomMs = 5 * minute

/** A node-cron expression, in the machine's own time zone, with at most an hour between two polls. */
export function isPollCron(expression: string): boolean {
  return validate(expression) && longestGapMs(expression) <= hour
}

/** The longest time between two polls, by the wall clock; infinite for a schedule that leaves out days. */
export function longestGapMs(expression: string): number {
  const { second: seconds, minute: minutes, hour: hours, dayOfMonth, month, dayOfWeek } = parse(expression)
  if (dayOfMonth.length < 31 || month.length < 12 || dayOfWeek.length < 7) return Number.POSITIVE_INFINITY
  const times = hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => h * hour + m * minute + s * second)),
  )
  const tomorrowMs = day + (times[0] ?? 0)
  return Math.max(...times.map((atMs, at) => (times[at + 1] ?? tomorrowMs) - atMs))
}

/** When a poll is due next after a moment. node-cron parses the expression; its timers are not used. */
export function nextPollMs(expression: string): (afterMs: number) => number {
  const task = createTask(expression, () => undefined)
  return (afterMs) => {
    const firstMs = (Math.floor(afterMs / second) + 1) * second
    for (let ms = firstMs; ms < firstMs + hour; ms += second) if (task.match(new Date(ms))) return ms
    return firstMs + hour
  }
}
