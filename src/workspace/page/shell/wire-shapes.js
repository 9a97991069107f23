/**
 * What the control API tells the page, as far as the page uses it. Types only.
 *
 * @typedef {Record<string, unknown>} Fields
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
 * @property {string[]} [reply_users]
 * @property {string} [latest_reply]
 * @property {FileShown[]} [files] What it brings, by the address of each in its text.
 * @property {boolean} [is_ephemeral]
 * @property {string} [notice] What this page itself says to its person; such a message exists nowhere else.
 *
 * @typedef {{ id: string, name: string, size: number, mimetype: string }} FileShown
 * @typedef {{ id: string, name: string, realName: string, isBot: boolean }} User
 * @typedef {{ id: string, handle: string }} Group
 * @typedef {{ id: string, name: string, kind: 'public' | 'private' | 'im', topic: string, archived: boolean, members: string[], withBot: boolean }} Channel
 * @typedef {{ command: string, description?: string, usageHint?: string }} Command
 * @typedef {{ callbackId: string, name: string, type: 'message' | 'global', description?: string }} Shortcut
 *
 * @typedef {object} View
 * @property {string} id
 * @property {Fields[]} blocks
 * @property {{ values: Record<string, Record<string, Fields>> }} state
 * @property {Fields} title
 * @property {Fields | null} submit
 * @property {Fields | null} close
 *
 * @typedef {object} Snapshot
 * @property {string} epoch
 * @property {number} seq
 * @property {{ id: string, name: string }} team
 * @property {{ userId: string, name: string }} bot
 * @property {{ commands?: Command[], shortcuts: Shortcut[], homeEnabled: boolean }} app
 * @property {User[]} users
 * @property {Group[]} groups
 * @property {Channel[]} channels
 * @property {boolean} town
 */

export {}
