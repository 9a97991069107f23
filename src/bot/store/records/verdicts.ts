/** Keeps what people called useful or noise: one row a person and alert. */
import type { Kysely, Transaction } from 'kysely'
import { type GivenVerdict, type Verdict, type Verdicts, verdictsOf } from '../../domain/alert/rule.ts'
import type { Plan } from '../../domain/plan.ts'
import type { VerdictCount } from '../../domain/request/rule-counts.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { insertAll, rowsOf } from './statements.ts'

export function verdictStore(db: Kysely<Tables>) {
  return { verdictsOn: (alertIds) => givenOn(db, alertIds) } satisfies Partial<Store>
}

export async function writeVerdicts(tx: Transaction<Tables>, { verdicts }: Plan): Promise<void> {
  const rows = verdicts.map(({ alertId, userId, rule, verdict, atMs }) => ({
    alert_id: alertId,
    user_id: userId,
    rule,
    verdict,
    at_ms: atMs,
  }))
  await insertAll(tx, 'verdicts', rows, (into) =>
    into.onConflict((conflict) =>
      conflict.columns(['alert_id', 'user_id']).doUpdateSet((eb) => ({
        rule: eb.ref('excluded.rule'),
        verdict: eb.ref('excluded.verdict'),
        at_ms: eb.ref('excluded.at_ms'),
      })),
    ),
  )
}

async function givenOn(db: Kysely<Tables>, alertIds: readonly string[]): Promise<readonly GivenVerdict[]> {
  const rows = await rowsOf(db, alertIds, (ids) =>
    db.selectFrom('verdicts').selectAll().where('alert_id', 'in', ids).execute(),
  )
  return rows.map((row) => ({
    alertId: row.alert_id,
    userId: row.user_id,
    rule: row.rule,
    verdict: row.verdict as Verdict,
    atMs: row.at_ms,
  }))
}

/** Who called these alerts what. */
export async function verdictsOn(db: Kysely<Tables>, alertIds: readonly string[]): Promise<Verdicts> {
  return verdictsOf(await givenOn(db, alertIds))
}

/** None is older than its alert. */
export async function votesSince(
  db: Kysely<Tables>,
  fromMs: number,
): Promise<readonly Pick<GivenVerdict, 'alertId' | 'verdict'>[]> {
  const rows = await db
    .selectFrom('verdicts')
    .select(['alert_id', 'verdict'])
    .where('at_ms', '>=', fromMs)
    .execute()
  return rows.map(({ alert_id: alertId, verdict }) => ({ alertId, verdict: verdict as Verdict }))
}

/** How many were given in this time, by rule. */
export async function countVerdicts(
  db: Kysely<Tables>,
  fromMs: number,
  toMs: number,
): Promise<readonly VerdictCount[]> {
  const rows = await db
    .selectFrom('verdicts')
    .select((eb) => ['rule', 'verdict', eb.fn.countAll<number>().as('count')])
    .where('at_ms', '>=', fromMs)
    .where('at_ms', '<', toMs)
    .groupBy(['rule', 'verdict'])
    .execute()
  const of = (rule: string, verdict: Verdict) =>
    rows.find((row) => row.rule === rule && row.verdict === verdict)?.count ?? 0
  return [...new Set(rows.map(({ rule }) => rule))].map((rule) => ({
    rule,
    useful: of(rule, 'useful'),
    noise: of(rule, 'noise'),
  }))
}
