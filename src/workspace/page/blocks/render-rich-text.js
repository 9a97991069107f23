/**
 * A rich_text block: sections, lists in lists, quotes and preformatted text.
 * Shapes: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build, harmless } from './build-node.js'
import { emojiNamed } from './emoji-codes.js'
import { fieldsIn, fieldsOf, stringOf } from './fields.js'
import { renderBroadcast, renderDate, renderLink, renderMention } from './render-mentions.js'
import { renderUnknown } from './render-text.js'

const indentMax = 8

/** @type {(element: Fields) => string} */
function emojiOf(element) {
  const points = stringOf(element.unicode)
    .split('-')
    .map((hex) => Number.parseInt(hex, 16))
  if (points.every((point) => point >= 0 && point <= 0x10ffff)) return String.fromCodePoint(...points)
  const name = stringOf(element.name)
  return emojiNamed(name) ?? `:${name}:`
}

/** @type {(element: Fields, context: RenderContext) => Node} */
function renderInline(element, context) {
  switch (element.type) {
    case 'text':
      return document.createTextNode(harmless(stringOf(element.text)))
    case 'link':
      return renderLink(stringOf(element.url), stringOf(element.text) || stringOf(element.url))
    case 'emoji':
      return document.createTextNode(harmless(emojiOf(element)))
    case 'user':
      return renderMention('user', stringOf(element.user_id), undefined, context)
    case 'usergroup':
      return renderMention('group', stringOf(element.usergroup_id), undefined, context)
    case 'channel':
      return renderMention('channel', stringOf(element.channel_id), undefined, context)
    case 'team':
      return build('span', { class: 'bk-mention' }, `@${stringOf(element.team_id)}`)
    case 'broadcast':
      return renderBroadcast(stringOf(element.range))
    case 'color': {
      const value = stringOf(element.value)
      const swatch = build('span', { class: 'bk-swatch', 'aria-hidden': 'true' })
      swatch.style.setProperty('--bk-swatch', value)
      return build('span', {}, swatch, value)
    }
    case 'date':
      return renderDate(
        {
          seconds: typeof element.timestamp === 'number' ? element.timestamp : Number.NaN,
          format: stringOf(element.format),
          url: stringOf(element.url),
          fallback: stringOf(element.fallback),
        },
        context,
      )
    default:
      return renderUnknown(element, 'rich text element')
  }
}

/** Style → tag, from the innermost to the outermost. */
const styleTags = /** @type {const} */ ([
  ['code', 'code'],
  ['strike', 's'],
  ['italic', 'em'],
  ['bold', 'strong'],
  ['underline', 'u'],
  ['highlight', 'mark'],
  ['client_highlight', 'mark'],
])

/** @type {(element: Fields, context: RenderContext) => Node} */
function renderStyled(element, context) {
  const style = fieldsOf(element.style)
  /** @type {Node} */
  let node = renderInline(element, context)
  for (const [key, tag] of styleTags) {
    if (style[key] === true) node = build(tag, tag === 'code' ? { class: 'bk-code' } : {}, node)
  }
  return node
}

/** @type {(part: Fields, context: RenderContext) => Node[]} */
const inlinesOf = (part, context) => fieldsIn(part.elements).map((element) => renderStyled(element, context))

/** @type {(part: Fields, context: RenderContext) => HTMLElement} */
function renderList(part, context) {
  const items = fieldsIn(part.elements).map((item) => build('li', {}, ...inlinesOf(item, context)))
  if (part.style !== 'ordered') return build('ul', { class: 'bk-list' }, ...items)
  const first = typeof part.offset === 'number' ? part.offset + 1 : 1
  return build('ol', { class: 'bk-list', start: String(first) }, ...items)
}

/** @type {(part: Fields) => number} */
const indentOf = (part) =>
  typeof part.indent === 'number' ? Math.min(Math.max(Math.trunc(part.indent), 0), indentMax) : 0

/**
 * Slack writes a list in a list as neighbours with a deeper `indent`; here they become what they mean.
 *
 * @param {Fields[]} parts Lists that follow one another.
 * @param {RenderContext} context
 * @returns {HTMLElement[]}
 */
function nestLists(parts, context) {
  /** @type {HTMLElement[]} */
  const roots = []
  /** @type {{ indent: number, list: HTMLElement, style: unknown }[]} */
  const open = []
  for (const part of parts) {
    const indent = indentOf(part)
    while ((open.at(-1)?.indent ?? -1) > indent) open.pop()
    const list = renderList(part, context)
    const level = open.at(-1)
    if (level?.indent === indent && level.style === part.style) {
      // Coming back from a deeper list, the numbers go on.
      level.list.append(...list.children)
      continue
    }
    if (level?.indent === indent) open.pop()
    list.classList.add(`bk-list-${indent % 3}`)
    const parent = open.at(-1)?.list
    if (parent === undefined) roots.push(list)
    else (parent.lastElementChild ?? parent).append(list)
    open.push({ indent, list, style: part.style })
  }
  return roots
}

/** @type {(part: Fields, context: RenderContext) => HTMLElement} */
function renderPart(part, context) {
  switch (part.type) {
    case 'rich_text_section':
      return build('div', { class: 'bk-prose' }, ...inlinesOf(part, context))
    case 'rich_text_quote':
      return build('blockquote', { class: 'bk-quote' }, ...inlinesOf(part, context))
    case 'rich_text_preformatted':
      return build('pre', { class: 'bk-pre' }, ...inlinesOf(part, context))
    default:
      return renderUnknown(part, 'rich text part')
  }
}

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
export function renderRichText(block, context) {
  const root = build('div', { class: 'bk-text bk-rich' })
  /** @type {Fields[]} */
  let lists = []
  const closeLists = () => {
    root.append(...nestLists(lists, context))
    lists = []
  }
  for (const part of fieldsIn(block.elements)) {
    if (part.type === 'rich_text_list') {
      lists.push(part)
      continue
    }
    closeLists()
    root.append(renderPart(part, context))
  }
  closeLists()
  return root
}
