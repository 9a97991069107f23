/**
 * The whole page: the list of channels, what is in front (a channel or the app's Home tab), and on the right a thread, or
 * else the town. On narrow screens there is one column at a time.
 *
 * @import { Store } from './store.js'
 */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { html } from '../html.js'
import { Conversation } from '../messages/conversation.js'
import { HomeTab, Modal } from '../views/views.js'
import { ChannelHead, Head, HomeHead } from './header.js'
import { enter } from './keys.js'
import { hrefOf } from './place.js'
import { Sidebar } from './sidebar.js'
import { Intro, TownColumn } from './town-column.js'

/** @param {{ store: Store, retry: () => void }} props */
export function Page({ store, retry }) {
  const { place, thread, channelId, isLoaded, state, me } = store
  const channel = store.channel(channelId ?? '')
  const view = store.modals.at(-1)
  const name = place.kind === 'home' ? state.bot.name : (channel?.name ?? '')
  const others = store.channels.filter(({ id }) => id !== channelId)
  const unread = others.reduce((sum, one) => sum + store.unread(one), 0)
  const title = [name, state.team.name].filter((part) => part !== '').join(' · ')

  // What has been drawn has been seen; the list has then marked where the unread messages begin.
  useLayoutEffect(() => {
    if (!isLoaded) return
    store.markRead()
    document.title = unread > 0 ? `(${unread}) · ${title}` : title
  })

  const banner = html`<${Banner} isLive=${store.isLive} retry=${retry} />`
  if (!isLoaded)
    return html`${banner}<main class="shell" aria-busy="true"><div class="sidebar stack"></div></main>`
  return html`
    <header>
      <${SkipLink} channelId=${channelId} />
      <h1 class="unseen">${title}</h1>${banner}${state.town && html`<${Intro} store=${store} />`}
    </header>
    <main class="shell" data-place=${place.kind === 'none' ? 'channel' : place.kind}>
      <${Sidebar} store=${store} />
      <section class="front stack" aria-label="Conversation" data-region="front">
        ${
          place.kind === 'home'
            ? html`<${HomeHead} store=${store} /><${HomeTab} key=${me} store=${store} />`
            : channel &&
              html`
                <${ChannelHead} store=${store} channel=${channel} />
                <${Conversation} key=${`${me} ${channel.id}`} store=${store} channel=${channel} />
              `
        }
      </section>
      ${thread && html`<${Thread} key=${`${me} ${thread.channelId} ${thread.ts}`} store=${store} thread=${thread} />`}
      ${state.town && html`<${TownColumn} store=${store} />`}
    </main>
    ${view && html`<${Modal} key=${view.id} store=${store} view=${view} />`}
    <p class="unseen" role="status">${store.said}</p>
  `
}

/** @param {{ store: Store, thread: NonNullable<Store['thread']> }} props */
function Thread({ store, thread }) {
  const channel = store.channel(thread.channelId)
  /** @type {{ current: HTMLElement | null }} */
  const column = useRef(null)
  useLayoutEffect(() => column.current?.querySelector('textarea')?.focus(), [])
  if (channel === undefined) return undefined
  const back = hrefOf(channel.id)
  return html`
    <aside class="thread stack" aria-label="Thread" data-region="thread" ref=${column}>
      <${Head} title="Thread" topic="#${channel.name}" back=${[back, 'Back to the channel']}>
        <a class="tool bare close-thread" href=${back} aria-label="Close the thread">✕${'\ufe0e'}</a>
      <//>
      <${Conversation} store=${store} channel=${channel} thread=${thread} />
    </aside>
  `
}

/** The first stop of Tab: past the channels, to the messages. Seen while it has the focus.  @param {{ channelId: string | undefined }} props The channel that is in front; undefined on the Home tab. */
function SkipLink({ channelId }) {
  /** @type {(event: MouseEvent) => void} */
  function skip(event) {
    const front = document.querySelector('.front')
    // On a phone something else may be in front: then it leads there.
    if (!(front instanceof HTMLElement) || !front.checkVisibility()) return
    event.preventDefault()
    enter(front)
  }
  return html`
    <a class="skip" href=${channelId === undefined ? '#/home' : hrefOf(channelId)} onClick=${skip}>
      ${channelId === undefined ? 'Skip to Home' : 'Skip to the messages'}
    </a>
  `
}

/** Says that the connection is lost, for as long as it is, and once that it is back.  @param {{ isLive: boolean | undefined, retry: () => void }} props As in the store. */
function Banner({ isLive, retry }) {
  const lost = 'Connection lost. What you see may be old. Trying again…'
  return html`
    <div>
      <div class="banner" hidden=${isLive !== false}>
        ${isLive === false && lost} <button type="button" class="link-button bare" onClick=${retry}>Try now</button>
      </div>
      <p class="unseen" role="status">${isLive === false ? lost : isLive && 'Connected again.'}</p>
    </div>
  `
}
