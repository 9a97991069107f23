/** What was started over the control API and is not over yet: scenarios and the load on this machine. In memory. */
import type { ScenarioRun } from '../alerts/scenarios.ts'

/** The oldest ones are forgotten when there are more. */
const runsMax = 200

export type Running = {
  /** Answers the run itself. */
  noteScenario(run: ScenarioRun): ScenarioRun
  /** From now on for that long; 0: no more. */
  noteBusy(seconds: number): void
  now(): {
    readonly scenarios: readonly {
      readonly scenario: string
      readonly servers: number
      readonly server: string
      readonly ends_at_ms: number
    }[]
    readonly busy_until_ms: number | null
  }
}

export function openRunning(nowMs: () => number): Running {
  let runs: ScenarioRun[] = []
  let busyUntilMs = 0
  return {
    noteScenario(run) {
      runs = [...runs.filter(({ endsAtMs }) => endsAtMs > nowMs()), run].slice(-runsMax)
      return run
    },
    noteBusy(seconds) {
      busyUntilMs = nowMs() + seconds * 1_000
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
  }
}
