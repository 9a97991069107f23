/** Mutes: one row for each, and at most one active row per subject. Switches: one row per subject at most. */
import {
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely'
import { isUnmutedAt } from '../../domain/alert/unmuting.ts'
import { jsonOf } from '../../domain/base/storable.ts'
import type { Mute, MutedAlert, MuteEndedBy, MuteMode, Over } from '../../domain/mute/mute.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import { isSettled, type Switch } from '../../domain/mute/switch.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { FactRow, MuteRow, SwitchRow, Tables } from '../open/schema.ts'
import { putFact, rowsOf, StalePlan } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'

const epochFact = 'muteEpoch'

export function muteStore(db: Kysely<Tables>) {
  return {
    mutes: (over) => liveMutes(db, over),
    muteById: (muteId) => muteById(db, muteId),
    switches: () => switchesWhere(db, (of) => of.where(isUnsettled)),
    switchesOf: async (subjects) => {
      const rows = db.selectFrom('switches').selectAll()
      return (
        await rowsOf(db, subjects.map(columnOf), (some) => rows.where('subject', 'in', some).execute())
      ).map(toSwitch)
    },
    noteAsked: async (next, was) => {
      const { subject, ...row } = fromSwitch(next)
      const result = await db
        .updateTable('switches')
        .set(row)
        .where('subject', '=', subject)
        .where('version', '=', was)
        .executeTakeFirst()
      return Number(result.numUpdatedRows) === 1 ? 'saved' : 'stale'
    },
    switchesAsked: (auditId) =>
      switchesWhere(db, (of) =>
        of.where('audit_id', '=', auditId).whereRef('said_revision', '<', 'revision'),
      ),
    mutesSince: async (hostname, sinceMs) => {
      const rows = await db
        .selectFrom('mutes')
        .selectAll()
        // Those of single alerts hid alerts of any server.
        .$if(hostname !== null, (of) =>
          of.where((eb) =>
            eb.or([eb('subject', 'in', [columnOf(hostname), columnOf(null)]), eb('alert', 'is not', null)]),
          ),
        )
        .where(sql<boolean>`(ended_ms is null or ended_ms >= ${sinceMs})`)
        // One that the API never confirmed silenced nothing.
        .where(sql<boolean>`ended_by is distinct from 'interrupted'`)
        .orderBy('started_ms')
        .orderBy('mute_id')
        .execute()
      return rows.map(toMute)
    },
  } satisfies Partial<Store>
}

/** Every mute that is live (`over`: that silences one of these servers, or might), the next to end first. */
export async function liveMutes(
  db: Kysely<Tables>,
  over: Over = null,
): Promise<{ mutes: Mute[]; muteEpoch: number }> {
  // Before the mutes: an epoch newer than they are would make a plan on old mutes look current; an older one makes it stale.
  const muteEpoch = await readEpoch(db)
  return { mutes: await mutesOver(db, over), muteEpoch }
}

/** Active, or ended and not known to be so at the API. */
export const isLive = sql<boolean>`(mutes.state = 'active' or mutes.confirmation <> 'confirmed')`

/** Those that silence these subjects, or might: their own, the account's, and those by matchers; null: every live one. */
export async function mutesOver(db: Kysely<Tables>, over: Over): Promise<Mute[]> {
  if (over !== null) {
    const [own, byMatchers] = await Promise.all([
      mutesOf(db, new Set([over, null].flat())),
      mutesByMatchers(db),
    ])
    const known = new Set(own.map(({ muteId }) => muteId))
    return [...own, ...byMatchers.filter(({ muteId }) => !known.has(muteId))]
  }
  const rows = await db
    .selectFrom('mutes')
    .selectAll()
    .where(isLive)
    .orderBy((eb) => eb.fn.coalesce('until_ms', eb.lit(Number.MAX_SAFE_INTEGER)))
    .orderBy('subject')
    .execute()
  return rows.map(toMute)
}

/** What they match, the service alone knows. */
async function mutesByMatchers(db: Kysely<Tables>): Promise<Mute[]> {
  const rows = await db
    .selectFrom('mutes')
    .selectAll()
    .where(isLive)
    .where('alert', 'is not', null)
    .where(sqlOf(db).field('mutes.alert', 'matchers'), 'is not', null)
    .execute()
  return rows.map(toMute)
}

/** Those of exactly these subjects, and of the account if null is among them. */
export async function mutesOf(db: Kysely<Tables>, of: Iterable<Subject>): Promise<Mute[]> {
  const live = db.selectFrom('mutes').selectAll().where(isLive)
  const subjects = [...of].map(columnOf)
  return (await rowsOf(db, subjects, (some) => live.where('subject', 'in', some).execute())).map(toMute)
}

export async function muteById(db: Kysely<Tables>, muteId: string): Promise<Mute | null> {
  const row = await db.selectFrom('mutes').selectAll().where('mute_id', '=', muteId).executeTakeFirst()
  return row === undefined ? null : toMute(row)
}

/** Throws a `StalePlan` if the plan was made on mutes other than the current ones. */
export async function checkEpoch(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  if (plan.muteEpoch !== null && plan.muteEpoch !== (await readEpoch(tx))) throw new StalePlan()
}

/** Throws a `StalePlan` if a mute is not at its version, or if its subject has another active one. */
export async function writeMutes(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  if (plan.mutes.length === 0 && !plan.alerts.some(({ alert }) => isUnmutedAt(alert, plan.atMs))) return
  for (const { mute, was } of plan.mutes) {
    if (mute.state === 'active') await assertOnly(tx, mute)
    const { mute_id, ...row } = fromMute(mute)
    if (was === null) {
      const result = await tx
        .insertInto('mutes')
        .values({ mute_id, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (Number(result.numInsertedOrUpdatedRows) !== 1) throw new StalePlan()
      continue
    }
    const result = await tx
      .updateTable('mutes')
      .set(row)
      .where('mute_id', '=', mute_id)
      .where('version', '=', was)
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) !== 1) throw new StalePlan()
  }
  await putFact(tx, { name: epochFact, value: String((await readEpoch(tx)) + 1) })
}

async function assertOnly(tx: Transaction<Tables>, mute: Mute): Promise<void> {
  const other = await tx
    .selectFrom('mutes')
    .select('mute_id')
    .where('subject', '=', columnOf(mute.subject))
    .where('state', '=', 'active')
    .where('mute_id', '<>', mute.muteId)
    .executeTakeFirst()
  if (other !== undefined) throw new StalePlan()
}

async function readEpoch(db: Kysely<Tables>): Promise<number> {
  return epochIn(await db.selectFrom('facts').selectAll().where('name', '=', epochFact).execute())
}

/** The epoch, of all facts. */
export function epochIn(facts: readonly Selectable<FactRow>[]): number {
  return Number(facts.find(({ name }) => name === epochFact)?.value ?? 0)
}

/** The account's: no hostname is empty. */
const account = ''

/** As the column has it. */
export function columnOf(subject: Subject): string {
  return subject ?? account
}

function subjectIn(column: string): Subject {
  return column === account ? null : column
}

function toMute(row: Selectable<MuteRow>): Mute {
  return {
    muteId: row.mute_id,
    subject: subjectIn(row.subject),
    alert: row.alert === null ? null : (JSON.parse(row.alert) as MutedAlert),
    mode: row.mode as MuteMode,
    untilMs: row.until_ms,
    userId: row.user_id,
    reason: row.reason,
    state: row.state as Mute['state'],
    confirmation: row.confirmation as Mute['confirmation'],
    startedMs: row.started_ms,
    termsMs: row.terms_ms,
    previous: row.previous === null ? null : (JSON.parse(row.previous) as Mute['previous']),
    channel: row.channel,
    cardId: row.card_id,
    expiryNoticeMs: row.handback_ms,
    endedMs: row.ended_ms,
    endedBy: row.ended_by as MuteEndedBy | null,
    endedByUserId: row.ended_by_user_id,
    version: row.version,
  }
}

function fromMute(mute: Mute): Insertable<MuteRow> {
  return {
    mute_id: mute.muteId,
    subject: columnOf(mute.subject),
    alert: mute.alert === null ? null : jsonOf(mute.alert),
    mode: mute.mode,
    until_ms: mute.untilMs,
    user_id: mute.userId,
    reason: mute.reason,
    state: mute.state,
    started_ms: mute.startedMs,
    terms_ms: mute.termsMs,
    previous: mute.previous === null ? null : jsonOf(mute.previous),
    channel: mute.channel,
    card_id: mute.cardId,
    handback_ms: mute.expiryNoticeMs,
    ended_ms: mute.endedMs,
    ended_by: mute.endedBy,
    ended_by_user_id: mute.endedByUserId,
    confirmation: mute.confirmation,
    version: mute.version,
  }
}

const isUnsettled = sql<boolean>`(said_revision < revision or asked_ms is not null or doubt_ms is not null)`

async function switchesWhere(
  db: Kysely<Tables>,
  where: (of: SelectQueryBuilder<Tables, 'switches', SwitchRow>) => typeof of,
): Promise<Switch[]> {
  const rows = await where(db.selectFrom('switches').selectAll())
    .orderBy('not_before_ms')
    .orderBy('subject')
    .execute()
  return rows.map(toSwitch)
}

/** Throws a `StalePlan` if a switch is not at its version. One of which nothing is left to say or to wait for goes. */
export async function writeSwitches(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  for (const { next, was, isAnswered } of plan.switches) {
    const { subject, ...row } = fromSwitch(next)
    const isOver = isSettled(next) && next.wanted === 'on'
    if (was === null && isOver) continue
    if (was === null) {
      const result = await tx
        .insertInto('switches')
        .values({ subject, ...row })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (Number(result.numInsertedOrUpdatedRows) !== 1) throw new StalePlan()
      continue
    }
    const { asked_ms: _, asked_revision: __, doubt_ms: ___, ...decided } = row
    const found = { subject, version: was }
    const isWritten = isOver
      ? (
          await tx
            .deleteFrom('switches')
            .where((eb) => eb.and(found))
            .executeTakeFirst()
        ).numDeletedRows
      : (
          await tx
            .updateTable('switches')
            .set(isAnswered ? row : decided)
            .where((eb) => eb.and(found))
            .executeTakeFirst()
        ).numUpdatedRows
    if (Number(isWritten) !== 1) throw new StalePlan()
  }
}

function toSwitch(row: SwitchRow): Switch {
  return {
    subject: subjectIn(row.subject),
    wanted: row.wanted as Switch['wanted'],
    revision: row.revision,
    saidRevision: row.said_revision,
    askedRevision: row.asked_revision,
    muteId: row.mute_id,
    auditId: row.audit_id,
    places: JSON.parse(row.places) as Switch['places'],
    isMoot: row.moot === 1,
    askedMs: row.asked_ms,
    doubtMs: row.doubt_ms,
    attempts: row.attempts,
    notBeforeMs: row.not_before_ms,
    goneMs: row.gone_ms,
    version: row.version,
  }
}

function fromSwitch(one: Switch): SwitchRow {
  return {
    subject: columnOf(one.subject),
    wanted: one.wanted,
    revision: one.revision,
    said_revision: one.saidRevision,
    asked_revision: one.askedRevision,
    mute_id: one.muteId,
    audit_id: one.auditId,
    places: jsonOf(one.places),
    moot: one.isMoot ? 1 : 0,
    asked_ms: one.askedMs,
    doubt_ms: one.doubtMs,
    attempts: one.attempts,
    not_before_ms: one.notBeforeMs,
    gone_ms: one.goneMs,
    version: one.version,
  }
}
