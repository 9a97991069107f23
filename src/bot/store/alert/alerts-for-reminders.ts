/** Reads open alerts for reminders: each with the card that announced it, and whom that card mentioned. */
import { type Kysely, sql } from 'kysely'
import { namesOnce } from '../../domain/card/storm-cards.ts'
import type { Store } from '../../flow/ports/store.ts'
import { isUnderMute } from '../mute/over-alert.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'
import { rowsOf } from '../records/statements.ts'
import { sqlOf, type Words } from '../sql/words.ts'

/** A mute hides it, as `isHidden` in the domain says, or something elsewhere. */
const isQuiet = (words: Words) =>
  sql<boolean>`(alerts.muted_by is not null or ${isUnderMute(words, sql<boolean>`mutes.state = 'active'`)})`

const announcing = ['alert', 'summary', 'storm'] as const

export async function alertsForReminders(
  db: Kysely<Tables>,
  { isAcked, beforeMs, aheadMs = Number.MAX_SAFE_INTEGER }: Parameters<Store['alertsForReminders']>[0],
): ReturnType<Store['alertsForReminders']> {
  const rows = await db
    .selectFrom('alerts')
    .innerJoin('card_alerts', 'card_alerts.alert_id', 'alerts.alert_id')
    .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
    .selectAll('alerts')
    .select(['cards.card_id', 'cards.kind', 'cards.channel', 'cards.mention', 'cards.created_ms'])
    .select(['cards.ts', 'cards.state as card_state', 'card_alerts.place'])
    .where('alerts.state', '=', 'open')
    .where((eb) =>
      isAcked
        ? eb.and([
            eb('alerts.acked_ms', '<=', beforeMs),
            eb.or([eb('alerts.said_ms', 'is', null), eb('alerts.said_ms', '<=', beforeMs)]),
          ])
        : eb('alerts.acked_ms', 'is', null),
    )
    .where('cards.kind', 'in', announcing)
    // If its card came late, after a mute or an absence, it could not be acknowledged earlier. One that moved has later cards as well.
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('card_alerts as told_on')
          .innerJoin('cards as told', 'told.card_id', 'told_on.card_id')
          .select('told.card_id')
          .whereRef('told_on.alert_id', '=', 'alerts.alert_id')
          .where('told.kind', 'in', announcing)
          .where((of) => of.or([of('told.created_ms', '<=', beforeMs), of('told.created_ms', '>', aheadMs)])),
      ),
    )
    .where((eb) => eb.not(isQuiet(sqlOf(db))))
    .orderBy('alerts.started_ms')
    .orderBy('alerts.alert_id')
    .execute()
  const called = await calledBelow(
    db,
    rows.filter(({ kind }) => kind !== 'alert').map((row) => row.card_id),
  )
  return rows.map((row) => ({
    alert: toAlert(row),
    cardId: row.card_id,
    kind: row.kind as 'alert' | 'summary' | 'storm',
    channel: row.channel,
    createdMs: row.created_ms,
    // If Slack will never show it, the reminder goes to the channel.
    isWaiting: row.ts === null && row.card_state !== 'dead',
    isFold: row.kind === 'alert' && row.place > 0,
    mention: namesOnce([row.mention, ...(called.get(row.card_id) ?? [])]),
  }))
}

/** Who was mentioned on these cards' pages, whose alerts joined later. */
async function calledBelow(
  db: Kysely<Tables>,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  const called = new Map<string, (string | null)[]>()
  const calling = db
    .selectFrom('cards')
    .select(['parent_id', 'mention'])
    .where('kind', '=', 'page')
    .where('mention', 'is not', null)
    .orderBy('page')
  const pages = await rowsOf(db, [...new Set(cardIds)], (ids) =>
    calling.where('parent_id', 'in', ids).execute(),
  )
  for (const { parent_id: parentId, mention } of pages) {
    called.set(parentId ?? '', [...(called.get(parentId ?? '') ?? []), mention])
  }
  return called
}
