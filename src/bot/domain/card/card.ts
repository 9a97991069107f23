/** A card: what one message in Slack should show. Cards are desired state, which the outbox brings to Slack. */
import type { Alert } from '../alert/alert.ts'
import type { CardKind, NoticeTopic } from './kinds.ts'

/** A card to be made. Its id is derived from what it shows, so that making it twice makes it once. */
export type NewCard = {
  readonly cardId: string
  readonly kind: CardKind
  /** Of a notice; null for the other kinds. */
  readonly topic: NoticeTopic | null
  readonly channel: string
  /** The card in whose thread this one is. */
  readonly parentId: string | null
  /** Place in that thread, from 1. */
  readonly page: number | null
  readonly mention: string | null
  /** The alerts it shows; a change of any of them is a change of the card. */
  readonly alertIds: readonly string[]
  /** The id of what else it shows: of a note, an audit entry, a mute, an outage; null for the other kinds. */
  readonly subjectId: string | null
}

/** Is it a person, whom a card reaches by direct message, and no channel? */
export function isPerson(channel: string): boolean {
  return /^[UW]/.test(channel)
}

/** How many alerts one reply lists: Slack takes about 12,000 characters of text in one message. */
export const alertsPerPage = 80

/**
 * The prefix of the ids of these kinds, if it is not their present name. Ids stand in messages of Slack, in their buttons and in
 * databases: another one would be another card, and say the same once more.
 */
const idPrefixes: Partial<Readonly<Record<CardKind | NoticeTopic, string>>> = {
  outage: 'blind',
  mute_expiring: 'handback',
  became_critical: 'worsened',
  unacknowledged: 'reminder',
  flap_reminder: 'again',
  stale_ack: 'forgotten',
  change_notice: 'told',
}

/** Makes a card. `of` distinguishes it from others of its kind. */
export function newCard(
  kind: CardKind,
  of: string,
  given: Pick<NewCard, 'channel'> & Partial<Omit<NewCard, 'kind'>>,
): NewCard {
  const name = given.topic ?? kind
  return {
    cardId: `${idPrefixes[name] ?? name}:${of}`,
    kind,
    topic: null,
    parentId: null,
    page: null,
    mention: null,
    alertIds: [],
    subjectId: null,
    ...given,
  }
}

export function alertCard(alert: Alert, to: { channel: string; mention: string | null }): NewCard {
  const { channel, mention } = to
  return newCard('alert', `${alert.alertId}:${channel}`, { channel, mention, alertIds: [alert.alertId] })
}
