/** Computes the times of a cron expression, in the machine's own time zone. Node-cron parses it; its timers are not used. */
import { createTask, parse } from 'node-cron'

/** A schedule with a longer gap between two polls causes a warning: its seconds may be missing. */
export const seldomMs = 5 * 60_000

const secondMs = 1_000
const daySeconds = 24 * 60 * 60
const daysOfMonth = 31
const monthsOfYear = 12
const daysOfWeek = 7

export type DueTimes = {
  /** Is a poll due in any second after the first time, up to the second one? */
  isWithin(fromMs: number, toMs: number): boolean
  /** How long until the next one is due, or the limit if none is before that. */
  untilMs(nowMs: number, limitMs: number): number
}

export function dueTimes(expression: string): DueTimes {
  const task = createTask(expression, () => undefined)
  const isDueAt = (ms: number) => task.match(new Date(ms))
  return {
    isWithin: (fromMs, toMs) => {
      for (let ms = secondAfter(fromMs); ms <= toMs; ms += secondMs) if (isDueAt(ms)) return true
      return false
    },
    untilMs: (nowMs, limitMs) => {
      for (let ms = secondAfter(nowMs); ms < nowMs + limitMs; ms += secondMs) {
        if (isDueAt(ms)) return ms - nowMs
      }
      return limitMs
    },
  }
}

/**
 * The longest time between two polls, by the wall clock. A schedule that leaves whole days out is not computed to its end: it
 * counts as one that leaves out a single day.
 */
export function longestGapMs(expression: string): number {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression)
  const seconds = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => (h * 60 + m) * 60 + s)))
  const isDaily =
    holdsAll(dayOfMonth, daysOfMonth) && holdsAll(month, monthsOfYear) && holdsAll(dayOfWeek, daysOfWeek)
  const nextDay = (isDaily ? 1 : 2) * daySeconds
  let before = (seconds.at(-1) ?? 0) - nextDay
  let longest = 0
  for (const at of seconds) {
    longest = Math.max(longest, at - before)
    before = at
  }
  return longest * secondMs
}

/** Is every number in the list? Rules such as the last day of a month are texts among them, and add no day. */
function holdsAll(values: readonly (number | string)[], count: number): boolean {
  return values.filter((value) => typeof value === 'number').length === count
}

/** The first full second after a time. */
function secondAfter(ms: number): number {
  return (Math.floor(ms / secondMs) + 1) * secondMs
}
