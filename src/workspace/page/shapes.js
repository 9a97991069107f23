/**
 * The shapes that everything here shares, and reading what came from a bot without trust.
 *
 * @import { VNode } from 'preact'
 * @typedef {VNode} Shown
 * @typedef {Record<string, unknown>} Fields A JSON object whose shape nobody has checked.
 *
 * @typedef {object} Message
 * @property {string} ts
 * @property {string} user
 * @property {string} [text]
 * @property {Fields[]} [blocks]
 * @property {string} [bot_id]
 * @property {string} [subtype] `tombstone`, `thread_broadcast`
 * @property {Message} [root] What a broadcast reply replies to.
 * @property {{ user: string, ts: string }} [edited]
 * @property {string[]} [pinned_to]
 * @property {string} [thread_ts]
 * @property {number} [reply_count]
 * @property {{ id: string, name: string, size: number }[]} [files]
 * @property {boolean} [is_ephemeral]
 * @property {string} [notice] What this page itself says to its person; such a message exists nowhere else.
 *
 * @typedef {{ id: string, name: string, realName: string, isBot: boolean }} User
 * @typedef {{ id: string, name: string, kind: 'public' | 'private' | 'im', topic: string, archived: boolean, members: string[], withBot: boolean, pinned: string | null }} Channel
 * @typedef {{ command: string, usageHint?: string }} Command
 * @typedef {{ id: string, blocks: Fields[], state: { values: Record<string, Record<string, Fields>> }, title: Fields, submit: Fields | null, close: Fields | null }} View
 *
 * @typedef {object} Snapshot
 * @property {string} epoch
 * @property {number} seq
 * @property {{ id: string, name: string }} team
 * @property {{ userId: string, name: string }} bot
 * @property {{ commands?: Command[], homeEnabled: boolean }} app
 * @property {User[]} users
 * @property {{ id: string, handle: string }[]} groups
 * @property {Channel[]} channels
 * @property {boolean} town
 *
 * @typedef {object} RenderContext What the blocks need from the page around them.
 * @property {'message' | 'modal' | 'home'} surface
 * @property {(action: { actionId: string, blockId: string, choice?: string | null }) => Promise<void>} act Rejects with an Error whose message the person is shown.
 * @property {{ user(id: string): string, channel(id: string): string, group(id: string): string }} names An unknown id is given back as it is.
 * @property {() => readonly User[]} people
 * @property {object} [values] What a view holds so far, in the shape of `view.state.values`.
 * @property {Readonly<Record<string, string>>} [errors] By block id; shown under the input and tied to it.
 * @property {(id: string) => string} fileUrl The address of a file on this server.
 *
 * @typedef {object} Spot Where an element stands.
 * @property {RenderContext} context
 * @property {string} blockId
 * @property {{ id: string, optional: boolean, invalid: boolean }} [input] Set in an input block, whose elements wait to be
 *   sent; anywhere else, using an element tells the bot at once. `id` is what the label is for.
 * @typedef {{ element: Fields, spot: Spot }} ElementProps
 */

/** @param {unknown} value @returns {value is Fields} */
export const isFields = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @type {(value: unknown) => Fields} */
export const fieldsOf = (value) => (isFields(value) ? value : {})

/** @type {(value: unknown) => Fields[]} */
export const fieldsIn = (value) => (Array.isArray(value) ? value.filter(isFields) : [])

/** @type {(value: unknown) => string} */
export const stringOf = (value) => (typeof value === 'string' ? value : '')

/** The address if it is one that a person may follow (http, https, mailto), else undefined.  @type {(url: string) => string | undefined} */
export function linkUrl(url) {
  const parsed = URL.parse(url)
  return parsed !== null && ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed.href : undefined
}
