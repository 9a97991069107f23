/** Work with a time limit: waiting ends in time, even if the work does not. */
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
