/** Reads what a card should show, each time just before it is shown. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { firstOfRules } from '../../domain/alert/rule.ts'
import { isSameTrouble } from '../../domain/alert/trouble.ts'
import { weekMs } from '../../domain/base/duration.ts'
import {
  type CardKind,
  type CardStamp,
  type Flaps,
  type NoticeTopic,
  type StoredView,
  timelineMax,
} from '../../domain/card/kinds.ts'
import { fileOn, handedEntry } from '../../domain/card/thread-cards.ts'
import { isMutedByPeople } from '../../domain/mute/hiding.ts'
import {
  hides,
  isOfAccount,
  type Mute,
  muteOf,
  mutesHiding,
  silencedBy,
  subjectsUnder,
} from '../../domain/mute/mute.ts'
import { subjectsOver } from '../../domain/mute/subject.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { countAlerts, lostAlerts, ofSameTrouble, openAlerts, untoldOneoffs } from '../alert/alerts.ts'
import { toldOutagesOn } from '../alert/outages.ts'
import { muteById, mutesOver } from '../mute/mutes.ts'
import { plannedMutes } from '../mute/planned.ts'
import type { CardRow, Tables } from '../open/schema.ts'
import { pageOn } from '../page/pages.ts'
import { entryById, noteById, toAuditEntry } from '../records/audit.ts'
import { toAlert } from '../records/rows.ts'
import { verdictsOn } from '../records/verdicts.ts'
import { sqlOf } from '../sql/words.ts'
import { alertPictured } from './picture-replies.ts'
import { pictureOf } from './pictures.ts'
import { membersOf } from './places.ts'

/** Actions on a server that the cards of its alerts mention. */
export const serverActs = ['mute_server', 'unmute_server', 'extend_mute', 'undo_mute', 'add_roles']

type Card = Selectable<CardRow>

const views: {
  readonly [Kind in CardKind]: (db: Kysely<Tables>, card: Card, stamp: CardStamp) => Promise<StoredView<Kind>>
} = {
  alert: alertView,
  summary: async (db, card, stamp) => ({ kind: 'summary', ...(await listView(db, card, stamp)) }),
  storm: async (db, card, stamp) => ({ kind: 'storm', ...(await listView(db, card, stamp)) }),
  page: async (db, card) => {
    const alerts = await membersOf(db, card.card_id)
    const pages = await countPages(db, card)
    return { kind: 'page', alerts, page: card.page ?? 1, pages, mention: card.mention }
  },
  outage: async (db, card) => {
    const outages = await toldOutagesOn(db, subjectOf(card))
    return { kind: 'outage', outages: found(outages.length === 0 ? null : outages, card) }
  },
  note: noteView,
  notice: noticeView,
  mute_expiring: async (db, card, stamp) => {
    const picture = await pictureOf(db, card, null)
    return { kind: 'mute_expiring', stamp, picture, ...(await underMute(db, card)) }
  },
  mute_ended: async (db, card) => ({ kind: 'mute_ended', ...(await underMute(db, card)) }),
  picture: async (db, card) => {
    const alert = found(await alertPictured(db, subjectOf(card)), card)
    return { kind: 'picture', alert, fileId: fileOn(card.card_id) }
  },
  board: async (db) => ({
    kind: 'board',
    open: await openAlerts(db, null),
    lost: await lostAlerts(db, null),
    mutes: await mutesOver(db, null),
    planned: await plannedMutes(db),
  }),
}

export function viewOf(db: Kysely<Tables>, card: Card): Promise<StoredView> {
  return views[card.kind as CardKind](db, card, { cardId: card.card_id, version: card.wanted })
}

