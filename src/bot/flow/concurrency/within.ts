/** Waits for work with a time limit, even if the work does not end. */
import type { Clock } from '../ports/ports.ts'

/** The work's result, or `late` if it takes longer than `ms`; the work itself goes on. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | 'late'> {
  const enough = new AbortController()
  try {
    return await Promise.race([work, clock.wait(ms, enough.signal).then(() => 'late' as const)])
  } finally {
    enough.abort()
  }
}
