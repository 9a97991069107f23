/** The times of a cron expression, in the machine's own time zone. Node-cron parses it; its timers are not used. */
import { createTask } from 'node-cron'

const secondMs = 1_000

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

/** The longest time between two polls, over the expression's next few runs. */
export function longestGapMs(expression: string): number {
  const runs = createTask(expression, () => undefined).getNextRuns(20)
  const gaps = runs.slice(1).map((run, at) => run.getTime() - (runs[at]?.getTime() ?? run.getTime()))
  return Math.max(0, ...gaps)
}

/** The first full second after a time. */
function secondAfter(ms: number): number {
  return (Math.floor(ms / secondMs) + 1) * secondMs
}
