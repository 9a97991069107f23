/** Cards that are behind: which is the most urgent, what it should show, and what came of showing it. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Alert } from '../domain/alert.ts'
import type { CardPicture, CardView } from '../domain/card.ts'
import type { CardState, DeliveryPatch } from '../domain/delivery.ts'
import type { CardJob, CardTask, Store } from '../flow/ports.ts'
import { fromDeliveryPatch, toAlert, toDelivery } from './rows.ts'
import type { CardRow, Tables } from './schema.ts'

const weekMs = 7 * 24 * 60 * 60 * 1000

export function cardStore(
  db: Kysely<Tables>,
): Pick<Store, 'recoverSending' | 'due' | 'nextJob' | 'settle' | 'countCards'> {
  return {
    recoverSending: async () => {
      const result = await db
        .updateTable('cards')
        .set({ state: 'unknown', not_before_ms: 0, why: 'interrupted' })
        .where('state', '=', 'sending')
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    due: (nowMs) => due(db, nowMs),
    nextJob: (channel, nowMs, tasks) => nextJob(db, channel, nowMs, tasks),
    settle: (cardId, patch) => settle(db, cardId, patch),
    countCards: async () => {
      const rows = await db
        .selectFrom('cards')
        .select(['state', db.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute()
      return new Map(rows.map((row) => [row.state as CardState, row.count]))
    },
  }
}

async function settle(db: Kysely<Tables>, cardId: string, patch: DeliveryPatch): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('cards').set(fromDeliveryPatch(patch)).where('card_id', '=', cardId).execute()
    if (patch.ts !== null) return
    // The message is gone, and its thread with it: what stood there is posted anew.
    await tx
      .updateTable('cards')
      .set({ state: 'wanted', ts: null, shown: 0, not_before_ms: 0 })
      .where('parent_id', '=', cardId)
      .execute()
  })
}

type Waiting = Selectable<CardRow> & {
  task: CardTask
  due_ms: number
  parent_ts: string | null
  is_over: number
}

/** Everything that waits for its time, one row a card and task; a reply waits until its thread is there. */
function waiting(db: Kysely<Tables>) {
  return db
    .selectFrom('cards')
    .leftJoin('cards as parents', 'parents.card_id', 'cards.parent_id')
    .selectAll('cards')
    .select('parents.ts as parent_ts')
    .select((eb) => [
      eb
        .case()
        .when('cards.state', '=', 'wanted')
        .then(sql.lit('post'))
        .when('cards.state', '=', 'unknown')
        .then(sql.lit('check'))
        .when(eb('cards.shown', '<', eb.ref('cards.wanted')))
        .then(sql.lit('update'))
        .else(sql.lit('tidy'))
        .end()
        .as('task'),
      eb
        .case()
        .when(
          eb.or([
            eb('cards.state', 'in', ['wanted', 'unknown']),
            eb('cards.shown', '<', eb.ref('cards.wanted')),
          ]),
        )
        .then(eb.ref('cards.not_before_ms'))
        .else(eb.ref('cards.tidy_ms'))
        .end()
        .as('due_ms'),
      eb
        .exists(
          eb
            .selectFrom('card_alerts')
            .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
            .select('alerts.alert_id')
            .whereRef('card_alerts.card_id', '=', 'cards.card_id')
            .where('alerts.state', 'in', ['closed', 'unreported']),
        )
        .as('is_over'),
    ])
    .where((eb) =>
      eb.or([
        eb.and([
          eb('cards.state', '=', 'wanted'),
          eb.or([
            eb('cards.parent_id', 'is', null),
            eb('parents.ts', 'is not', null),
            // Without its thread a page is still better than nothing.
            eb('parents.state', '=', 'dead'),
          ]),
        ]),
        eb('cards.state', '=', 'unknown'),
        eb.and([
          eb('cards.state', '=', 'shown'),
          eb.or([eb('cards.shown', '<', eb.ref('cards.wanted')), eb('cards.tidy_ms', 'is not', null)]),
        ]),
      ]),
    )
}

async function due(db: Kysely<Tables>, nowMs: number) {
  const rows = await db
    .selectFrom(waiting(db).as('waiting'))
    .select(['channel', (eb) => eb.fn.min<number>('due_ms').as('first_ms')])
    .groupBy('channel')
    .execute()
  const channels = rows.filter((row) => row.first_ms <= nowMs).map((row) => row.channel)
  const later = rows.filter((row) => row.first_ms > nowMs).map((row) => row.first_ms)
  return { channels, nextMs: later.length > 0 ? Math.min(...later) : null }
}

// What must be seen first: an opening, then the fate of a post that may be there, then a closing, then the rest.
const urgency = sql<number>`case task when 'post' then 2 * is_over when 'check' then 1 when 'update' then 4 - is_over else 5 end`

async function nextJob(
  db: Kysely<Tables>,
  channel: string,
  nowMs: number,
  tasks: readonly CardTask[],
): Promise<CardJob | null> {
  if (tasks.length === 0) return null
  const row = (await db
    .selectFrom(waiting(db).where('cards.channel', '=', channel).as('waiting'))
    .selectAll()
    .where('due_ms', '<=', nowMs)
    .where('task', 'in', tasks)
    .orderBy(urgency)
    .orderBy('created_ms')
    .orderBy('page')
    .orderBy('card_id')
    .limit(1)
    .executeTakeFirst()) as Waiting | undefined
  if (!row) return null
  return {
    ...toDelivery(row),
    task: row.task,
    cardId: row.card_id,
    channel: row.channel,
    parentTs: row.parent_ts,
    view: await viewOf(db, row),
  }
}

async function viewOf(db: Kysely<Tables>, card: Waiting): Promise<CardView> {
  const rows = await db
    .selectFrom('card_alerts')
    .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
    .selectAll('alerts')
    .where('card_alerts.card_id', '=', card.card_id)
    .orderBy('card_alerts.place')
    .execute()
  const alerts = rows.map(toAlert)
  if (card.kind === 'summary') return { kind: 'summary', alerts, mention: card.mention }
  if (card.kind === 'page') return { kind: 'page', alerts, page: card.page ?? 1 }
  const alert = alerts[0]
  if (!alert) throw new Error(`The card ${card.card_id} shows no alert`)
  const [timesThisWeek, picture] = [await countThisWeek(db, alert), await pictureOf(db, alert)]
  return { kind: 'alert', alert, timesThisWeek, picture, mention: card.mention }
}

async function countThisWeek(db: Kysely<Tables>, alert: Alert): Promise<number> {
  const row = await db
    .selectFrom('alerts')
    .select(db.fn.countAll<number>().as('count'))
    .where('hostname', '=', alert.hostname)
    .where('plugin', '=', alert.plugin)
    .where('metric', alert.metric === null ? 'is' : '=', alert.metric)
    .where('started_ms', '>', alert.startedMs - weekMs)
    .where('started_ms', '<=', alert.startedMs)
    .executeTakeFirstOrThrow()
  return row.count
}

async function pictureOf(db: Kysely<Tables>, alert: Alert): Promise<CardPicture | null> {
  const row = await db
    .selectFrom('pictures')
    .selectAll()
    .where('alert_id', '=', alert.alertId)
    .where('state', '=', 'ready')
    .executeTakeFirst()
  if (!row) return null
  if (row.way === 'url') return { kind: 'url', url: alert.sparklineUrl }
  return row.file_id === null ? null : { kind: 'file', fileId: row.file_id, attempts: row.attempts }
}
