/**
 * What stands above a column: where we are, what it is for, who is in; on narrow screens the way back.
 *
 * @import { ComponentChildren } from 'preact'
 * @import { Store } from './store.js'
 * @import { Channel } from './wire-shapes.js'
 */
import { html } from '../html.js'

/**
 * @param {object} props
 * @param {ComponentChildren} props.title
 * @param {string} [props.topic]
 * @param {[href: string, label: string]} [props.back]
 * @param {ComponentChildren} [props.words] Under the title.
 * @param {ComponentChildren} [props.children] At the end.
 */
export function Head({ title, topic, back = ['#/list', 'Back to the channels'], words, children }) {
  return html`
    <header class="head row">
      <a class="tool bare back" href=${back[0]} aria-label=${back[1]}>‹</a>
      <div class="head-words">
        <h2 class="head-title row cut">${title}</h2>
        ${topic && html`<p class="head-topic soft cut">${topic}</p>`}
        ${words}
      </div>
      ${children}
    </header>
  `
}

const appBadge = html`<span class="app-badge">APP</span>`

/** @param {{ store: Store, channel: Channel }} props */
export function ChannelHead({ store, channel }) {
  const { kind, members, topic, withBot } = channel
  const sign = { private: '🔒 ', public: '#', im: '' }[kind]
  const bot = withBot ? '' : `${store.state.bot.name} is not in here`
  const names = members.map((id) => store.user(id)?.realName || id)
  return html`
    <${Head}
      title=${[sign + store.channelName(channel), kind === 'im' && appBadge]}
      topic=${[topic, bot].filter((part) => part).join(' · ')}
    >
      ${
        kind !== 'im' &&
        html`<span class="head-members soft" title=${names.join(', ')}>
          ${members.length} ${members.length === 1 ? 'member' : 'members'}
        </span>`
      }
      <${TownLink} store=${store} />
    <//>
  `
}

/** @param {{ store: Store }} props */
export function HomeHead({ store }) {
  const direct = store.channels.find(({ kind }) => kind === 'im')
  const tabs = html`
    <nav aria-label="App">
      <a class="tab soft" href="#/home" aria-current="page">Home</a>
      ${direct && html`<a class="tab soft" href="#/${direct.id}">Messages</a>`}
    </nav>
  `
  return html`
    <${Head} title=${[store.state.bot.name, appBadge]} words=${tabs}><${TownLink} store=${store} /><//>
  `
}

/** Leads to the town where there is no room for it beside the messages.  @param {{ store: Store }} props */
const TownLink = ({ store }) => store.state.town && html`<a class="town-link" href="#/demo">Demo controls</a>`
