/** Tells which of those that said they stand by still do: by how long their beat has stood still, on this machine's steady clock. */
import type { SteadyClock } from '../../flow/ports/ports.ts'
import type { PresenceRow } from './lease-rows.ts'

/** How often one that stands by says so. */
export const appearMs = 5_000
/** Silent for three beats: it is taken to be gone. */
const goneMs = 15_000
/** Its row is removed: nothing that is only slow is silent for so long. */
const forgottenMs = 60_000

export type Presence = {
  read(rows: readonly PresenceRow[]): void
  present(): readonly PresenceRow[]
  forgotten(): readonly PresenceRow[]
}

export function openPresence(clock: SteadyClock): Presence {
  let known: readonly { readonly row: PresenceRow; readonly sinceMs: number }[] = []

  function silentFor(isMatch: (ms: number) => boolean): PresenceRow[] {
    const nowMs = clock.steadyMs()
    return known.filter(({ sinceMs }) => isMatch(nowMs - sinceMs)).map(({ row }) => row)
  }

  return {
    read: (rows) => {
      const nowMs = clock.steadyMs()
      known = rows.map((row) => {
        const before = known.find((one) => one.row.holder === row.holder)
        return { row, sinceMs: before?.row.beat === row.beat ? before.sinceMs : nowMs }
      })
    },
    present: () => silentFor((ms) => ms < goneMs),
    forgotten: () => silentFor((ms) => ms >= forgottenMs),
  }
}
