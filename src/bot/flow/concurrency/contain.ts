/** Contains unexpected errors: they end one job, not the process, which would meet the same error at each start. */
import { createHash } from 'node:crypto'
import { MemoryAway, StoreFailure } from '../../domain/base/failure.ts'
import type { JobKind } from '../../domain/base/unexpected-error.ts'
import type { Logger } from '../ports/ports.ts'

const idChars = 12

/**
 * Runs one job. An error is logged, and `after` says what happens to the job: it is tried again later, or set aside with the
 * error's id, which is also in the log. Only a failure of the store is thrown on and ends the process, and that the memory is away,
 * which is nobody's fault and keeps the job as it is.
 */
export async function contain<T, U>(
  job: { readonly kind: JobKind; readonly logger: Logger; readonly facts?: Record<string, unknown> },
  work: () => Promise<T>,
  after: (errorId: string, error: unknown) => U | Promise<U>,
): Promise<T | U> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreFailure || error instanceof MemoryAway) throw error
    const errorId = idOf(job.kind, error)
    const stack = error instanceof Error ? error.stack : undefined
    job.logger.error('job:broken', { job: job.kind, errorId, ...job.facts, error, stack })
    return after(errorId, error)
  }
}

/** Work that needs the memory; `away` if it does not answer, and the work is to be done again. */
export async function unlessAway<T>(work: () => Promise<T>): Promise<T | 'away'> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MemoryAway)) throw error
    return 'away'
  }
}

/** An id that is the same for equal errors, so that a repeated one is recognised. */
function idOf(kind: JobKind, error: unknown): string {
  const said = error instanceof Error ? `${error.name} ${error.message}` : String(error)
  return createHash('sha256').update(`${kind} ${said}`).digest('hex').slice(0, idChars)
}
