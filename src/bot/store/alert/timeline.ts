/** Reads what happened about some alerts, for their timeline. */
import { type Kysely, sql } from 'kysely'
import type { NoticeTopic } from '../../domain/card/kinds.ts'
import { type TimelineFacts, timelineRowsMax } from '../../domain/request/timeline.ts'
import { serverActs } from '../card/views.ts'
import type { Tables } from '../open/schema.ts'
import { deliveriesAbout } from '../page/pages.ts'
import { toAuditEntry, toNote } from '../records/audit.ts'
import { sqlOf } from '../sql/words.ts'

/** Notices that reach people once more. */
const reminding: readonly NoticeTopic[] = ['unacknowledged', 'flap_reminder', 'stale_ack', 'became_critical']

export async function timelineFacts(
  db: Kysely<Tables>,
  of: {
    readonly alertIds: readonly string[]
    readonly hostnames: readonly string[]
    /** The cards that show them. */
    readonly cardIds: readonly string[]
    readonly fromMs: number
    readonly toMs: number
  },
): Promise<TimelineFacts> {
  const { listed } = sqlOf(db)
  const below = sql`select subject_id from cards
    where parent_id in ${listed(of.cardIds)} and topic = 'change_notice' and subject_id is not null`
  const acts = await db
    .selectFrom('audit')
    .selectAll()
    .where(sql<boolean>`(
      alert_id in ${listed(of.alertIds)} or audit_id in (${below})
      or (hostname in ${listed(of.hostnames)} and act in (${sql.join([...serverActs, 'end_mute'])})
        and at_ms between ${of.fromMs} and ${of.toMs})
    )`)
    // A verdict judges a rule and not what happened, a file says nothing of itself, and notes come with their words.
    .where('act', 'not in', ['rate_alert', 'post_timeline', 'add_note'])
    .where('outcome', '<>', 'nothing')
    .orderBy('at_ms')
    .orderBy('audit_id')
    .limit(timelineRowsMax + 1)
    .execute()
  const notes = await db
    .selectFrom('notes')
    .selectAll()
    .where(sql<boolean>`alert_id in ${listed(of.alertIds)}`)
    .orderBy('at_ms')
    .limit(timelineRowsMax + 1)
    .execute()
  const reminded = await db
    .selectFrom('cards')
    .select(['topic', 'created_ms', 'channel'])
    .where(sql<boolean>`parent_id in ${listed(of.cardIds)}`)
    .where('topic', 'in', [...reminding])
    .orderBy('created_ms')
    .limit(timelineRowsMax + 1)
    .execute()
  const deliveries = await deliveriesAbout(db, of.alertIds)
  const isCut = [acts, notes, reminded, deliveries].some(({ length }) => length > timelineRowsMax)
  return {
    isCut,
    acts: acts.slice(0, timelineRowsMax).map(toAuditEntry),
    notes: notes.slice(0, timelineRowsMax).map(toNote),
    reminded: reminded.slice(0, timelineRowsMax).map(({ topic, created_ms: atMs, channel }) => ({
      topic: topic as NoticeTopic,
      atMs,
      channel,
    })),
    deliveries: deliveries.slice(0, timelineRowsMax),
  }
}
