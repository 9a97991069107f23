/** Where messages about a mute go: the thread in which it was announced if that still exists, else its channel. */

import type { Place } from '../../domain/card/thread-cards.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Store } from '../ports/store.ts'

/** A mute that was interrupted may name a card that was never made, and one pressed in a thread names a reply of it. */
export async function placeOf(mute: Mute, store: Pick<Store, 'cardById'>): Promise<Place> {
  const card = mute.cardId === null ? null : await store.cardById(mute.cardId)
  return { channel: mute.channel, cardId: card === null ? null : (card.parentId ?? card.cardId) }
}