async function alertView(db: Kysely<Tables>, card: Card, stamp: CardStamp): Promise<StoredView<'alert'>> {
  const alerts = await membersOf(db, card.card_id)
  // Usually only the newest can be open; an inferred close may prove wrong.
  const alert = found(alerts.findLast(({ state }) => state === 'open') ?? alerts.at(-1) ?? null, card)
  const alertIds = alerts.map(({ alertId }) => alertId)
  const [timesThisWeek, picture, mutes, timeline, notes, surroundings, page] = await Promise.all([
    countThisWeek(db, alert),
    pictureOf(db, card, alert),
    mutesOver(db, subjectsOver([alert])),
    timelineOf(db, alert, alertIds, sinceOf(alerts)),
    countNotes(db, alertIds),
    surroundingsOf(db, alert, alertIds),
    alert.state === 'open' ? pageOn(db, [alert.alertId]) : {},
  ])
  return {
    kind: 'alert',
    stamp,
    alert,
    timesThisWeek,
    picture,
    mention: card.mention,
    ackedBefore: ackedBefore(alert, alerts),
    mute: muteOf(alert, mutes),
    flaps: flapsOf(alert, alerts),
    timeline,
    notes,
    ...page,
    ...(alert.state === 'closed' ? { verdicts: await verdictsOn(db, [alert.alertId]) } : {}),
    ...surroundings,
  }
}

function sinceOf(some: readonly Alert[]): number {
  return Math.min(...some.map(({ startedMs }) => startedMs))
}

/** Counts the alerts of the same problem on its card. */
function flapsOf(alert: Alert, alerts: readonly Alert[]): Flaps | null {
  const same = alerts.filter((one) => isSameTrouble(one, alert))
  return same.length > 1 ? { times: same.length, sinceMs: sinceOf(same) } : null
}

async function noticeView(db: Kysely<Tables>, card: Card, stamp: CardStamp): Promise<StoredView<'notice'>> {
  const topic = card.topic as NoticeTopic
  if (topic === 'change_notice') {
    const entry = found(await entryById(db, subjectOf(card)), card)
    return { kind: 'notice', topic, entry, isAlone: entry.alertId !== null && (await isBelowAlert(db, card)) }
  }
  if (topic === 'file' || topic === 'report' || topic === 'handoff') {
    return { kind: 'notice', topic, entry: found(await entryById(db, subjectOf(card)), card) }
  }
  if (topic === 'description') {
    const asked = db.selectFrom('alerts').selectAll().where('alert_id', '=', subjectOf(card))
    return { kind: 'notice', topic, alert: toAlert(found((await asked.executeTakeFirst()) ?? null, card)) }
  }
  if (topic === 'page_works') return { kind: 'notice', topic, ...sinceIn(card), untilMs: card.created_ms }
  const alerts = await membersOf(db, card.card_id)
  const notice = { kind: 'notice', stamp, alerts, mention: card.mention } as const
  switch (topic) {
    case 'became_critical':
      return { ...notice, topic }
    case 'handed': {
      const entry = await entryById(db, handedEntry(card.card_id))
      const root = await rootOf(db, card)
      const isOfList = root === undefined ? alerts.length > 1 : root.kind !== 'alert'
      const above = root === undefined ? null : { channel: root.channel, ts: root.ts }
      return { ...notice, topic, to: card.channel, entry, isOfList, above }
    }
    case 'unacknowledged': {
      const root = await rootOf(db, card)
      const above =
        root === undefined || root.channel === card.channel ? null : { channel: root.channel, ts: root.ts }
      const isOfList = alerts.length > 1 || (root !== undefined && root.kind !== 'alert')
      return { ...notice, topic, isOfList, above }
    }
    case 'flap_reminder': {
      const all = await membersOf(db, card.parent_id ?? card.subject_id ?? '')
      return { ...notice, topic, flaps: flapsOf(found(alerts[0] ?? null, card), all) }
    }
    case 'page_failed': {
      const mutes = await mutesOverOpen(db, alerts)
      // Muted since: it calls nobody.
      const loud = alerts.filter((alert) => !isMutedByPeople(alert, mutes))
      return { ...notice, topic, ...sinceIn(card), alerts: loud }
    }
    case 'stale_ack':
      return { ...notice, topic, owner: subjectOf(card), askedMs: card.created_ms }
  }
}

/** Of a notice about the pager: since when, and why. */
function sinceIn(card: Card): { readonly sinceMs: number; readonly why: string } {
  return JSON.parse(subjectOf(card))
}

