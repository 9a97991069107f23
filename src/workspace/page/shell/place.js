/**
 * Where the person is, as the address says it after its `#`: a channel, a thread of it, the app's Home tab, the list of
 * channels (which matters on narrow screens), the demo controls. Reload and the back button keep to it.
 *
 * @typedef {{ kind: 'channel', channelId: string } | { kind: 'thread', channelId: string, ts: string } | { kind: 'home' }
 *   | { kind: 'list' } | { kind: 'town' } | { kind: 'none' }} Place
 */

/** @type {(hash: string) => Place} */
export function readPlace(hash) {
  const [first = '', second = ''] = hash.replace(/^#\/?/, '').split('/')
  if (first === 'home' || first === 'list') return { kind: first }
  if (first === 'demo') return { kind: 'town' }
  if (!/^[CDG][A-Z0-9]{2,30}$/.test(first)) return { kind: 'none' }
  return /^\d{10}\.\d{6}$/.test(second)
    ? { kind: 'thread', channelId: first, ts: second }
    : { kind: 'channel', channelId: first }
}

/** @type {(channelId: string, ts?: string) => string} */
export const hrefOf = (channelId, ts) => `#/${channelId}${ts === undefined ? '' : `/${ts}`}`

/** @type {(place: Place) => string | undefined} */
export const channelOf = (place) =>
  place.kind === 'channel' || place.kind === 'thread' ? place.channelId : undefined
