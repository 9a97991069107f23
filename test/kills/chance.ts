/** Chance that a seed decides: the same seed draws the same numbers. */

export type Chance = {
  /** From 0, below 1. */
  next(): number
  /** A whole number from 0, below `end`. */
  below(end: number): number
  /** True so often: 0 never, 1 always. */
  is(share: number): boolean
  /** One of a list that is not empty. */
  of<One>(list: readonly [One, ...One[]]): One
  /** One of a list, undefined where it is empty. */
  any<One>(list: readonly One[]): One | undefined
}

/** Mulberry32: small, and good enough to spread kills. */
export function openChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    is: (share) => next() < share,
    of: (list) => list[below(list.length)] ?? list[0],
    any: (list) => list[below(list.length)],
  }
}
