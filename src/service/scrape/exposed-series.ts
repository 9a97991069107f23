/** An exporter's series by family and labels: gauges as they are, counters as rates. */
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

/** By family, then by labels. */
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