async function listView(db: Kysely<Tables>, card: Card, stamp: CardStamp) {
  const all = await membersOf(db, card.card_id)
  const shown = all.filter(({ state }) => state !== 'ignored')
  const alerts = shown.length === 0 ? all : shown
  const open = alerts.filter(({ state }) => state === 'open')
  const page =
    open.length === 0
      ? {}
      : await pageOn(
          db,
          open.map(({ alertId }) => alertId),
        )
  const list = { stamp, alerts, mention: card.mention, ...page, mutes: await mutesOverOpen(db, alerts) }
  if (open.length > 0) return list
  return {
    ...list,
    verdicts: await verdictsOn(
      db,
      firstOfRules(alerts).map(({ alertId }) => alertId),
    ),
  }
}

/** In the thread of its own card everyone sees what a note is about. */
async function noteView(db: Kysely<Tables>, card: Card): Promise<StoredView<'note'>> {
  const note = found(await noteById(db, subjectOf(card)), card)
  const asked = db.selectFrom('alerts').selectAll().where('alert_id', '=', note.alertId)
  const row = (await isBelowAlert(db, card)) ? undefined : await asked.executeTakeFirst()
  return { kind: 'note', note, about: row === undefined ? null : toAlert(row) }
}

async function countPages(db: Kysely<Tables>, card: Card): Promise<number> {
  const row = await db
    .selectFrom('cards')
    .select(db.fn.countAll<number>().as('count'))
    .where('parent_id', '=', card.parent_id)
    .where('kind', '=', 'page')
    .executeTakeFirstOrThrow()
  return row.count
}

/** Is it in the thread of one alert's card? */
async function isBelowAlert(db: Kysely<Tables>, card: Card): Promise<boolean> {
  const above = db
    .selectFrom('cards')
    .select('kind')
    .where('card_id', '=', card.parent_id ?? '')
  return (await above.executeTakeFirst())?.kind === 'alert'
}

/** The last owner of the earlier alerts on its card. */
function ackedBefore(alert: Alert, alerts: readonly Alert[]): string | null {
  const before = alerts.slice(0, alerts.indexOf(alert))
  return [...before, { ...alert, ackedBy: null }].reduce<string | null>(
    (last, one) => one.ackedBy ?? one.ackedBefore ?? last,
    null,
  )
}

/** The card that a reminder is about: above it, or in another channel. */
async function rootOf(db: Kysely<Tables>, card: Card) {
  return db
    .selectFrom('cards')
    .select(['kind', 'channel', 'ts'])
    .where('card_id', '=', card.parent_id ?? card.subject_id ?? '')
    .executeTakeFirst()
}

/** How often its trouble occurred; other alerts of the same metric are not counted. */
async function countThisWeek(db: Kysely<Tables>, alert: Alert): Promise<number> {
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where(ofSameTrouble(sqlOf(db), alert))
    .where('state', '<>', 'ignored')
    .where('started_ms', '>', alert.startedMs - weekMs)
    .where('started_ms', '<=', alert.startedMs)
    .execute()
  return rows.filter((row) => isSameTrouble(toAlert(row), alert)).length
}

/** What people did about these alerts, and about their server while one of them was open. */
async function timelineOf(
  db: Kysely<Tables>,
  { hostname, closedMs }: Alert,
  alertIds: readonly string[],
  sinceMs: number,
): Promise<AuditEntry[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('outcome', '=', 'done')
    .where('user_id', 'is not', null)
    // Notes have their own number on the card, and would crowd out the rest, as would who is on it still.
    .where('act', 'not in', ['add_note', 'still_on_it', 'rate_alert'])
    .where(sql<boolean>`(alert_id in (${sql.join(alertIds)}) or (
      hostname = ${hostname} and act in (${sql.join(serverActs)})
      and at_ms between ${sinceMs} and ${closedMs ?? Number.MAX_SAFE_INTEGER}
    ))`)
    .orderBy('at_ms')
    .orderBy('audit_id')
    .limit(timelineMax)
    .execute()
  return rows.map(toAuditEntry)
}

async function countNotes(db: Kysely<Tables>, alertIds: readonly string[]): Promise<number> {
  const row = await db
    .selectFrom('notes')
    .select(db.fn.countAll<number>().as('count'))
    .where('alert_id', 'in', alertIds)
    .executeTakeFirstOrThrow()
  return row.count
}

