/** Counters as rates: how fast each one grew since it was last seen. */

export type Rates = {
  /**
   * Its growth a second since it was last seen; null where it was not seen, or too long ago to say anything about now.
   * A counter below its predecessor has started anew, and what it has is its growth.
   */
  of(series: string, value: number, upMs: number): number | null
  /** Forgets what was last seen too long ago. */
  prune(upMs: number): void
}

/** Times are of a clock that nobody sets. */
export function openRates(gapMaxMs: number): Rates {
  const seen = new Map<string, { readonly value: number; readonly upMs: number }>()
  return {
    of(series, value, upMs) {
      const before = seen.get(series)
      seen.set(series, { value, upMs })
      if (before === undefined || upMs <= before.upMs || upMs - before.upMs > gapMaxMs) return null
      const growth = value < before.value ? value : value - before.value
      return growth < 0 ? null : growth / ((upMs - before.upMs) / 1_000)
    },
    prune(upMs) {
      for (const [series, one] of seen) if (upMs - one.upMs > gapMaxMs) seen.delete(series)
    },
  }
}
