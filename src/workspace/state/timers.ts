/**
 * Timers on a given clock: with a manual clock nothing is due until it is moved, with the real one they fire within `beatMs` of
 * their time. They do not keep the process alive.
 */
export type Timers = ReturnType<typeof openTimers>

/** How often the clock is looked at while something waits. */
const beatMs = 10

/** More than this waiting at once is a leak, not a workspace. */
const pendingMax = 10_000

export function openTimers(nowMs: () => number) {
  const pending = new Set<{ atMs: number; run: () => void }>()
  const waiting = new Set<() => void>()
  let beat: NodeJS.Timeout | undefined
  let closed = false

  function rest(): void {
    if (pending.size > 0 || beat === undefined) return
    clearInterval(beat)
    beat = undefined
  }

  function look(): void {
    const now = nowMs()
    const due = [...pending].filter((one) => one.atMs <= now).sort((a, b) => a.atMs - b.atMs)
    for (const one of due) {
      if (pending.delete(one)) one.run()
    }
    rest()
  }

  /** Runs once `ms` have passed on the clock; the answer cancels it. */
  function after(ms: number, run: () => void): () => void {
    if (closed) return () => undefined
    if (pending.size >= pendingMax) throw new Error(`more than ${pendingMax} timers are waiting`)
    const one = { atMs: nowMs() + ms, run }
    pending.add(one)
    beat ??= setInterval(look, beatMs).unref()
    return () => {
      pending.delete(one)
      rest()
    }
  }

  return {
    after,
    /** Resolves once `ms` have passed on the clock, or when the timers close. */
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        if (closed) return resolve()
        const go = (): void => {
          waiting.delete(go)
          resolve()
        }
        waiting.add(go)
        after(ms, go)
      }),
    /** Runs nothing more, and lets every `wait` go. */
    close(): void {
      closed = true
      pending.clear()
      rest()
      for (const go of [...waiting]) go()
    },
  }
}
