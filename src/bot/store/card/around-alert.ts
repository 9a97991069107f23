/** Reads what an alert's card shows around it: other alerts of its server, when it last occurred, and the last note. */
import type { Kysely } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { troubleOf } from '../../domain/alert/trouble.ts'
import type { StoredView } from '../../domain/card/kinds.ts'
import { openAlerts } from '../alert/alerts.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'

const earlierMax = 20

type Around = Pick<StoredView<'alert'>, 'lastNote' | 'alsoOpen' | 'lastTime'>

/** `alertIds`: all of its card. */
export async function surroundingsOf(
  db: Kysely<Tables>,
  alert: Alert,
  alertIds: readonly string[],
): Promise<Around> {
  const isOpen = alert.state === 'open'
  return {
    lastNote: await lastNoteOn(db, alertIds),
    alsoOpen: isOpen ? await alsoOpenWith(db, alert) : [],
    lastTime: isOpen ? await lastTimeOf(db, alert, alertIds) : null,
  }
}

async function lastNoteOn(db: Kysely<Tables>, alertIds: readonly string[]): Promise<string | null> {
  const row = await db
    .selectFrom('notes')
    .select('text')
    .where('alert_id', 'in', alertIds)
    .orderBy('at_ms', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.text ?? null
}

async function alsoOpenWith(db: Kysely<Tables>, { hostname, alertId }: Alert): Promise<Alert[]> {
  return (await openAlerts(db, [hostname])).filter((one) => one.alertId !== alertId)
}

/** Looked for among the newest of its metric; what came before them is long ago. */
async function lastTimeOf(
  db: Kysely<Tables>,
  alert: Alert,
  alertIds: readonly string[],
): Promise<StoredView<'alert'>['lastTime']> {
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('hostname', '=', alert.hostname)
    .where('plugin', '=', alert.plugin)
    .where('metric', alert.metric === null ? 'is' : '=', alert.metric)
    .where('started_ms', '<', alert.startedMs)
    .where('state', '=', 'closed')
    .orderBy('started_ms', 'desc')
    .limit(earlierMax)
    .execute()
  const last = rows
    .map(toAlert)
    .find((one) => !alertIds.includes(one.alertId) && troubleOf(one) === troubleOf(alert))
  return last === undefined ? null : { alert: last, note: await lastNoteOn(db, [last.alertId]) }
}
