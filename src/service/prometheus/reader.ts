/**
 * Shares readings among all callers: however many bots poll and however often, the engine is queried for what fires at most
 * once a second. Failed readings are shared as well.
 */

/** Minimum time between two readings of the engine. */
const gapMs = 1_000
/** A good reading is reused for this long, so that the pages of one listing come from one reading. */
const freshMs = 2_000

export type Reader = {
  /** Resolves when a reading at most two seconds old is done, or rejects as it did. */
  fresh(): Promise<void>
  /** Runs another query of the engine, in turn with the readings. */
  inTurn<Result>(ask: () => Promise<Result>): Promise<Result>
}

/** `upMs` is a monotonic clock. */
export function openReader(parts: {
  read(): Promise<void>
  upMs(): number
  wait(ms: number): Promise<void>
}): Reader {
  const { read, upMs, wait } = parts
  let current: Promise<void> | null = null
  let last: { readonly atMs: number; readonly outcome: Promise<void> } | null = null
  let line: Promise<unknown> = Promise.resolve()
  let askedMs = Number.NEGATIVE_INFINITY

  function inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const result = line.then(async () => {
      const restMs = askedMs + gapMs - upMs()
      if (restMs > 0) await wait(restMs)
      askedMs = upMs()
      return ask()
    })
    line = result.catch(() => {})
    return result
  }

  return {
    inTurn,
    fresh() {
      if (current !== null) return current
      if (last !== null && upMs() - last.atMs < freshMs) return last.outcome
      const outcome = inTurn(read).finally(() => {
        current = null
        last = { atMs: upMs(), outcome }
      })
      current = outcome
      return outcome
    },
  }
}
