/**
 * Deletes what is old and has ended: one batch per call, in one transaction. Never what is open, in force or still to be
 * shown, and nothing that such things refer to; rows are deleted before the rows they refer to.
 */
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { Forgetting } from '../domain/base/retention.ts'
import { episodesWithinMs } from '../domain/card/fold.ts'
import { ofKinds } from './card/card-conditions.ts'
import { subjectOf } from './mute/mutes.ts'
import type { Tables } from './open/schema.ts'
import { chunks } from './records/statements.ts'

/** The card of a mute's present deadline, as `handbackCard` names it. */
const handbackId = sql<string>`'handback:' || mute_id || ':' || coalesce(until_ms, 0)`

/** Returns how many rows it deleted; 0 once nothing is left. */
export function prune(db: Kysely<Tables>, before: Forgetting, batchRows: number): Promise<number> {
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

/** Had the outer query's alert ended before then, by its own clock and by ours? */
function isForgotten(
  eb: ExpressionBuilder<Tables, 'alerts'>,
  { alertsBeforeMs: beforeMs, recordsBeforeMs }: Forgetting,
): Expression<SqlBool> {
  return eb.and([
    eb('alerts.state', '<>', 'open'),
    eb('alerts.started_ms', '<', beforeMs),
    eb('alerts.first_seen_ms', '<', beforeMs),
    eb.or([eb('alerts.closed_ms', 'is', null), eb('alerts.closed_ms', '<', beforeMs)]),
    // Alerts hidden by a mute are counted in its hand-back; if it never ends, as far back as records go.
    eb.or([
      eb('alerts.started_ms', '<', recordsBeforeMs),
      eb.not(
        eb.exists(
          eb
            .selectFrom('mutes')
            .select('mutes.mute_id')
            .where('mutes.state', '<>', 'ended')
            .where('mutes.subject', 'in', [eb.ref('alerts.hostname'), eb.val(subjectOf(null))])
            .whereRef('mutes.started_ms', '<=', 'alerts.started_ms'),
        ),
      ),
    ]),
  ])
}

async function pruneCards(tx: Transaction<Tables>, before: Forgetting, limit: number) {
  const { alertsBeforeMs } = before
  const live = tx.selectFrom('mutes').where('state', '<>', 'ended')
  const lasting = tx.selectFrom('blinds').where('until_ms', 'is', null)
  const waitingMarkers = tx.selectFrom('markers').where('state', 'in', ['wanted', 'sending'])
  const found = await tx
    .selectFrom('cards')
    .select('card_id')
    .where('created_ms', '<', alertsBeforeMs)
    .where(ofKinds(({ isKept }) => !isKept))
    .where((eb) =>
      eb.or([
        eb('state', '=', 'dead'),
        eb.and([eb('state', '=', 'shown'), eb('shown', '>=', eb.ref('wanted')), eb('tidy_ms', 'is', null)]),
      ]),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('card_alerts')
            .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
            .select('card_alerts.alert_id')
            .whereRef('card_alerts.card_id', '=', 'cards.card_id')
            .where((alert) => alert.not(isForgotten(alert, before))),
        ),
      ),
    )
    // A thread is deleted before the message that it belongs to.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('cards as replies')
            .select('replies.card_id')
            .whereRef('replies.parent_id', '=', 'cards.card_id'),
        ),
      ),
    )
    .where(
      'card_id',
      'not in',
      live.select('card_id').where('card_id', 'is not', null).$castTo<{ card_id: string }>(),
    )
    // Its hand-back; those of earlier deadlines have been answered.
    .where('card_id', 'not in', live.select(handbackId.as('card_id')))
    .where((eb) =>
      eb.or([eb('subject_id', 'is', null), eb('subject_id', 'not in', lasting.select('card_of'))]),
    )
    .where(
      'card_id',
      'not in',
      waitingMarkers.select('card_id').where('card_id', 'is not', null).$castTo<{ card_id: string }>(),
    )
    .limit(limit)
    .execute()
  for (const ids of chunks(found.map((row) => row.card_id))) {
    await tx.deleteFrom('cards').where('card_id', 'in', ids).execute()
  }
  return found.length
}

