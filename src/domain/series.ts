/** From the API's answer to what a chart shows: the right server, the right time, gaps where nothing was measured. */

type Point = readonly [number, number, number] | null

export type Series = { readonly timesMs: readonly number[]; readonly points: readonly Point[] }

/** Times further apart than this many usual steps have a gap between them: the API leaves out times without data. */
const gapSteps = 2.5
/** More columns than this no picture has; what falls into one is drawn as one. */
export const columnsMax = 620

type Timed = { readonly atMs: number; readonly point: Point }

/**
 * The part of a series within a time, in the order of time, with a null where the API left out times; of a long one the
 * lowest, the mean and the highest of each column. The last point is always there as it is.
 */
export function within(series: Series, fromMs: number, toMs: number): Series {
  const inside = inOrder(series).filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
  const kept = reduced(withGaps(inside, usualStepMs(series.timesMs)), fromMs, toMs)
  return { timesMs: kept.map(({ atMs }) => atMs), points: kept.map(({ point }) => point) }
}

function inOrder({ timesMs, points }: Series): readonly Timed[] {
  const timed = timesMs.map((atMs, at) => ({ atMs, point: points[at] ?? null }))
  const isSorted = timesMs.every((atMs, at) => at === 0 || atMs >= (timesMs[at - 1] ?? atMs))
  return isSorted ? timed : timed.sort((a, b) => a.atMs - b.atMs)
}

function withGaps(inside: readonly Timed[], stepMs: number): readonly Timed[] {
  const kept: Timed[] = []
  for (const one of inside) {
    const before = kept.at(-1)
    if (before && one.atMs - before.atMs > stepMs * gapSteps)
      kept.push({ atMs: before.atMs + stepMs, point: null })
    kept.push(one)
  }
  return kept
}

function usualStepMs(timesMs: readonly number[]): number {
  const steps = Float64Array.from(timesMs.slice(1), (atMs, at) =>
    Math.abs(atMs - (timesMs[at] ?? atMs)),
  ).sort()
  return steps[Math.floor(steps.length / 2)] ?? Number.POSITIVE_INFINITY
}

function reduced(given: readonly Timed[], fromMs: number, toMs: number): readonly Timed[] {
  if (given.length <= columnsMax || toMs <= fromMs) return given
  const last = given.findLast(({ point }) => point !== null)
  const columns: Timed[][] = []
  for (const one of given) {
    const column = Math.floor(((one.atMs - fromMs) / (toMs - fromMs)) * columnsMax)
    const sameColumn = columns[column]
    if (sameColumn === undefined) columns[column] = [one]
    else sameColumn.push(one)
  }
  const kept = columns.flatMap((column) => asOne(column))
  return last === undefined ? kept : [...kept, last].sort((a, b) => a.atMs - b.atMs)
}

/** A gap narrower than a column is not seen. */
function asOne(column: readonly Timed[]): readonly Timed[] {
  const points = column.flatMap(({ point }) => (point === null ? [] : [point]))
  const [first] = column
  if (first === undefined) return []
  if (points.length === 0) return [{ atMs: first.atMs, point: null }]
  const { min, max } = lowestAndHighest(points)
  // Each part of it for itself: the sum of large numbers may be beyond all numbers.
  const mean = points.reduce((sum, [, average]) => sum + average / points.length, 0)
  return [{ atMs: first.atMs, point: [min, mean, max] }]
}

/** Lowest, highest and last value; null where there is none. */
export function extremes(points: readonly Point[]): { min: number; max: number; last: number } | null {
  const known = points.filter((point) => point !== null)
  const last = known.at(-1)
  return last === undefined ? null : { ...lowestAndHighest(known), last: last[1] }
}

/** One by one: a function takes only so many arguments at once. */
function lowestAndHighest(points: readonly (readonly [number, number, number])[]): {
  min: number
  max: number
} {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const [low, , high] of points) {
    min = Math.min(min, low)
    max = Math.max(max, high)
  }
  return { min, max }
}

type Watching = {
  readonly triggerId: string
  readonly metric: string
  readonly condition: string
  readonly maxValue: number | null
}

/**
 * The threshold to draw for an alert: of its own trigger, else of the one trigger of its metric, else of the one whose
 * value its title names. Null where that leaves a doubt: a wrong line is worse than none.
 */
export function thresholdOf(
  alert: { readonly metric: string | null; readonly triggerId: string | null; readonly title: string },
  triggers: readonly Watching[],
): number | null {
  const own = triggers.find(({ triggerId }) => triggerId === alert.triggerId)
  if (own) return own.maxValue
  const same = triggers.filter(({ metric, maxValue }) => metric === alert.metric && maxValue !== null)
  const values = [...new Set(same.flatMap(({ maxValue }) => (maxValue === null ? [] : [maxValue])))]
  if (values.length === 1) return values[0] ?? null
  const numbers = new Set(alert.title.match(/-?\d+(?:\.\d+)?/g)?.map(Number))
  const named = values.filter((value) => numbers.has(value))
  return named.length === 1 ? (named[0] ?? null) : null
}
