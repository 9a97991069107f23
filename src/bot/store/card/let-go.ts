/** Clears channels that take nothing any more: what waits for them moves to another channel, or is deleted. */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { sqlOf, type Words } from '../sql/words.ts'
import { ofKinds } from './card-conditions.ts'

export function letGoStore(db: Kysely<Tables>) {
  return {
    cardChannels: async () => {
      const rows = await db.selectFrom('cards').select('channel').distinct().execute()
      return rows.map(({ channel }) => channel)
    },
    letGo: (channel, to) =>
      db.transaction().execute(async (tx) => {
        const words = sqlOf(db)
        const steps = to.isWanted
          ? [sayElsewhere(words, channel, to), dropTold(words, channel, to)]
          : [sayElsewhere(words, channel, to), ...forget(channel)]
        let rows = 0
        for (const step of steps.flat()) rows += await changed(tx, step)
        return rows
      }),
  } satisfies Partial<Store>
}

type To = Parameters<Store['letGo']>[1]

async function changed(tx: Transaction<Tables>, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0)
}

/** Slack certainly does not have it. */
const isUnposted = sql`cards.ts is null and cards.state = 'wanted'`

/** Is it news for everybody? A change of a mute or of the account is; one of an alert is on its card. */
const isForEverybody = sql`(
  cards.kind in ('mute_expiring', 'mute_ended')
  or (cards.topic = 'change_notice' and exists (
    select 1 from audit where audit.audit_id = cards.subject_id and audit.alert_id is null
  ))
)`

/** Moves it to another channel, once: it is deleted if a channel that people read has it already. */
function sayElsewhere(words: Words, channel: string, { read, fallback }: To): RawBuilder<unknown>[] {
  const isSaidElsewhere = sql`exists (
    select 1 from cards as others
    where others.kind = cards.kind and others.topic is not distinct from cards.topic and others.subject_id = cards.subject_id and others.channel in ${words.listed(read)}
  )`
  const waiting = sql`cards.channel = ${channel} and ${isUnposted} and ${isForEverybody}
    and not exists (select 1 from cards as replies where replies.parent_id = cards.card_id)`
  const drop = sql`delete from cards where ${waiting} and ${isSaidElsewhere}`
  if (fallback === null) return [drop]
  const move = sql`update cards set channel = ${fallback}, parent_id = null, not_before_ms = 0, attempts = 0, why = null
    where ${waiting}`
  return [drop, move]
}

/** Cards about alerts that people read in another channel: if this one is unarchived, they would be announced twice. */
function dropTold(words: Words, channel: string, { read }: To): RawBuilder<unknown>[] {
  const isRead = (alertId: string) => sql`exists (
    select 1 from card_alerts join cards as others on others.card_id = card_alerts.card_id
    where card_alerts.alert_id = ${sql.ref(alertId)} and others.kind in ('alert', 'storm', 'summary')
      and others.channel in ${words.listed(read)}
  )`
  const isReadAll = sql`exists (
    select 1 from card_alerts as own join alerts on alerts.alert_id = own.alert_id
    where own.card_id = cards.card_id and alerts.state = 'open'
  ) and not exists (
    select 1 from card_alerts as own join alerts on alerts.alert_id = own.alert_id
    where own.card_id = cards.card_id and alerts.state = 'open' and not ${isRead('own.alert_id')}
  )`
  const isAboutRead = sql`exists (
    select 1 from notes where notes.note_id = cards.subject_id and ${isRead('notes.alert_id')}
  ) or exists (
    select 1 from audit where audit.audit_id = cards.subject_id and ${isRead('audit.alert_id')}
  )`
  const here = sql`cards.channel = ${channel} and ${isUnposted}`
  const isAlone = sql`not exists (select 1 from cards as replies where replies.parent_id = cards.card_id)`
  return [
    sql`delete from cards where ${here} and cards.parent_id is not null and (
      (${ofKinds(({ subject }) => subject === 'alerts')} and ${isReadAll}) or ${isAboutRead}
    ) and ${isAlone}`,
    sql`delete from cards where ${here} and cards.parent_id is null
      and ${ofKinds(({ subject }) => subject === 'alerts')} and ${isReadAll} and ${isAlone}`,
  ]
}

/** Deletes replies before the message that they belong to. */
function forget(channel: string): RawBuilder<unknown>[] {
  return [
    sql`delete from cards where channel = ${channel} and parent_id is not null`,
    sql`delete from cards where channel = ${channel}
      and not exists (select 1 from cards as replies where replies.parent_id = cards.card_id)`,
  ]
}
