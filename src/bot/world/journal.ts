/**
 * Rows follow the world to disk, in order, and nothing goes out before they have. A batch takes all that is queued at one moment, so it
 * never splits a decision; of several changes of a record the last one wins; a batch that failed, or got no answer, is written again
 * whole, with what came meanwhile.
 */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Clock, second } from '../clock.ts'
import type { Log } from '../log.ts'
import { type Lease, LostLead, RefusedRows, type Row } from './store.ts'
import type { Act, Alert } from './types.ts'
import type { Change, World } from './world.ts'

export const kinds = ['alerts', 'posts', 'mutes', 'switches', 'acts', 'effects', 'requests', 'facts'] as const

declare const cleared: unique symbol
/** Proof that what was decided is on disk. Every client that changes something outside asks for one, and only `outside` gives it. */
export type Pass = { readonly [cleared]: true }
export type Outside = <T>(work: (pass: Pass) => Promise<T>) => Promise<T>

/** The only way out: a message, the API, the pager, an answer to a person. Throws `LostLead` once another one leads. */
export function outsideOf(journal: Journal, lease: Lease): Outside {
  return async (work) => {
    await journal.cleared()
    if (!lease.isFresh()) throw new LostLead('the lead is no longer certain')
    return work({} as Pass)
  }
}

const pauseMinMs = 100
const pauseMaxMs = 5 * second

type Parts = { readonly world: World; readonly lease: Lease; readonly clock: Clock; readonly log: Log }

export type Journal = ReturnType<typeof journalOf>

export function journalOf({ world, lease, clock, log }: Parts) {
  /** By kind and id: the last change that is not known to be on disk. */
  let queued = new Map<string, Change>()
  let added = 0
  let onDisk = 0
  /** The next batch is on disk, or the journal has ended. */
  let next = Promise.withResolvers<void>()
  let running: Promise<void> | null = null
  let unansweredSteadyMs: number | null = null
  let ended: Error | null = null
  let refused = 0
  const closing = new AbortController()

  /** Takes the changes of a decision; never throws, never waits. */
  function add(changes: readonly Change[]): void {
    for (const change of changes) queued.set(`${change.kind} ${change.id}`, change)
    added += 1
    running ??= run()
  }

  /** Everything live once more: the database forgot. */
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
        await write(lease, await rowsOf(world, [...batch.values()]), refuse)
        unansweredSteadyMs = null
        pauseMs = pauseMinMs
        onDisk = upTo
        if (lease.hasForgotten()) rewrite()
        next.resolve()
        next = Promise.withResolvers()
      } catch (error) {
        queued = new Map([...batch, ...queued])
        if (error instanceof LostLead) end(error)
        else log.error('journal:failed', { rows: batch.size, why: String(error), againMs: pauseMs })
        if (ended === null) await clock.wait(pauseMs, closing.signal)
        pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
      }
    }
    running = null
  }

  function refuse({ kind, id }: Row, why: string): void {
    refused += 1
    log.error('journal:refused', { kind, id, why })
  }

  function end(why: Error): void {
    ended ??= why
    closing.abort()
    next.resolve()
  }

  return {
    add,
    /** Resolves once all that was added before the call is on disk. Rejects with `LostLead`. */
    async cleared(): Promise<void> {
      const upTo = added
      while (ended === null && onDisk < upTo) await next.promise
      if (ended !== null) throw ended
    },
    /** Since when a batch has been waiting for the database; null while it answers. */
    awaySinceMs: (): number | null =>
      unansweredSteadyMs === null ? null : clock.nowMs() - (clock.steadyMs() - unansweredSteadyMs),
    /** Records that the database refused for good: they are set aside, and the world still holds them. */
    refused: () => refused,
    close: async () => {
      end(new LostLead('the journal was closed'))
      await running
    },
  }
}

/** One poisonous record must not keep the others from the disk, even if that splits a decision: it is looked for by halves. */
async function write(lease: Lease, rows: readonly Row[], refuse: (row: Row, why: string) => void) {
  try {
    await lease.write(rows)
  } catch (error) {
    if (!(error instanceof RefusedRows)) throw error
    const [first, ...others] = rows
    if (first === undefined) return
    if (others.length === 0) return refuse(first, error.message)
    const half = Math.ceil(rows.length / 2)
    await write(lease, rows.slice(0, half), refuse)
    await write(lease, rows.slice(half), refuse)
  }
}

const idCharsMax = 500
/** So many documents are written out before others have a turn. */
const documentsAtOnce = 1000

/** Records are taken in one moment, and written out in turns: nobody changes one in place. */
async function rowsOf(world: World, changes: readonly Change[]): Promise<Row[]> {
  const taken = changes.map((change) => ({
    ...change,
    after: change.record ?? world[change.kind].get(change.id),
  }))
  const rows: Row[] = []
  for (const { kind, id, fate, after } of taken) {
    const isThere = after !== undefined && fate !== 'gone'
    const live = fate === 'put'
    const atMs = isThere && !live ? endedMs(after as Partial<Alert & Act>) : 0
    rows.push({ kind, id: columnId(id), live, atMs, doc: isThere ? JSON.stringify(after) : null })
    if (rows.length % documentsAtOnce === 0) await setImmediate()
  }
  return rows
}

/** The id in the column: what no database takes, or no index, is hashed. The document holds the id itself. */
function columnId(id: string): string {
  const isPlain = id.length <= idCharsMax && !id.includes('\0') && id.isWellFormed()
  return isPlain ? id : `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`
}

/** Of what has a past: when it was over decides whether queries find it, and when it is pruned. */
function endedMs(record: Partial<Alert & Act>): number {
  return Math.trunc(record.closedMs ?? record.startedMs ?? record.atMs ?? 0)
}

/**
 * Puts rows into an empty world, before anybody listens to it. How many cannot be read: they are left out, and do not stand in the way of
 * a start.
 */
export function fill(world: World, rows: readonly Row[]): number {
  let unreadable = 0
  for (const { kind, doc } of rows) {
    try {
      const record = JSON.parse(doc ?? '')
      if (typeof record.id !== 'string') throw new Error('expected an id')
      world.put(kind, record, {})
    } catch {
      unreadable += 1
    }
  }
  return unreadable
}
