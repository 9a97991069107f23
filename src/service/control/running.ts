/** Keeps what the control API started and is still running: scenarios, and real load on this machine. In memory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import type { ScenarioRun } from '../alerts/scenarios.ts'

export const busySecondsMax = 120
/** If there are more, the oldest are dropped. */
const runsMax = 200

/** One process per core that only counts. It ends by its own timer and when its parent is gone, so that a killed service leaves no load behind. */
const burner = `
const [untilMs, parent] = process.argv.slice(1).map(Number)
while (Date.now() < untilMs && process.ppid === parent) { for (let i = 0; i < 1e7; i++); }
`

/** The running processes, one per core. */
export type BusyNow = { readonly pids: readonly number[] }

export type Running = {
  /** Returns the run itself. */
  noteScenario(run: ScenarioRun): ScenarioRun
  /** Puts load on all cores, now and for this long, in place of a running load; 0 ends it. */
  makeBusy(seconds: number): BusyNow
  now(): {
    readonly scenarios: readonly {
      readonly scenario: string
      readonly servers: number
      readonly server: string
      readonly ends_at_ms: number
    }[]
    readonly busy_until_ms: number | null
  }
  /** Ends the load. */
  stop(): void
}

export function openRunning(nowMs: () => number): Running {
  let runs: ScenarioRun[] = []
  let burners: ChildProcess[] = []
  let busyUntilMs = 0

  function stop(): void {
    for (const child of burners) child.kill('SIGKILL')
    burners = []
  }

  return {
    noteScenario(run) {
      runs = [...runs.filter(({ endsAtMs }) => endsAtMs > nowMs()), run].slice(-runsMax)
      return run
    },
    makeBusy(seconds) {
      stop()
      const lastsMs = Math.min(seconds, busySecondsMax) * 1_000
      busyUntilMs = nowMs() + lastsMs
      if (lastsMs <= 0) return { pids: [] }
      burners = cpus().map(() => {
        const times = [String(Date.now() + lastsMs), String(process.pid)]
        const child = spawn(process.execPath, ['--eval', burner, ...times], { stdio: 'ignore' })
        // An idle core is no reason to stop the service.
        child.on('error', () => {})
        child.unref()
        return child
      })
      return { pids: burners.flatMap(({ pid }) => pid ?? []) }
    },
    now: () => ({
      scenarios: runs
        .filter(({ endsAtMs }) => endsAtMs > nowMs())
        .map(({ scenario, servers, endsAtMs }) => ({
          scenario,
          server: servers[0] ?? '',
          servers: servers.length,
          ends_at_ms: endsAtMs,
        })),
      busy_until_ms: busyUntilMs > nowMs() ? busyUntilMs : null,
    }),
    stop,
  }
}
