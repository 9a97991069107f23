/** Rows in memory that outlive the bot: what was not written when it is killed is lost, and a failed write may have happened. */
import type { Clock } from '../../../src/bot/clock.ts'
import { type Lease, LostLead, type Row, type Store } from '../../../src/bot/world/store.ts'

const writeMs = 4

export function fakeStore(clock: Clock) {
  const rows = new Map<string, Row>()
  let term = 0
  const state = {
    isAway: false,
    /** How a write ends: done, done without an answer, or not done. */
    fault: (): 'done' | 'lost' | 'failed' => 'done',
    takesMs: writeMs,
  }

  function lead(): Lease & { lose(): void } {
    term += 1
    const own = term
    const lost = Promise.withResolvers<void>()
    return {
      async write(batch) {
        await clock.wait(state.takesMs)
        if (own !== term) throw new LostLead('another one leads')
        const fault = state.isAway ? 'failed' : state.fault()
        if (fault !== 'failed') {
          for (const row of batch) {
            if (row.doc === null) rows.delete(`${row.kind} ${row.id}`)
            else rows.set(`${row.kind} ${row.id}`, row)
          }
        }
        await clock.wait(state.takesMs)
        if (own !== term) throw new LostLead('another one leads')
        if (fault !== 'done') throw new Error('connection terminated')
      },
      isFresh: () => own === term,
      hasForgotten: () => false,
      lost: lost.promise,
      free: async () => {},
      lose() {
        term += 1
        lost.resolve()
      },
    }
  }

  const live = () => [...rows.values()].filter((row) => row.live)
  const store: Store = {
    lead: async () => lead(),
    load: async () => live(),
    past: async (kind) => [...rows.values()].filter((row) => !row.live && row.kind === kind),
    prune: async (kind, beforeMs) => {
      const old = [...rows].filter(([, row]) => !row.live && row.kind === kind && row.atMs < beforeMs)
      for (const [name] of old) rows.delete(name)
    },
    close: async () => {},
  }
  return { store, lead, rows, live, state }
}
