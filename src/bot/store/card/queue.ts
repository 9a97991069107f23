/** The queue of cards that wait, in the order in which Slack is to show them. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { MemoryAway, StoreFailure } from '../../domain/base/failure.ts'
import { boardAnewEveryMs, cardWaitMaxMs, tidyWaitMaxMs } from '../../domain/delivery/delivery.ts'
import { type Rank, ranks, type Turn } from '../../domain/delivery/pace.ts'
import { firstMessageWaitMs } from '../../domain/delivery/picture.ts'
import { type CardJob, type CardTask, UnreadableCard, type WhichCards } from '../../flow/ports/card-store.ts'
import type { Tables } from '../open/schema.ts'
import { toDelivery } from '../records/rows.ts'
import { believed } from '../records/statements.ts'
import { sqlOf, type Words } from '../sql/words.ts'
import { isNotPermanent, ofKinds } from './card-conditions.ts'
import { viewOf } from './views.ts'

/** Exactly the condition of the index `cards_waiting`, which holds only these cards. */
export const waits = sql<boolean>`(cards.state in ('wanted', 'unknown') or (cards.state = 'shown' and (cards.shown < cards.wanted or cards.tidy_ms is not null)))`

export const isOfAlert = ofKinds(({ update }) => update === 'alert')

/** Everything it reports has ended, and is no one-off: there is no hurry. */
const isOver = sql`${ofKinds(({ subject }) => subject === 'alerts')} and not exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state in ('open', 'oneoff')
)`

/** Among posts about open alerts, critical ones come first. */
const isCritical = sql`(task = 'post' and ${ofKinds(({ post }) => post === 'opening')} and exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state in ('open', 'oneoff') and alerts.severity = 'critical'
))`

const longestWaitMs = sql<number>`case when ${isNotPermanent} then ${sql.lit(cardWaitMaxMs)} else ${sql.lit(boardAnewEveryMs)} end`

/**
 * Until when the first message waits for its picture: no longer than it may take, and not at all for one that will take
 * longer. A card that was made in the future was made before the clock was set back, and has waited long enough.
 */
const untilPictureMs = (nowMs: number) => sql<number>`case
  when cards.state = 'wanted' and cards.created_ms <= ${nowMs}
    and cards.created_ms + ${firstMessageWaitMs} > ${nowMs} and exists (
      select 1 from card_pictures where card_pictures.card_id = cards.card_id
        and card_pictures.state = 'wanted' and card_pictures.way = 'chart'
        and card_pictures.not_before_ms < cards.created_ms + ${firstMessageWaitMs}
    )
  then cards.created_ms + ${firstMessageWaitMs} else 0 end`

/**
 * Everything that waits for its time, one row per card and task; a reply waits until its thread exists. In plain SQL: it runs
 * at every wake-up, and compiling it with the query builder took longer than running it.
 */
const waiting = (words: Words, nowMs: number) => sql`(
  select cards.card_id, cards.kind, cards.topic, cards.channel, cards.created_ms, cards.page,
    parents.ts as parent_ts,
    cards.moved > cards.shown as is_moved,
    case
      when cards.state = 'wanted' then 'post'
      when cards.state = 'unknown' then 'check'
      when cards.shown < cards.wanted then 'update'
      else 'tidy'
    end as task,
    case
      when cards.state in ('wanted', 'unknown') or cards.shown < cards.wanted
      then ${words.larger(believed('cards.not_before_ms', nowMs, longestWaitMs), untilPictureMs(nowMs))}
      else ${believed('cards.tidy_ms', nowMs, tidyWaitMaxMs)}
    end as due_ms
  from cards left join cards as parents on parents.card_id = cards.parent_id
  where ${waits} and (
    cards.state = 'shown' or cards.parent_id is null or parents.ts is not null
    -- Without its thread a page is still better than nothing.
    or parents.state = 'dead'
  )
)`

