/** Moves everything from one database to another, whole or not at all, whenever it is killed and run again. */
import { createHash } from 'node:crypto'
import { MemoryAway, StoreFailure } from '../../domain/base/failure.ts'
import { StoreError } from '../open/store-error.ts'
import { type End, order, type Row, type TableName, tableNames } from './end.ts'
import { type Mark, whyMoved } from './mark.ts'

export type MoveParts = {
  /** Names this move, unless it is the next try of one. */
  readonly newId: string
  readonly nowMs: number
  /** Aborted when the process is asked to end: then nothing is moved. */
  readonly signal: AbortSignal
  /** Called after each step. */
  readonly onStep: (step: Step) => void
}

/** `copied`: and the same there as here, by count and hash. */
export type Step =
  | { readonly kind: 'source marked' | 'target marked' | 'kept' | 'moved' }
  | { readonly kind: 'copied'; readonly table: TableName; readonly rows: number }

const pieceRows = 1_000

/**
 * Marks the source, so that no bot uses it any more, and the target, so that none does before it is whole; copies table by table in
 * one transaction, which is kept only if counts and hashes are the same; and marks the source as moved. If it was killed, it is run
 * again; a failure leaves both as they were. Throws a `StoreError` if it may not be done.
 */
export async function move(source: End, target: End, parts: MoveParts): Promise<void> {
  const { nowMs: atMs, onStep } = parts
  const [from, to] = [await source.mark(), await target.mark()]
  if (from?.state === 'moved' || from?.state === 'arriving') throw whyMoved(source.name, from)
  const moveId = from?.state === 'moving' ? from.moveId : parts.newId
  const leaving = { moveId, other: target.name, atMs }
  const coming = { moveId, other: source.name, atMs }
  if (to?.moveId !== moveId || to.state !== 'arrived') {
    if (from?.state === 'moving' && from.other !== target.name) throw whyMoved(source.name, from)
    await assertEmpty(target, to)
    try {
      await source.setMark({ state: 'moving', ...leaving })
      onStep({ kind: 'source marked' })
      await target.setMark({ state: 'arriving', ...coming })
      onStep({ kind: 'target marked' })
      await target.fill((write) => copy(source, target, write, parts), { state: 'arrived', ...coming })
    } catch (error) {
      if (error instanceof MemoryAway && error.mayBeWritten)
        throw whyMoved(source.name, { state: 'moving', ...leaving })
      // Whichever cannot be reached keeps its mark: no bot uses it, and the move can be run again.
      await unlessAway(source.setMark(from?.state === 'arrived' ? from : null))
      await unlessAway(target.setMark(null))
      throw error
    }
    onStep({ kind: 'kept' })
  }
  await source.setMark({ state: 'moved', ...leaving }).catch((error: unknown) => {
    if (error instanceof MemoryAway) throw whyMoved(source.name, { state: 'moving', ...leaving })
    throw error
  })
  onStep({ kind: 'moved' })
}

async function unlessAway(done: Promise<void>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!(error instanceof MemoryAway || error instanceof StoreFailure)) throw error
  })
}

async function assertEmpty(target: End, mark: Mark | null): Promise<void> {
  const held = await target.holds()
  if (held === null && mark?.state !== 'moving' && mark?.state !== 'moved') return
  const what = held === null ? 'was moved' : `holds ${held} already`
  throw new StoreError(
    `The database ${target.name} ${what}, and nothing is moved into one that was in use: name an empty one.`,
  )
}

type Write = Parameters<Parameters<End['fill']>[0]>[0]

async function copy(
  source: End,
  target: End,
  write: Write,
  { signal, onStep }: Pick<MoveParts, 'signal' | 'onStep'>,
): Promise<void> {
  for (const table of tableNames) {
    const columns = await source.columns(table)
    const there = await target.columns(table)
    if (columns.join() !== there.join()) throw new Error(`${table} has other columns there: ${there.join()}`)
    const fitted = await target.fitting(table)
    const sent = openSum(table)
    let piece: Row[] = []
    const send = async () => {
      if (signal.aborted) throw new StoreError('The move was broken off: nothing was moved.')
      await write(table, piece)
      piece = []
    }
    for await (const found of source.rows(table)) {
      const row = fitted(found)
      sent.add(row)
      if (piece.push(row) === pieceRows) await send()
    }
    await send()
    const found = openSum(table)
    for await (const row of target.rows(table)) found.add(row)
    if (found.digest() !== sent.digest()) {
      throw new StoreError(
        `The ${table} in ${target.name} are not those of ${source.name} (${found.rows()} rows of ${sent.rows()}): nothing was moved.`,
      )
    }
    onStep({ kind: 'copied', table, rows: sent.rows() })
  }
}

/**
 * Counts rows, and hashes them: in their order where they are read in that of their writing, else in any, because a key that was
 * made storable may stand elsewhere.
 */
function openSum(table: TableName) {
  const isOrdered = order[table] === 'written'
  let rows = 0
  let sum = 0n
  return {
    add: (row: Row) => {
      rows += 1
      const text = JSON.stringify(isOrdered ? [rows, ...row] : row)
      sum = BigInt.asUintN(256, sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`))
    },
    rows: () => rows,
    digest: () => `${rows} ${sum}`,
  }
}
