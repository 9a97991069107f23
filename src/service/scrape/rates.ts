/** Counters as rates: how fast each one grew since it was last seen. */

export type Growth = {
  readonly perSecond: number
  /** It was reset since it was last seen: its value is its growth in a part of that time. */
  readonly isAnew: boolean
}

export type Rates = {
  /**
   * Its growth per second since it was last seen; null if it was not seen, or too long ago to be current.
   * A counter below its previous value was reset, and so was one that reports a start since then (`startMs`, on
   * the clock of `upMs`).
   */
  of(series: string, value: number, upMs: number, startMs?: number): Growth | null
  /** Forgets counters last seen too long ago, and the oldest if there are too many. */
  prune(upMs: number): void
}

/** More than one answer or push can have; names that change each time leave this many behind. */
const seriesMax = 50_000

/** Times are monotonic. */
export function openRates(gapMaxMs: number): Rates {
  /** The most recently seen come last. */
  const seen = new Map<string, { readonly value: number; readonly upMs: number }>()
  return {
    of(series, value, upMs, startMs) {
      const before = seen.get(series)
      seen.delete(series)
      // Counters are never negative.
      if (value < 0) return null
      seen.set(series, { value, upMs })
      if (before === undefined || upMs <= before.upMs || upMs - before.upMs > gapMaxMs) return null
      const isAnew = value < before.value || (startMs !== undefined && startMs > before.upMs)
      const growth = isAnew ? value : value - before.value
      return { perSecond: growth / ((upMs - before.upMs) / 1_000), isAnew }
    },
    prune(upMs) {
      for (const [series, one] of seen) {
        if (Math.abs(upMs - one.upMs) > gapMaxMs || seen.size > seriesMax) seen.delete(series)
      }
    },
  }
}
