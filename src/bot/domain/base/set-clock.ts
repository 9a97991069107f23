/**
 * Waits and ages by a clock that may be set meanwhile: setting it back makes no wait longer than intended, and no age stays small
 * forever.
 */

/**
 * Milliseconds until `atMs`, which was never set further ahead than `maxMs`; 0 once it has passed. Also 0 if it is further
 * away than that: the clock has been set back since, and nobody knows how much of the wait is over.
 */
export function remainingMs(atMs: number, nowMs: number, maxMs: number): number {
  const leftMs = atMs - nowMs
  return leftMs > 0 && leftMs <= maxMs ? leftMs : 0
}

/** Is `atMs` no longer ago than `forMs`? A time in the future was stored before the clock was set back: its age is unknown. */
export function isWithin(atMs: number, nowMs: number, forMs: number): boolean {
  return atMs <= nowMs && nowMs - atMs <= forMs
}
