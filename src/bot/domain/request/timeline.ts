/** All that is known to have happened about an alert, or the alerts of a card, in the order of time. */
import type { Alert, Note } from '../alert/alert.ts'
import type { NoticeTopic } from '../card/kinds.ts'
import type { Outage } from '../outage/outage.ts'
import type { PageDelivery } from '../page/page.ts'
import type { AuditEntry } from './audit.ts'

/** A message that reached people once more: a reminder, a flap. */
export type Reminded = { readonly topic: NoticeTopic; readonly atMs: number; readonly channel: string }

/** What the store knows of it. */
export type TimelineFacts = {
  /** Acts on the alerts, on their servers while any of them was open, and on their cards; earliest first. */
  readonly acts: readonly AuditEntry[]
  readonly notes: readonly Note[]
  readonly reminded: readonly Reminded[]
  /** What the pager was asked about any of the alerts, earliest first. */
  readonly deliveries: readonly PageDelivery[]
  /** There is more of one of them, and later, than `timelineRowsMax`. */
  readonly isCut: boolean
}

export type Timeline = TimelineFacts & {
  readonly kind: 'timeline'
  /** The alert that it is about; the latest, where several are folded into its card. */
  readonly alert: Alert
  /** All of its card, earliest first; at most `timelineAlertsMax`. */
  readonly alerts: readonly Alert[]
  /** How many its card has. */
  readonly count: number
  readonly isList: boolean
  /** Those that overlap. */
  readonly outages: readonly Outage[]
  /** When it was made. */
  readonly atMs: number
  /** Of its times, IANA. */
  readonly zone: string
  /** What people are called, by their ids. */
  readonly names: ReadonlyMap<string, string>
  /** Its card in Slack; null: none, or not known. */
  readonly link: string | null
}

export const timelineAlertsMax = 500
/** Of acts, of notes, of reminders and of deliveries to the pager, each. */
export const timelineRowsMax = 5_000
