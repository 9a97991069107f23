/** Handles a picture that Slack refuses: the card is posted without it at once, and the picture may follow later. */
import { pictureOn } from '../../domain/card/kinds.ts'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import { refusedWaitMs } from '../../domain/delivery/picture.ts'
import type { CardJob, PicturePatch } from '../ports/card-store.ts'
import type { Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Returns what the refusal means for the card. If it is unclear what was refused, the picture is dropped before the buttons. */
export function openWithoutPicture({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'settlePicture'>
  readonly logger: Logger
}) {
  return async ({ cardId, view, plain }: CardJob, outcome: Outcome, nowMs: number): Promise<Outcome> => {
    const { kind } = outcome
    const picture = plain ? null : pictureOn(view)
    const isRefused = kind === 'image_refused' || kind === 'bad_payload' || kind === 'unlisted'
    if (picture === null || !isRefused) return outcome
    const { fileId } = picture
    const { why } = outcome
    const isFinal = kind === 'image_refused' && outcome.isFinal === true
    const waitMs = isFinal ? null : refusedWaitMs(picture.attempts)
    const patch: PicturePatch = {
      attempts: picture.attempts + 1,
      why,
      ...(waitMs === null ? { state: 'failed' } : { state: 'wanted', notBeforeMs: nowMs + waitMs }),
    }
    await store.settlePicture(cardId, { shownFileId: null }, { shownFileId: fileId })
    // Only what was shown can have been refused: by now another picture may be wanted instead.
    await store.settlePicture(cardId, patch, { fileId })
    logger.info('picture:refused', { cardId, why, now: patch.state })
    // After an undocumented code it may be there anyway.
    return kind === 'unlisted' ? outcome : { kind: 'image_refused', why }
  }
}
