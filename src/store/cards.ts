/** Cards that are behind: which is the most urgent, what it should show, and what came of showing it. */
import { type Kysely, type QueryCreator, sql } from 'kysely'
import {
  boardAnewEveryMs,
  type CardState,
  cardWaitMaxMs,
  type DeliveryPatch,
  tidyWaitMaxMs,
} from '../domain/delivery.ts'
import { boardOverdueMs } from '../domain/pace.ts'
import type { CardJob, CardTask, Road, Store } from '../flow/store-port.ts'
import { believed } from './believed.ts'
import { newestState } from './pictures.ts'
import { fromDeliveryPatch, toDelivery } from './rows.ts'
import type { Tables } from './schema.ts'
import { viewOf } from './views.ts'

export function cardStore(
  db: Kysely<Tables>,
): Pick<Store, 'recoverSending' | 'retryDead' | 'reopen' | 'due' | 'nextJob' | 'settle' | 'countCards'> {
  return {
    recoverSending: async () => {
      const result = await db
        .updateTable('cards')
        .set({ state: 'unknown', not_before_ms: 0, why: 'interrupted' })
        .where('state', '=', 'sending')
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    retryDead: async () => {
      const result = await db
        .updateTable('cards')
        .set({
          state: sql`case when ts is null then 'wanted' else 'shown' end`,
          shown: sql`case when ts is null or shown < wanted then shown else wanted - 1 end`,
          plain: 0,
          attempts: 0,
          not_before_ms: 0,
        })
        .where('state', '=', 'dead')
        // What stands in Slack is out of date; of what does not, only what is still true is news.
        .where((eb) => eb.or([eb('ts', 'is not', null), eb('kind', '=', 'board'), showsOpen]))
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    reopen: async (channel) => {
      await db
        .updateTable('cards')
        .set({ not_before_ms: 0 })
        .where('channel', '=', channel)
        .where('not_before_ms', '>', 0)
        .where(waits)
        .execute()
    },
    due: (nowMs) => due(db, nowMs),
    nextJob: (channel, nowMs, tasks) => nextJob(db, channel, nowMs, tasks),
    settle: (cardId, patch, from) => settle(db, cardId, patch, from),
    countCards: async () => {
      const isBehind = sql<number>`sum(case when state in ('wanted', 'sending', 'unknown') or (state = 'shown' and shown < wanted) then 1 else 0 end)`
      const rows = await db
        .selectFrom('cards')
        .select(['state', 'channel', db.fn.countAll<number>().as('count'), isBehind.as('behind')])
        .groupBy(['state', 'channel'])
        .execute()
      const behind = rows.filter((row) => row.behind > 0)
      return {
        byState: sums(rows.map((row) => [row.state as CardState, row.count])),
        behind: behind.reduce((sum, row) => sum + row.behind, 0),
        behindIn: sums(behind.map((row) => [row.channel, row.behind])),
      }
    },
  }
}

function sums<Key>(counts: readonly (readonly [Key, number])[]): ReadonlyMap<Key, number> {
  const all = new Map<Key, number>()
  for (const [key, count] of counts) all.set(key, (all.get(key) ?? 0) + count)
  return all
}

async function settle(
  db: Kysely<Tables>,
  cardId: string,
  patch: DeliveryPatch,
  from?: CardState,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const card = tx.updateTable('cards').set(fromDeliveryPatch(patch)).where('card_id', '=', cardId)
    const asked = from === undefined ? card : card.where('state', '=', from)
    const isThere = Number((await asked.executeTakeFirst()).numUpdatedRows) > 0
    if (!isThere) return false
    if (patch.state === 'dead') {
      // Its thread may be gone. Only an update of the message above it tells, and then all that stood there comes anew.
      await tx
        .updateTable('cards')
        .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
        .where('state', '=', 'shown')
        .whereRef('shown', '>=', 'wanted')
        .where('card_id', '=', (eb) =>
          eb.selectFrom('cards as dead').select('dead.parent_id').where('dead.card_id', '=', cardId),
        )
        .execute()
    }
    if (patch.ts !== null) return isThere
    // The message is gone, and its thread with it: what stood there is posted anew.
    await tx
      .updateTable('cards')
      .set({ state: 'wanted', ts: null, shown: 0, not_before_ms: 0 })
      .where('parent_id', '=', cardId)
      .execute()
    return isThere
  })
}

/** Word for word as the index `cards_waiting` has it, which holds these cards only. */
export const waits = sql<boolean>`(cards.state in ('wanted', 'unknown') or (cards.state = 'shown' and (cards.shown < cards.wanted or cards.tidy_ms is not null)))`

// A summary or a storm is over in part when one of its alerts is: people should see that soon too. For its pages it makes
// no difference, as they wait for all these anyway.
const isOver = sql<number>`case cards.kind
  when 'alert' then case when ${newestState} in ('closed', 'unreported') then 1 else 0 end
  when 'summary' then ${someAre('closed', 'unreported')}
  when 'storm' then ${someAre('closed', 'unreported')}
  else 0 end`

