/** Who reports now: while kube-state-metrics is away, or only just back, what it does not report proves nothing. */
import type { Labels } from './naming.ts'

/** Rules are evaluated again, and what they hold is pending at least, by then. */
const settledMs = 2 * 60_000
/** Who has been away for longer does not come back. */
const awayMaxMs = 30 * 60_000

/** Which targets of the jobs of kube-state-metrics answer, and since when it is these. */
export function openPresence(nowMs: () => number) {
  const jobs = new Map<string, { readonly instances: ReadonlySet<string>; readonly sinceMs: number }>()

  return {
    /** `up`: the targets that answer. */
    take(up: readonly Labels[]): void {
      const found = Map.groupBy(up, ({ job = '' }) => job)
      for (const job of new Set([...found.keys(), ...jobs.keys()])) {
        const instances = new Set((found.get(job) ?? []).map(({ instance = '' }) => instance))
        const known = jobs.get(job)
        const isSame =
          known?.instances.size === instances.size && [...instances].every((one) => known.instances.has(one))
        if (!isSame) jobs.set(job, { instances, sinceMs: known === undefined ? 0 : nowMs() })
      }
    },
    isAway(job: string, instance: string): boolean {
      const { instances = new Set(), sinceMs = 0 } = jobs.get(job) ?? {}
      if (instances.has(instance)) return false
      return nowMs() - sinceMs < (instances.size === 0 ? awayMaxMs : settledMs)
    },
  }
}
