/** Leaves word for whoever leads now of a call that this process made, and whose result it may not write any more. */
import { Deposed } from '../../domain/base/failure.ts'

/** The work's result. If another process leads by now, `note` is left, and the `Deposed` goes on. */
export async function orNote<T>(work: () => Promise<T>, note: () => Promise<void>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Deposed) await note()
    throw error
  }
}
