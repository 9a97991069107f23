/** Temporary changes that scenarios make to generated metrics, kept in the ledger so that old charts stay the same. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { type MetricKey, metricKey, textOf } from './metric-key.ts'

/** As many as alerts; the oldest ended ones make room for new ones. */
const overlaysMax = 100_000

/** Share of a `ramp` spent rising; the rest stays at the level. */
const rampShare = 0.6

const overlayRecord = z.object({
  id: z.number(),
  hostname: z.string(),
  /** Null: the whole server is silent. */
  key: metricKey.nullable(),
  /** `hold` stays at the level, `ramp` climbs to it, `square` is at the level for the first half of every period. */
  shape: z.enum(['hold', 'ramp', 'square']),
  level: z.number(),
  fromMs: z.number(),
  /** Null: until it is ended. */
  untilMs: z.number().nullable(),
  periodMs: z.number(),
})

export type Overlay = Readonly<z.output<typeof overlayRecord>>

export type Overlays = {
  add(overlay: Omit<Overlay, 'id'>): Overlay
  /** Ends the active overlays of one metric. */
  end(hostname: string, key: MetricKey, atMs: number): void
  /** Overlays of a server that overlap this time, oldest first. */
  during(hostname: string, fromMs: number, untilMs: number): readonly Overlay[]
  removeServer(hostname: string): void
}

export function openOverlays(ledger: Ledger): Overlays {
  const byServer = new Map<string, Overlay[]>()
  let nextId = 1
  let count = 0

  const documentKey = (id: number): string => String(id).padStart(12, '0')

  function shelve(overlay: Overlay): void {
    const list = byServer.get(overlay.hostname) ?? []
    list.push(overlay)
    byServer.set(overlay.hostname, list)
    nextId = Math.max(nextId, overlay.id + 1)
    count += 1
  }

  function replace(old: Overlay, next: Overlay | null): void {
    const list = byServer.get(old.hostname) ?? []
    const at = list.indexOf(old)
    if (at === -1) return
    if (next === null) {
      ledger.remove('overlay', documentKey(old.id))
      list.splice(at, 1)
      if (list.length === 0) byServer.delete(old.hostname)
      count -= 1
    } else {
      ledger.put('overlay', documentKey(next.id), next)
      list[at] = next
    }
  }

  function makeRoom(atMs: number): void {
    if (count < overlaysMax) return
    const over = [...byServer.values()].flat().filter(({ untilMs }) => untilMs !== null && untilMs <= atMs)
    const oldest = over.sort((a, b) => a.id - b.id).slice(0, overlaysMax / 10)
    if (oldest.length === 0)
      throw new Refusal(
        422,
        `expected at most ${overlaysMax} changes to metrics at once; there are that many`,
      )
    for (const overlay of oldest) replace(overlay, null)
  }

  for (const { value } of ledger.load('overlay', overlayRecord)) shelve(value)

  return {
    add(overlay) {
      makeRoom(overlay.fromMs)
      const added = { ...overlay, id: nextId }
      ledger.put('overlay', documentKey(added.id), added)
      shelve(added)
      return added
    },
    end(hostname, key, atMs) {
      const text = textOf(key)
      for (const overlay of [...(byServer.get(hostname) ?? [])]) {
        const isOn = overlay.untilMs === null || overlay.untilMs > atMs
        if (isOn && overlay.key !== null && textOf(overlay.key) === text) {
          replace(overlay, { ...overlay, untilMs: atMs })
        }
      }
    },
    during: (hostname, fromMs, untilMs) =>
      (byServer.get(hostname) ?? []).filter(
        (overlay) => overlay.fromMs < untilMs && (overlay.untilMs === null || overlay.untilMs > fromMs),
      ),
    removeServer(hostname) {
      for (const overlay of [...(byServer.get(hostname) ?? [])]) replace(overlay, null)
    },
  }
}

/** The metric's value within the overlay; `usual` is the value without it. */
export function levelAt(overlay: Overlay, usual: number, atMs: number): number {
  const passedMs = atMs - overlay.fromMs
  switch (overlay.shape) {
    case 'hold':
      return overlay.level
    case 'square':
      return passedMs % overlay.periodMs < overlay.periodMs / 2 ? overlay.level : usual
    case 'ramp': {
      const wholeMs = (overlay.untilMs ?? overlay.fromMs + overlay.periodMs) - overlay.fromMs
      const share = Math.min(1, passedMs / (wholeMs * rampShare))
      return usual + (overlay.level - usual) * share
    }
  }
}
