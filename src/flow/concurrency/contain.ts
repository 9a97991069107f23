/** Where an exception ends that nobody foresaw: it ends one job and never the process, which would meet it again at each start. */
import { createHash } from 'node:crypto'
import { MemoryFailure } from '../../domain/base/failure.ts'
import type { JobKind } from '../../domain/base/mishap.ts'
import type { Logger } from '../ports/ports.ts'

const idChars = 12

/**
 * Does one job. What it throws is told in the log, and `after` says what becomes of the job: tried again later, or set aside
 * with the error's id, by which the log finds it. Only a memory that fails goes on to end the process.
 */
export async function contain<T, U>(
  job: { readonly kind: JobKind; readonly logger: Logger; readonly facts?: Record<string, unknown> },
  work: () => Promise<T>,
  after: (errorId: string, error: unknown) => U | Promise<U>,
): Promise<T | U> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MemoryFailure) throw error
    const errorId = idOf(job.kind, error)
    const stack = error instanceof Error ? error.stack : undefined
    job.logger.error('job:broken', { job: job.kind, errorId, ...job.facts, error, stack })
    return after(errorId, error)
  }
}

/** The same for the same error, so that one that comes again and again reads as one. */
function idOf(kind: JobKind, error: unknown): string {
  const said = error instanceof Error ? `${error.name} ${error.message}` : String(error)
  return createHash('sha256').update(`${kind} ${said}`).digest('hex').slice(0, idChars)
}
