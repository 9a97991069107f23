/** Finds a card by its id, its message or its alerts; keeps the boards, and what parts of the bot keep in a word or two. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import type { CardKind, NoticeTopic } from '../../domain/card/kinds.ts'
import type { CardState } from '../../domain/delivery/delivery.ts'
import { hostnameOf, type Mute } from '../../domain/mute/mute.ts'
import type { CardPlace } from '../../flow/ports/card-store.ts'
import type { Store } from '../../flow/ports/store.ts'
import { isOfSubject } from '../mute/over-alert.ts'
import type { CardRow, Tables } from '../open/schema.ts'
import { eachOf } from '../open/yielding.ts'
import { toAlert } from '../records/rows.ts'
import { rowsOf } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'

export function placeStore(db: Kysely<Tables>) {
  return {
    cardById: (cardId) => placeOf(db, cardId),
    cardAt: async (channel, ts) => {
      const rows = await cards(db).where('channel', '=', channel).where('ts', '=', ts).limit(1).execute()
      return (await withAlerts(db, rows))[0] ?? null
    },
    cardsOf: (alertIds) => cardsOf(db, alertIds),
    listsOf: (alertIds) => cardsWith(db, alertIds, { kinds: ['storm', 'summary'], withDead: true }),
    remindersOf: (alertIds) => remindersOf(db, alertIds),
    boards: async () => {
      const rows = await cards(db).where('kind', '=', sql.lit('board')).execute()
      return rows.map(({ card_id, channel, ts, state }) => ({
        cardId: card_id,
        channel,
        ts,
        state: state as CardState,
      }))
    },
    forgetCard: async (cardId) => {
      await db.deleteFrom('cards').where('card_id', '=', cardId).execute()
    },
    channelsWithOpen: (subjects) => channelsWithOpen(db, subjects),
    channelsTold: (of) => channelsTold(db, of),
    cardsOfKind: async (kind) => withAlerts(db, await cards(db).where('kind', '=', sql.lit(kind)).execute()),
    noticesOf: async (topic) => withAlerts(db, await cards(db).where('topic', '=', topic).execute()),
    state: async (of) => {
      const rows = await db
        .selectFrom('facts')
        .selectAll()
        .where('name', '>=', of)
        .where('name', '<', `${of}\u{10ffff}`)
        .execute()
      return new Map(rows.map(({ name, value }) => [name.slice(of.length), value]))
    },
  } satisfies Partial<Store>
}

export async function placeOf(db: Kysely<Tables>, cardId: string): Promise<CardPlace | null> {
  const rows = await cards(db).where('card_id', '=', cardId).execute()
  return (await withAlerts(db, rows))[0] ?? null
}

/** The `alert` cards of these alerts; those that Slack will never show only if `withDead`. */
export async function cardsOf(
  db: Kysely<Tables>,
  alertIds: readonly string[],
  { withDead = true }: { readonly withDead?: boolean } = {},
): Promise<CardPlace[]> {
  return cardsWith(db, alertIds, { kinds: ['alert'], withDead })
}

async function cardsWith(
  db: Kysely<Tables>,
  alertIds: readonly string[],
  { kinds, withDead }: { readonly kinds: readonly CardKind[]; readonly withDead: boolean },
): Promise<CardPlace[]> {
  const of = cards(db).where('kind', 'in', kinds)
  const on = db.selectFrom('card_alerts').select('card_id')
  const rows = await rowsOf(db, alertIds, (ids) =>
    of.where('card_id', 'in', on.where('alert_id', 'in', ids)).execute(),
  )
  const found = rows.filter(({ state }) => withDead || state !== 'dead')
  return withAlerts(db, [...new Map(found.map((row) => [row.card_id, row])).values()])
}

async function remindersOf(
  db: Kysely<Tables>,
  alertIds: readonly string[],
): ReturnType<Store['remindersOf']> {
  const made = db
    .selectFrom('card_alerts')
    .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
    .select(['card_alerts.alert_id as alertId', 'cards.card_id as cardId', 'cards.channel', 'cards.mention'])
    .select('cards.created_ms as createdMs')
    .where('cards.topic', '=', 'unacknowledged')
  return rowsOf(db, alertIds, (ids) => made.where('card_alerts.alert_id', 'in', ids).execute())
}

async function channelsWithOpen(
  db: Kysely<Tables>,
  subjects: readonly string[] | null,
): Promise<readonly string[]> {
  const open = db
    .selectFrom('alerts')
    .innerJoin('card_alerts', 'card_alerts.alert_id', 'alerts.alert_id')
    .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
    .select('cards.channel')
    .distinct()
    .where('alerts.state', '=', 'open')
    .where('cards.kind', 'in', ['alert', 'storm', 'summary'])
  const rows =
    subjects === null
      ? await open.execute()
      : await rowsOf(db, subjects, (names) => open.where(isOfSubject(names)).execute())
  return [...new Set(rows.map(({ channel }) => channel))].sort()
}

/** What begins a mute. */
const mutingActs = ['mute_server', 'mute_account', 'mute_alert']

async function channelsTold(
  db: Kysely<Tables>,
  of: Parameters<Store['channelsTold']>[0],
): Promise<readonly string[]> {
  const begun = (mute: Pick<Mute, 'muteId' | 'subject' | 'alert'>) =>
    db
      .selectFrom('audit')
      .select((eb) => eb.fn.coalesce('part_of', 'audit_id').as('audit_id'))
      .where('hostname', hostnameOf(mute) === null ? 'is' : '=', hostnameOf(mute))
      .where('act', 'in', mutingActs)
      .where(sqlOf(db).field('detail', 'muteId'), '=', mute.muteId)
  const rows = await db
    .selectFrom('cards')
    .select('channel')
    .distinct()
    .where('topic', '=', 'change_notice')
    .where('parent_id', 'is', null)
    .where('subject_id', 'in', 'auditId' in of ? [of.auditId] : begun(of))
    .orderBy('channel')
    .execute()
  return rows.map(({ channel }) => channel)
}

function cards(db: Kysely<Tables>) {
  return db.selectFrom('cards').selectAll('cards').orderBy('created_ms').orderBy('card_id')
}

async function withAlerts(db: Kysely<Tables>, rows: readonly Selectable<CardRow>[]): Promise<CardPlace[]> {
  const alertIds = new Map<string, string[]>(rows.map((row) => [row.card_id, []]))
  const members = db.selectFrom('card_alerts').select(['card_id', 'alert_id'])
  const inOrder = members.orderBy('card_id').orderBy('place')
  for (const { card_id, alert_id } of await rowsOf(db, [...alertIds.keys()], (ids) =>
    inOrder.where('card_id', 'in', ids).execute(),
  )) {
    alertIds.get(card_id)?.push(alert_id)
  }
  return rows.map((row) => ({
    cardId: row.card_id,
    kind: row.kind as CardKind,
    topic: row.topic as NoticeTopic | null,
    channel: row.channel,
    mention: row.mention,
    ts: row.ts,
    parentId: row.parent_id,
    version: row.wanted,
    alertIds: alertIds.get(row.card_id) ?? [],
    subjectId: row.subject_id,
  }))
}

/** The alerts on a card, in their order. */
export async function membersOf(db: Kysely<Tables>, cardId: string): Promise<Alert[]> {
  const rows = await db
    .selectFrom('card_alerts')
    .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
    .selectAll('alerts')
    .where('card_alerts.card_id', '=', cardId)
    .orderBy('card_alerts.place')
    .execute()
  return eachOf(rows, toAlert)
}
