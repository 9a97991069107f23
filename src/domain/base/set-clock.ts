/**
 * Waits and ages by a clock that may be set while they last: set back, it makes no wait longer than it was meant to be, and
 * nothing young for ever.
 */

/**
 * Milliseconds until `atMs`, which was never put further ahead than `maxMs`; 0 once it has come. 0 as well where it is
 * further away than that: the clock has been set back since, and nobody knows how much of the wait is over.
 */
export function remainingMs(atMs: number, nowMs: number, maxMs: number): number {
  const leftMs = atMs - nowMs
  return leftMs > 0 && leftMs <= maxMs ? leftMs : 0
}

/** Is `atMs` no longer ago than `forMs`? What lies in the future was noted by a clock that has been set back: its age is unknown. */
export function isWithin(atMs: number, nowMs: number, forMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs <= forMs
}
