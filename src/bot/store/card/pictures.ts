/** Reads and writes the charts of cards: which to prepare next, and the outcome. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { type Alert, isLive } from '../../domain/alert/alert.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import type { CardPicture } from '../../domain/card/kinds.ts'
import { type PictureState, type PictureWay, pictureWaitMaxMs } from '../../domain/delivery/picture.ts'
import type { Plan } from '../../domain/plan.ts'
import type { MeantPicture, PictureJob, PicturePatch } from '../../flow/ports/card-store.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { CardRow, Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'
import { believed, chunks, rowsOf } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'
import { markCardsDirty } from './mark-dirty.ts'
import { pictureReplyStore, replyState } from './picture-replies.ts'

export function pictureStore(db: Kysely<Tables>) {
  return {
    nextPicture: (nowMs, except = []) => nextPicture(db, nowMs, except),
    settlePicture: (cardId, patch, meant) => settlePicture(db, cardId, patch, meant),
    ...pictureReplyStore(db),
  } satisfies Partial<Store>
}

/** The state of the alert that a card shows: of the newest one if several are folded into it. */
const newestState = sql<string>`(
  select newest.state from card_alerts
  join alerts as newest on newest.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id
  order by card_alerts.place desc limit 1)`

/** A card that is not posted by then is one whose channel does not work: what would be drawn now is old when it is. */
const unpostedMaxMs = 60_000

// Only for cards that still show such a picture: those about to be posted, of which each waits a moment for it, then the others.
async function nextPicture(
  db: Kysely<Tables>,
  nowMs: number,
  except: readonly string[],
): ReturnType<Store['nextPicture']> {
  const words = sqlOf(db)
  const dueMs = believed('card_pictures.not_before_ms', nowMs, pictureWaitMaxMs)
  const row = await db
    .selectFrom('card_pictures')
    .innerJoin('cards', 'cards.card_id', 'card_pictures.card_id')
    .innerJoin('alerts', 'alerts.alert_id', 'card_pictures.alert_id')
    .selectAll('alerts')
    .select([
      'card_pictures.card_id',
      'card_pictures.way',
      'card_pictures.state as picture_state',
      'card_pictures.file_id',
      'card_pictures.attempts',
      'card_pictures.not_before_ms',
      'cards.channel',
      'cards.parent_id',
      'cards.state as card_state',
    ])
    .where('card_pictures.state', 'in', ['wanted', 'offered', 'reply', 'tried', 'clearing'])
    .where('card_pictures.card_id', 'not in', words.listed(except))
    .where(sql<boolean>`case card_pictures.state
      when 'wanted' then cards.state = 'shown' or (cards.state = 'wanted' and card_pictures.way = 'chart'
        and cards.created_ms between ${nowMs - unpostedMaxMs} and ${nowMs})
      when 'reply' then cards.state = 'shown' and not exists (
        select 1 from cards as replies
        where replies.card_id = 'picture:' || card_pictures.file_id || ':' || card_pictures.card_id
          and replies.state not in ('shown', 'dead'))
      when 'offered' then cards.state = 'shown'
      -- An edit shows it by now.
      else cards.state = 'shown' and cards.shown >= cards.wanted end`)
    // Any other card shows the metric as it is now, whatever happened to the alert.
    .where(sql<boolean>`(cards.kind <> 'alert' or card_pictures.state in ('tried', 'clearing')
      or case card_pictures.way
      when 'episode' then ${newestState} = 'closed' else ${newestState} in ('open', 'oneoff') end)`)
    .orderBy(words.larger(dueMs, sql`${nowMs}`))
    .orderBy(sql`cards.state = 'shown'`)
    .orderBy('card_pictures.not_before_ms')
    .orderBy('card_pictures.card_id')
    .limit(1)
    .executeTakeFirst()
  if (!row) return { job: null, nextMs: null }
  const waitMs = remainingMs(row.not_before_ms, nowMs, pictureWaitMaxMs)
  if (waitMs > 0) return { job: null, nextMs: nowMs + waitMs }
  const { card_id: cardId, file_id: fileId, attempts, channel, parent_id: parentId } = row
  const state = row.picture_state as PictureJob['state']
  const job = {
    cardId,
    channel,
    parentId,
    way: row.way as PictureWay,
    alert: toAlert(row),
    fileId,
    attempts,
    state,
    isPosted: row.card_state === 'shown',
    reply: state === 'reply' && fileId !== null ? await replyState(db, { cardId, fileId }) : null,
  }
  return { job, nextMs: null }
}

