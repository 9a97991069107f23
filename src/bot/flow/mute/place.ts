/** Where messages about a mute go: the thread in which it was announced if that still exists, else its channel. */

import type { Place } from '../../domain/card/thread-cards.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Store } from '../ports/store.ts'

/** A mute that was interrupted may name a card that was never made, and one pressed in a thread names a reply of it. */
export async function placeOf(mute: Mute, store: Pick<Store, 'cardById'>): Promise<Place> {
  const card = mute.cardId === null ? null : await store.cardById(mute.cardId)
  return { channel: mute.channel, cardId: card === null ? null : (card.parentId ?? card.cardId) }
}

/**
 * Where everybody hears of a change of this mute. The account's concerns everybody: it stands in each channel where its beginning
 * was told, in no thread.
 */
export async function placesOf(
  mute: Mute,
  store: Pick<Store, 'cardById' | 'channelsTold'>,
): Promise<readonly Place[]> {
  return mute.hostname === null ? loudPlacesOf(mute, store) : [await placeOf(mute, store)]
}

/** The same for a mute of several servers. */
export async function loudPlacesOf(
  mute: Mute,
  store: Pick<Store, 'cardById' | 'channelsTold'>,
): Promise<readonly Place[]> {
  const channels = await store.channelsTold(mute)
  return channels.length === 0 ? [await placeOf(mute, store)] : inChannels(channels)
}

/** Each channel once, and no thread. */
export function inChannels(channels: readonly string[]): readonly Place[] {
  return [...new Set(channels)].map((channel) => ({ channel, cardId: null }))
}
