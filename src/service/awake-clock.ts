/** A clock of the time in which this process looked around. */

/** What it slept for longer than `gapMaxMs`, and what its clock was set by, is no time: nobody knows who was silent then. */
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
