/**
 * What work costs, in milliseconds of the processor of a machine of today that does nothing else. One that is slow, or does
 * much else, needs longer for everything: a piece of work that is always the same, before and after, says how much.
 */

/** Of the piece of work that is always the same. */
const usualMs = 6

const cpuNowMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** How many times as long as usual this machine needs now; never less than once. */
export function slowness(): number {
  const fromMs = cpuNowMs()
  const names = Array.from({ length: 20_000 }, (_, n) => `${(n * 7_919) % 20_011}`)
  names.sort()
  return Math.max(1, (cpuNowMs() - fromMs) / usualMs)
}

/** A stopwatch for what comes step by step: the milliseconds since it was asked last. */
export function openCpuWatch(): () => number {
  const slow = slowness()
  let lastMs = cpuNowMs()
  return () => {
    const sinceMs = cpuNowMs() - lastMs
    lastMs += sinceMs
    return sinceMs / slow
  }
}

export function cpuMsOf(work: () => unknown): number {
  const before = slowness()
  const fromMs = cpuNowMs()
  work()
  const tookMs = cpuNowMs() - fromMs
  return tookMs / Math.max(before, slowness())
}
