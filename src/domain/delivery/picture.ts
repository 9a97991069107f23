/** Which picture a card is to have: of an alert that is open its metric as it is now, of one that closed the whole episode. */
import type { Alert } from '../alert/alert.ts'

/** The setting: `auto` has the bot draw every picture. */
export type Images = 'auto' | 'off'

/** Tries at one picture, drawing and showing counted together; a card without it is complete too. */
export const pictureAttemptsMax = 6

/** No picture waits longer for its next try, whatever the API or Slack ask for. */
export const pictureWaitMaxMs = 10 * 60_000

/**
 * - `chart`: the metric as it is now
 * - `episode`: the metric from before the alert opened until after it closed
 */
export type PictureWay = 'chart' | 'episode'

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
