/**
 * The shapes that everything here shares, and reading what came from a bot without trust.
 * @import { VNode } from 'preact'
 * @typedef {VNode} Shown
 * @typedef {Record<string, unknown>} Fields A JSON object whose shape nobody has checked.
 * @typedef {{
 *   ts: string, user: string, text?: string, blocks?: Fields[], bot_id?: string, subtype?: string, root?: Message, edited?: object,
 *   pinned_to?: string[], thread_ts?: string, reply_count?: number, is_ephemeral?: boolean,
 *   attachments?: Fields[], files?: { id: string, name: string, size: number }[],
 *   notice?: string,
 * }} Message A `notice` is what this page itself says to its person.
 * @typedef {{ id: string, name: string, realName: string, isBot: boolean }} User
 * @typedef {{ id: string, name: string, kind: 'public' | 'private' | 'im', topic: string, archived: boolean, members: string[], withBot: boolean, pinned: string | null }} Channel
 * @typedef {{ id: string, blocks: Fields[], state: { values: Record<string, Record<string, Fields>> }, title: Fields, submit: Fields | null, close: Fields | null }} View
 * @typedef {{
 *   epoch: string, seq: number, team: { id: string, name: string }, bot: { userId: string, name: string }, users: User[],
 *   app: { commands: { command: string, usageHint?: string }[], homeEnabled: boolean }, channels: Channel[],
 *   groups: { id: string, handle: string }[], town: boolean, incident?: { words: string, isOver: boolean },
 * }} Snapshot
 * @typedef {{
 *   surface: 'message' | 'modal' | 'home',
 *   act: (action: { actionId: string, blockId: string, choice?: string | null }) => Promise<void>,
 *   names: { user(id: string): string, channel(id: string): string, group(id: string): string },
 *   people: () => readonly User[], values?: object, errors?: Readonly<Record<string, string>>, fileUrl: (id: string) => string,
 * }} RenderContext `act` rejects with words for the person; an unknown id is its own name; `errors` by block id.
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
