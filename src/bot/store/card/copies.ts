/** Messages that were posted for a card by a process that does not lead any more: see `noteCopy`. */
import type { Kysely } from 'kysely'
import type { CardState } from '../../domain/delivery/delivery.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'

export function copyStore(db: Kysely<Tables>) {
  return {
    copies: async () => {
      const rows = await db
        .selectFrom('copies')
        .leftJoin('cards', 'cards.card_id', 'copies.card_id')
        .select(['copies.card_id', 'copies.channel', 'copies.ts', 'cards.state', 'cards.ts as shown_ts'])
        .orderBy('copies.ts')
        .execute()
      return rows.map(({ card_id, channel, ts, state, shown_ts }) => ({
        cardId: card_id,
        channel,
        ts: ts === '' ? null : ts,
        state: state as CardState | null,
        shownTs: shown_ts,
      }))
    },
    takeCopy: ({ cardId, ts }) =>
      db.transaction().execute(async (tx) => {
        await tx
          .updateTable('cards')
          // It shows what was wanted when it was sent, or older.
          .set((eb) => ({
            state: 'shown',
            ts,
            shown: eb('wanted', '-', 1),
            attempts: 0,
            why: null,
            not_before_ms: 0,
          }))
          .where('card_id', '=', cardId)
          .where('ts', 'is', null)
          .where('state', 'in', ['wanted', 'unknown'])
          .execute()
        const isTaken = tx
          .selectFrom('cards')
          .select('card_id')
          .where('card_id', '=', cardId)
          .where('ts', '=', ts)
        if ((await isTaken.executeTakeFirst()) === undefined) return false
        await tx.deleteFrom('copies').where('card_id', '=', cardId).where('ts', '=', ts).execute()
        return true
      }),
    forgetCopy: async ({ cardId, ts }) => {
      await db
        .deleteFrom('copies')
        .where('card_id', '=', cardId)
        .where('ts', '=', ts ?? '')
        .execute()
    },
  } satisfies Partial<Store>
}
