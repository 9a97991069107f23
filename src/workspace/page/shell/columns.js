/**
 * The columns beside the list of channels: what is in front (a channel or the app's Home tab), and on the right a thread,
 * or else the town. On narrow screens there is one at a time.
 *
 * @import { Model } from './model.js'
 * @import { Surroundings } from './surroundings.js'
 * @import { Message } from './wire-shapes.js'
 */
import { build } from '../blocks/build-node.js'
import { openConversation } from '../messages/conversation.js'
import { openHomeTab } from '../views/home-tab.js'
import { renderBack, renderChannelHeader, renderHomeHeader } from './header.js'
import { hrefOf } from './place.js'

/**
 * @param {Model} model
 * @param {Surroundings} around
 * @param {(message: Message) => void} onNews
 */
export function openColumns(model, around, onNews) {
  const front = build('section', { class: 'front', 'aria-label': 'Conversation', 'data-region': 'front' })
  const thread = build('aside', {
    class: 'thread',
    'aria-label': 'Thread',
    'data-region': 'thread',
    hidden: true,
  })
  /** @type {{ key: string, close(): void, focus(): void } | undefined} */
  let inFront
  /** @type {{ key: string, close(): void } | undefined} */
  let atSide

  let headed = ''
  const headOf = (/** @type {string} */ channelId) => JSON.stringify(model.channel(channelId))

  function showFront() {
    const { channelId, place } = model
    const isHome = place.kind === 'home'
    const channel = channelId === undefined ? undefined : model.channel(channelId)
    const key = isHome
      ? `home ${model.me}`
      : `${channelId} ${model.me} ${channel?.archived} ${channel?.members.includes(model.me)}`
    if (inFront?.key === key) {
      // Only what says something else is replaced: the focus may be in it.
      if (channelId === undefined || headed === headOf(channelId)) return
      headed = headOf(channelId)
      front.querySelector('.head')?.replaceWith(renderChannelHeader(model, channelId))
      return
    }
    inFront?.close()
    inFront = undefined
    if (isHome) {
      const home = openHomeTab(model, around)
      front.replaceChildren(renderHomeHeader(model), home.node)
      inFront = { key, close: home.close, focus: home.focus }
    } else if (channelId !== undefined) {
      const title = channel?.kind === 'im' ? model.state.bot.name : `#${channel?.name ?? channelId}`
      const room = model.room(channelId)
      const conversation = openConversation({ model, around, room, channelId, title, onNews })
      headed = headOf(channelId)
      front.replaceChildren(renderChannelHeader(model, channelId), conversation.node)
      inFront = { key, close: conversation.close, focus: conversation.focusComposer }
    }
  }

  function showThread() {
    const { thread: wanted } = model
    const key = wanted === undefined ? '' : `${wanted.channelId} ${wanted.ts} ${model.me}`
    if (atSide?.key === key || (atSide === undefined && wanted === undefined)) return
    atSide?.close()
    atSide = undefined
    thread.hidden = wanted === undefined
    if (wanted === undefined) {
      thread.replaceChildren()
      return
    }
    const { channelId, ts, room } = wanted
    const name = model.channel(channelId)?.name ?? channelId
    const conversation = openConversation({
      model,
      around,
      room,
      channelId,
      threadTs: ts,
      title: `the thread in #${name}`,
      onNews,
    })
    const back = hrefOf(channelId)
    thread.replaceChildren(
      build(
        'header',
        { class: 'head' },
        renderBack(back, 'Back to the channel'),
        build(
          'div',
          { class: 'head-words' },
          build('h2', { class: 'head-title' }, 'Thread'),
          build('p', { class: 'head-topic' }, `#${name}`),
        ),
        build('a', { class: 'tool close-thread', href: back, 'aria-label': 'Close the thread' }, '✕\ufe0e'),
      ),
      conversation.node,
    )
    atSide = { key, close: conversation.close }
    conversation.focusComposer()
  }

  model.listen((change) => {
    if (change === 'views' || model.state.epoch === '') return
    showFront()
    showThread()
  })
  return { front, thread }
}
