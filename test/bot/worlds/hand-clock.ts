/** A clock by hand: all waits are virtual, and what is due at one moment runs in the order in which it was asked for. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../src/bot/clock.ts'

export type HandClock = Clock & {
  /** Lets the time pass until then. */
  runUntil(untilMs: number): Promise<void>
  runFor(ms: number): Promise<void>
}

type Timer = { readonly atMs: number; readonly order: number; readonly ring: () => void }

const stepsAtOnceMax = 1000

export function handClock(startMs = Date.UTC(2026, 10, 28, 1, 0)): HandClock {
  let nowMs = startMs
  let order = 0
  /** The soonest last. */
  const timers: Timer[] = []

  function add(timer: Timer): void {
    let low = 0
    let high = timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      const there = timers[middle] as Timer
      if (there.atMs > timer.atMs || (there.atMs === timer.atMs && there.order > timer.order))
        low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
  }

  async function runUntil(untilMs: number): Promise<void> {
    // All that is ready runs before the time moves.
    await setImmediate()
    let stepsAtOnce = 0
    for (let next = timers.at(-1); next !== undefined && next.atMs <= untilMs; next = timers.at(-1)) {
      stepsAtOnce = next.atMs > nowMs ? 0 : stepsAtOnce + 1
      if (stepsAtOnce > stepsAtOnceMax) throw new Error('a loop runs again and again without a wait')
      nowMs = Math.max(nowMs, next.atMs)
      while (timers.at(-1)?.atMs === next.atMs) timers.pop()?.ring()
      await setImmediate()
    }
    nowMs = Math.max(nowMs, untilMs)
  }

  return {
    nowMs: () => nowMs,
    steadyMs: () => nowMs - startMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const timer: Timer = { atMs: nowMs + Math.max(Math.ceil(ms), 0), order: order++, ring: () => done() }
        const done = () => {
          const place = timers.indexOf(timer)
          if (place >= 0) timers.splice(place, 1)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        signal?.addEventListener('abort', done)
        add(timer)
      }),
    runUntil,
    runFor: (ms) => runUntil(nowMs + ms),
  }
}
