/** Reads and writes values of the metrics of alerts: when each is due, its result, and which cards and charts change with it. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Alert } from '../../domain/alert/alert.ts'
import { nextReadMs, readingWaitMaxMs } from '../../domain/alert/read-times.ts'
import type { Reading } from '../../domain/alert/reading.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import { markCardsDirty } from '../card/mark-dirty.ts'
import { wantFresh } from '../card/pictures.ts'
import type { Tables } from '../open/schema.ts'
import { toAlert } from '../records/rows.ts'
import { believed, rowsOf } from '../records/statements.ts'

export function readingStore(db: Kysely<Tables>) {
  return {
    nextReading: (nowMs) => nextReading(db, nowMs),
    settleReading: (alert, settled) => settleReading(db, alert, settled),
  } satisfies Partial<Store>
}

/** Only of alerts that have a card of their own in Slack: what nobody sees need not be read. */
async function nextReading(db: Kysely<Tables>, nowMs: number): ReturnType<Store['nextReading']> {
  const row = await db
    .selectFrom('alerts')
    .selectAll()
    .where('next_read_ms', 'is not', null)
    .where(sql<boolean>`exists (
      select 1 from card_alerts join cards on cards.card_id = card_alerts.card_id
      where card_alerts.alert_id = alerts.alert_id and cards.kind = 'alert' and cards.state = 'shown'
    )`)
    .orderBy(believed('next_read_ms', nowMs, readingWaitMaxMs))
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return { alert: null, nextMs: null }
  const waitMs = remainingMs(row.next_read_ms ?? 0, nowMs, readingWaitMaxMs)
  return waitMs > 0 ? { alert: null, nextMs: nowMs + waitMs } : { alert: toAlert(row), nextMs: null }
}

async function settleReading(
  db: Kysely<Tables>,
  alert: Alert,
  { reading, nextMs, withPicture }: Parameters<Store['settleReading']>[1],
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('alerts')
      .set({
        next_read_ms: nextMs,
        ...(reading === null
          ? {}
          : {
              units: reading.units,
              limit_value: reading.limit?.value ?? null,
              limit_side: reading.limit?.side ?? null,
              last_value: reading.last?.value ?? null,
              last_ms: reading.last?.atMs ?? null,
              peak_value: reading.peak,
              read_ms: reading.readMs,
            }),
      })
      .where('alert_id', '=', alert.alertId)
      // It may have closed meanwhile, and is then due by another time.
      .where('state', '=', alert.state)
      .executeTakeFirst()
    if (Number(numUpdatedRows) === 0 || reading === null || !isSeen(alert, reading)) return false
    const cards = await tx
      .selectFrom('card_alerts')
      .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
      .select('cards.card_id')
      .where('card_alerts.alert_id', '=', alert.alertId)
      .where('cards.kind', '=', 'alert')
      .execute()
    const cardIds = cards.map(({ card_id }) => card_id)
    await markCardsDirty(tx, cardIds)
    if (withPicture) await wantFresh(tx, { cardIds, alertId: alert.alertId })
    return true
  })
}

/** Does anything that people see differ? */
function isSeen({ state, closedMs, reading: was }: Alert, now: Reading): boolean {
  const isSure = (one: Reading | undefined) => (one?.readMs ?? 0) >= (closedMs ?? Number.POSITIVE_INFINITY)
  return (
    was?.last?.value !== now.last?.value ||
    (was?.peak ?? null) !== now.peak ||
    (was?.units ?? null) !== now.units ||
    was?.limit?.value !== now.limit?.value ||
    was?.limit?.side !== now.limit?.side ||
    (state === 'closed' && isSure(was) !== isSure(now))
  )
}

/** The units that the metrics of the plan's new alerts had before, looked up at once: a storm is a thousand alerts. */
export async function knownUnits(
  tx: Transaction<Tables>,
  plan: Plan,
): Promise<(alert: Pick<Alert, 'plugin' | 'metric'>) => string | null> {
  const nameOf = ({ plugin, metric }: Pick<Alert, 'plugin' | 'metric'>) => JSON.stringify([plugin, metric])
  const metrics = new Map(
    plan.alerts.flatMap(({ alert, was }) =>
      was === null && alert.metric !== null && nextReadMs(alert, plan.atMs, true) !== null
        ? [[nameOf(alert), sql`(${alert.plugin}, ${alert.metric})`] as const]
        : [],
    ),
  )
  const known = await rowsOf(tx, [...metrics.values()], async (some) => {
    const { rows } = await sql<{ plugin: string; metric: string; units: string | null }>`
      with asked (plugin, metric) as (values ${sql.join(some)})
      select plugin, metric, (
        select alerts.units from alerts
        where alerts.plugin = asked.plugin and alerts.metric = asked.metric and alerts.units is not null
        order by alerts.started_ms desc limit 1
      ) as units from asked`.execute(tx)
    return rows
  })
  const units = new Map(known.map((one) => [nameOf(one), one.units]))
  return (alert) => units.get(nameOf(alert)) ?? null
}
