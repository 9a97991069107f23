/** SQL conditions on cards that several queries share: by how their kinds are sent, and which set-aside cards matter. */
import { type RawBuilder, sql } from 'kysely'
import { kindsThat, type Treatment } from '../../domain/card/kinds.ts'

/**
 * Cards that are treated like this. The kinds are written into the statement, and a single one (no topic is the only one of its
 * treatment) with `=`: only then does SQLite use an index of that kind alone.
 */
export function ofKinds(are: (treatment: Treatment) => boolean): RawBuilder<boolean> {
  const kinds = kindsThat(are)
  const [only] = kinds
  if (kinds.length === 1) return sql`cards.kind = ${sql.lit(only)}`
  return sql`coalesce(cards.topic, cards.kind) in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`
}

export const isNotPermanent = ofKinds(({ isPermanent }) => !isPermanent)

const showsOpen = sql<boolean>`exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state = 'open'
)`

/**
 * Does a card that was set aside matter? One that is in Slack is out of date; one that was never posted matters only while what
 * it says is true.
 */
export const isMissed = sql<boolean>`(cards.ts is not null or ${ofKinds(({ isPermanent }) => isPermanent)} or ${showsOpen})`

/** Resets a card that was set aside. */
export const revived = {
  state: sql<string>`case when ts is null then 'wanted' else 'shown' end`,
  plain: 0,
  attempts: 0,
  not_before_ms: 0,
}
