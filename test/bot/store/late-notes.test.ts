/** What a deposed process leaves behind. */
import { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { Deposed } from '../../../src/bot/domain/base/failure.ts'
import { lateNotes } from '../../../src/bot/store/late-notes.ts'
import { openPostgresStore } from '../../../src/bot/store/open/open-postgres.ts'
import { postgresDialect } from '../../../src/bot/store/postgres/driver.ts'
import { openPostgresPool } from '../../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { storedMs } from '../../support/memory-store.ts'
import { sharedPostgres } from '../../support/postgres.ts'
import { lead } from '../../support/postgres-memory.ts'
import { migratedDatabase } from '../../support/postgres-store.ts'

test('who is deposed writes nothing but late notes, and those without its term', async () => {
  const url = await migratedDatabase()
  const postgres = await sharedPostgres()
  const database = new URL(url).pathname.slice(1)
  await lead(postgres, database, { holder: 'a', term: 1 })
  const pool = openPostgresPool(url, { clock: realClock })
  onTestFinished(() => pool.close())
  const proof = () => ({ holder: 'a', term: 1 })
  const store = {
    ...openPostgresStore(postgresDialect({ pool, proof, clock: realClock })),
    ...lateNotes(new Kysely({ dialect: postgresDialect({ pool, proof: null, clock: realClock }) })),
  }
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', storedMs))
  await store.settle('alert:1:C1', { state: 'shown', ts: '1.1', shown: 1 })
  await lead(postgres, database, { holder: 'b', term: 2 })
  const claim = { sendingMs: storedMs, firstSendingMs: storedMs }
  await expect(store.claimPost('alert:2:C1', claim)).rejects.toThrow(Deposed)
  await store.noteCopy({ cardId: 'alert:2:C1', channel: 'C1', ts: '2.2' })
  await store.noteLateUpdate('alert:1:C1')
  await store.noteLateSwitch('web-1')
  await expect(store.settle('alert:1:C1', { shown: 2 })).rejects.toThrow(Deposed)
  expect((await store.copies()).map(({ ts, state }) => [ts, state])).toEqual([['2.2', 'wanted']])
  expect(await store.cardById('alert:1:C1')).toMatchObject({ version: 2 })
})
