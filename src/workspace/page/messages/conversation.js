/**
 * A conversation: its messages and the place to write to it. The same for a channel and for a thread.
 *
 * @import { Channel } from '../shell/wire-shapes.js'
 * @import { Room } from '../shell/history.js'
 * @import { Store } from '../shell/store.js'
 */
import { html } from '../html.js'
import { Composer, mentionNames, readDraft } from './composer.js'
import { MessageList } from './message-list.js'

/** @param {{ store: Store, channel: Channel, thread?: { ts: string, room: Room } }} props */
export function Conversation({ store, channel, thread }) {
  const { id: channelId, kind } = channel
  const inThread = thread !== undefined
  const room = thread?.room ?? store.room(channelId)
  const title = `${kind === 'im' ? '' : '#'}${store.channelName(channel)}`
  const { commands = [] } = store.state.app
  const why = whyNot(channel, store.me)

  /** @type {(draft: string) => Promise<boolean>} */
  async function send(draft) {
    const asked = readDraft(draft)
    const isCommand = 'command' in asked
    if (isCommand && inThread) {
      room.notice(`${asked.command} is not supported in threads. Sorry!`)
      store.changed()
      return true
    }
    try {
      if (isCommand) await store.act('command', { channel: channelId, ...asked })
      else {
        const threadTs = inThread ? { threadTs: thread.ts } : {}
        await store.act('say', { channel: channelId, text: withMentions(asked.say, store), ...threadTs })
      }
      return true
    } catch (error) {
      store.complain(error, room, isCommand ? `${asked.command} failed. ` : '')
      // A command that failed was said to fail; a text that nobody got is given back.
      return isCommand
    }
  }

  return html`
    <div class="conversation stack">
      <${MessageList}
        store=${store} room=${room} version=${room.version} channelId=${channelId} inThread=${inThread}
        label="Messages in ${inThread ? `the thread in ${title}` : title}"
      />
      ${
        why === undefined
          ? html`<${Composer}
              label=${inThread ? 'Reply…' : `Message ${title}`}
              draftKey="${store.me}:${channelId}:${thread?.ts ?? ''}"
              commands=${inThread ? [] : commands}
              send=${send}
            />`
          : html`<p class="no-composer">${why}</p>`
      }
    </div>
  `
}

/** @type {(channel: Channel, me: string) => string | undefined} */
function whyNot({ archived, members }, me) {
  if (archived) return 'This channel is archived. Nobody can write here.'
  return members.includes(me) ? undefined : 'You are not in this channel, so you cannot write here.'
}

/** @type {(text: string, store: Store) => string} */
const withMentions = (text, { state, channels }) =>
  mentionNames(text, {
    user: (name) => state.users.find((user) => user.name === name)?.id,
    channel: (name) => channels.find((one) => one.kind !== 'im' && one.name === name)?.id,
    group: (name) => state.groups.find(({ handle }) => handle === name)?.id,
  })