async function settlePicture(
  db: Kysely<Tables>,
  cardId: string,
  { fileId, isSeen, touches, shownFileId, notBeforeMs, ...same }: PicturePatch,
  meant: MeantPicture = {},
): Promise<void> {
  const row = {
    ...same,
    ...(fileId === undefined ? {} : { file_id: fileId }),
    ...(shownFileId === undefined ? {} : { shown_file_id: shownFileId }),
    ...(notBeforeMs === undefined ? {} : { not_before_ms: notBeforeMs }),
  }
  if (Object.keys(row).length === 0) return
  await db.transaction().execute(async (tx) => {
    let asked = tx.updateTable('card_pictures').set(row).where('card_id', '=', cardId)
    if (isSeen === true) asked = asked.set((eb) => ({ shown_file_id: eb.ref('file_id') }))
    if (meant.alertId !== undefined) asked = asked.where('alert_id', '=', meant.alertId)
    if (meant.way !== undefined) asked = asked.where('way', '=', meant.way)
    if (meant.fileId !== undefined) asked = asked.where('file_id', 'is not distinct from', meant.fileId)
    if (meant.shownFileId !== undefined) asked = asked.where('shown_file_id', '=', meant.shownFileId)
    // Meanwhile its card may have been posted without it.
    if (same.state === 'offered') asked = asked.where(isUnposted)
    const { numUpdatedRows } = await asked.executeTakeFirst()
    if (touches === true && Number(numUpdatedRows) > 0) await markCardsDirty(tx, [cardId])
  })
}

const isUnposted = sql<boolean>`exists (
  select 1 from cards where cards.card_id = card_pictures.card_id and cards.state = 'wanted')`

export async function writePictures(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  const over = plan.alerts.filter(({ alert }) => !isLive(alert))
  for (const ids of chunks(
    tx,
    over.map(({ alert }) => alert.alertId),
  )) {
    // A picture that was not ready by the end shows the state at the time, not how it went on.
    await tx
      .deleteFrom('card_pictures')
      .where('alert_id', 'in', ids)
      .where('state', 'in', ['wanted', 'offered', 'reply'])
      .where('way', '<>', 'episode')
      .where('shown_file_id', 'is', null)
      .execute()
  }
  const cards = tx.selectFrom('cards').select('card_id')
  const rows = await rowsOf(
    tx,
    plan.pictures.map(({ cardId }) => cardId),
    (ids) => cards.where('card_id', 'in', ids).execute(),
  )
  const there = new Set(rows.map(({ card_id }) => card_id))
  for (const { cardId, alertId, way } of plan.pictures) {
    // A storm may have taken the card since the plan was made; a line of a storm has no picture.
    if (!there.has(cardId)) continue
    const row = {
      alert_id: alertId,
      way,
      state: 'wanted',
      file_id: null,
      attempts: 0,
      not_before_ms: 0,
      why: null,
    }
    await tx
      .insertInto('card_pictures')
      .values({ card_id: cardId, ...row })
      .onConflict((conflict) =>
        conflict
          .column('card_id')
          .doUpdateSet((eb) => ({
            ...row,
            // Of the same alert: what was drawn last is better than none, until the new one is there.
            shown_file_id: eb
              .case()
              .when('card_pictures.alert_id', '=', alertId)
              .then(eb.ref('card_pictures.shown_file_id'))
              .else(null)
              .end(),
          }))
          // A second request for the same one continues it.
          .where((eb) =>
            eb.or([
              eb('card_pictures.way', '<>', way),
              eb('card_pictures.alert_id', '<>', alertId),
              eb('card_pictures.state', '=', 'failed'),
            ]),
          ),
      )
      .execute()
  }
}

/** Asks for a new chart of the same alert; the card keeps the old one until that is ready. Does nothing if one is in progress. */
export async function wantFresh(
  tx: Transaction<Tables>,
  { cardIds, alertId }: { readonly cardIds: readonly string[]; readonly alertId: string },
): Promise<void> {
  await tx
    .updateTable('card_pictures')
    .set({ state: 'wanted', file_id: null, attempts: 0, not_before_ms: 0, why: null })
    .where('card_id', 'in', cardIds)
    .where('alert_id', '=', alertId)
    .where('way', '=', 'chart')
    .where('state', 'in', ['ready', 'clearing'])
    .execute()
}

/**
 * What a card currently shows of its picture; `alert` is the one on an `alert` card, null where a mute is about to end. Before it is posted
 * that which is to go with it, later only what people have access to.
 */
export async function pictureOf(
  db: Kysely<Tables>,
  { card_id: cardId, state: cardState }: Pick<Selectable<CardRow>, 'card_id' | 'state'>,
  alert: Alert | null,
): Promise<CardPicture | null> {
  const row = await db
    .selectFrom('card_pictures')
    .select(['alert_id', 'way', 'state', 'file_id', 'shown_file_id', 'attempts'])
    .where('card_pictures.card_id', '=', cardId)
    .executeTakeFirst()
  if (!row) return null
  const state = row.state as PictureState
  const isShown = state === 'ready' || state === 'clearing' || state === 'tried'
  if (!isShown && !(state === 'offered' && cardState === 'wanted')) {
    const isOfIt = alert === null || row.alert_id === alert.alertId
    return row.shown_file_id === null || !isOfIt
      ? null
      : { fileId: row.shown_file_id, attempts: row.attempts }
  }
  if (alert !== null) {
    if (row.alert_id !== alert.alertId || !isLive(alert) !== (row.way === 'episode')) return null
  }
  return row.file_id === null ? null : { fileId: row.file_id, attempts: row.attempts }
}
