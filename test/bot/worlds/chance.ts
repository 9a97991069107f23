/** Chance that a seed decides: the same seed, the same history. */
export type Chance = {
  /** From 0 up to 1, without 1. */
  next(): number
  /** A whole number from `min` to `max`. */
  int(min: number, max: number): number
  isHit(probability: number): boolean
  of<T>(items: readonly T[]): T
}

export function chanceOf(seed: number): Chance {
  let state = (seed * 2_654_435_761) >>> 0
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    isHit: (probability) => next() < probability,
    of: (items) => items[int(0, items.length - 1)] as (typeof items)[number],
  }
}
