/** When a cron expression means to poll. Node-cron reads it, in the machine's own time zone; it keeps no time for us. */
import { createTask } from 'node-cron'

const secondMs = 1_000

export type DueTimes = {
  /** Is a second after the first time, and not after the other, one in which a poll is due? */
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

/** The longest time between two polls that the expression means to leave, seen over its next few runs. */
export function longestGapMs(expression: string): number {
  const runs = createTask(expression, () => undefined).getNextRuns(20)
  const gaps = runs.slice(1).map((run, at) => run.getTime() - (runs[at]?.getTime() ?? run.getTime()))
  return Math.max(0, ...gaps)
}

/** The first full second after a time. */
function secondAfter(ms: number): number {
  return (Math.floor(ms / secondMs) + 1) * secondMs
}
