/** Reads what waits in a channel for the decision about storms, and writes that decision. */
import { type Kysely, sql, type Transaction } from 'kysely'
import {
  type ChannelQueue,
  type StormCard,
  stormLastsMsMax,
  type WaitingCard,
} from '../../domain/card/storm.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import { isLive } from '../mute/mutes.ts'
import type { CardRow, Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'
import { asOfOneMoment, chunks, insertAll, StalePlan } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'
import { membersOf } from './places.ts'
import { waits } from './queue.ts'

export function stormStore(db: Kysely<Tables>) {
  return {
    queues: async (channels) => {
      const queues = new Map<string, ChannelQueue>()
      if (channels.length === 0) return queues
      // As of one moment: a card posted between two of the queries would be in neither result.
      await asOfOneMoment(db).execute(async (tx) => {
        for (const channel of channels) queues.set(channel, await queueOf(tx, channel))
      })
      return queues
    },
  } satisfies Partial<Store>
}

async function queueOf(tx: Transaction<Tables>, channel: string): Promise<ChannelQueue> {
  const unposted = await tx
    .selectFrom('cards')
    .select('card_id')
    .where('channel', '=', channel)
    .where(waits)
    .where('kind', '=', 'alert')
    .where('state', 'in', ['wanted', 'unknown'])
    .where('shown', '=', 0)
    .execute()
  // Usually nothing waits: then the rest need not be read.
  const waiting = unposted.length === 0 ? [] : await waitingIn(tx, channel)
  const unsure = unposted.length - waiting.length
  return {
    waiting,
    unsure,
    storms: await lastIn(tx, channel, 'storm'),
    summaries: await lastIn(tx, channel, 'summary'),
  }
}

async function waitingIn(tx: Transaction<Tables>, channel: string): Promise<WaitingCard[]> {
  const rows = await tx
    .selectFrom('cards')
    .innerJoin('card_alerts', 'card_alerts.card_id', 'cards.card_id')
    .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
    .selectAll('alerts')
    .select(['cards.card_id', 'cards.mention'])
    .where('cards.channel', '=', channel)
    .where(waits)
    .where(isWithdrawable)
    .orderBy('cards.created_ms')
    .orderBy('cards.card_id')
    .execute()
  return rows.map((row) => ({ cardId: row.card_id, alert: toAlert(row), mention: row.mention }))
}

/** It stands in the thread of every alert with a long one, and goes with its card. */
const isDescription = sql<boolean>`replies.topic = 'description' and replies.state = 'wanted'`

/** One alert's card that Slack certainly does not have, and whose thread is empty with nothing waiting for it. */
const isWithdrawable = sql<boolean>`(
  cards.kind = 'alert' and cards.state = 'wanted' and cards.shown = 0 and cards.tidies = 0
  and not exists (select 1 from card_alerts as others where others.card_id = cards.card_id and others.place > 0)
  and not exists (select 1 from cards as replies where replies.parent_id = cards.card_id and not (${isDescription}))
  -- Queried once for all cards: a muted storm leaves a mute for each of its servers.
  and cards.card_id not in (select card_id from mutes where ${isLive} and card_id is not null)
  and cards.card_id not in (
    select card_id from markers where state in ('wanted', 'sending') and card_id is not null
  )
)`

/** At most this many storms run in a channel at a time; alerts that would join an older one begin a new one. */
const lastMax = 4

async function lastIn(
  tx: Transaction<Tables>,
  channel: string,
  kind: 'storm' | 'summary',
): Promise<StormCard[]> {
  const rows = await tx
    .selectFrom('cards')
    .select(['card_id', 'mention', 'created_ms', 'state', 'shown', 'plain', 'attempts', 'why'])
    .where('kind', '=', sql.lit(kind))
    .where('channel', '=', channel)
    // In order of writing, not of time: the clock may have been set back.
    .orderBy(sqlOf(tx).written, 'desc')
    .limit(lastMax)
    .execute()
  const [last] = rows
  const storms: StormCard[] = []
  for (const row of rows) {
    const isLate = Math.abs(row.created_ms - (last?.created_ms ?? 0)) > stormLastsMsMax
    if (row.state === 'dead' || isGivenUp(row) || isLate) continue
    storms.push({
      cardId: row.card_id,
      mention: row.mention,
      createdMs: row.created_ms,
      isWaiting: row.state !== 'shown' && row.shown === 0,
      alerts: await membersOf(tx, row.card_id),
      pages: await pagesOf(tx, row.card_id),
    })
  }
  return storms
}

/** Slack no longer lets the message change, or it was deleted for good: what joined it would be shown nowhere. */
function isGivenUp({ state, plain, attempts, why }: Pick<CardRow, 'state' | 'plain' | 'attempts' | 'why'>) {
  // A card that is merely being retried counts its attempts, and one whose payload was refused is plain.
  return state === 'shown' && why !== null && attempts === 0 && plain === 0
}

async function pagesOf(tx: Transaction<Tables>, stormId: string): Promise<StormCard['pages']> {
  const rows = await tx
    .selectFrom('cards')
    .leftJoin('card_alerts', 'card_alerts.card_id', 'cards.card_id')
    .select(['cards.card_id', 'cards.page', 'cards.mention', 'cards.state', 'card_alerts.alert_id'])
    // By their ids, not by their parent: where Slack takes no replies they are messages of the channel.
    .where('cards.card_id', '>', `${stormId}/`)
    .where('cards.card_id', '<', `${stormId}0`)
    .where('cards.kind', '=', 'page')
    .orderBy('cards.page')
    .orderBy('card_alerts.place')
    .execute()
  return [...Map.groupBy(rows, (row) => row.card_id)].map(([cardId, members]) => {
    const [{ page, mention, state } = { page: 1, mention: null, state: '' }] = members
    const alertIds = members.flatMap(({ alert_id }) => (alert_id === null ? [] : [alert_id]))
    return { cardId, page: page ?? 1, mention, isDead: state === 'dead', alertIds }
  })
}

/** Throws a `StalePlan` if one of them is already being sent, or something is in its thread. */
export async function writeWithdrawn(tx: Transaction<Tables>, { withdrawn }: Plan): Promise<void> {
  for (const ids of chunks(tx, withdrawn)) {
    const found = await tx
      .selectFrom('cards')
      .select('cards.card_id')
      .where('cards.card_id', 'in', ids)
      .where(isWithdrawable)
      .execute()
    if (found.length !== new Set(ids).size) throw new StalePlan()
    await tx.deleteFrom('cards as replies').where('parent_id', 'in', ids).where(isDescription).execute()
    await tx.deleteFrom('cards').where('card_id', 'in', ids).execute()
  }
}

/** Adds alerts to an existing card as its last; throws a `StalePlan` if Slack will never show the card, or others joined it. */
export async function writeJoins(tx: Transaction<Tables>, { joins }: Pick<Plan, 'joins'>): Promise<void> {
  for (const { cardId, alertIds, after } of joins) {
    const last = await tx
      .selectFrom('cards')
      .leftJoin('card_alerts', 'card_alerts.card_id', 'cards.card_id')
      .select((eb) => [
        eb.fn.max('place').as('place'),
        eb.fn.count<number>('card_alerts.alert_id').as('count'),
      ])
      .groupBy('cards.card_id')
      .where('cards.card_id', '=', cardId)
      .where('cards.state', '<>', 'dead')
      .executeTakeFirst()
    if (last === undefined || (after !== undefined && after !== last.count)) throw new StalePlan()
    const first = (last.place ?? -1) + 1
    const rows = alertIds.map((alert_id, at) => ({ card_id: cardId, alert_id, place: first + at }))
    await insertAll(tx, 'card_alerts', rows, (members) =>
      members.onConflict((conflict) => conflict.doNothing()),
    )
  }
}
