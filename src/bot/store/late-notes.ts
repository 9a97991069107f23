/**
 * What a process leaves of calls that it made, when another one leads already: each note is one statement that fits whatever the
 * one that leads writes at the same time. They alone are written without its term.
 */
import type { Kysely } from 'kysely'
import type { Store } from '../flow/ports/store.ts'
import type { Tables } from './open/schema.ts'

export type LateNotes = Pick<Store, 'noteCopy' | 'noteLateUpdate' | 'noteLateSwitch'>

export function lateNotes(db: Kysely<Tables>): LateNotes {
  return {
    noteCopy: async ({ cardId, channel, ts }) => {
      await db
        .insertInto('copies')
        .values({ card_id: cardId, channel, ts: ts ?? '' })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    noteLateUpdate: async (cardId) => {
      await db
        .updateTable('cards')
        .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
        .where('card_id', '=', cardId)
        .where('state', '=', 'shown')
        .execute()
    },
    noteLateSwitch: async (subject) => {
      await db
        .updateTable('switches')
        .set((eb) => ({ doubt_ms: unknownMs, not_before_ms: 0, version: eb('version', '+', 1) }))
        .where('subject', '=', subject ?? '')
        .execute()
    },
  }
}

/** When it was, by a clock that nobody else knows: whoever reads it takes it for the present (`domain/mute/switch.ts`). */
export const unknownMs = Number.MAX_SAFE_INTEGER
