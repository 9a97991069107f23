/** Reads and writes requests: keys that identify a repeat, changes that wait for confirmation, and who opened the Home tab. */
import type { Kysely } from 'kysely'
import { jsonOf } from '../../domain/base/storable.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { chunks, insertAll } from './statements.ts'

/** This many Home tabs are kept up to date: Slack takes about 100 updates a minute. */
const homesMax = 50

export function requestStore(db: Kysely<Tables>) {
  return {
    // All keys are stored, even a repeat's: a redelivery of it is a repeat as well.
    claim: async (keys, nowMs) => {
      const rows = [...new Set(keys)].map((key) => ({ request_key: key, at_ms: nowMs }))
      // One statement, as a request has a few keys.
      const added = await insertAll(db, 'requests', rows, (keys) =>
        keys.onConflict((conflict) => conflict.doNothing()),
      )
      return added === rows.length ? 'new' : 'repeat'
    },
    release: async (keys) => {
      for (const some of chunks(db, keys)) {
        await db.deleteFrom('requests').where('request_key', 'in', some).execute()
      }
    },
    keepPending: async ({ pendingId, userId, change, atMs }) => {
      const row = { pending_id: pendingId, user_id: userId, change: jsonOf(change), at_ms: atMs }
      await db.insertInto('pending').values(row).execute()
    },
    takePending: async (pendingId) => {
      // Removed and read in one statement: only one of two clicks gets it.
      const row = await db
        .deleteFrom('pending')
        .where('pending_id', '=', pendingId)
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) return null
      return { userId: row.user_id, change: JSON.parse(row.change) as Change, atMs: row.at_ms }
    },
    noteHome: async (userId, atMs) => {
      await db
        .insertInto('homes')
        .values({ user_id: userId, at_ms: atMs })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ at_ms: atMs }))
        .execute()
    },
    homes: async (sinceMs) => {
      const rows = await db
        .selectFrom('homes')
        .select('user_id')
        .where('at_ms', '>=', sinceMs)
        .orderBy('at_ms', 'desc')
        .orderBy('user_id')
        .limit(homesMax)
        .execute()
      return rows.map((row) => row.user_id)
    },
    forgetRequests: (beforeMs) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('requests').where('at_ms', '<', beforeMs).execute()
        await tx.deleteFrom('pending').where('at_ms', '<', beforeMs).execute()
      }),
  } satisfies Partial<Store>
}
