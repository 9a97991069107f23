/** An exporter's series by family and labels: gauges as they are, counters as rates, and the shares of a CPU's modes. */
import { textOfLabels } from '../metrics/metric-key.ts'
import type { Exposition } from './exposition.ts'
import type { Rates } from './rates.ts'

export type Reading = {
  readonly labels: ReadonlyMap<string, string>
  /** The value of a gauge, the rate of a counter; null if unknown. */
  readonly value: number | null
  /** A counter not seen before has no rate yet, which does not make the rest of its family unknown. */
  readonly isNew: boolean
  /** A counter that was reset since it was last seen: its rate covers a time that was counted only in part. */
  readonly isAnew: boolean
}

/** Series by family, then by labels. */
export type Series = ReadonlyMap<string, ReadonlyMap<string, Reading>>

export function readSeries({ samples }: Exposition, rates: Rates, upMs: number): Series {
  const found = new Map<string, Map<string, Reading>>()
  for (const { name, labels, value, isCounter, startMs } of samples) {
    const family = found.get(name) ?? new Map<string, Reading>()
    found.set(name, family)
    const id = textOfLabels(labels)
    // The first of duplicate series counts.
    if (family.has(id)) continue
    const growth = isCounter && value !== null ? rates.of(name + id, value, upMs, startMs) : null
    family.set(id, {
      labels,
      value: isCounter ? (growth?.perSecond ?? null) : value,
      isNew: isCounter && value !== null && growth === null,
      isAnew: growth?.isAnew === true,
    })
  }
  return found
}

export function readingsOf(series: Series, family: string): Reading[] {
  return [...(series.get(family)?.values() ?? [])]
}

/**
 * The modes of a CPU add up to one second per second. Small deviations come from the exporter's timing; half or twice
 * as much means that the host restarted or slept in between, and then its CPU use in that time is unknown.
 */
const wholeMin = 0.5
const wholeMax = 1.5

/** The shares of CPU time by mode, from 0 to 1: the mean over all CPUs for which it is known; unknown modes are missing. */
export function cpuShares(readings: readonly Reading[]): ReadonlyMap<string, number> {
  const byMode = new Map<string, { sum: number; count: number }>()
  for (const own of Map.groupBy(readings, cpuOf).values()) {
    const whole = wholeOf(own)
    if (whole === null) continue
    for (const { labels, value } of own) {
      const mode = labels.get('mode') ?? ''
      const known = byMode.get(mode) ?? { sum: 0, count: 0 }
      byMode.set(mode, { sum: known.sum + (value ?? 0) / whole, count: known.count + 1 })
    }
  }
  return new Map([...byMode].map(([mode, { sum, count }]) => [mode, sum / count]))
}

/** The labels of a CPU without the mode. */
function cpuOf({ labels }: Reading): string {
  return textOfLabels(new Map([...labels].filter(([name]) => name !== 'mode')))
}

/** Seconds per second of all its modes together; null if one is unknown or was reset, or if the sum is implausible. */
function wholeOf(modes: readonly Reading[]): number | null {
  const whole = modes.reduce<number | null>(
    (sum, { value, isAnew }) => (sum === null || value === null || isAnew ? null : sum + value),
    0,
  )
  return whole === null || whole < wholeMin || whole > wholeMax ? null : whole
}
