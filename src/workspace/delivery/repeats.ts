/** Deliveries that come twice on command: again with the same id and the same bytes, acknowledged or not (bolt-js #2487). */
import { z } from 'zod'
import type { Timers } from '../state/timers.ts'

export const repeatShape = z.strictObject({
  /** How many; null: all until cleared. */
  times: z.number().int().nonnegative().max(1_000_000).nullable().default(1),
  afterMs: z.number().int().nonnegative().max(86_400_000).default(10_000),
})
export type RepeatAsk = z.input<typeof repeatShape>

export type Repeats = {
  set(ask: RepeatAsk): void
  /** Runs `again` later if this delivery is one that comes twice; counts it. */
  meet(again: () => void): void
}

export function openRepeats(timers: Timers): Repeats {
  let { times, afterMs } = repeatShape.parse({ times: 0 })
  return {
    set: (ask) => {
      ;({ times, afterMs } = repeatShape.parse(ask))
    },
    meet(again) {
      if (times === 0) return
      if (times !== null) times -= 1
      timers.after(afterMs, again)
    },
  }
}
