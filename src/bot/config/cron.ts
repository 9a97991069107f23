/** When polls are due, by a node-cron expression in the machine's own time zone: node-cron parses it, its timers are not used. */
import { createTask, parse, validate } from 'node-cron'
import { day, hour, minute, second } from '../clock.ts'

/** A longer gap between two polls is warned of: the seconds may be missing. */
export const seldomMs = 5 * minute
const gapMaxMs = hour
const charsMax = 100

/** A node-cron expression with at most an hour between two polls. */
export function isPollCron(expression: string): boolean {
  return expression.length <= charsMax && validate(expression) && longestGapMs(expression) <= gapMaxMs
}

/** The longest time between two polls, by the wall clock; a schedule that leaves out days counts as one that leaves out one. */
export function longestGapMs(expression: string): number {
  const { second: seconds, minute: minutes, hour: hours, dayOfMonth, month, dayOfWeek } = parse(expression)
  const times = hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => h * hour + m * minute + s * second)),
  )
  const isDaily = isAll(dayOfMonth, 31) && isAll(month, 12) && isAll(dayOfWeek, 7)
  const last = (times.at(-1) ?? 0) - (isDaily ? 1 : 2) * day
  return Math.max(...times.map((atMs, at) => atMs - (at === 0 ? last : (times[at - 1] ?? 0))))
}

/** Rules such as the last day of a month are texts among the numbers, and add no day. */
function isAll(values: readonly (number | string)[], count: number): boolean {
  return values.filter((value) => typeof value === 'number').length === count
}

/** When a poll is due next after a moment; with at most an hour between two polls there is one. */
export function nextPollMs(expression: string): (afterMs: number) => number {
  const task = createTask(expression, () => undefined)
  return (afterMs) => {
    const firstMs = (Math.floor(afterMs / second) + 1) * second
    for (let ms = firstMs; ms < firstMs + gapMaxMs; ms += second) if (task.match(new Date(ms))) return ms
    return firstMs + gapMaxMs
  }
}
