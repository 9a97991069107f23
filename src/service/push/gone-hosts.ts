/** Hosts that stopped pushing for good: each is forgotten, with its alerts, after a silence that was observed and not slept through. */
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'

/** How often a silence is noted in the ledger: so much of it is lost if the process is killed. */
const noteEveryMs = 10 * 60_000

const silenceRecord = z.object({ silentMs: z.number().nonnegative() })

/**
 * Returns a function that forgets hosts that are due; call it every few seconds. `silentMs` is how long a host has been silent in
 * this run, and whether that began with a push: time in which this process did not run does not count.
 */
export function openGoneHosts(parts: {
  readonly registry: Pick<Registry, 'servers'>
  readonly ledger: Ledger
  readonly silentMs: (hostname: string) => { readonly ms: number; readonly isSincePush: boolean }
  /** Null: never. */
  readonly forgetMs: () => number | null
  readonly forget: (hostname: string) => void
}): () => void {
  const { registry, ledger, silentMs, forgetMs, forget } = parts
  const before = new Map(
    ledger.load('pushed-silence', silenceRecord).map(({ key, value }) => [key, value.silentMs]),
  )
  const noted = new Map(before)

  function strike(hostname: string): void {
    before.delete(hostname)
    if (noted.delete(hostname)) ledger.remove('pushed-silence', hostname)
  }

  return () => {
    const pushed = registry.servers().filter(({ kind }) => kind === 'pushed')
    const names = new Set(pushed.map(({ hostname }) => hostname))
    for (const hostname of noted.keys()) if (!names.has(hostname)) strike(hostname)
    const limitMs = forgetMs()
    for (const hostname of names) {
      const { ms, isSincePush } = silentMs(hostname)
      if (isSincePush && (before.has(hostname) || ms < (noted.get(hostname) ?? 0))) strike(hostname)
      const allMs = (before.get(hostname) ?? 0) + ms
      if (limitMs !== null && allMs >= limitMs) {
        strike(hostname)
        forget(hostname)
      } else if (allMs - (noted.get(hostname) ?? 0) >= noteEveryMs) {
        ledger.put('pushed-silence', hostname, { silentMs: allMs })
        noted.set(hostname, allMs)
      }
    }
  }
}
