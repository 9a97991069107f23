/** Measures elapsed time, however the clock is set: it never goes back, and distinguishes sleep from waking. */
import type { SteadyClock } from '../ports/ports.ts'

export type Uptime = {
  /** Milliseconds since it was opened: in total, and while the process was awake. */
  read(): { readonly totalMs: number; readonly awakeMs: number }
}

/** Time between two readings counts as awake up to `stepMaxMs`; so read it at least that often. */
export function openUptime(clock: SteadyClock, stepMaxMs: number): Uptime {
  let looked = { wallMs: clock.nowMs(), steadyMs: clock.steadyMs() }
  let totalMs = 0
  let awakeMs = 0
  return {
    read: () => {
      const now = { wallMs: clock.nowMs(), steadyMs: clock.steadyMs() }
      // The wall clock may have been set back; the steady one may stop while a laptop sleeps.
      const passedMs = Math.max(now.wallMs - looked.wallMs, now.steadyMs - looked.steadyMs)
      looked = now
      totalMs += passedMs
      awakeMs += Math.min(passedMs, stepMaxMs)
      return { totalMs, awakeMs }
    },
  }
}
