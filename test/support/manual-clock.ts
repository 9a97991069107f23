/** A clock by hand: time moves only when a test moves it, and whoever waits wakes in the order of time. */
import type { Clock } from '../../src/flow/ports.ts'

export type ManualClock = Clock & {
  advance(ms: number): void
  /** When the next one who waits would wake; null when nobody waits. */
  nextWakeMs(): number | null
}

type Sleeper = { readonly atMs: number; readonly wake: () => void }

export function manualClock(startMs = Date.UTC(2026, 10, 21, 4, 0, 0)): ManualClock {
  let nowMs = startMs
  let sleepers: Sleeper[] = []

  return {
    nowMs: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve()
        const sleeper: Sleeper = { atMs: nowMs + ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((one) => one !== sleeper)
          resolve()
        })
      }),
    advance: (ms) => {
      nowMs += ms
      const due = sleepers.filter((one) => one.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs)
      sleepers = sleepers.filter((one) => one.atMs > nowMs)
      for (const sleeper of due) sleeper.wake()
    },
    nextWakeMs: () => (sleepers.length === 0 ? null : Math.min(...sleepers.map((one) => one.atMs))),
  }
}
