/** What a record is on disk: its document is the record itself, and the columns are what is asked for. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Row } from './store.ts'
import type { Records } from './types.ts'
import type { Change, World } from './world.ts'

export const kinds = ['alerts', 'posts', 'mutes', 'switches', 'acts', 'effects', 'requests', 'facts'] as const
const idCharsMax = 500
/** So many documents are written out before others have a turn. */
const documentsAtOnce = 1000

/** Records are taken in one moment, and written out in turns: nobody changes one in place. */
export async function rowsOf(world: World, changes: readonly Change[]): Promise<Row[]> {
  const taken = changes.map((change) => ({
    ...change,
    after: change.record ?? world[change.kind].get(change.id),
  }))
  const rows: Row[] = []
  for (const { kind, id, fate, after } of taken) {
    const isThere = after !== undefined && fate !== 'gone'
    const live = fate === 'put'
    const atMs = isThere && !live ? endedMs(after) : 0
    rows.push({ kind, id: columnId(id), live, atMs, doc: isThere ? JSON.stringify(after) : null })
    if (rows.length % documentsAtOnce === 0) await setImmediate()
  }
  return rows
}

/** The rows whose document can be read; the others do not stand in the way of a start. */
export function readable(rows: readonly Row[]): { rows: Row[]; unreadable: number } {
  const good = rows.filter(({ doc }) => {
    try {
      const record: unknown = JSON.parse(doc ?? '')
      return typeof record === 'object' && record !== null && 'id' in record
    } catch {
      return false
    }
  })
  return { rows: good, unreadable: rows.length - good.length }
}

/** Puts readable rows into an empty world, before anybody listens to it. */
export function fill(world: World, rows: readonly Row[]): void {
  for (const { kind, doc } of rows) world.put(kind, JSON.parse(doc ?? ''))
}

/** The id in the column: what no database takes, or no index, is hashed. The document holds the id itself. */
function columnId(id: string): string {
  const isPlain = id.length <= idCharsMax && !id.includes('\0') && id.isWellFormed()
  return isPlain ? id : `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`
}

/** The times of records of all kinds; when one was over decides whether the past finds it, and when it is pruned. */
type Times = {
  readonly closedMs?: number | null
  readonly startedMs?: number
  readonly createdMs?: number
  readonly ended?: { readonly atMs: number } | null
  readonly fromMs?: number
  readonly atMs?: number
}

function endedMs(record: Records[keyof Records]): number {
  const { closedMs, startedMs, createdMs, ended, fromMs, atMs } = record as Times
  const ms = closedMs ?? ended?.atMs ?? startedMs ?? createdMs ?? fromMs ?? atMs ?? 0
  return Number.isFinite(ms) ? Math.trunc(ms) : 0
}
