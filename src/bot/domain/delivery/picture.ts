/** Which picture a card is to have: of an alert that is open its metric as it is now, of one that closed the whole episode. */
import type { Alert } from '../alert/alert.ts'
import type { Delivery, DeliveryPatch, Outcome } from './delivery.ts'

/** The setting: `auto` has the bot draw every picture. */
export type Images = 'auto' | 'off'

/** Tries to draw and upload one picture; a card without it is complete too. */
export const pictureAttemptsMax = 6

/** How long the first message of a card waits for its picture, counted from the decision to post it. */
export const firstMessageWaitMs = 1_500

/** Slack takes a file in (scan, thumbnails), and refuses whatever shows it before. */
export const takenInMs = 400
/** After each refusal: a minute of patience in all (docs/slack.md#pictures). */
const refusedWaitsMs = [400, 400, 800, 2_000, 4_000, 8_000, 16_000, 28_000] as const

/** How long to wait after so many refusals before this one; null: it will never be shown. */
export function refusedWaitMs(before: number): number | null {
  return refusedWaitsMs[before] ?? null
}

/** No picture waits longer for its next try, whatever the API or Slack ask for. */
export const pictureWaitMaxMs = 10 * 60_000

/**
 * - `chart`: the metric as it is now
 * - `episode`: the metric from before the alert opened until after it closed
 */
export type PictureWay = 'chart' | 'episode'

/**
 * How far a picture is. An update shows a file only to those who have access to it, and may give it to nobody
 * (docs/slack.md#pictures); a post shows it to everybody.
 *
 * - `wanted`: to be drawn and uploaded; with a file, to be shown
 * - `offered`: goes with the card's first message
 * - `reply`: a reply in the card's thread is to give access to it
 * - `tried`: an update shows it, and whether that gave access to it is to be looked at
 * - `clearing`: everybody sees it; replies with older ones are to be deleted
 * - `ready`: everybody sees it
 * - `failed`: the card does without
 */
export type PictureState = 'wanted' | 'offered' | 'reply' | 'tried' | 'clearing' | 'ready' | 'failed'

/** What follows for a reply that is there for its picture alone: without it, it is not posted. `patch`: for any other card. */
export function afterPictureReply(
  card: Delivery,
  outcome: Outcome,
  patch: DeliveryPatch,
  nowMs: number,
): DeliveryPatch {
  switch (outcome.kind) {
    case 'shown':
    case 'unknown':
      return patch
    case 'image_refused':
    case 'later':
    case 'unlisted':
    case 'channel_unavailable':
    case 'no_token': {
      const isFinal = outcome.kind === 'image_refused' && outcome.isFinal === true
      const waitMs = isFinal ? null : refusedWaitMs(card.attempts)
      if (waitMs === null) return { state: 'dead', why: outcome.why }
      const notBeforeMs = Math.max(patch.notBeforeMs ?? 0, nowMs + waitMs)
      return { ...patch, plain: false, attempts: card.attempts + 1, notBeforeMs }
    }
    case 'bad_payload':
    case 'gone':
    case 'frozen':
    case 'no_thread':
    case 'no_person':
      return { state: 'dead', why: outcome.why }
  }
}

/** A picture that a card is to have; a later one for the same card takes its place. */
export type NewPicture = { readonly cardId: string; readonly alertId: string; readonly way: PictureWay }

/**
 * As many episodes as one plan has drawn. A storm may close a thousand alerts at once, and each drawing is a question to
 * the API and an upload to Slack: those beyond this do without, as their cards say all that matters.
 */
export const episodesMax = 20

/** Of cards with one alert each, the newest where several are folded. */
export function picturesFor(
  cards: readonly { readonly cardId: string; readonly alert: Alert }[],
  images: Images,
): NewPicture[] {
  if (images === 'off') return []
  const pictures: NewPicture[] = []
  let episodes = 0
  for (const { cardId, alert } of cards) {
    const { alertId, state } = alert
    if (state === 'closed') episodes += 1
    if (state === 'unreported' || (state === 'closed' && episodes > episodesMax)) continue
    pictures.push({ cardId, alertId, way: state === 'closed' ? 'episode' : 'chart' })
  }
  return pictures
}
