/** Notification switches that the API may carry out late: one row per subject and direction, removed within the hour. */
import type { Kysely } from 'kysely'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { hostnameOf, subjectOf } from './mutes.ts'

export function strayStore(db: Kysely<Tables>) {
  return {
    strays: async () => {
      const rows = await db.selectFrom('strays').selectAll().orderBy('not_before_ms').execute()
      return rows.map((row) => ({
        hostname: hostnameOf(row.subject),
        on: row.asked_on === 1,
        sinceMs: row.since_ms,
        notBeforeMs: row.not_before_ms,
        attempts: row.attempts,
        muteId: row.mute_id,
      }))
    },
    noteStray: async ({ hostname, on, ...stray }) => {
      const row = {
        since_ms: stray.sinceMs,
        not_before_ms: stray.notBeforeMs,
        attempts: stray.attempts,
        mute_id: stray.muteId,
      }
      await db
        .insertInto('strays')
        .values({ subject: subjectOf(hostname), asked_on: on ? 1 : 0, ...row })
        .onConflict((conflict) => conflict.columns(['subject', 'asked_on']).doUpdateSet(row))
        .execute()
    },
    dropStray: async ({ hostname, on }) => {
      await db
        .deleteFrom('strays')
        .where('subject', '=', subjectOf(hostname))
        .where('asked_on', '=', on ? 1 : 0)
        .execute()
    },
  } satisfies Partial<Store>
}
