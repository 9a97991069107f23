/** Claims cards for the calls that show them, so that each call is made once and only its own result is written. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CardState } from '../../domain/delivery/delivery.ts'
import type { PostClaim, UpdateClaim } from '../../flow/ports/card-store.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'

export function claimStore(db: Kysely<Tables>) {
  return {
    recoverSending: async () => {
      const result = await db
        .updateTable('cards')
        .set({ state: 'unknown', not_before_ms: 0, why: 'interrupted' })
        .where('state', '=', 'sending')
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    claimPost: async (cardId, { sendingMs, firstSendingMs }) => {
      const claimed = await db
        .updateTable('cards')
        .set({ state: 'sending', sending_ms: sendingMs, first_sending_ms: firstSendingMs })
        .where('card_id', '=', cardId)
        .where((eb) => eb.or([eb('state', '=', 'wanted'), isClaimed(sendingMs)]))
        .executeTakeFirst()
      return claimed.numUpdatedRows > 0n
    },
    claimUpdate: async (cardId, { callMs }) => {
      const claimed = await db
        .updateTable('cards')
        .set({ call_ms: callMs })
        .where('card_id', '=', cardId)
        .where('state', '=', 'shown')
        .executeTakeFirst()
      return claimed.numUpdatedRows > 0n
    },
  } satisfies Partial<Store>
}

/** Is it claimed for the post that was begun then? */
const isClaimed = (sendingMs: number) => sql<boolean>`(state = 'sending' and sending_ms = ${sendingMs})`

/** Is it in this state, or claimed for this call? */
export function isStill(from: CardState | PostClaim | UpdateClaim): RawBuilder<boolean> {
  if (typeof from === 'string') return sql<boolean>`state = ${from}`
  return 'callMs' in from ? sql<boolean>`call_ms = ${from.callMs}` : isClaimed(from.sendingMs)
}
