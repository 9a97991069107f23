/** A card: what one message in Slack should show. Cards are desired state; `deliver` makes Slack follow. */
import type { Alert } from './alert.ts'

/**
 * - `alert`: one alert
 * - `summary`: many alerts that were found open at once; its thread lists them
 * - `page`: one reply in a summary's thread
 */
export type CardKind = 'alert' | 'summary' | 'page'

/** A card to be made. Its id is derived from what it shows, so that making it twice makes it once. */
export type NewCard = {
  readonly cardId: string
  readonly kind: CardKind
  readonly channel: string
  /** The card whose thread this one stands in. */
  readonly parentId: string | null
  /** Place in that thread, from 1. */
  readonly page: number | null
  readonly mention: string | null
  /** The alerts it shows; a change of any of them is a change of the card. */
  readonly alertIds: readonly string[]
}

export type CardPicture =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'file'
      readonly fileId: string
      /** How often bringing it failed so far, or Slack refused to show it. */
      readonly attempts: number
    }

/** All that is needed to draw a card, and nothing of Slack. */
export type CardView =
  | {
      readonly kind: 'alert'
      readonly alert: Alert
      /** How often this alert has come within seven days, this one counted. */
      readonly timesThisWeek: number
      readonly picture: CardPicture | null
      readonly mention: string | null
    }
  | { readonly kind: 'summary'; readonly alerts: readonly Alert[]; readonly mention: string | null }
  | { readonly kind: 'page'; readonly alerts: readonly Alert[]; readonly page: number }

/** As many alerts as one reply lists: Slack takes about 12,000 characters of text in one message. */
export const alertsPerPage = 80

export function alertCard(alert: Alert, to: { channel: string; mention: string | null }): NewCard {
  return {
    cardId: `alert:${alert.alertId}:${to.channel}`,
    kind: 'alert',
    channel: to.channel,
    parentId: null,
    page: null,
    mention: to.mention,
    alertIds: [alert.alertId],
  }
}

/** A summary and the pages of its thread; the newest alert comes first. `atMs` tells it from other summaries. */
export function summaryCards(
  alerts: readonly Alert[],
  to: { channel: string; mention: string | null },
  atMs: number,
): NewCard[] {
  const alertIds = alerts.toSorted((a, b) => b.startedMs - a.startedMs).map((alert) => alert.alertId)
  const cardId = `summary:${atMs}:${to.channel}`
  const cards: NewCard[] = [
    {
      cardId,
      kind: 'summary',
      channel: to.channel,
      parentId: null,
      page: null,
      mention: to.mention,
      alertIds,
    },
  ]
  for (let page = 1; (page - 1) * alertsPerPage < alertIds.length; page += 1) {
    cards.push({
      cardId: `${cardId}/${page}`,
      kind: 'page',
      channel: to.channel,
      parentId: cardId,
      page,
      mention: null,
      alertIds: alertIds.slice((page - 1) * alertsPerPage, page * alertsPerPage),
    })
  }
  return cards
}
