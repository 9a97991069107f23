/**
 * The whole page: the list of channels, what is in front (a channel or the app's Home tab), and beside it a thread, or else the demo
 * controls. On narrow screens there is one column at a time.
 * @import { ComponentChildren } from 'preact'
 * @import { Channel, RenderContext } from './shapes.js'
 * @import { Store } from './store.js'
 */

import { Conversation } from './conversation.js'
import { html } from './html.js'
import { Avatar, isWaiting } from './message.js'
import { DemoControls, IncidentLine } from './town.js'
import { HomeTab, Modal } from './views.js'

/** @param {{ store: Store }} props */
export function Page({ store }) {
  const { state, me, isLive } = store
  const lost = html`<p class="banner" role="status" hidden=${isLive}>
    ${!isLive && 'Connection lost. What you see may be old. Trying again…'}
  </p>`
  if (state === undefined) return lost
  const { kind, channelId, ts } = store.place
  const channel = store.channel(channelId)
  const view = store.modals.at(-1)
  const isHome = kind === 'home'
  const name = isHome ? state.bot.name : channel ? store.nameOf(channel) : ''
  const unread = [...store.unread.values()].reduce((sum, count) => sum + count, 0)
  document.title = `${unread > 0 ? `(${unread}) ` : ''}${name} · ${state.team.name}`
  return html`
    <header>
      <h1 class="unseen">${name}, ${state.team.name}</h1>
      ${lost} ${state.town && html`<${IncidentLine} store=${store} hint=${hintFor(store)} />`}
    </header>
    <main class="shell" data-place=${ts === '' ? kind : 'thread'}>
      <${Sidebar} store=${store} />
      <section class="front column" aria-label=${isHome ? 'Home' : 'Conversation'}>
        ${
          isHome
            ? html`<${HomeHead} store=${store} /><${HomeTab} key=${me} store=${store} />`
            : channel &&
              html`
                <${ChannelHead} store=${store} channel=${channel} />
                <${Conversation} key=${`${me} ${channelId}`} store=${store} channel=${channel} ts="" />
              `
        }
      </section>
      ${channel && ts !== '' && html`<${Thread} key=${`${me} ${ts}`} store=${store} channel=${channel} ts=${ts} />`}
      ${
        state.town &&
        ts === '' &&
        html`<aside class="side column" aria-label="Demo controls">
        <${Head} title="Demo controls" /><${DemoControls} />
      </aside>`
      }
    </main>
    ${view && html`<${Modal} key=${view.id} store=${store} view=${view} />`}
    <p class="unseen" role="status">${store.said}</p>
  `
}

/** What is to be done next, by what stands in the channel, whoever did it.  @type {(store: Store) => ComponentChildren} */
function hintFor(store) {
  const { messages } = store.room(store.place.channelId)
  if (messages.some(isWaiting)) return html`Press <strong>Acknowledge</strong> on a card.`
  return messages.some(({ blocks }) => JSON.stringify(blocks ?? []).includes('"action_id":"mute"'))
    ? html`Now choose a time with <strong>Mute…</strong> on the card, or send <strong>/mon help</strong>.`
    : html`Press a button of the demo controls: its card comes here within seconds.`
}

/** @param {{ title: ComponentChildren, soft?: ComponentChildren, back?: string, children?: ComponentChildren }} props */
function Head({ title, soft, back = '#/list', children }) {
  return html`
    <header class="head row">
      <a class="tool back" href=${back} aria-label="Back">‹</a>
      <div class="head-words">
        <h2 class="cut">${title}</h2>
        ${soft && html`<p class="soft cut">${soft}</p>`}
      </div>
      ${children}
    </header>
  `
}

const badge = html`<span class="badge">APP</span>`

/** @param {{ store: Store, channel: Channel }} props */
function ChannelHead({ store, channel }) {
  const { id, kind, members, topic, withBot, pinned } = channel
  const sign = { private: '🔒 ', public: '#', im: '' }[kind]
  const bot = withBot ? '' : `${store.known.bot.name} is not in here`
  const soft = [topic, bot, kind === 'im' ? '' : `${members.length} members`].filter(Boolean).join(' · ')
  return html`
    <${Head} title=${[sign, store.nameOf(channel), ' ', kind === 'im' && badge]} soft=${soft}>
      ${pinned && html`<a class="button" href="#/${id}/${pinned}">📌 Board</a>`}
      <${DemoLink} store=${store} />
    <//>
  `
}

