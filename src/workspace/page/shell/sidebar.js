/**
 * The left column: whom the page acts as, the channels with what is unread, direct messages and the app.
 *
 * @import { Model } from './model.js'
 * @import { Channel } from './wire-shapes.js'
 */
import { build } from '../blocks/build-node.js'
import { renderAvatar } from '../messages/avatar.js'
import { hrefOf } from './place.js'

/** More is not counted. */
const countMax = 99

/** @type {(model: Model) => HTMLElement} */
export function openSidebar(model) {
  const team = build('span', { class: 'team-name' })
  const face = build('span', { class: 'me-face' })
  const person = build('select', { class: 'person', id: 'person' })
  const channels = openSection('Channels')
  const direct = openSection('Direct messages')
  const apps = openSection('Apps')
  const node = build(
    'nav',
    { class: 'sidebar', 'aria-label': 'Channels and people', 'data-region': 'sidebar', tabindex: '-1' },
    build('div', { class: 'team' }, build('div', { class: 'team-title' }, team)),
    build(
      'div',
      { class: 'me' },
      face,
      build('label', { class: 'me-label', for: 'person' }, 'Act as'),
      person,
    ),
    build('div', { class: 'places' }, channels.node, direct.node, apps.node),
  )

  person.addEventListener('change', () => model.behind(model.actAs(person.value)))

  function show() {
    const { state, me, people } = model
    team.textContent = state.team.name
    const options = people.map(({ id, realName, name }) => build('option', { value: id }, realName || name))
    if (person.options.length !== options.length) person.replaceChildren(...options)
    person.value = me
    const user = model.user(me)
    face.replaceChildren(renderAvatar({ id: me, name: user?.realName ?? me }, 'small'))

    const seen = model.channels
    const open = seen.filter(({ kind, archived }) => kind !== 'im' && !archived)
    channels.show([
      ...open.map((channel) => channelItem(channel)),
      ...seen
        .filter(({ kind, archived }) => kind !== 'im' && archived)
        .map((channel) => channelItem(channel)),
    ])
    direct.show(seen.filter(({ kind }) => kind === 'im').map((channel) => channelItem(channel)))
    apps.show(
      state.app.homeEnabled
        ? [
            {
              key: 'home',
              href: '#/home',
              name: state.bot.name,
              icon: '⌂',
              note: 'Home',
              unread: 0,
              isHere: model.place.kind === 'home',
            },
          ]
        : [],
    )
  }

  /** @type {(channel: Channel) => Item} */
  function channelItem({ id, name, kind, archived }) {
    const isHere = model.channelId === id && model.place.kind !== 'list'
    return {
      key: id,
      href: hrefOf(id),
      name: kind === 'im' ? model.state.bot.name : name,
      icon: kind === 'im' ? '●' : kind === 'private' ? '🔒' : '#',
      note: archived ? 'archived' : kind === 'private' ? 'private' : '',
      unread: archived ? 0 : model.marks.unread(id, model.room(id)),
      isHere,
    }
  }

  model.listen((change) => {
    if (change !== 'views') show()
  })
  return node
}

/** @typedef {{ key: string, href: string, name: string, icon: string, note: string, unread: number, isHere: boolean }} Item */

/** @type {(title: string) => { node: HTMLElement, show(items: Item[]): void }} */
function openSection(title) {
  const list = build('ul', { class: 'place-list' })
  const node = build(
    'section',
    { class: 'place-section' },
    build('h2', { class: 'place-title' }, title),
    list,
  )
  /** @type {Map<string, ReturnType<typeof openItem>>} */
  const shown = new Map()
  return {
    node,
    show(items) {
      node.hidden = items.length === 0
      for (const [key, item] of shown) {
        if (items.some((one) => one.key === key)) continue
        item.node.remove()
        shown.delete(key)
      }
      let cursor = list.firstChild
      for (const item of items) {
        const known = shown.get(item.key) ?? openItem()
        shown.set(item.key, known)
        known.show(item)
        if (known.node === cursor) cursor = cursor.nextSibling
        else list.insertBefore(known.node, cursor)
      }
    },
  }
}

/** @type {() => { node: HTMLElement, show(item: Item): void }} */
function openItem() {
  const icon = build('span', { class: 'place-icon', 'aria-hidden': 'true' })
  const name = build('span', { class: 'place-name' })
  const note = build('span', { class: 'unseen' })
  const count = build('span', { class: 'place-count', hidden: true })
  const link = build('a', { class: 'place' }, icon, name, note, count)
  const node = build('li', {}, link)
  return {
    node,
    show(item) {
      link.setAttribute('href', item.href)
      link.classList.toggle('is-unread', item.unread > 0 && !item.isHere)
      link.classList.toggle('is-archived', item.note === 'archived')
      if (item.isHere) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
      icon.textContent = item.icon
      name.textContent = item.name
      note.textContent = item.note === '' ? '' : ` (${item.note})`
      count.hidden = item.unread === 0 || item.isHere
      if (item.unread === 0) count.replaceChildren()
      else
        count.replaceChildren(
          item.unread > countMax ? `${countMax}+` : String(item.unread),
          build('span', { class: 'unseen' }, ' unread'),
        )
    },
  }
}
