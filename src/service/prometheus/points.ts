/** Converts range series to points of the API, merging those of one server. Pure. */
import type { Point, Window } from '../metrics/metric-key.ts'
import type { EngineSample, EngineSeries } from './engine.ts'
import type { Labels } from './naming.ts'
import { type Spread, spreads } from './queries.ts'

/** How the series of one host's ports are merged. */
export type Merge = 'highest' | 'lowest' | 'sum'

/** The series of each spread's query. */
export type SpreadSeries = Readonly<Record<Spread, readonly EngineSeries[]>>

type Points = Map<string, (Point | null)[]>

/** A point of a window describes its whole step, so the engine is asked for the ends of all steps. */
export function rangeOf({ fromMs, stepMs, count }: Window): {
  readonly fromMs: number
  readonly untilMs: number
  readonly stepMs: number
} {
  return { fromMs: fromMs + stepMs, untilMs: fromMs + count * stepMs, stepMs }
}

/** By hostname. NaN and infinities do not count; if one of the three is missing, there is no point. */
export function pointsByServer(
  series: SpreadSeries,
  window: Window,
  { hostnameOf, merge }: { readonly hostnameOf: (labels: Labels) => string; readonly merge: Merge },
): Points {
  const spreadsOf = new Map<string, Record<Spread, (number | null)[]>>()
  for (const spread of spreads) {
    for (const { metric, values } of series[spread]) {
      const hostname = hostnameOf(metric)
      const own = spreadsOf.get(hostname) ?? { min: [], avg: [], max: [] }
      spreadsOf.set(hostname, own)
      eachValue(values, window, (at, value) => {
        own[spread][at] = combined(own[spread][at] ?? null, value, merge)
      })
    }
  }
  return new Map(
    [...spreadsOf].map(([hostname, { min, avg, max }]) => [
      hostname,
      Array.from({ length: window.count }, (_, at) => pointOf(min[at], avg[at], max[at])),
    ]),
  )
}

/** Adds what is now to the step that it is in, for servers of which that step has nothing yet. */
export function addNow(
  points: Points,
  samples: readonly EngineSample[],
  { fromMs, stepMs, count }: Window,
  parts: { readonly hostnameOf: (labels: Labels) => string; readonly merge: Merge; readonly nowMs: number },
): Points {
  const at = Math.floor((parts.nowMs - fromMs) / stepMs)
  const missing = new Map<string, number>()
  for (const { metric, value } of at >= 0 && at < count ? samples : []) {
    const hostname = parts.hostnameOf(metric)
    const number = Number(value[1])
    if (points.get(hostname)?.[at] != null || !Number.isFinite(number)) continue
    missing.set(hostname, combined(missing.get(hostname) ?? null, number, parts.merge))
  }
  for (const [hostname, value] of missing) {
    const own = points.get(hostname) ?? Array.from({ length: count }, () => null)
    own[at] = [value, value, value]
    points.set(hostname, own)
  }
  return points
}

function combined(known: number | null, value: number, merge: Merge): number {
  if (known === null) return value
  switch (merge) {
    case 'highest':
      return Math.max(known, value)
    case 'lowest':
      return Math.min(known, value)
    case 'sum':
      return known + value
  }
}

/** Each of the three is a question of its own: what came in between one and the next widens the point. */
function pointOf(
  min: number | null = null,
  avg: number | null = null,
  max: number | null = null,
): Point | null {
  if (min === null || avg === null || max === null) return null
  return [Math.min(min, avg), avg, Math.max(max, avg)]
}

function eachValue(
  values: EngineSeries['values'],
  { fromMs, stepMs, count }: Window,
  take: (at: number, value: number) => void,
): void {
  for (const [seconds, text] of values) {
    const at = Math.round((seconds * 1_000 - fromMs) / stepMs) - 1
    const value = Number(text)
    if (at >= 0 && at < count && Number.isFinite(value)) take(at, value)
  }
}

/**
 * How long each server was silent, in seconds, from when it was last seen in each step. One responding port is enough.
 * Nothing before the first time; after the last one the silence grows until now.
 */
export function silenceByServer(
  lastSeen: readonly EngineSeries[],
  window: Window,
  { hostnameOf, nowMs }: { readonly hostnameOf: (labels: Labels) => string; readonly nowMs: number },
): Points {
  const { fromMs, stepMs, count } = window
  const seenOf = new Map<string, number[]>()
  for (const { metric, values } of lastSeen) {
    const seen = seenOf.get(hostnameOf(metric)) ?? []
    seenOf.set(hostnameOf(metric), seen)
    eachValue(values, window, (at, seconds) => {
      seen[at] = Math.max(seen[at] ?? 0, seconds * 1_000)
    })
  }
  return new Map(
    [...seenOf].map(([hostname, seen]) => {
      let lastMs: number | null = null
      const points = Array.from({ length: count }, (_, at): Point | null => {
        const startMs = fromMs + at * stepMs
        if (startMs > nowMs) return null
        const before = lastMs
        lastMs = seen[at] ?? lastMs
        if (lastMs === null) return null
        const end = Math.max(0, Math.min(startMs + stepMs, nowMs) - lastMs) / 1_000
        const start = before === null ? end : Math.max(0, startMs - before) / 1_000
        return [Math.min(start, end), (start + end) / 2, Math.max(start, end)]
      })
      return [hostname, points]
    }),
  )
}
