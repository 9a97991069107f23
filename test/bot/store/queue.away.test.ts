/** A card is not to blame for a memory that goes away while the card is read. */
import type { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { MemoryAway } from '../../../src/bot/domain/base/failure.ts'
import { nextJob } from '../../../src/bot/store/card/queue.ts'
import type { Tables } from '../../../src/bot/store/open/schema.ts'
import { sharedPostgres } from '../../support/postgres.ts'
import { openBot } from '../../support/postgres-memory.ts'
import { migratedDatabase } from '../../support/postgres-store.ts'
import { openTcpGate } from '../../support/tcp-gate.ts'

const nowMs = 1_000

test('whichever read of a card Postgres is away for, the card is no unreadable one', async () => {
  const postgres = await sharedPostgres()
  const database = new URL(await migratedDatabase()).pathname.slice(1)
  await postgres.query(
    `insert into cards (card_id, kind, channel, created_ms, state, wanted, shown, moved, not_before_ms, attempts, plain, tidies)
      values ('board:C1', 'board', 'C1', 0, 'wanted', 1, 0, 0, 0, 0, 0, 0)`,
    database,
  )
  let left = 0
  const gate = await openTcpGate(postgres.port, {
    onPiece: (from, piece) => {
      // What is asked with, as a connection is made without one.
      if (from === 'client' && piece.includes('select')) left -= 1
      if (left === 0) gate.cut()
      return piece
    },
  })
  const { db, close } = openBot(postgres.url(database, gate.port), { connections: 1 })
  onTestFinished(async () => {
    await close()
    await gate.close()
  })
  const next = () => nextJob(db as unknown as Kysely<Tables>, 'C1', nowMs, ['post'])
  let reads = 0
  for (;;) {
    gate.open()
    left = reads + 1
    const found = await next().catch((error: unknown) => error)
    if (!(found instanceof Error)) break
    expect(found).toBeInstanceOf(MemoryAway)
    reads += 1
  }
  // The card that is due, its row, and what it shows.
  expect(reads).toBeGreaterThanOrEqual(3)
})
