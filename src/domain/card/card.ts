/** A card: what one message in Slack should show. Cards are desired state; `deliver` makes Slack follow. */
import type { Alert } from '../alert/alert.ts'
import type { Note } from '../alert/note.ts'
import type { Mute } from '../mute/mute.ts'
import type { ToldOutage } from '../outage/outage.ts'
import type { Health } from '../request/answer.ts'
import type { AuditEntry } from '../request/audit.ts'

/**
 * - `alert`: one alert, or a run of flaps of one subject
 * - `summary`: many alerts that were found open at once; its thread lists them
 * - `storm`: many alerts that came at once; like a summary, and while the storm lasts what still comes joins it
 * - `page`: one reply in the thread of a summary or a storm
 * - `blind`: the API could not be read: since when and why, and once it can be again, what was found
 * - `note`: what somebody wrote about an alert, in its thread
 * - `told`: a change that somebody made, told to everyone; in a thread, or in the channel where there is none
 * - `handback`: a mute is about to end: what is open, and buttons to extend it or to end it now
 * - `mute_ended`: a mute has ended: what is still open
 * - `reminder`: nobody has acknowledged this alert yet
 * - `board`: what is open, who muted what, and how the bot is; one a channel, kept up to date
 */
export type CardKind =
  | 'alert'
  | 'summary'
  | 'storm'
  | 'blind'
  | 'page'
  | 'note'
  | 'told'
  | 'handback'
  | 'mute_ended'
  | 'reminder'
  | 'board'

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
  /** The id of what else it shows: of a note, an audit entry, a mute; null for the other kinds. */
  readonly subjectId: string | null
}

export type CardPicture =
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'file'
      readonly fileId: string
      /** How often bringing it failed so far, or Slack refused to show it. */
      readonly attempts: number
    }

/** Which card it is, and the version that is about to be shown: buttons carry both. */
export type CardStamp = { readonly cardId: string; readonly version: number }

/** How often a subject opened and closed on one card, and since when (epoch milliseconds). */
export type Flaps = { readonly times: number; readonly sinceMs: number }

/** All that is needed to draw a card, and nothing of Slack. */
export type CardView =
  | {
      readonly kind: 'alert'
      readonly stamp: CardStamp
      /** The newest one where several are folded into the card. */
      readonly alert: Alert
      /** How often this alert has come within seven days, this one counted. */
      readonly timesThisWeek: number
      readonly picture: CardPicture | null
      readonly mention: string | null
      /** What silences its server now. */
      readonly mute: Mute | null
      /** Null where the card holds one alert only. */
      readonly flaps: Flaps | null
      /** Who did what about it (done, by people), earliest first; at most `timelineMax`. */
      readonly timeline: readonly AuditEntry[]
      readonly notes: number
    }
  | {
      readonly kind: 'summary' | 'storm'
      readonly stamp: CardStamp
      readonly alerts: readonly Alert[]
      readonly mention: string | null
      /** Those in force that silence any server of its open alerts; of the account, too. */
      readonly mutes: readonly Mute[]
    }
  | {
      readonly kind: 'page'
      readonly alerts: readonly Alert[]
      readonly page: number
      /** Who is to be called for what this page added, where the card itself did not call them; a reply notifies, an edit does not. */
      readonly mention: string | null
    }
  /** Earliest first; only the last one may still last. */
  | { readonly kind: 'blind'; readonly outages: readonly ToldOutage[] }
  /** `about`: the alert, where the message above it is not of this one alone. */
  | { readonly kind: 'note'; readonly note: Note; readonly about: Alert | null }
  | { readonly kind: 'told'; readonly entry: AuditEntry }
  | {
      readonly kind: 'handback'
      readonly stamp: CardStamp
      readonly mute: Mute
      /** Open alerts that it hides, latest first. */
      readonly open: readonly Alert[]
      /** Alerts that opened since the mute began, those that have closed again as well. */
      readonly hidden: number
      /** What only happened and is neither open nor closed, and was told nowhere; latest first. */
      readonly oneoffs: readonly Alert[]
      readonly picture: CardPicture | null
    }
  | {
      readonly kind: 'mute_ended'
      readonly mute: Mute
      readonly open: readonly Alert[]
      readonly hidden: number
      readonly oneoffs: readonly Alert[]
    }
  | {
      readonly kind: 'reminder'
      readonly alert: Alert
      /** The others, where it reminds of a summary's. */
      readonly rest: readonly Alert[]
      readonly mention: string | null
    }
  | {
      readonly kind: 'board'
      /** All of the account, latest first. */
      readonly open: readonly Alert[]
      /** Those of which nobody knows whether they are open; absent where there are none. */
      readonly lost?: readonly Alert[]
      readonly mutes: readonly Mute[]
      readonly health: Health
    }

/** A card as the memory knows it; how the bot is, it does not. */
export type StoredView =
  | Exclude<CardView, { kind: 'board' }>
  | Omit<Extract<CardView, { kind: 'board' }>, 'health'>

export function pictureOn(view: StoredView): CardPicture | null {
  return view.kind === 'alert' || view.kind === 'handback' ? view.picture : null
}

/** Slack fetches a link while it takes the message, however long that takes. */
export function hasLink({ view, plain }: { readonly view: StoredView; readonly plain: boolean }): boolean {
  return !plain && pictureOn(view)?.kind === 'url'
}

/** As many deeds as a card tells of. */
export const timelineMax = 5

/** As many lines as one reply lists: Slack takes about 12,000 characters of text in one message. */
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
    subjectId: null,
  }
}
