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
  const byMode = new Map<string, number[]>()
  for (const own of Map.groupBy(readings, cpuOf).values()) {
    const whole = wholeOf(own)
    if (whole === null) continue
    for (const { labels, value } of own) {
      const mode = labels.get('mode') ?? ''
      byMode.set(mode, [...(byMode.get(mode) ?? []), (value ?? 0) / whole])
    }
  }
  return new Map(
    [...byMode].map(([mode, shares]) => [mode, shares.reduce((sum, one) => sum + one, 0) / shares.length]),
  )
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
