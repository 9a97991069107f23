/**
 * What messages and views need from the page around them: names, the acts of this person, the files, the time.
 *
 * @import { RenderContext } from '../blocks/render-context.js'
 * @import { Model } from './model.js'
 * @import { Fields, Message, Shortcut } from './wire-shapes.js'
 * @typedef {{ id: string, name: string, isBot: boolean }} Author
 *
 * @typedef {object} Surroundings
 * @property {() => number} now
 * @property {(message: Message) => Author} author
 * @property {(channelId: string, ts?: string) => string} hrefOf
 * @property {(at: { channelId: string, ts: string }) => RenderContext} context For the blocks of a message.
 * @property {(viewId: string, surface: 'modal' | 'home') => RenderContext} viewContext For the blocks of a view.
 * @property {() => string} me The id of the person that this page acts as.
 * @property {(message: Message, channelId: string) => void} dismiss
 * @property {() => Shortcut[]} messageShortcuts
 * @property {(callbackId: string, at: { channelId: string, ts: string }, inThread: boolean) => void} runShortcut
 * @property {(text: string, channelId: string) => void} copy To the clipboard.
 * @property {(channelId: string, inThread?: boolean) => (error: unknown) => void} tell Says in a conversation what went
 *   wrong, as Slackbot would; throws what is not a refusal.
 */
import { ActError } from './ask-server.js'
import { hrefOf } from './place.js'

/** @type {(model: Model) => Surroundings} */
export function surround(model) {
  const names = {
    user: (/** @type {string} */ id) => model.user(id)?.name ?? id,
    channel: (/** @type {string} */ id) => model.channel(id)?.name ?? id,
    group: (/** @type {string} */ id) => model.group(id)?.handle ?? id,
  }

  /** @type {(at: Fields) => Pick<RenderContext, 'act' | 'suggest' | 'names' | 'now' | 'directory' | 'fileUrl'>} */
  const common = (at) => ({
    names,
    now: () => Date.now(),
    async act({ actionId, blockId, choice }) {
      const block = blockId === '' ? {} : { blockId }
      const chosen = choice === undefined ? {} : { choice }
      await model.act('click', { ...at, actionId, ...block, ...chosen })
    },
    suggest: ({ actionId }, value) => model.act('suggest', { ...at, actionId, value }),
    directory: {
      users: () => model.state.users.map(({ id }) => id),
      conversations: () => model.channels.map(({ id, kind }) => ({ id, kind })),
    },
    fileUrl: (id) => `/files/${encodeURIComponent(id)}`,
  })

  /** @type {Surroundings['tell']} */
  const tell =
    (channelId, inThread = false) =>
    (error) => {
      if (!(error instanceof ActError)) throw error
      const room = inThread ? model.thread?.room : undefined
      ;(room ?? model.room(channelId)).notice(error.message)
    }

  return {
    now: () => Date.now(),
    me: () => model.me,
    hrefOf,
    author({ user, notice }) {
      if (notice !== undefined || user === 'USLACKBOT')
        return { id: 'USLACKBOT', name: 'Slackbot', isBot: true }
      const known = model.user(user)
      return { id: user, name: known?.realName || known?.name || user, isBot: known?.isBot ?? false }
    },
    context: ({ channelId, ts }) => ({
      surface: 'message',
      conversation: channelId,
      ...common({ channel: channelId, ts }),
    }),
    viewContext: (viewId, surface) => ({ surface, ...common({ viewId }) }),
    dismiss(message, channelId) {
      const rooms = [model.room(channelId), ...(model.thread === undefined ? [] : [model.thread.room])]
      if (message.notice !== undefined) {
        for (const room of rooms) room.remove(message.ts)
        return
      }
      model.act('dismiss', { channel: channelId, ts: message.ts }).catch(tell(channelId))
    },
    messageShortcuts: () => model.state.app.shortcuts.filter(({ type }) => type === 'message'),
    runShortcut(callbackId, { channelId, ts }, inThread) {
      const message = { channel: channelId, ts }
      model.act('shortcut', { callbackId, message }).catch(tell(channelId, inThread))
    },
    copy(text, channelId) {
      navigator.clipboard.writeText(text).catch(() => {
        model.room(channelId).notice(`The browser lets nobody copy here. The link: ${text}`)
      })
    },
    tell,
  }
}
