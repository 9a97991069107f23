/** Counters as rates: how fast each one grew since it was last seen. */

export type Growth = {
  readonly perSecond: number
  /** It began anew since it was last seen: what it has is its growth, in a part of that time. */
  readonly isAnew: boolean
}

export type Rates = {
  /**
   * Its growth a second since it was last seen; null where it was not seen, or too long ago to say anything about now.
   * A counter below its predecessor has started anew, and so has one that says that it began since then (`startMs`, on
   * the clock of `upMs`).
   */
  of(series: string, value: number, upMs: number, startMs?: number): Growth | null
  /** Forgets what was last seen too long ago, and of more than can be kept what was seen first. */
  prune(upMs: number): void
}

/** More than one answer or one push can hold; names that change each time leave this many behind. */
const seriesMax = 50_000

/** Times are of a clock that nobody sets. */
export function openRates(gapMaxMs: number): Rates {
  /** Those seen last stand last. */
  const seen = new Map<string, { readonly value: number; readonly upMs: number }>()
  return {
    of(series, value, upMs, startMs) {
      const before = seen.get(series)
      seen.delete(series)
      // No counter is below nothing.
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
