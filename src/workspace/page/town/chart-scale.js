/** Where things stand on a chart: scales, round ticks, and lines that break where nothing was measured. Pure. */

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
 * @param {Pick<import('./shapes.js').Series, 'points' | 'from_ms' | 'step_ms' | 'now_ms'>} series
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
