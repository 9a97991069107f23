/** Reads a calendar in a thread of its own, which may take some seconds and some memory, and no more. */
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { ListedShifts } from '../domain/oncall/shift.ts'
import type { CalendarAsked } from './calendar.ts'

const heapMbMax = 256
const withinMs = 10_000

/** Throws an `OutsideFailure` without the calendar's words. */
export async function readCalendar(asked: CalendarAsked, limitMs = withinMs): Promise<ListedShifts> {
  const file = new URL(`./calendar-thread${extname(import.meta.filename)}`, import.meta.url)
  // The thread gets no environment, and so no secret.
  const worker = new Worker(file, {
    workerData: asked,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
  })
  const late = AbortSignal.timeout(limitMs)
  try {
    const [read]: unknown[] = await once(worker, 'message', { signal: late })
    if (typeof read !== 'string') return read as ListedShifts
    throw new OutsideFailure('unreachable', `the calendar cannot be read: ${read}`)
  } catch (error) {
    if (error instanceof OutsideFailure) throw error
    const why = late.aborted ? `it takes longer than ${limitMs / 1_000} s` : 'it broke its reader'
    throw new OutsideFailure('unreachable', `the calendar cannot be read: ${why}`)
  } finally {
    await worker.terminate()
  }
}