/** Those that are on no card any more, with their notes. */
async function pruneAlerts(tx: Transaction<Tables>, before: Forgetting, limit: number) {
  const found = await tx
    .selectFrom('alerts')
    .select('alert_id')
    .where((eb) => isForgotten(eb, before))
    .where((eb) =>
      eb.and(
        (['card_alerts', 'card_pictures'] as const).map((table) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom(table)
                .select(`${table}.alert_id`)
                .whereRef(`${table}.alert_id`, '=', 'alerts.alert_id'),
            ),
          ),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('notes')
            .innerJoin('cards', 'cards.subject_id', 'notes.note_id')
            .select('notes.note_id')
            .whereRef('notes.alert_id', '=', 'alerts.alert_id'),
        ),
      ),
    )
    .limit(limit)
    .execute()
  for (const ids of chunks(found.map((row) => row.alert_id))) {
    // An action on an alert belongs to its server, and must remain so once only the audit remembers it.
    await tx
      .updateTable('audit')
      .set((eb) => ({
        hostname: eb
          .selectFrom('alerts')
          .select('alerts.hostname')
          .whereRef('alerts.alert_id', '=', 'audit.alert_id'),
      }))
      .where('alert_id', 'in', ids)
      .where('hostname', 'is', null)
      .execute()
    await tx.deleteFrom('alerts').where('alert_id', 'in', ids).execute()
  }
  return found.length
}

async function pruneRecords(tx: Transaction<Tables>, before: Forgetting, limit: number) {
  const { alertsBeforeMs, recordsBeforeMs } = before
  const shown = tx.selectFrom('cards').select('cards.card_id')
  const audit = await tx
    .deleteFrom('audit')
    .where('audit_id', 'in', (eb) =>
      eb
        .selectFrom('audit')
        .select('audit.audit_id')
        .where('audit.at_ms', '<', recordsBeforeMs)
        .where((row) =>
          row.not(row.exists(shown.whereRef('cards.subject_id', '=', row.ref('audit.audit_id')))),
        )
        // Actions on something open are still on its card, with the flaps before it; but actions on a server that always has
        // something open must not be kept for ever.
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('alerts')
                .select('alerts.alert_id')
                .where('alerts.state', '=', 'open')
                .where((alert) =>
                  alert.or([
                    alert('alerts.alert_id', '=', alert.ref('audit.alert_id')),
                    alert.and([
                      alert('alerts.hostname', '=', alert.ref('audit.hostname')),
                      alert('alerts.started_ms', '<=', sql<number>`audit.at_ms + ${episodesWithinMs}`),
                    ]),
                  ]),
                ),
            ),
          ),
        )
        .limit(limit),
    )
    .executeTakeFirst()
  const mutes = await tx
    .deleteFrom('mutes')
    .where('mute_id', 'in', (eb) =>
      eb
        .selectFrom('mutes')
        .select('mutes.mute_id')
        .where('mutes.state', '=', 'ended')
        .where('mutes.started_ms', '<', recordsBeforeMs)
        .where('mutes.ended_ms', '<', recordsBeforeMs)
        .where((row) =>
          row.not(row.exists(shown.whereRef('cards.subject_id', '=', row.ref('mutes.mute_id')))),
        )
        .limit(limit),
    )
    .executeTakeFirst()
  const outages = await tx
    .deleteFrom('blinds')
    .where('until_ms', '<', recordsBeforeMs)
    .where('since_ms', '<', recordsBeforeMs)
    .where((row) => row.not(row.exists(shown.whereRef('cards.subject_id', '=', row.ref('blinds.card_of')))))
    .executeTakeFirst()
  const markers = await tx
    .deleteFrom('markers')
    .where('state', 'not in', ['wanted', 'sending'])
    .where('created_ms', '<', alertsBeforeMs)
    .executeTakeFirst()
  const homes = await tx.deleteFrom('homes').where('at_ms', '<', alertsBeforeMs).executeTakeFirst()
  const ends = await tx.deleteFrom('ends').where('ended_ms', '<', alertsBeforeMs).executeTakeFirst()
  const results = [audit, mutes, outages, markers, homes, ends]
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0)
}
