/** A manual clock: time moves only when a test moves it, and waits end in the order of time. */
import type { SteadyClock } from '../../src/bot/flow/ports/ports.ts'

export type ManualClock = SteadyClock & {
  advance(ms: number): void
  /** Sets the clock ahead or (below 0) back; no time passes, so no wait ends. */
  set(ms: number): void
  /** When the next wait ends; null if there is none. */
  nextWakeMs(): number | null
}

/** `atMs` is the steady time. */
type Sleeper = { readonly atMs: number; readonly wake: () => void }

export function manualClock(startMs = Date.UTC(2026, 10, 21, 4, 0, 0)): ManualClock {
  let passedMs = 0
  let setMs = 0
  let sleepers: Sleeper[] = []

  return {
    nowMs: () => startMs + setMs + passedMs,
    steadyMs: () => passedMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve()
        const forget = () => {
          sleepers = sleepers.filter((one) => one !== sleeper)
          resolve()
        }
        // A signal may outlive thousands of waits, and must not keep each of them.
        const wake = () => {
          signal?.removeEventListener('abort', forget)
          resolve()
        }
        const sleeper: Sleeper = { atMs: passedMs + ms, wake }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', forget, { once: true })
      }),
    advance: (ms) => {
      passedMs += ms
      const due = sleepers.filter((one) => one.atMs <= passedMs).sort((a, b) => a.atMs - b.atMs)
      sleepers = sleepers.filter((one) => one.atMs > passedMs)
      for (const sleeper of due) sleeper.wake()
    },
    set: (ms) => {
      setMs += ms
    },
    nextWakeMs: () =>
      sleepers.length === 0 ? null : startMs + setMs + Math.min(...sleepers.map((one) => one.atMs)),
  }
}
