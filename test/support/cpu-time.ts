/**
 * Measures work in milliseconds of an idle machine of today. A slow or busy machine needs longer for everything; how much longer,
 * a constant piece of work shows before and after.
 */

/** Usual time of the constant piece of work. */
const usualMs = 6

const cpuNowMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** How many times slower than usual this machine is now; at least 1. */
export function slowness(): number {
  const fromMs = cpuNowMs()
  const names = Array.from({ length: 20_000 }, (_, n) => `${(n * 7_919) % 20_011}`)
  names.sort()
  return Math.max(1, (cpuNowMs() - fromMs) / usualMs)
}

/** A stopwatch: returns the milliseconds since it was last asked. */
export function openCpuWatch(): () => number {
  const slow = slowness()
  let lastMs = cpuNowMs()
  return () => {
    const sinceMs = cpuNowMs() - lastMs
    lastMs += sinceMs
    return sinceMs / slow
  }
}

/** What work that waits costs in all, and the longest that it kept everybody else waiting. */
export async function turnsOf(work: () => Promise<unknown>): Promise<{ tookMs: number; longestMs: number }> {
  const sinceLastMs = openCpuWatch()
  let [tookMs, longestMs, isOver] = [0, 0, false]
  const look = (): void => {
    const turnMs = sinceLastMs()
    tookMs += turnMs
    longestMs = Math.max(longestMs, turnMs)
    if (!isOver) setImmediate(look)
  }
  look()
  await work()
  isOver = true
  look()
  return { tookMs, longestMs }
}

export function cpuMsOf(work: () => unknown): number {
  const before = slowness()
  const fromMs = cpuNowMs()
  work()
  const tookMs = cpuNowMs() - fromMs
  return tookMs / Math.max(before, slowness())
}