/** What the mute hides (or hid, if it is over): open alerts, how many came and closed meanwhile, and one-offs. */
async function underMute(db: Kysely<Tables>, card: Card) {
  const mute = found(await muteById(db, subjectOf(card)), card)
  const subjects = subjectsUnder([mute])
  const byMatchers = mute.alert?.matchers == null ? null : mute.muteId
  const during = { subjects, sinceMs: mute.startedMs, untilMs: mute.endedMs }
  const open = (await openAlerts(db, subjects)).filter((alert) => hides(mute, alert))
  // What other mutes hide as well stays hidden when this one ends; of the account's, everybody is told in other words.
  const live = await mutesOver(db, null)
  const others = live.filter(({ subject }) => subject !== null && subject !== mute.subject)
  const shown = open.filter((alert) => muteOf(alert, others) === null)
  const stillMuted = open.length - shown.length
  return {
    mute,
    ...(isOfAccount(mute) ? {} : silencedBy(live)),
    open: shown,
    ...(stillMuted === 0 ? {} : { stillMuted }),
    hidden: await countAlerts(db, during, 'any', byMatchers),
    closed: await countAlerts(db, during, 'closed', byMatchers),
    oneoffs: (await untoldOneoffs(db, during)).filter((alert) => hides(mute, alert)),
  }
}

/** The mutes that silence any of these alerts while it is open. */
async function mutesOverOpen(db: Kysely<Tables>, alerts: readonly Alert[]): Promise<Mute[]> {
  const open = alerts.filter(({ state }) => state === 'open')
  if (open.length === 0) return []
  const live = await mutesOver(db, null)
  const hiding = new Set(open.flatMap((alert) => mutesHiding(alert, live)))
  return live.filter((mute) => hiding.has(mute))
}

function subjectOf(card: Card): string {
  return found(card.subject_id, card)
}

/** A card is always written together with what it shows. */
function found<Thing>(thing: Thing | null, card: Card): Thing {
  if (thing === null) throw new Error(`What the card ${card.card_id} shows is not there`)
  return thing
}

const earlierMax = 20

type Around = Pick<StoredView<'alert'>, 'lastNote' | 'alsoOpen' | 'lastTime'>

/** Reads what the card shows around its alert: the last note, other open alerts, the last time. `alertIds`: all of its card. */
async function surroundingsOf(
  db: Kysely<Tables>,
  alert: Alert,
  alertIds: readonly string[],
): Promise<Around> {
  const isOpen = alert.state === 'open'
  const [lastNote, alsoOpen, lastTime] = await Promise.all([
    lastNoteOn(db, alertIds),
    isOpen ? alsoOpenWith(db, alert) : [],
    isOpen ? lastTimeOf(db, alert, alertIds) : null,
  ])
  return { lastNote, alsoOpen, lastTime }
}

async function lastNoteOn(db: Kysely<Tables>, alertIds: readonly string[]): Promise<string | null> {
  const row = await db
    .selectFrom('notes')
    .select('text')
    .where('alert_id', 'in', alertIds)
    .orderBy('at_ms', 'desc')
    .orderBy('note_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.text ?? null
}

async function alsoOpenWith(db: Kysely<Tables>, { hostname, alertId }: Alert): Promise<Alert[]> {
  return (await openAlerts(db, [hostname])).filter((one) => one.alertId !== alertId)
}

/** Searches the newest closed alerts of its metric; anything older is too long ago to matter. */
async function lastTimeOf(
  db: Kysely<Tables>,
  alert: Alert,
  alertIds: readonly string[],
): Promise<StoredView<'alert'>['lastTime']> {
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where(ofSameTrouble(sqlOf(db), alert))
    .where('started_ms', '<', alert.startedMs)
    .where('state', '=', 'closed')
    .orderBy('started_ms', 'desc')
    .limit(earlierMax)
    .execute()
  const last = rows.map(toAlert).find((one) => !alertIds.includes(one.alertId) && isSameTrouble(one, alert))
  return last === undefined ? null : { alert: last, note: await lastNoteOn(db, [last.alertId]) }
}
