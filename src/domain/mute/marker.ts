/** A marker that monbot drops by itself, for a mute or a change of roles, once the message that tells of it can be linked to. */
export type NewMarker = {
  readonly markerId: string
  /** Without the link, which is appended when there is one. */
  readonly text: string
  /** The card whose permalink goes with it; null: none. */
  readonly cardId: string | null
}

/** No marker waits longer for its next try. */
export const markerWaitMaxMs = 60 * 60_000

/** `sending` found at start-up, and no clear answer, are `unknown`: the API lists no markers, so it is not repeated. */
export type MarkerState = 'wanted' | 'sending' | 'dropped' | 'unknown' | 'failed'
