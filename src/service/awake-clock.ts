/** A clock that counts only the time in which this process was running. */

/** Sleeps longer than `gapMaxMs` and clock changes do not count: it is unknown which servers were silent then. */
export function openAwakeClock(nowMs: () => number, gapMaxMs: number): () => number {
  let lookedMs = nowMs()
  let missedMs = 0
  return () => {
    const gapMs = nowMs() - lookedMs
    if (gapMs < 0 || gapMs > gapMaxMs) missedMs += gapMs
    lookedMs += gapMs
    return lookedMs - missedMs
  }
}
