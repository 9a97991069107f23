/**
 * `metrics.json`, from `unknown` to series. It may have a hundred thousand points, so each is checked by hand: a schema
 * would block the process for half a second.
 */
import type { MetricAnswer, MetricSeries } from '../flow/ports/ports.ts'
import { isHash, noneReadable, notTooLong, results, withoutResults } from './wire.ts'

/** Four times as many as a month has minutes, and more than any chart has room for. */
const timesMax = 200_000
/** A chart with more servers would be unreadable. */
const seriesMax = 1_000

/**
 * `metrics.json` (api-spec.md 4.10), at the top or under a result key. Points are in the order of the timestamps: an
 * unreadable one is null; superfluous ones, and points whose timestamp is not a number, are left out.
 */
export function parseMetrics(body: unknown): MetricAnswer {
  const answer = [body, ...results(body)]
    .filter(isHash)
    .flatMap(({ timestamps, metrics }): { timestamps: readonly unknown[]; metrics: readonly unknown[] }[] =>
      Array.isArray(timestamps) && Array.isArray(metrics) ? [{ timestamps, metrics }] : [],
    )
    .at(0)
  if (answer === undefined) throw withoutResults()
  const { metrics } = answer
  const timestamps = notTooLong(answer.timestamps, timesMax)
  const places: number[] = []
  const timestampsMs: number[] = []
  for (let at = 0; at < timestamps.length; at += 1) {
    const ms = numberOf(timestamps[at])
    if (ms === null) continue
    places.push(at)
    timestampsMs.push(ms)
  }
  const series = notTooLong(metrics, seriesMax).flatMap((record) => seriesOf(record, places) ?? [])
  if (metrics.length > 0 && series.length === 0) throw noneReadable('metrics')
  return { timestampsMs, series, skipped: metrics.length - series.length }
}

function seriesOf(record: unknown, places: readonly number[]): MetricSeries | null {
  if (!isHash(record)) return null
  const { label, units, points: listed } = record
  if (typeof label !== 'string' || !Array.isArray(listed)) return null
  const points: MetricSeries['points'][number][] = []
  // Only as far as there are points: many short series over many timestamps are a small answer, and stay small in memory.
  for (const at of places) {
    if (at >= listed.length) break
    points.push(pointOf(listed[at]))
  }
  return {
    label,
    units: typeof units === 'string' || typeof units === 'number' ? String(units) : '',
    points,
  }
}

function pointOf(value: unknown): readonly [number, number, number] | null {
  if (!Array.isArray(value) || value.length !== 3) return null
  const low = numberOf(value[0])
  const mean = numberOf(value[1])
  const high = numberOf(value[2])
  return low === null || mean === null || high === null ? null : [low, mean, high]
}

/** A number; one in quotes counts too. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^-?\d{1,40}(\.\d{1,40})?$/.test(value) ? Number(value) : null
}
