/** Reads what opened in a time, for counts by rule and for the file with one row an alert. */
import { type Kysely, sql } from 'kysely'
import type { ListedAlert } from '../../domain/request/alert-csv.ts'
import {
  type CountedAlert,
  countByRule,
  countRules,
  type Happened,
  verdictsCountMs,
} from '../../domain/request/rule-counts.ts'
import { isUnderMute } from '../mute/over-alert.ts'
import type { Tables } from '../open/schema.ts'
import { asOfOneMoment } from '../records/statements.ts'
import { countVerdicts, votesSince } from '../records/verdicts.ts'
import { sqlOf } from '../sql/words.ts'

/** Was a mute that the API had confirmed in force when the outer query's alert began? */
const wasInForce = sql<boolean>`(
  mutes.started_ms <= alerts.started_ms
  and (mutes.ended_ms is null or mutes.ended_ms > alerts.started_ms)
  and coalesce(mutes.ended_by, '') <> 'interrupted'
)`

/** `isBeforeKnown`: the time before is remembered as far as it was seen. */
export async function happened(
  db: Kysely<Tables>,
  fromMs: number,
  toMs: number,
  isBeforeKnown: boolean,
): Promise<Happened> {
  const beforeMs = fromMs - (toMs - fromMs)
  return asOfOneMoment(db).execute(async (tx) => {
    const alerts = await opened(tx, fromMs, toMs).execute()
    const earlier = isBeforeKnown && (await isRemembered(tx, beforeMs))
    const before = earlier ? await factsOfOpened(tx, beforeMs, fromMs).execute() : null
    const verdicts = await countVerdicts(tx, toMs - verdictsCountMs, toMs)
    return countRules(
      alerts.map((row): CountedAlert => ({ ...row, isHidden: Boolean(row.isHidden) })),
      { fromMs, toMs, before: before === null ? null : countByRule(before), verdicts },
    )
  })
}

/** The latest of what opened in this time, latest first, and how many there are in all. */
export async function openedAlerts(
  db: Kysely<Tables>,
  fromMs: number,
  toMs: number,
  limit: number,
): Promise<{ readonly alerts: readonly ListedAlert[]; readonly total: number }> {
  return asOfOneMoment(db).execute(async (tx) => {
    const within = tx
      .selectFrom('alerts')
      .where('started_ms', '>=', fromMs)
      .where('started_ms', '<', toMs)
      .where('state', '<>', 'ignored')
    const { total } = await within
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await opened(tx, fromMs, toMs)
      .select(['alert_id', 'number', 'server_name', 'severity', 'title', 'url'])
      .select((eb) => eb.fn.coalesce('acked_by', 'acked_before').as('ackedBy'))
      .orderBy('started_ms', 'desc')
      .limit(limit)
      .execute()
    const votes = Map.groupBy(await votesSince(tx, fromMs), ({ alertId }) => alertId)
    const alerts = rows.map(({ alert_id: alertId, server_name: shown, ...row }): ListedAlert => {
      const given = votes.get(alertId) ?? []
      const useful = given.filter(({ verdict }) => verdict === 'useful').length
      const server = shown === '' ? row.hostname : shown
      return { ...row, server, isHidden: Boolean(row.isHidden), useful, noise: given.length - useful }
    })
    return { alerts, total }
  })
}

/** Does anything that is remembered reach back that far? Otherwise nobody knows what there was. */
async function isRemembered(db: Kysely<Tables>, fromMs: number): Promise<boolean> {
  const { oldest } = await db
    .selectFrom('alerts')
    .select((eb) => eb.fn.min('started_ms').as('oldest'))
    .executeTakeFirstOrThrow()
  return oldest !== null && oldest <= fromMs
}

function factsOfOpened(db: Kysely<Tables>, fromMs: number, toMs: number) {
  return db
    .selectFrom('alerts')
    .select(['plugin', 'metric', sqlOf(db).field('alerts.details', 'alertname', 'labels').as('alertname')])
    .where('started_ms', '>=', fromMs)
    .where('started_ms', '<', toMs)
    .where('state', '<>', 'ignored')
}

/** Row by row in no order, so that the database need not sort them and others have their turn in between. */
function opened(db: Kysely<Tables>, fromMs: number, toMs: number) {
  return factsOfOpened(db, fromMs, toMs).select([
    'hostname',
    'state',
    'started_ms as startedMs',
    'closed_ms as closedMs',
    'closed_after_ms as closedAfterMs',
    'first_acked_ms as ackedMs',
    sql<boolean | number>`${isUnderMute(sqlOf(db), wasInForce)}`.as('isHidden'),
  ])
}
