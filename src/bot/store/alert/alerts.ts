/** Queries alerts: lists, counts, and earlier episodes. */
import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { worstFirst } from '../../domain/alert/severity.ts'
import { subjectOf } from '../../domain/alert/trouble.ts'
import type { Earlier, EarlierCard } from '../../domain/card/fold.ts'
import type { LabelGlob } from '../../domain/command/words.ts'
import type { AlertQuery, Store } from '../../flow/ports/store.ts'
import { cardsOf } from '../card/places.ts'
import { isMutedBy, isOfSubject } from '../mute/over-alert.ts'
import type { AlertRow, Tables } from '../open/schema.ts'
import { eachOf } from '../open/yielding.ts'
import { toAlert } from '../records/rows.ts'
import { chunks, rowsOf } from '../records/statements.ts'
import { sqlOf, type Words } from '../sql/words.ts'
import { alertsForReminders } from './alerts-for-reminders.ts'

/** As in the index `alerts_ignored`, and in the domain. */
export const isIgnoredNow = sql<boolean>`alerts.state = 'ignored' and alerts.closed_ms is null`

/** Some of the newest alerts may come from another sender, and say nothing of it. */
const saysMax = 50

export function alertStore(db: Kysely<Tables>) {
  return {
    findAlerts: (query) => findAlerts(db, query),
    countAlerts: (of) => countAlerts(db, { ...of, untilMs: null }),
    lastClosedMs: async (subject) => {
      const closed = db
        .selectFrom('alerts')
        .select((eb) => eb.fn.max('closed_ms').as('last_ms'))
        .where('state', '<>', 'ignored')
      const asked = subject === null ? closed : closed.where(isOfSubject([subject]))
      return (await asked.executeTakeFirst())?.last_ms ?? null
    },
    countIgnored: async () => {
      const ignored = db.selectFrom('alerts').select((eb) => eb.fn.countAll<number>().as('count'))
      return (await ignored.where(isIgnoredNow).executeTakeFirstOrThrow()).count
    },
    openAlerts: (subjects) => openAlerts(db, subjects),
    lostAlerts: (subjects) => lostAlerts(db, subjects),
    untoldOneoffs: (of) => untoldOneoffs(db, of),
    alertsForReminders: (of) => alertsForReminders(db, of),
    episodes: (alerts, sinceMs) => episodes(db, alerts, sinceMs),
    canMuteAlerts: async () => {
      const newest = db.selectFrom('alerts').select('details').orderBy('started_ms', 'desc').limit(saysMax)
      const row = await db
        .selectFrom(newest.as('newest'))
        .select(
          sql<
            number | null
          >`max(case when ${sqlOf(db).isTrue('newest.details', 'canMute')} then 1 else 0 end)`.as('can'),
        )
        .executeTakeFirst()
      return row?.can === 1
    },
    hostnames: async () => {
      const rows = await db.selectFrom('alerts').select('hostname').distinct().orderBy('hostname').execute()
      return rows.map((row) => row.hostname)
    },
    displayNames: async () => {
      const rows = await db
        .selectFrom('alerts')
        .select(['server_name', 'hostname'])
        .distinct()
        .where('server_name', '<>', '')
        .whereRef('server_name', '<>', 'hostname')
        .orderBy('hostname')
        .execute()
      return rows.map((row) => ({ name: row.server_name, hostname: row.hostname }))
    },
  } satisfies Partial<Store>
}

async function findAlerts(
  db: Kysely<Tables>,
  { state, ackedBy, hostname, labels = [], offset, limit }: AlertQuery,
): Promise<{ alerts: Alert[]; total: number }> {
  let found = db.selectFrom('alerts')
  if (state === 'open') found = found.where('state', '=', 'open')
  else found = found.where('state', 'not in', state === 'all' ? ['ignored'] : ['open', 'ignored'])
  if (ackedBy !== undefined) found = found.where('acked_by', '=', ackedBy)
  if (typeof hostname === 'string') found = found.where('hostname', '=', hostname)
  else if (hostname !== null) found = found.where('hostname', 'in', hostname)
  for (const label of labels) found = found.where(hasLabel(sqlOf(db), label))
  // As on the board: what is open is a list of what to do, and what is over one of what happened.
  const worst = sql`case severity when 'critical' then 0 when 'warning' then 1 else 2 end`
  const ordered = state === 'open' ? found.orderBy(worst) : found
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await ordered
    .selectAll()
    .orderBy('started_ms', 'desc')
    .orderBy('alert_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { alerts: rows.map(toAlert), total }
}

/** By the database, which reads no row that the state and the server rule out, and makes no object of any. */
function hasLabel(words: Words, { name, value }: LabelGlob): RawBuilder<boolean> {
  const pattern = value
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\*+/g, '%')
    .replaceAll('?', '_')
  const given = words.field('alerts.details', name, 'labels')
  return sql`(alerts.details is not null and ${given} <> '' and ${words.fits(given, pattern)})`
}

/** On these servers or of these troubles (null: any), until now if `untilMs` is null. */
type During = Parameters<Store['untoldOneoffs']>[0]

