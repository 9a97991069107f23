/** Makes a chart's points from the API's answer: the right server and time, with gaps where nothing was measured. */

type Point = readonly [number, number, number] | null

type Series = { readonly timesMs: readonly number[]; readonly points: readonly Point[] }

/** Times further apart than this many usual steps have a gap between them: the API leaves out times without data. */
const gapSteps = 2.5
/** No picture has more columns than this; values in the same column are drawn as one. */
export const columnsMax = 620

/** This many steps of a long series show what is usual in it. */
const stepsMax = 2_000

type Timed = { readonly atMs: number; readonly point: Point }

/**
 * The part of a series within a time, in order of time, with a null where the API left out times; for a long one, the lowest,
 * mean and highest of each column. The last point always stays as it is. However hostile the series, its length costs time
 * but no memory.
 */
export function within(series: Series, fromMs: number, toMs: number): Series {
  const stepMs = usualStepMs(series.timesMs)
  const kept = fewWithin(series, fromMs, toMs, stepMs) ?? columnsWithin(series, fromMs, toMs, stepMs)
  return { timesMs: kept.map(({ atMs }) => atMs), points: kept.map(({ point }) => point) }
}

/** All of it if the picture has room for each point; otherwise null. */
function fewWithin(
  { timesMs, points }: Series,
  fromMs: number,
  toMs: number,
  stepMs: number,
): readonly Timed[] | null {
  const inside: Timed[] = []
  for (let at = 0; at < timesMs.length; at += 1) {
    const atMs = timesMs[at] ?? 0
    if (!(atMs >= fromMs && atMs <= toMs)) continue
    inside.push({ atMs, point: points[at] ?? null })
    if (inside.length > columnsMax) return null
  }
  const spaced: Timed[] = []
  for (const one of inside.sort((a, b) => a.atMs - b.atMs)) {
    const before = spaced.at(-1)
    if (before && one.atMs - before.atMs > stepMs * gapSteps)
      spaced.push({ atMs: before.atMs + stepMs, point: null })
    spaced.push(one)
  }
  return spaced.length > columnsMax ? null : spaced
}

/** The values in one column of the picture. */
type Column = {
  firstMs: number
  lastMs: number
  known: number
  min: number
  mean: number
  max: number
}

function columnsWithin(
  { timesMs, points }: Series,
  fromMs: number,
  toMs: number,
  stepMs: number,
): readonly Timed[] {
  const columns: Column[] = []
  const columnAt = (atMs: number) =>
    toMs > fromMs ? Math.floor(((atMs - fromMs) / (toMs - fromMs)) * columnsMax) : 0
  let last: Timed | null = null
  for (let at = 0; at < timesMs.length; at += 1) {
    const atMs = timesMs[at] ?? 0
    if (!(atMs >= fromMs && atMs <= toMs)) continue
    const point = points[at] ?? null
    const place = columnAt(atMs)
    columns[place] ??= { firstMs: atMs, lastMs: atMs, known: 0, min: 0, mean: 0, max: 0 }
    put(columns[place], atMs, point)
    if (isKnown(point) && (last === null || atMs >= last.atMs)) last = { atMs, point }
  }
  const kept: Timed[] = []
  let before: Column | null = null
  for (const [place, column] of columns.entries()) {
    if (column === undefined) continue
    const { firstMs, known, min, mean, max } = column
    // A gap narrower than a column is not visible.
    const isSeen = columns[place - 1] === undefined
    if (before !== null && isSeen && firstMs - before.lastMs > stepMs * gapSteps)
      kept.push({ atMs: before.lastMs + stepMs, point: null })
    kept.push({ atMs: firstMs, point: known === 0 ? null : [min, mean, max] })
    before = column
  }
  return last === null ? kept : [...kept, last].sort((a, b) => a.atMs - b.atMs)
}

function put(column: Column, atMs: number, point: Point): void {
  column.firstMs = Math.min(column.firstMs, atMs)
  column.lastMs = Math.max(column.lastMs, atMs)
  if (!isKnown(point)) return
  const [low, mean, high] = point
  column.min = column.known === 0 ? low : Math.min(column.min, low)
  column.max = column.known === 0 ? high : Math.max(column.max, high)
  column.known += 1
  // Divided before adding: the sum of large numbers may overflow.
  column.mean = column.mean * ((column.known - 1) / column.known) + mean / column.known
}

function isKnown(point: Point): point is readonly [number, number, number] {
  return point !== null && Number.isFinite(point[0]) && Number.isFinite(point[1]) && Number.isFinite(point[2])
}

/** The median distance between two neighbours; for a long series, from a sample. */
function usualStepMs(timesMs: readonly number[]): number {
  const every = Math.ceil(timesMs.length / stepsMax)
  const steps: number[] = []
  for (let at = 1; at < timesMs.length; at += every)
    steps.push(Math.abs((timesMs[at] ?? 0) - (timesMs[at - 1] ?? 0)))
  steps.sort((a, b) => a - b)
  return steps[Math.floor(steps.length / 2)] ?? Number.POSITIVE_INFINITY
}

/** Lowest, highest and last value; null if there is none. */
export function extremes(points: readonly Point[]): { min: number; max: number; last: number } | null {
  const known = points.filter((point) => point !== null)
  const last = known.at(-1)
  return last === undefined ? null : { ...lowestAndHighest(known), last: last[1] }
}

/** One by one: a function call takes only so many arguments. */
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
