/** Puts real load on this machine: one process per core that only counts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'

export const busySecondsMax = 120

/** A process ends by its own timer and when its parent is gone, so that a killed service leaves no load behind. */
const burner = `
const [untilMs, parent] = process.argv.slice(1).map(Number)
while (Date.now() < untilMs && process.ppid === parent) { for (let i = 0; i < 1e7; i++); }
`

/** The running processes, one per core. */
export type BusyNow = { readonly pids: readonly number[] }

export type Busy = {
  /** Starts now for this long, replacing a running load; 0 ends it. */
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
        // An idle core is no reason to stop the service.
        child.on('error', () => {})
        child.unref()
        return child
      })
      return { pids: running.flatMap(({ pid }) => (pid === undefined ? [] : [pid])) }
    },
    stop,
  }
}
