/** Reads and writes mutes: one row for each, and at most one active row per server (or account). */
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Mute, MuteEndedBy, MuteMode, MuteState, MuteTerms, Over } from '../../domain/mute/mute.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { MuteRow, Tables } from '../open/schema.ts'
import { putFact, rowsOf, StalePlan } from '../records/statements.ts'

const epochFact = 'muteEpoch'

export function muteStore(db: Kysely<Tables>) {
  return {
    mutes: (over) => liveMutes(db, over),
    muteById: (muteId) => muteById(db, muteId),
    mutesSince: async (hostname, sinceMs) => {
      const rows = await db
        .selectFrom('mutes')
        .selectAll()
        .$if(hostname !== null, (of) => of.where('subject', 'in', [subjectOf(hostname), subjectOf(null)]))
        .where(sql<boolean>`(ended_ms is null or ended_ms >= ${sinceMs})`)
        // A request, or one that never became a mute, silenced nothing.
        .where(sql<boolean>`state <> 'asked' and ended_by is distinct from 'interrupted'`)
        .orderBy('started_ms')
        .orderBy('mute_id')
        .execute()
      return rows.map(toMute)
    },
  } satisfies Partial<Store>
}

/** Every mute that has not ended (`over`: that silences one of these servers, or might), the next to end first. */
export async function liveMutes(
  db: Kysely<Tables>,
  over: Over = null,
): Promise<{ mutes: Mute[]; muteEpoch: number }> {
  // Both in one transaction: an epoch newer than the mutes would make a plan on old mutes look current.
  return db.transaction().execute(async (tx) => ({
    mutes: await mutesOver(tx, over),
    muteEpoch: await readEpoch(tx),
  }))
}

/** Those that silence these servers, or might: their own and the account's; null: every one that has not ended. */
export async function mutesOver(db: Kysely<Tables>, over: Over): Promise<Mute[]> {
  if (over !== null) return mutesOf(db, new Set([over, null].flat()))
  const rows = await db
    .selectFrom('mutes')
    .selectAll()
    .where('state', '<>', 'ended')
    .orderBy((eb) => eb.fn.coalesce('until_ms', eb.lit(Number.MAX_SAFE_INTEGER)))
    .orderBy('subject')
    .execute()
  return rows.map(toMute)
}

/** Those of exactly these servers, and of the account if null is among them. */
export async function mutesOf(db: Kysely<Tables>, hostnames: Iterable<string | null>): Promise<Mute[]> {
  const live = db.selectFrom('mutes').selectAll().where('state', '<>', sql.lit('ended'))
  const subjects = [...hostnames].map(subjectOf)
  return (await rowsOf(subjects, (some) => live.where('subject', 'in', some).execute())).map(toMute)
}

export async function muteById(db: Kysely<Tables>, muteId: string): Promise<Mute | null> {
  const row = await db.selectFrom('mutes').selectAll().where('mute_id', '=', muteId).executeTakeFirst()
  return row === undefined ? null : toMute(row)
}

/** Throws a `StalePlan` if the plan was made on mutes other than the current ones. */
export async function checkEpoch(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  if (plan.muteEpoch !== null && plan.muteEpoch !== (await readEpoch(tx))) throw new StalePlan()
}

/** Throws a `StalePlan` if a mute is not at its version, or if its subject has another one that has not ended. */
export async function writeMutes(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  if (plan.mutes.length === 0) return
  for (const { mute, was } of plan.mutes) {
    if (mute.state !== 'ended') await assertOnly(tx, mute)
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
    .where('subject', '=', subjectOf(mute.hostname))
    .where('state', '<>', 'ended')
    .where('mute_id', '<>', mute.muteId)
    .executeTakeFirst()
  if (other !== undefined) throw new StalePlan()
}

async function readEpoch(db: Kysely<Tables>): Promise<number> {
  const row = await db.selectFrom('facts').select('value').where('name', '=', epochFact).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** The account's: no hostname is empty. */
const account = ''

export function subjectOf(hostname: string | null): string {
  return hostname ?? account
}

export function hostnameOf(subject: string): string | null {
  return subject === account ? null : subject
}

function toMute(row: Selectable<MuteRow>): Mute {
  return {
    muteId: row.mute_id,
    hostname: hostnameOf(row.subject),
    mode: row.mode as MuteMode,
    untilMs: row.until_ms,
    userId: row.user_id,
    reason: row.reason,
    state: row.state as MuteState,
    startedMs: row.started_ms,
    termsMs: row.terms_ms,
    previous: row.previous === null ? null : (JSON.parse(row.previous) as MuteTerms),
    channel: row.channel,
    cardId: row.card_id,
    handbackMs: row.handback_ms,
    endedMs: row.ended_ms,
    endedBy: row.ended_by as MuteEndedBy | null,
    endedByUserId: row.ended_by_user_id,
    attempts: row.attempts,
    notBeforeMs: row.not_before_ms,
    goneMs: row.gone_ms,
    version: row.version,
  }
}

function fromMute(mute: Mute): Insertable<MuteRow> {
  return {
    mute_id: mute.muteId,
    subject: subjectOf(mute.hostname),
    mode: mute.mode,
    until_ms: mute.untilMs,
    user_id: mute.userId,
    reason: mute.reason,
    state: mute.state,
    started_ms: mute.startedMs,
    terms_ms: mute.termsMs,
    previous: mute.previous === null ? null : JSON.stringify(mute.previous),
    channel: mute.channel,
    card_id: mute.cardId,
    handback_ms: mute.handbackMs,
    ended_ms: mute.endedMs,
    ended_by: mute.endedBy,
    ended_by_user_id: mute.endedByUserId,
    attempts: mute.attempts,
    not_before_ms: mute.notBeforeMs,
    gone_ms: mute.goneMs,
    version: mute.version,
  }
}

/** Notification switches that the API may carry out late: one row per subject and direction, removed within the hour. */
export function strayStore(db: Kysely<Tables>) {
  return {
    strays: async () => {
      const rows = await db.selectFrom('strays').selectAll().orderBy('not_before_ms').execute()
      return rows.map((row) => ({
        hostname: hostnameOf(row.subject),
        on: row.asked_on === 1,
        sinceMs: row.since_ms,
        notBeforeMs: row.not_before_ms,
        attempts: row.attempts,
        muteId: row.mute_id,
      }))
    },
    noteStray: async ({ hostname, on, ...stray }) => {
      const row = {
        since_ms: stray.sinceMs,
        not_before_ms: stray.notBeforeMs,
        attempts: stray.attempts,
        mute_id: stray.muteId,
      }
      await db
        .insertInto('strays')
        .values({ subject: subjectOf(hostname), asked_on: on ? 1 : 0, ...row })
        .onConflict((conflict) => conflict.columns(['subject', 'asked_on']).doUpdateSet(row))
        .execute()
    },
    dropStray: async ({ hostname, on }) => {
      await db
        .deleteFrom('strays')
        .where('subject', '=', subjectOf(hostname))
        .where('asked_on', '=', on ? 1 : 0)
        .execute()
    },
  } satisfies Partial<Store>
}