/** Counts alerts of any state, or `closed` ones. */
export async function countAlerts(
  db: Kysely<Tables>,
  { subjects, sinceMs, untilMs }: During,
  state: 'any' | 'closed' = 'any',
  /** Only what the service said that this mute, by its matchers, mutes. */
  muteId: string | null = null,
): Promise<number> {
  const since = db
    .selectFrom('alerts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('started_ms', '>=', sinceMs)
    .where('started_ms', '<=', untilMs ?? Number.MAX_SAFE_INTEGER)
    .where('state', '<>', 'ignored')
    .$if(state === 'closed', (all) => all.where('state', '=', 'closed'))
    .$if(muteId !== null, (all) => all.where(isMutedBy(sqlOf(db), muteId ?? '')))
  if (subjects === null) return (await since.executeTakeFirstOrThrow()).count
  let count = 0
  for (const some of chunks(db, [...new Set(subjects)])) {
    count += (await since.where(isOfSubject(some)).executeTakeFirstOrThrow()).count
  }
  return count
}

/** One-offs that monbot first saw within this time, and that are on no card; latest first. */
export async function untoldOneoffs(
  db: Kysely<Tables>,
  { subjects, sinceMs, untilMs }: During,
): Promise<Alert[]> {
  const notYetAnnounced = db
    .selectFrom('alerts')
    .selectAll()
    // Its own condition, so that SQLite uses the index of one-offs.
    .where('state', '=', sql.lit('oneoff'))
    .where('first_seen_ms', '>=', sinceMs)
    .where('first_seen_ms', '<=', untilMs ?? Number.MAX_SAFE_INTEGER)
    .where(sql<boolean>`not exists (select 1 from card_alerts where card_alerts.alert_id = alerts.alert_id)`)
    .orderBy('started_ms', 'desc')
    .orderBy('alert_id', 'desc')
  return (
    await (subjects === null ? notYetAnnounced : notYetAnnounced.where(isOfSubject(subjects))).execute()
  ).map(toAlert)
}

/** Open alerts, critical ones first, then the latest. */
export async function openAlerts(db: Kysely<Tables>, subjects: readonly string[] | null): Promise<Alert[]> {
  const open = db.selectFrom('alerts').selectAll().where('state', '=', 'open')
  return worstFirst(await ofSubjects(db, open, subjects))
}

/** Not known to be open or closed (`isLost`); latest first. */
export async function lostAlerts(db: Kysely<Tables>, subjects: readonly string[] | null): Promise<Alert[]> {
  return ofSubjects(db, db.selectFrom('alerts').selectAll().where('state', '=', 'unreported'), subjects)
}

async function ofSubjects(
  db: Kysely<Tables>,
  asked: SelectQueryBuilder<Tables, 'alerts', Selectable<AlertRow>>,
  subjects: readonly string[] | null,
): Promise<Alert[]> {
  const some = asked.orderBy('started_ms', 'desc').orderBy('alert_id', 'desc')
  if (subjects === null) return eachOf(await some.execute(), toAlert)
  const rows = await rowsOf(db, [...new Set(subjects)], (names) => some.where(isOfSubject(names)).execute())
  return rows.map(toAlert).sort((a, b) => b.startedMs - a.startedMs)
}

/** As in the index `alerts_by_trouble`. */
const hasDetails = sql<boolean>`alerts.details is not null`
const troubleName = (words: Words) => words.field('alerts.details', 'trouble')

/** What may be the same trouble as this, for `isSameTrouble` to decide: by its name, and by its subject where one has no name. */
export function ofSameTrouble(
  words: Words,
  { hostname, plugin, metric, details }: Alert,
): RawBuilder<boolean> {
  const ofSubject = sql`alerts.hostname = ${hostname} and alerts.plugin = ${plugin} and alerts.metric is not distinct from ${metric}`
  const name = details?.trouble ?? null
  if (name === null) return sql`(${ofSubject})`
  return sql`(
    (${hasDetails} and ${troubleName(words)} = ${name}) or (${ofSubject} and ${troubleName(words)} is null)
  )`
}

async function episodes(
  db: Kysely<Tables>,
  alerts: readonly Alert[],
  sinceMs: number,
): Promise<readonly Earlier[]> {
  const subjects = new Set(alerts.map(subjectOf))
  const since = db
    .selectFrom('alerts')
    .selectAll()
    .where('started_ms', '>=', sinceMs)
    .where('state', '<>', 'ignored')
  const hostnames = [...new Set(alerts.map(({ hostname }) => hostname))]
  const rows = await rowsOf(db, hostnames, (some) => since.where('hostname', 'in', some).execute())
  const onServers = rows.map(toAlert).filter((alert) => subjects.has(subjectOf(alert)))
  // The pod that had the same trouble before may have been another server.
  const names = [...new Set(alerts.flatMap(({ details }) => details?.trouble ?? []))]
  const named = await rowsOf(db, names, (some) =>
    since
      .where(hasDetails)
      .where(troubleName(sqlOf(db)), 'in', some)
      .execute(),
  )
  const found = [
    ...new Map([...onServers, ...named.map(toAlert)].map((alert) => [alert.alertId, alert])).values(),
  ]
  const places = new Map<string, EarlierCard>()
  const ids = found.map(({ alertId }) => alertId)
  for (const { alertIds, cardId, channel, mention } of await cardsOf(db, ids, { withDead: false })) {
    for (const alertId of alertIds) places.set(alertId, { cardId, channel, mention })
  }
  return found
    .sort((a, b) => a.startedMs - b.startedMs)
    .map((alert) => ({ alert, card: places.get(alert.alertId) ?? null }))
}