export async function due(db: Kysely<Tables>, nowMs: number, tasks: readonly CardTask[]) {
  const { rows } = await sql<{ now: number; next_ms: number | null }>`select
      count(case when due_ms <= ${nowMs} then 1 end) as now,
      min(case when due_ms > ${nowMs} then due_ms end) as next_ms
    from ${waiting(sqlOf(db), nowMs)} as cards where task in (${sql.join(tasks)})`.execute(db)
  const [found] = rows
  return { now: found?.now ?? 0, nextMs: found?.next_ms ?? null }
}

const rankNumber = (name: keyof typeof ranks) => sql.lit(ranks[name])

const rankOf = sql`case task
  when 'post' then case
    when ${ofKinds(({ post }) => post === 'opening')}
      then case when ${isOver} then ${rankNumber('said')} else ${rankNumber('opening')} end
    when ${ofKinds(({ post }) => post === 'listing')} then ${rankNumber('listing')}
    when ${ofKinds(({ post }) => post === 'picture')} then ${rankNumber('around')}
    else ${rankNumber('said')} end
  when 'check' then ${rankNumber('check')}
  when 'update' then case
    when ${isOfAlert} then case
      when not is_moved then ${rankNumber('around')}
      when ${isOver} then ${rankNumber('closing')}
      else ${rankNumber('alert')} end
    when ${ofKinds(({ update }) => update === 'page')} then ${rankNumber('page')}
    when ${ofKinds(({ update }) => update === 'board')} then ${rankNumber('board')}
    else ${rankNumber('storm')} end
  else ${rankNumber('tidy')} end`

type Due = {
  readonly card_id: string
  readonly task: CardTask
  readonly parent_ts: string | null
  readonly rank: Rank
}

function isAmong(words: Words, which: WhichCards): RawBuilder<unknown> {
  if (typeof which === 'string') return sql`channel = ${which}`
  const { channels, cards } = which.except
  return sql`channel not in ${words.listed(channels)} and card_id not in ${words.listed(cards)}`
}

export async function nextJob(
  db: Kysely<Tables>,
  which: WhichCards,
  nowMs: number,
  tasks: readonly CardTask[],
  turn: Turn = (ranks) => ranks[0],
): Promise<CardJob | null> {
  if (tasks.length === 0) return null
  const words = sqlOf(db)
  const { rows: firsts } = await sql<Due>`select card_id, task, parent_ts, rank from (
      select *, row_number() over (
        partition by rank
        -- In turn: a card that changes all the time must not keep the calls from those that were made after it.
        order by case task when 'update' then due_ms else 0 end, is_critical desc, created_ms, coalesce(page, 0), card_id
      ) as place
      from (
        select *, ${rankOf} as rank, ${isCritical} as is_critical from ${waiting(words, nowMs)} as cards
        where due_ms <= ${nowMs} and task in (${sql.join(tasks)}) and ${isAmong(words, which)}
      ) as ranked
    ) as placed where place = 1 order by rank`.execute(db)
  const rank = turn(firsts.map((first) => first.rank))
  const next = firsts.find((first) => first.rank === rank)
  if (next === undefined) return null
  const read = () => db.selectFrom('cards').selectAll().where('card_id', '=', next.card_id).executeTakeFirst()
  const row = await read()
  // It was withdrawn after it was chosen.
  if (row === undefined) return nextJob(db, which, nowMs, tasks, turn)
  const job = {
    ...toDelivery(row),
    task: next.task,
    rank: next.rank,
    cardId: row.card_id,
    channel: row.channel,
    parentTs: next.parent_ts,
  }
  try {
    return { ...job, view: await viewOf(db, row) }
  } catch (error) {
    if (error instanceof StoreFailure || error instanceof MemoryAway) throw error
    // It may also be withdrawn while its alerts are read.
    if ((await read()) === undefined) return nextJob(db, which, nowMs, tasks, turn)
    throw new UnreadableCard(job, error)
  }
}
