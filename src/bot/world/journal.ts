/**
 * Rows follow the world to disk, in order. A batch takes all that is queued at one moment, so it never splits a decision; of several
 * changes of a record the last one wins; a batch that failed, or got no answer, is written again whole, with what came meanwhile.
 */
import { type Clock, second } from '../clock.ts'
import type { Log } from '../log.ts'
import { kinds, rowsOf } from './rows.ts'
import { type Journal, type Lease, LostLead, RefusedRows, type Row } from './store.ts'
import type { Change, World } from './world.ts'

const pauseMinMs = 100
const pauseMaxMs = 5 * second

type Waiter = { readonly upTo: number; readonly resolve: () => void; readonly reject: (why: Error) => void }
type Parts = { readonly world: World; readonly lease: Lease; readonly clock: Clock; readonly log: Log }

export function journalOf({ world, lease, clock, log }: Parts): Journal {
  /** By kind and id: the last change that is not known to be on disk. */
  let queued = new Map<string, Change>()
  let added = 0
  let onDisk = 0
  let waiters: Waiter[] = []
  let running: Promise<void> | null = null
  let unansweredSteadyMs: number | null = null
  let ended: Error | null = null
  let refused = 0
  const closing = new AbortController()

  function add(changes: readonly Change[]): void {
    if (changes.length === 0) return
    for (const change of changes) queued.set(`${change.kind} ${change.id}`, change)
    added += 1
    running ??= run()
  }

  function rewrite(): void {
    for (const kind of kinds) add([...world[kind].keys()].map((id) => ({ kind, id, fate: 'put' })))
  }

  async function run(): Promise<void> {
    let pauseMs = pauseMinMs
    // What is decided in one stretch goes together.
    await Promise.resolve()
    while (queued.size > 0 && ended === null) {
      const batch = queued
      const upTo = added
      queued = new Map()
      unansweredSteadyMs ??= clock.steadyMs()
      try {
        await write(await rowsOf(world, [...batch.values()]))
        unansweredSteadyMs = null
        pauseMs = pauseMinMs
        onDisk = upTo
        if (lease.hasForgotten()) rewrite()
        for (const waiter of waiters) if (waiter.upTo <= onDisk) waiter.resolve()
        waiters = waiters.filter((waiter) => waiter.upTo > onDisk)
      } catch (error) {
        queued = new Map([...batch, ...queued])
        if (error instanceof LostLead) end(error)
        else log.error('journal:failed', { rows: batch.size, why: messageOf(error), againMs: pauseMs })
        if (ended === null) await clock.wait(pauseMs, closing.signal)
        pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
      }
    }
    running = null
  }

  /** One poisonous record must not keep the others from the disk, even if that splits a decision: it is looked for by halves. */
  async function write(rows: readonly Row[]): Promise<void> {
    try {
      await lease.write(rows)
    } catch (error) {
      if (!(error instanceof RefusedRows)) throw error
      const [row] = rows
      if (rows.length === 1 && row !== undefined) {
        refused += 1
        log.error('journal:refused', { kind: row.kind, id: row.id, why: error.message })
        return
      }
      const half = Math.ceil(rows.length / 2)
      await write(rows.slice(0, half))
      await write(rows.slice(half))
    }
  }

  function end(why: Error): void {
    ended ??= why
    closing.abort()
    for (const waiter of waiters) waiter.reject(why)
    waiters = []
  }

  return {
    add,
    rewrite,
    cleared: () =>
      new Promise((resolve, reject) => {
        if (ended !== null) reject(ended)
        else if (onDisk === added) resolve()
        else waiters.push({ upTo: added, resolve, reject })
      }),
    awaySinceMs: () =>
      unansweredSteadyMs === null ? null : clock.nowMs() - (clock.steadyMs() - unansweredSteadyMs),
    refused: () => refused,
    close: async () => {
      end(new LostLead('the journal was closed'))
      await running
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
