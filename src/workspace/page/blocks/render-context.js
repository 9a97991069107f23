/**
 * What the blocks need from the page around them, and the shapes that everything here shares. Types only.
 *
 * @typedef {Record<string, unknown>} Fields A JSON object whose shape nobody has checked.
 *
 * @typedef {string | Fields | (string | Fields)[] | null} Choice What `/control/click` and `/control/submit` take: an
 *   option's value, the whole option (external selects), several of either, a rich text, or null for nothing.
 *
 * @typedef {{ actionId: string, blockId: string, choice?: Choice }} BlockAction
 *
 * @typedef {object} Names Names for ids, with or without their sign; an id that is not known is given back as it is.
 * @property {(id: string) => string} user
 * @property {(id: string) => string} channel
 * @property {(id: string) => string} group
 *
 * @typedef {object} Directory What the selects of people and places offer, in their order.
 * @property {() => string[]} users
 * @property {() => { id: string, kind: 'public' | 'private' | 'im' }[]} conversations
 *
 * @typedef {object} RenderContext
 * @property {'message' | 'modal' | 'home'} surface
 * @property {(action: BlockAction) => Promise<void>} act Rejects with an Error whose message the person is shown.
 * @property {(action: { actionId: string, blockId: string }, value: string) => Promise<{ options?: object[], option_groups?: object[] }>} suggest
 * @property {Names} names
 * @property {() => number} now In epoch milliseconds.
 * @property {string} [timeZone] An IANA name; without it the browser's own zone.
 * @property {object} [values] What a view holds so far, in the shape of `view.state.values`.
 * @property {Record<string, string>} [errors] By block id; shown under the input and tied to it.
 * @property {Directory} [directory] Without it the selects of people and places offer nothing.
 * @property {(id: string) => string | undefined} [fileUrl] The address of a file, as `url_private` of the file has it.
 * @property {string} [conversation] The id of the conversation we are in, for `default_to_current_conversation`.
 *
 * @typedef {object} Spot Where an element stands.
 * @property {RenderContext} context
 * @property {string} blockId
 * @property {boolean} acts Whether using it tells the bot: not so in an input block, unless that dispatches.
 * @property {boolean} [inInput]
 * @property {boolean} [optional] Set in input blocks.
 * @property {string} [labelId] The id of the node that names it; without it the element names itself.
 * @property {string} [describedBy] Ids of the nodes that describe it: the hint, the error.
 * @property {boolean} [invalid]
 */

export {}
