/** Timers on a given clock: with one by hand nothing is due until it is moved. They do not keep the process alive. */
const beatMs = 10

export function openTimers(nowMs: () => number) {
  const pending = new Set<{ readonly atMs: number; readonly run: () => void; readonly isWait: boolean }>()
  let beat: NodeJS.Timeout | undefined
  let closed = false

  function look(): void {
    const now = nowMs()
    const due = [...pending].filter((one) => one.atMs <= now).sort((a, b) => a.atMs - b.atMs)
    for (const one of due) if (pending.delete(one)) one.run()
    if (pending.size > 0) return
    clearInterval(beat)
    beat = undefined
  }

  function after(ms: number, run: () => void, isWait = false): () => void {
    const one = { atMs: nowMs() + ms, run, isWait }
    if (!closed) {
      pending.add(one)
      beat ??= setInterval(look, beatMs).unref()
    } else if (isWait) run()
    return () => pending.delete(one)
  }

  return {
    after,
    wait: (ms: number) => new Promise<void>((resolve) => after(ms, resolve, true)),
    close(): void {
      closed = true
      clearInterval(beat)
      for (const { run, isWait } of pending) if (isWait) run()
      pending.clear()
    },
  }
}
