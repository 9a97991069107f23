/**
 * What stands above a column: where we are, what it is for, who is in; on narrow screens the way back.
 *
 * @import { Model } from './model.js'
 */
import { build } from '../blocks/build-node.js'

/** @type {(model: Model, channelId: string) => HTMLElement} */
export function renderChannelHeader(model, channelId) {
  const channel = model.channel(channelId)
  const isDirect = channel?.kind === 'im'
  const sign = channel?.kind === 'private' ? '🔒 ' : isDirect ? '' : '#'
  const name = isDirect ? model.state.bot.name : (channel?.name ?? channelId)
  const count = channel?.members.length ?? 0
  const members = (channel?.members ?? []).map((id) => model.user(id)?.realName || id)
  const bot = channel?.withBot === false ? `${model.state.bot.name} is not in here` : ''
  return build(
    'header',
    { class: 'head' },
    renderBack('#/list', 'Back to the channels'),
    build(
      'div',
      { class: 'head-words' },
      build(
        'h2',
        { class: 'head-title' },
        `${sign}${name}`,
        isDirect && build('span', { class: 'app-badge' }, 'APP'),
      ),
      build('p', { class: 'head-topic' }, [channel?.topic, bot].filter((part) => part).join(' · ')),
    ),
    !isDirect &&
      build(
        'span',
        { class: 'head-members', title: members.join(', ') },
        `${count} ${count === 1 ? 'member' : 'members'}`,
      ),
    renderTownLink(model),
  )
}

/** @type {(model: Model) => HTMLElement} */
export function renderHomeHeader(model) {
  const direct = model.channels.find(({ kind }) => kind === 'im')
  return build(
    'header',
    { class: 'head' },
    renderBack('#/list', 'Back to the channels'),
    build(
      'div',
      { class: 'head-words' },
      build(
        'h2',
        { class: 'head-title' },
        model.state.bot.name,
        build('span', { class: 'app-badge' }, 'APP'),
      ),
      build(
        'nav',
        { class: 'tabs', 'aria-label': 'App' },
        build('a', { class: 'tab', href: '#/home', 'aria-current': 'page' }, 'Home'),
        direct !== undefined && build('a', { class: 'tab', href: `#/${direct.id}` }, 'Messages'),
      ),
    ),
    renderTownLink(model),
  )
}

/** @type {(href: string, label: string) => HTMLElement} */
export const renderBack = (href, label) => build('a', { class: 'tool back', href, 'aria-label': label }, '‹')

/** Leads to the town where there is no room for it beside the messages.  @type {(model: Model) => HTMLElement | false} */
const renderTownLink = (model) =>
  model.state.town && build('a', { class: 'town-link', href: '#/town' }, 'Town')
