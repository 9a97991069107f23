/** How many kills fell on which step. */

export type Tally = {
  add(step: string): void
  /** The sign of the step did not come in time. */
  miss(step: string): void
  /** Something went wrong beside a kill. */
  mix(fault: string): void
  kills(): number
  /** How often what went wrong beside the kills. */
  faults(): ReadonlyMap<string, number>
  /** By step, in the order in which they first came: kills, and signs that did not come. */
  rows(): readonly { readonly step: string; readonly kills: number; readonly missed: number }[]
}

export function openTally(): Tally {
  const counts = new Map<string, { kills: number; missed: number }>()
  const faults = new Map<string, number>()
  const of = (step: string) => {
    const count = counts.get(step) ?? { kills: 0, missed: 0 }
    counts.set(step, count)
    return count
  }
  return {
    add: (step) => {
      of(step).kills += 1
    },
    miss: (step) => {
      of(step).missed += 1
    },
    mix: (fault) => void faults.set(fault, (faults.get(fault) ?? 0) + 1),
    faults: () => faults,
    kills: () => [...counts.values()].reduce((sum, { kills }) => sum + kills, 0),
    rows: () => [...counts].map(([step, count]) => ({ step, ...count })),
  }
}
