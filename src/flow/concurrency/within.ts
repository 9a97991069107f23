/** Work with a time limit: waiting for it ends, whether or not it does. */
import type { Clock } from '../ports/ports.ts'

/** What the work gives, or `late` when that takes longer than `ms`; the work itself goes on. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | 'late'> {
  const enough = new AbortController()
  try {
    return await Promise.race([work, clock.wait(ms, enough.signal).then(() => 'late' as const)])
  } finally {
    enough.abort()
  }
}
