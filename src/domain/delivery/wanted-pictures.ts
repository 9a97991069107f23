/** Which picture a card is to have: of an alert that is open its sparkline, of one that closed the whole episode. */
import type { Alert } from '../alert/alert.ts'
import { type Images, type NewPicture, pictureWay } from './picture.ts'

/**
 * As many episodes as one plan has drawn. A storm may close a thousand alerts at once, and each drawing is a question to
 * the API and an upload to Slack: those beyond this do without, as their cards say all that matters.
 */
export const episodesMax = 20

export type PictureOptions = {
  readonly images: Images
  /** The scheme, host and port of the monitoring API. */
  readonly apiOrigin: string
}

/** Of cards with one alert each, the newest where several are folded. */
export function picturesFor(
  cards: readonly { readonly cardId: string; readonly alert: Alert }[],
  { images, apiOrigin }: PictureOptions,
): NewPicture[] {
  if (images === 'off') return []
  const pictures: NewPicture[] = []
  let episodes = 0
  for (const { cardId, alert } of cards) {
    const { alertId, state, sparklineUrl } = alert
    if (state === 'closed') episodes += 1
    if (state === 'unreported' || (state === 'closed' && episodes > episodesMax)) continue
    const way = state === 'closed' ? 'episode' : pictureWay(sparklineUrl, images, apiOrigin)
    if (way !== null) pictures.push({ cardId, alertId, way })
  }
  return pictures
}
