/** Makes this machine really busy: one process per core that does nothing but count. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'

export const busySecondsMax = 120

/** A process ends by its own clock and when its parent is gone, so that a killed service leaves no load behind. */
const burner = `
const [untilMs, parent] = process.argv.slice(1).map(Number)
while (Date.now() < untilMs && process.ppid === parent) { for (let i = 0; i < 1e7; i++); }
`

/** The processes at work, one per core. */
export type BusyNow = { readonly pids: readonly number[] }

export type Busy = {
  /** From now on for that long, instead of what runs already; 0 ends it. */
  start(seconds: number): BusyNow
  stop(): void
}

export function openBusy(): Busy {
  let running: ChildProcess[] = []

  function stop(): void {
    for (const child of running) child.kill('SIGKILL')
    running = []
  }

  return {
    start(seconds) {
      stop()
      const lasts = Math.min(seconds, busySecondsMax)
      if (lasts <= 0) return { pids: [] }
      const untilMs = Date.now() + lasts * 1_000
      running = cpus().map(() => {
        const child = spawn(process.execPath, ['--eval', burner, String(untilMs), String(process.pid)], {
          stdio: 'ignore',
        })
        // A core that stays idle is no reason to stop the service.
        child.on('error', () => {})
        child.unref()
        return child
      })
      return { pids: running.flatMap(({ pid }) => (pid === undefined ? [] : [pid])) }
    },
    stop,
  }
}
