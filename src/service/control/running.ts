/** Scenarios and machine load started over the control API that still run. In memory. */
import type { ScenarioRun } from '../alerts/scenarios.ts'

/** If there are more, the oldest are dropped. */
const runsMax = 200

export type Running = {
  /** Returns the run itself. */
  noteScenario(run: ScenarioRun): ScenarioRun
  /** Starts now for this long; 0 ends it. */
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
