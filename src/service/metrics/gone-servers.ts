/** Removed servers whose points are kept, within limits, in case they are named again. */
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'
import type { SeriesStore } from './series.ts'

/** The most recently removed servers keep their points for as long as others do. */
export const goneKeptMax = 100
/** Time to restore a whole fleet that was dropped from the file by mistake. */
export const goneKeptMs = 7 * 24 * 60 * 60_000
/** Servers are forgotten one at a time: this spreads the disk work, and limits the damage of a clock that is temporarily ahead. */
const lookEveryMs = 60_000

export type GoneServers = {
  /** Call every few seconds: notes who has gone and come back, and once a minute forgets one that has been gone too long. */
  settle(): void
}

const goneRecord = z.object({ sinceMs: z.number() })

export function openGoneServers(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly ledger: Ledger
  readonly nowMs: () => number
}): GoneServers {
  const { registry, series, ledger, nowMs } = parts
  /** Ordered by when they went, oldest first. */
  const gone = new Map(
    ledger
      .load('gone-server', goneRecord)
      .map(({ key, value }) => [key, value.sinceMs] as const)
      .sort(([, a], [, b]) => a - b),
  )
  let lookedMs: number | null = null

  function note(hostname: string): void {
    ledger.put('gone-server', hostname, { sinceMs: nowMs() })
    gone.set(hostname, nowMs())
    series.rest(hostname)
  }

  function strike(hostname: string): void {
    ledger.remove('gone-server', hostname)
    gone.delete(hostname)
  }

  function look(): void {
    const kept = new Set(series.hostnames())
    for (const hostname of gone.keys()) {
      if (!kept.has(hostname) || registry.server(hostname) !== undefined) strike(hostname)
    }
    for (const hostname of kept) {
      if (!gone.has(hostname) && registry.server(hostname) === undefined) note(hostname)
    }
    const [first] = gone
    if (first === undefined || gone.size <= goneKeptMax || nowMs() - first[1] < goneKeptMs) return
    series.drop(first[0])
    strike(first[0])
  }

  return {
    settle() {
      if (lookedMs !== null && Math.abs(nowMs() - lookedMs) < lookEveryMs) return
      lookedMs = nowMs()
      ledger.together(look)
    },
  }
}
