/** What happens, in order, for the page, the terminal, a test. No event contains a token, a trigger or a response URL. */
import type { Fields } from './fields.ts'

/** Of a message: what it is now; of anything else, what it was. `user`: it happened to this person alone. */
export type Happening = Fields & {
  readonly type: string
  readonly channel?: string
  readonly ts?: string
  readonly user?: string
  readonly message?: object
}
export type Emitted = { readonly seq: number; readonly atMs: number; readonly event: Happening }

const rememberedMax = 2_000

export function openEvents(nowMs: () => number) {
  const listeners = new Set<(emitted: Emitted) => void>()
  let remembered: Emitted[] = []
  let seq = 0
  return {
    emit(event: Happening): void {
      seq += 1
      const emitted = { seq, atMs: nowMs(), event }
      remembered.push(emitted)
      // Cut in halves, so that the cost of cutting is spread.
      if (remembered.length > rememberedMax * 2) remembered = remembered.slice(-rememberedMax)
      for (const listener of [...listeners]) listener(emitted)
    },
    listen(listener: (emitted: Emitted) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    since: (after: number): readonly Emitted[] =>
      remembered.slice(-rememberedMax).filter((emitted) => emitted.seq > after),
    newestSeq: () => seq,
  }
}