/** @param {{ store: Store }} props */
function HomeHead({ store }) {
  const direct = store.channels.find(({ kind }) => kind === 'im')
  return html`
    <${Head} title=${[store.known.bot.name, ' ', badge]} soft="Home">
      ${direct && html`<a class="button" href="#/${direct.id}">Messages</a>`}<${DemoLink} store=${store} />
    <//>
  `
}

/** Where there is no room for the demo controls beside the messages.  @param {{ store: Store }} props */
const DemoLink = ({ store }) =>
  store.known.town && html`<a class="button demo-link" href="#/demo">Demo controls</a>`

/** @param {{ store: Store, channel: Channel, ts: string }} props */
function Thread({ store, channel, ts }) {
  const back = `#/${channel.id}`
  return html`
    <aside class="side column" aria-label="Thread">
      <${Head} title="Thread" soft="#${store.nameOf(channel)}" back=${back}>
        <a class="tool" href=${back} aria-label="Close the thread">✕${'\ufe0e'}</a>
      <//>
      <${Conversation} store=${store} channel=${channel} ts=${ts} />
    </aside>
  `
}

/** Whom the page acts as, the channels with what is unread, direct messages and the app.  @param {{ store: Store }} props */
function Sidebar({ store }) {
  const { known, me, place } = store
  const all = store.channels.toSorted((a, b) => Number(a.archived) - Number(b.archived))
  const linkTo = (/** @type {Channel} */ channel) => {
    const { id, kind, archived } = channel
    const icon = kind === 'im' ? '●' : kind === 'private' ? '🔒' : '#'
    const isHere = place.channelId === id && place.kind === 'channel'
    const unread = isHere ? 0 : (store.unread.get(id) ?? 0)
    return placeLink({ href: `#/${id}`, icon, name: store.nameOf(channel), isHere, unread, archived })
  }
  const home = { href: '#/home', icon: '⌂', name: known.bot.name, isHere: place.kind === 'home', unread: 0 }
  const onPerson = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    store.actAs(currentTarget.value)
  return html`
    <nav class="sidebar column" aria-label="Channels and people">
      <div class="team">${known.team.name}</div>
      <div class="me row">
        <${Avatar} name=${store.user(me)?.realName ?? me} />
        <label>
          Act as
          <select value=${me} onChange=${onPerson}>
            ${store.people.map(({ id, realName, name }) => html`<option value=${id}>${realName || name}</option>`)}
          </select>
        </label>
      </div>
      <h2>Channels</h2>
      ${all.filter(({ kind }) => kind !== 'im').map(linkTo)}
      <h2>Apps</h2>
      ${known.app.homeEnabled && placeLink(home)} ${all.filter(({ kind }) => kind === 'im').map(linkTo)}
    </nav>
  `
}

/** @type {(place: { href: string, icon: string, name: string, isHere: boolean, unread: number, archived?: boolean }) => ComponentChildren} */
const placeLink = ({ href, icon, name, isHere, unread, archived = false }) => html`
  <a class="place row ${unread > 0 ? 'is-unread' : ''}" href=${href} aria-current=${isHere ? 'page' : undefined}>
    <span aria-hidden="true">${icon}</span>
    <span class="cut">${name}${icon === '⌂' && ' · Home'}${archived && ' (archived)'}</span>
    ${unread > 0 && html`<span class="badge">${unread > 99 ? '99+' : unread}<span class="unseen"> unread</span></span>`}
  </a>
`

/** What the blocks of a message or a view need from the page around them.  @type {(store: Store, surface: RenderContext['surface'], at: { channel: string, ts: string } | { viewId: string }) => RenderContext} */
export const contextFor = (store, surface, at) => ({
  surface,
  names: {
    user: (id) => store.user(id)?.name ?? id,
    channel: (id) => store.channel(id)?.name ?? id,
    group: (id) => store.known.groups.find((group) => group.id === id)?.handle ?? id,
  },
  people: () => store.known.users,
  async act({ blockId, ...action }) {
    await store.act('click', { ...at, ...action, ...(blockId === '' ? {} : { blockId }) })
  },
  // Only who has access to a file sees it, whatever shows it.
  fileUrl: (id) => `/files/${encodeURIComponent(id)}${'channel' in at ? `?channel=${at.channel}` : ''}`,
})
