/** Writes what the API answered, a few answers together, each with an outcome of its own. */
import type { Came } from '../../domain/mute/switch.ts'
import type { Clock } from '../ports/ports.ts'
import type { Answered } from './answers.ts'

/** While others are still asked, what was answered is written together. */
export const writtenWithinMs = 1_000
/** How many answers one plan holds. */
export const writtenMax = 50

/** `waiting`: it was not asked yet, or has not answered. */
export type Told = Came | { readonly kind: 'waiting' }

/** Writes answers as they come; while others are under way, together every second. */
export function openWriter(
  settle: (answered: readonly Answered[]) => Promise<readonly Came[]>,
  clock: Clock,
) {
  type Waiting = { readonly one: Answered; resolve(came: Told): void; reject(error: unknown): void }
  const waiting: Waiting[] = []
  let asking = 0
  let quiet = new AbortController()
  let isWriting = false

  function hurry(): void {
    quiet.abort(null)
    quiet = new AbortController()
  }

  /** Never throws: each answer has its own outcome. */
  async function write(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      if (asking > 0 && waiting.length < writtenMax) await clock.wait(writtenWithinMs, quiet.signal)
      const some = waiting.splice(0, writtenMax)
      await settle(some.map(({ one }) => one)).then(
        (came) => some.forEach((one, at) => void one.resolve(came[at] ?? { kind: 'waiting' })),
        (error: unknown) => some.forEach((one) => void one.reject(error)),
      )
    }
    isWriting = false
  }

  return {
    /** Passes on what it comes to; while it is under way, others wait to be written with it. */
    during: async <T>(call: Promise<T>): Promise<T> => {
      asking += 1
      return call.finally(() => {
        asking -= 1
        if (asking === 0) hurry()
      })
    },
    /** What came of it, once it is written. */
    written: (one: Answered): Promise<Told> => {
      const written = new Promise<Told>((resolve, reject) => waiting.push({ one, resolve, reject }))
      if (waiting.length >= writtenMax) hurry()
      if (!isWriting) void write()
      return written
    },
  }
}