const showsOpen = sql<boolean>`exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state = 'open'
)`

function someAre(...states: readonly string[]) {
  return sql`case when exists (
    select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
    where card_alerts.card_id = cards.card_id and alerts.state in (${sql.join(states.map((state) => sql.lit(state)))})
  ) then 1 else 0 end`
}

const longestWaitMs = sql<number>`case cards.kind when 'board' then ${sql.lit(boardAnewEveryMs)} else ${sql.lit(cardWaitMaxMs)} end`

/** Everything that waits for its time, one row a card and task; a reply waits until its thread is there. */
function waiting(db: QueryCreator<Tables>, nowMs: number) {
  return db
    .selectFrom('cards')
    .leftJoin('cards as parents', 'parents.card_id', 'cards.parent_id')
    .select(['cards.card_id', 'cards.kind', 'cards.channel', 'cards.created_ms', 'cards.page'])
    .select('parents.ts as parent_ts')
    .select((eb) => [
      eb
        .case()
        .when('cards.state', '=', 'wanted')
        .then(sql.lit<CardTask>('post'))
        .when('cards.state', '=', 'unknown')
        .then(sql.lit<CardTask>('check'))
        .when(eb('cards.shown', '<', eb.ref('cards.wanted')))
        .then(sql.lit<CardTask>('update'))
        .else(sql.lit<CardTask>('tidy'))
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
        .then(believed('cards.not_before_ms', nowMs, longestWaitMs))
        .else(believed('cards.tidy_ms', nowMs, tidyWaitMaxMs))
        .end()
        .$castTo<number>()
        .as('due_ms'),
    ])
    .where(waits)
    .where((eb) =>
      eb.or([
        eb('cards.state', '<>', 'wanted'),
        eb('cards.parent_id', 'is', null),
        eb('parents.ts', 'is not', null),
        // Without its thread a page is still better than nothing.
        eb('parents.state', '=', 'dead'),
      ]),
    )
}

const roadOfTask = sql<Road>`case task when 'post' then 'post' else 'upkeep' end`

async function due(db: Kysely<Tables>, nowMs: number) {
  const rows = await db
    .selectFrom(waiting(db, nowMs).as('waiting'))
    .select(['channel', roadOfTask.as('road'), (eb) => eb.fn.min<number>('due_ms').as('first_ms')])
    .groupBy(['channel', 'road'])
    .execute()
  const lanes = rows.filter((row) => row.first_ms <= nowMs).map(({ channel, road }) => ({ channel, road }))
  const later = rows.filter((row) => row.first_ms > nowMs).map((row) => row.first_ms)
  return { lanes, nextMs: later.length > 0 ? Math.min(...later) : null }
}

// What must be seen first: an opening, then the fate of a post that may be there, then what else is to be said, then a
// closing, then the rest. A page repeats line by line what its storm counts, and a board what the cards say, so these go
// last; a board that is late goes before cards that only change a little.
function urgency(nowMs: number) {
  return sql<number>`case task
    when 'post' then case
      when kind in ('alert', 'summary', 'storm', 'blind') then 2 * is_over
      when kind = 'page' then 3
      else 2 end
    when 'check' then 1
    when 'update' then case
      when kind = 'board' then case when due_ms <= ${nowMs - boardOverdueMs} then 5 else 9 end
      when kind = 'page' then 7
      else 6 - 2 * is_over end
    else 8 end`
}

async function nextJob(
  db: Kysely<Tables>,
  channel: string,
  nowMs: number,
  tasks: readonly CardTask[],
): Promise<CardJob | null> {
  if (tasks.length === 0) return null
  const next = await db
    // Once for each card, whatever asks for its columns after that.
    .with(
      (cte) => cte('waiting').materialized(),
      (cte) => waiting(cte, nowMs).select(isOver.as('is_over')).where('cards.channel', '=', channel),
    )
    .selectFrom('waiting')
    .select(['card_id', 'task', 'parent_ts'])
    .where('due_ms', '<=', nowMs)
    .where('task', 'in', tasks)
    .orderBy(urgency(nowMs))
    // In turn: a card that changes all the time must not keep the calls from those that were made after it.
    .orderBy(sql`case task when 'update' then due_ms else 0 end`)
    .orderBy('created_ms')
    .orderBy('page')
    .orderBy('card_id')
    .limit(1)
    .executeTakeFirst()
  if (next === undefined) return null
  const row = await db
    .selectFrom('cards')
    .selectAll()
    .where('card_id', '=', next.card_id)
    .executeTakeFirstOrThrow()
  return {
    ...toDelivery(row),
    task: next.task,
    cardId: row.card_id,
    channel: row.channel,
    parentTs: next.parent_ts,
    view: await viewOf(db, row),
  }
}
