/** How a host's CPUs spent their time, from the counters of their modes: idle, user and so on. */
import { textOfLabels } from '../metrics/metric-key.ts'
import type { Reading } from './exposed-series.ts'

/**
 * The modes of a CPU add up to one second per second. Small deviations come from the exporter's timing; half or twice
 * as much means that the host restarted or slept in between, and then its CPU use in that time is unknown.
 */
const wholeMin = 0.5
const wholeMax = 1.5

/** By mode, from 0 to 1: the mean over all CPUs for which it is known; unknown modes are missing. */
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
