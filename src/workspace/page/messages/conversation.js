/**
 * A conversation in front: its messages and the place to write to it. The same for a channel and for a thread.
 *
 * @import { Message, Shortcut } from '../shell/wire-shapes.js'
 * @import { Model } from '../shell/model.js'
 * @import { Room } from '../shell/room.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 */
import { build } from '../blocks/build-node.js'
import { ActError } from '../shell/ask-server.js'
import { readDraft } from './completion.js'
import { openComposer } from './composer.js'
import { mentionNames } from './mention-names.js'
import { openMessageList } from './message-list.js'

/**
 * @param {object} how
 * @param {Model} how.model
 * @param {Surroundings} how.around
 * @param {Room} how.room
 * @param {string} how.channelId
 * @param {string} [how.threadTs] In a thread.
 * @param {string} how.title `#alerts`, `thread in #alerts`
 * @param {(message: Message) => void} how.onNews
 * @returns {{ node: HTMLElement, close(): void, focusList(): void, focusComposer(): void }}
 */
export function openConversation({ model, around, room, channelId, threadTs, title, onNews }) {
  const inThread = threadTs !== undefined
  const list = openMessageList({
    room,
    channelId,
    inThread,
    around,
    label: `Messages in ${title}`,
    readUpTo: inThread ? '' : model.marks.of(channelId),
    loadEarlier: () => model.history.loadEarlier(channelId),
    onNews,
  })
  const channel = model.channel(channelId)
  const why = whyNot()
  const composer =
    why === undefined
      ? openComposer({
          label: inThread ? 'Reply…' : `Message ${title}`,
          draftKey: `${model.me}:${channelId}:${threadTs ?? ''}`,
          commands: () => (inThread ? [] : (model.state.app.commands ?? [])),
          shortcuts: () =>
            inThread ? [] : model.state.app.shortcuts.filter(({ type }) => type === 'global'),
          runShortcut,
          send,
        })
      : undefined
  const node = build(
    'div',
    { class: 'conversation' },
    list.node,
    composer?.node ?? build('p', { class: 'no-composer' }, why),
  )

  function whyNot() {
    if (channel === undefined) return 'There is no such conversation for this person.'
    if (channel.archived) return 'This channel is archived. Nobody can write here.'
    if (!channel.members.includes(model.me)) return 'You are not in this channel, so you cannot write here.'
    return undefined
  }

  /** @type {(shortcut: Shortcut) => void} */
  function runShortcut({ callbackId }) {
    model.act('shortcut', { callbackId }).catch(around.tell(channelId))
  }

  /** @type {(draft: string) => Promise<boolean>} */
  async function send(draft) {
    const asked = readDraft(draft)
    if ('command' in asked && inThread) {
      room.notice(`${asked.command} is not supported in threads. Sorry!`)
      return true
    }
    try {
      if ('command' in asked) await model.act('command', { channel: channelId, ...asked })
      else
        await model.act('say', {
          channel: channelId,
          text: marked(asked.say),
          ...(inThread ? { threadTs } : {}),
        })
      return true
    } catch (error) {
      if (!(error instanceof ActError)) throw error
      room.notice('command' in asked ? `${asked.command} failed. ${error.message}` : error.message)
      // A command that failed was said to fail; a text that nobody got is given back.
      return 'command' in asked
    }
  }

  const marked = (/** @type {string} */ text) =>
    mentionNames(text, {
      user: (name) => model.state.users.find((user) => user.name === name)?.id,
      channel: (name) => model.channels.find((one) => one.kind !== 'im' && one.name === name)?.id,
      group: (name) => model.state.groups.find(({ handle }) => handle === name)?.id,
    })

  return {
    node,
    close: list.close,
    focusList: list.focusLast,
    focusComposer: () => (composer === undefined ? list.focusLast() : composer.focus()),
  }
}
