/** How a host's CPUs spent their time, by the counters of their modes: idle, user and so on. */
import { textOfLabels } from '../metrics/metric-key.ts'
import type { Reading } from './exposed-series.ts'

/**
 * The modes of a CPU add up to a second a second. A little more or less comes of when the exporter looked; a half or twice
 * as much of a host that began anew or slept in between, and then nobody knows what its CPUs did in that time.
 */
const wholeMin = 0.5
const wholeMax = 1.5

/** By mode, from 0 to 1: the mean over all CPUs of which it is known; a mode of which nothing is known is not there. */
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

/** All that its modes say but their own name. */
function cpuOf({ labels }: Reading): string {
  return textOfLabels(new Map([...labels].filter(([name]) => name !== 'mode')))
}

/** Seconds a second of all its modes together; null where one is not known, or began anew, or they make no whole. */
function wholeOf(modes: readonly Reading[]): number | null {
  const whole = modes.reduce<number | null>(
    (sum, { value, isAnew }) => (sum === null || value === null || isAnew ? null : sum + value),
    0,
  )
  return whole === null || whole < wholeMin || whole > wholeMax ? null : whole
}
