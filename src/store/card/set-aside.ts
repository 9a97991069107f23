/** Cards that were set aside: which of them matter, and how one gets another try. */
import { sql } from 'kysely'
import { ofKinds } from './of-kinds.ts'

const showsOpen = sql<boolean>`exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state = 'open'
)`

/** A card that is in Slack is out of date; one that was never posted matters only while what it says is true. */
export const isMissed = sql<boolean>`(cards.ts is not null or ${ofKinds(({ isKept }) => isKept)} or ${showsOpen})`

/** It starts from the beginning. */
export const revived = {
  state: sql<string>`case when ts is null then 'wanted' else 'shown' end`,
  plain: 0,
  attempts: 0,
  not_before_ms: 0,
}
