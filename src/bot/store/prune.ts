/**
 * Deletes what is old and has ended: one batch per call, in one transaction. Never what is open, in force or still to be
 * shown, and nothing that such things refer to; rows are deleted before the rows they refer to.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Forgetting } from '../domain/base/retention.ts'
import { episodesWithinMs } from '../domain/card/fold.ts'
import { isNotPermanent } from './card/card-conditions.ts'
import { isLive } from './mute/mutes.ts'
import { isUnderMute } from './mute/over-alert.ts'
import type { Tables } from './open/schema.ts'
import { sqlOf, type Words } from './sql/words.ts'

/** Returns how many rows it deleted; 0 once nothing is left. */
export function prune(db: Kysely<Tables>, asked: Forgetting, batchRows: number): Promise<number> {
  // Where nothing is remembered yet, `asked` is of an infinite past, which no column of Postgres can be compared with.
  const before = {
    alertsBeforeMs: Math.max(asked.alertsBeforeMs, Number.MIN_SAFE_INTEGER),
    recordsBeforeMs: Math.max(asked.recordsBeforeMs, Number.MIN_SAFE_INTEGER),
  }
  return db.transaction().execute(async (tx) => {
    let rows = 0
    for (const step of [pruneCards, pruneAlerts, pruneRecords]) {
      // One kind at a time: the transaction stays short, and the next kind may become free only after this one.
      rows = await step(tx, before, batchRows)
      if (rows > 0) break
    }
    return rows
  })
}

async function deleted(tx: Transaction<Tables>, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0)
}

/** Is the outer query's mute in force since before the alert began? */
const isFromBefore = sql<boolean>`(${isLive} and mutes.started_ms <= alerts.started_ms)`

/** Had the outer query's alert ended before then, by its own clock and by ours? */
function isForgotten(words: Words, { alertsBeforeMs, recordsBeforeMs }: Forgetting): RawBuilder<boolean> {
  return sql`(
    alerts.state <> 'open' and alerts.started_ms < ${alertsBeforeMs} and alerts.first_seen_ms < ${alertsBeforeMs}
    and (alerts.closed_ms is null or alerts.closed_ms < ${alertsBeforeMs})
    and not (alerts.state = 'ignored' and alerts.closed_ms is null)
    -- What nobody knows the end of counts as unknown for as long as anything is remembered.
    and (alerts.state <> 'unreported' or alerts.started_ms < ${recordsBeforeMs})
    -- Alerts hidden by a mute are counted in the question before its end; if it never ends, as far back as records go.
    and (alerts.started_ms < ${recordsBeforeMs} or not ${isUnderMute(words, isFromBefore)})
  )`
}

/** The id is that of `expiringCard`: only the notice for the mute's present deadline is still to be answered. */
async function pruneCards(tx: Transaction<Tables>, before: Forgetting, limit: number): Promise<number> {
  return deleted(
    tx,
    sql`delete from cards where card_id in (
      select card_id from cards
      where created_ms < ${before.alertsBeforeMs} and ${isNotPermanent}
        and (state = 'dead' or (state = 'shown' and shown >= wanted and tidy_ms is null))
        and not exists (
          select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
          where card_alerts.card_id = cards.card_id and not ${isForgotten(sqlOf(tx), before)}
        )
        -- A thread is deleted before the message that it belongs to.
        and not exists (select 1 from cards as replies where replies.parent_id = cards.card_id)
        and card_id not in (select card_id from mutes where ${isLive} and card_id is not null)
        and card_id not in (select card_id from planned_mutes where card_id is not null)
        and card_id not in (
          select 'handback:' || mute_id || ':' || coalesce(until_ms, 0) from mutes where ${isLive}
        )
        and (subject_id is null or subject_id not in (select card_of from outages where until_ms is null))
        and card_id not in (
          select card_id from markers where state in ('wanted', 'sending') and card_id is not null
        )
      limit ${limit}
    )`,
  )
}

/** Those that are on no card any more, with their notes. */
async function pruneAlerts(tx: Transaction<Tables>, before: Forgetting, limit: number): Promise<number> {
  const { rows } = await sql<{ alert_id: string }>`
    select alert_id from alerts
    where ${isForgotten(sqlOf(tx), before)}
      and not exists (select 1 from card_alerts where card_alerts.alert_id = alerts.alert_id)
      and not exists (select 1 from card_pictures where card_pictures.alert_id = alerts.alert_id)
      and not exists (
        select 1 from notes join cards on cards.subject_id = notes.note_id
        where notes.alert_id = alerts.alert_id
      )
    limit ${limit}`.execute(tx)
  if (rows.length === 0) return 0
  const ids = sql.join(rows.map(({ alert_id }) => alert_id))
  // An action on an alert belongs to its server, and must remain so once only the audit remembers it.
  await sql`update audit
    set hostname = (select alerts.hostname from alerts where alerts.alert_id = audit.alert_id)
    where alert_id in (${ids}) and hostname is null`.execute(tx)
  return deleted(tx, sql`delete from alerts where alert_id in (${ids})`)
}

async function pruneRecords(tx: Transaction<Tables>, before: Forgetting, limit: number): Promise<number> {
  const { alertsBeforeMs, recordsBeforeMs } = before
  const isShown = (column: string) =>
    sql<boolean>`exists (select 1 from cards where cards.subject_id = ${sql.ref(column)})`
  const statements = [
    sql`delete from audit where audit_id in (
      select audit_id from audit
      where at_ms < ${recordsBeforeMs} and not ${isShown('audit.audit_id')}
        -- Actions on something open are still on its card, with the flaps before it; but actions on a server that always has
        -- something open must not be kept for ever.
        and not exists (
          select 1 from alerts
          where alerts.state = 'open' and (
            alerts.alert_id = audit.alert_id
            or (alerts.hostname = audit.hostname and alerts.started_ms <= audit.at_ms + ${episodesWithinMs})
          )
        )
      limit ${limit}
    )`,
    sql`delete from mutes where mute_id in (
      select mute_id from mutes
      where not ${isLive} and started_ms < ${recordsBeforeMs} and ended_ms < ${recordsBeforeMs}
        and not ${isShown('mutes.mute_id')}
      limit ${limit}
    )`,
    sql`delete from outages
      where until_ms < ${recordsBeforeMs} and since_ms < ${recordsBeforeMs} and not ${isShown('outages.card_of')}`,
    sql`delete from markers where state not in ('wanted', 'sending') and created_ms < ${alertsBeforeMs}`,
    // Timelines tell of the page for as long as any of its alerts is remembered.
    sql`delete from pages where live = 0 and at_ms < ${alertsBeforeMs} and not exists (
      select 1 from ${sqlOf(tx).textsIn('pages.page', 'deliveries', 'alertIds')} as paged
      join alerts on alerts.alert_id = paged.value
    )`,
    sql`delete from homes where at_ms < ${alertsBeforeMs}`,
    sql`delete from ends where ended_ms < ${alertsBeforeMs}`,
    sql`delete from verdicts where at_ms < ${alertsBeforeMs}`,
  ]
  let rows = 0
  for (const statement of statements) rows += await deleted(tx, statement)
  return rows
}
