/** From the API's answer to what a chart shows: the right server, the right time, gaps where nothing was measured. */

type Point = readonly [number, number, number] | null

export type Series = { readonly timesMs: readonly number[]; readonly points: readonly Point[] }

/** Times further apart than this many usual steps have a gap between them: the API leaves out times without data. */
const gapSteps = 2.5

/** The part of a series within a time, with a null where the API left out times. */
export function within({ timesMs, points }: Series, fromMs: number, toMs: number): Series {
  const inside = timesMs.flatMap((atMs, at) =>
    atMs >= fromMs && atMs <= toMs ? [{ atMs, point: points[at] ?? null }] : [],
  )
  const stepMs = usualStepMs(timesMs)
  const kept: { atMs: number; point: Point }[] = []
  for (const one of inside) {
    const before = kept.at(-1)
    if (before && one.atMs - before.atMs > stepMs * gapSteps)
      kept.push({ atMs: before.atMs + stepMs, point: null })
    kept.push(one)
  }
  return { timesMs: kept.map(({ atMs }) => atMs), points: kept.map(({ point }) => point) }
}

function usualStepMs(timesMs: readonly number[]): number {
  const steps = timesMs
    .slice(1)
    .map((atMs, at) => atMs - (timesMs[at] ?? atMs))
    .sort((a, b) => a - b)
  return steps[Math.floor(steps.length / 2)] ?? Number.POSITIVE_INFINITY
}

/** Lowest, highest and last value; null where there is none. */
export function extremes(points: readonly Point[]): { min: number; max: number; last: number } | null {
  const known = points.filter((point) => point !== null)
  const last = known.at(-1)
  if (last === undefined) return null
  return {
    min: Math.min(...known.map(([min]) => min)),
    max: Math.max(...known.map(([, , max]) => max)),
    last: last[1],
  }
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
