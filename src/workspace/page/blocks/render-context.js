/**
 * What the blocks need from the page around them, and the shapes that everything here shares. Types only.
 *
 * @import { VNode } from 'preact'
 * @import { Form } from './form.js'
 * @typedef {VNode} Shown
 *
 * @typedef {Record<string, unknown>} Fields A JSON object whose shape nobody has checked.
 *
 * @typedef {string | Fields[] | null} Choice What `/control/click` and `/control/submit` take: a text,
 *   an option's value, several whole options (external selects), or null for nothing.
 *
 * @typedef {{ actionId: string, blockId: string, choice?: Choice }} BlockAction
 *
 * @typedef {object} Names Names for ids, with or without their sign; an unknown id is given back as it is.
 * @property {(id: string) => string} user
 * @property {(id: string) => string} channel
 * @property {(id: string) => string} group
 *
 * @typedef {object} RenderContext
 * @property {'message' | 'modal' | 'home'} surface
 * @property {(action: BlockAction) => Promise<void>} act Rejects with an Error whose message the person is shown.
 * @property {(action: { actionId: string, blockId: string }, value: string) => Promise<{ options?: object[] }>} suggest
 * @property {Names} names
 * @property {() => readonly { id: string, name: string }[]} [people] Whom a choice of people offers; nobody without it.
 * @property {() => number} now In epoch milliseconds.
 * @property {Form} [form] Where the elements of a view can be read.
 * @property {object} [values] What a view holds so far, in the shape of `view.state.values`.
 * @property {Readonly<Record<string, string>>} [errors] By block id; shown under the input and tied to it.
 * @property {(id: string) => string} fileUrl The address of a file on this server.
 *
 * @typedef {object} Spot Where an element stands.
 * @property {RenderContext} context
 * @property {string} blockId
 * @property {{ id: string, describedBy: string, optional: boolean, invalid: boolean }} [input] Set in an input block, whose
 *   elements wait to be sent; anywhere else, using an element tells the bot at once. `id` is what the label is for.
 *
 * @typedef {{ element: Fields, spot: Spot }} ElementProps
 */

export {}
