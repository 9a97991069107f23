/**
 * The left column: whom the page acts as, the channels with what is unread, direct messages and the app.
 *
 * @import { Store } from './store.js'
 * @typedef {{ key: string, href: string, name: string, icon: string, note?: string, unread?: number, isHere: boolean }} Item
 */
import { html } from '../html.js'
import { Avatar } from '../messages/author.js'
import { hrefOf } from './place.js'

/** More is not counted. */
const countMax = 99

/** @param {{ store: Store }} props */
export function Sidebar({ store }) {
  const { state, me, place } = store
  const all = store.channels.map((channel) => {
    const { id, kind, archived } = channel
    return {
      key: id,
      kind,
      archived,
      href: hrefOf(id),
      name: store.channelName(channel),
      icon: kind === 'im' ? '●' : kind === 'private' ? '🔒' : '#',
      note: archived ? 'archived' : kind === 'private' ? 'private' : '',
      unread: store.unread(channel),
      isHere: store.channelId === id && place.kind !== 'list',
    }
  })
  const channels = all
    .filter(({ kind }) => kind !== 'im')
    .sort((a, b) => Number(a.archived) - Number(b.archived))
  const home = {
    key: 'home',
    href: '#/home',
    name: state.bot.name,
    icon: '⌂',
    note: 'Home',
    isHere: place.kind === 'home',
  }
  const onPerson = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
    store.actAs(currentTarget.value)
  return html`
    <nav class="sidebar stack" aria-label="Channels and people" data-region="sidebar stack" tabindex="-1">
      <div class="team">${state.team.name}</div>
      <div class="me">
        <${Avatar} who=${{ id: me, name: store.user(me)?.realName ?? me }} />
        <label class="me-label" for="person">Act as</label>
        <select class="person bare" id="person" value=${me} onChange=${onPerson}>
          ${store.people.map(({ id, realName, name }) => html`<option value=${id}>${realName || name}</option>`)}
        </select>
      </div>
      <div class="places">
        <${Section} title="Channels" items=${channels} />
        <${Section} title="Direct messages" items=${all.filter(({ kind }) => kind === 'im')} />
        <${Section} title="Apps" items=${state.app.homeEnabled ? [home] : []} />
      </div>
    </nav>
  `
}

/** @param {{ title: string, items: Item[] }} props */
function Section({ title, items }) {
  return (
    items.length > 0 &&
    html`
      <section>
        <h2 class="place-title">${title}</h2>
        <ul class="bare">${items.map((item) => html`<${PlaceLink} ...${item} />`)}</ul>
      </section>
    `
  )
}

/** @param {Item} props */
function PlaceLink({ href, name, icon, note = '', unread = 0, isHere }) {
  const isUnread = unread > 0 && !isHere
  const classes = ['place row', isUnread && 'is-unread', note === 'archived' && 'is-archived']
  return html`
    <li>
      <a class=${classes.filter(Boolean).join(' ')} href=${href} aria-current=${isHere ? 'page' : undefined}>
        <span class="place-icon" aria-hidden="true">${icon}</span>
        <span class="place-name cut">${name}</span>
        ${note && html`<span class="unseen"> (${note})</span>`}
        ${
          isUnread &&
          html`<span class="place-count">
            ${unread > countMax ? `${countMax}+` : unread}<span class="unseen"> unread</span>
          </span>`
        }
      </a>
    </li>
  `
}
