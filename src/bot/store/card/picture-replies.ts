/**
 * Keeps which charts people have access to: by the message that they were posted with, by a reply, or, in some channels, by an
 * edit.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { fileOn, pictureCard } from '../../domain/card/thread-cards.ts'
import type { CardState } from '../../domain/delivery/delivery.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'

export function pictureReplyStore(db: Kysely<Tables>) {
  return {
    olderReplies: async (cardId, fileId) => {
      const rows = await db
        .selectFrom('cards')
        .select(['card_id', 'channel', 'ts', 'state', 'tidy_ms'])
        .where('subject_id', '=', cardId)
        .where('kind', '=', sql.lit('picture'))
        .execute()
      return rows
        .filter(({ card_id }) => fileOn(card_id) !== fileId)
        .map(({ card_id, channel, ts, state, tidy_ms }) => ({
          cardId: card_id,
          channel,
          ts,
          isSettled: (state === 'shown' && tidy_ms === null) || state === 'dead' || state === 'wanted',
        }))
    },
  } satisfies Partial<Store>
}

/** The state of the reply with this picture; null if there is none. */
export async function replyState(
  db: Kysely<Tables>,
  { cardId, fileId }: { readonly cardId: string; readonly fileId: string },
): Promise<CardState | null> {
  const reply = pictureCard(fileId, { cardId, channel: '', parentId: null })
  const found = db.selectFrom('cards').select('state').where('card_id', '=', reply.cardId)
  return ((await found.executeTakeFirst())?.state as CardState | undefined) ?? null
}

/** The alert that this card's chart shows; null if it has none. */
export async function alertPictured(db: Kysely<Tables>, cardId: string): Promise<Alert | null> {
  const row = await db
    .selectFrom('card_pictures')
    .innerJoin('alerts', 'alerts.alert_id', 'card_pictures.alert_id')
    .selectAll('alerts')
    .where('card_pictures.card_id', '=', cardId)
    .executeTakeFirst()
  return row === undefined ? null : toAlert(row)
}

/** Notes that the card was posted with this chart, so that readers of the channel see it. */
export async function writePosted(tx: Transaction<Tables>, cardId: string, fileId: string): Promise<void> {
  await tx
    .updateTable('card_pictures')
    .set({ state: 'ready', shown_file_id: fileId })
    .where('card_id', '=', cardId)
    .where('file_id', '=', fileId)
    .where('state', '=', 'offered')
    .execute()
}

/** Forgets the replies of a thread whose message is gone: the one that replaces it has their pictures. */
export async function forgetReplies(tx: Transaction<Tables>, rootId: string): Promise<void> {
  await tx
    .updateTable('card_pictures')
    .set({ state: 'offered' })
    .where('state', 'in', ['reply', 'tried'])
    .where((eb) =>
      eb.or([
        eb('card_id', '=', rootId),
        eb(
          'card_id',
          'in',
          eb
            .selectFrom('cards')
            .select('subject_id')
            .where('parent_id', '=', rootId)
            .where('kind', '=', sql.lit('picture'))
            .where('subject_id', 'is not', null)
            .$castTo<{ subject_id: string }>(),
        ),
      ]),
    )
    .execute()
  await tx
    .deleteFrom('cards')
    .where('parent_id', '=', rootId)
    .where('kind', '=', sql.lit('picture'))
    .execute()
}
