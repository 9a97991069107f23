/**
 * What the blocks of a message or a view need from the page around them.
 *
 * @import { RenderContext } from '../blocks/render-context.js'
 * @import { Store } from './store.js'
 */

/** @type {(store: Store, surface: RenderContext['surface'], at: { channel: string, ts: string } | { viewId: string }) => RenderContext} */
export const blockContext = (store, surface, at) => ({
  surface,
  names: namesIn(store),
  people: () => store.state.users.map(({ id, realName, name }) => ({ id, name: realName || name })),
  now: () => Date.now(),
  async act({ actionId, blockId, choice }) {
    const block = blockId === '' ? {} : { blockId }
    const chosen = choice === undefined ? {} : { choice }
    await store.act('click', { ...at, actionId, ...block, ...chosen })
  },
  suggest: ({ actionId }, value) => store.act('suggest', { ...at, actionId, value }),
  // Only who has access to a file sees it, whatever shows it.
  fileUrl: (id) =>
    `/files/${encodeURIComponent(id)}${'channel' in at ? `?channel=${encodeURIComponent(at.channel)}` : ''}`,
})

/** Names for ids; an id that is not known is given back.  @type {(store: Store) => RenderContext['names']} */
export const namesIn = (store) => ({
  user: (id) => store.user(id)?.name ?? id,
  channel: (id) => store.channel(id)?.name ?? id,
  group: (id) => store.state.groups.find((group) => group.id === id)?.handle ?? id,
})
