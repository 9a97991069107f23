/**
 * A markdown block: headings, paragraphs, lists, quotes, fences, rules, and emphasis, code and links inside of them.
 * Not the whole of CommonMark: what is not read here is shown as it was written.
 */
import { build, harmless } from './build-node.js'
import { withEmoji } from './emoji-codes.js'
import { renderLink } from './render-mentions.js'

const inline = new RegExp(
  [
    '`([^`]+)`',
    '!?\\[([^\\]]*)\\]\\(([^()\\s]+)\\)',
    '<(https?://[^<>\\s]+)>',
    '\\*\\*(?=\\S)([^*]+?)\\*\\*',
    '~~(?=\\S)([^~]+?)~~',
    '\\*(?=\\S)([^*]+?)\\*',
    '(?<![\\p{L}\\p{N}])_(?=\\S)([^_]+?)_(?![\\p{L}\\p{N}])',
  ].join('|'),
  'gu',
)

/** @type {(text: string) => Node[]} */
function inlinesOf(text) {
  /** @type {Node[]} */
  const nodes = []
  let end = 0
  const plain = (/** @type {number} */ upTo) => {
    if (upTo > end) nodes.push(document.createTextNode(harmless(withEmoji(text.slice(end, upTo)))))
  }
  for (const match of text.matchAll(inline)) {
    const [all, code, label, target, url, bold, strike, star, under] = match
    plain(match.index)
    end = match.index + all.length
    const italic = star ?? under
    if (code !== undefined) nodes.push(build('code', { class: 'bk-code' }, code))
    else if (target !== undefined) nodes.push(renderLink(target, ...inlinesOf(label || target)))
    else if (url !== undefined) nodes.push(renderLink(url))
    else if (bold !== undefined) nodes.push(build('strong', {}, ...inlinesOf(bold)))
    else if (strike !== undefined) nodes.push(build('s', {}, ...inlinesOf(strike)))
    else if (italic !== undefined) nodes.push(build('em', {}, ...inlinesOf(italic)))
  }
  plain(text.length)
  return nodes
}

/** What begins a row, in the order in which it is looked for. */
const heading = /^#{1,6} +(.+?)(?: +#+)?$/
const rule = /^(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/
const quote = /^> ?(.*)$/
const item = /^( *)(?:[-*+]|(\d{1,9})[.)]) +(.*)$/

/** @typedef {{ depth: number, start: string | undefined, text: string }} Item */

/** Items that follow one another, deeper ones inside of those before them.  @type {(items: Item[]) => HTMLElement[]} */
function listsOf(items) {
  /** @type {HTMLElement[]} */
  const roots = []
  /** @type {{ depth: number, list: HTMLElement }[]} */
  const open = []
  for (const { depth, start, text } of items) {
    while ((open.at(-1)?.depth ?? -1) > depth && open.length > 1) open.pop()
    let level = open.at(-1)
    if (level === undefined || depth > level.depth + 1) {
      const list =
        start === undefined ? build('ul', { class: 'bk-list' }) : build('ol', { class: 'bk-list', start })
      if (level === undefined) roots.push(list)
      else (level.list.lastElementChild ?? level.list).append(list)
      level = { depth, list }
      open.push(level)
    }
    level.list.append(build('li', {}, ...inlinesOf(text)))
  }
  return roots
}

/** Takes the rows that match from the front.  @type {(rows: string[], pattern: RegExp) => RegExpExecArray[]} */
function takeWhile(rows, pattern) {
  /** @type {RegExpExecArray[]} */
  const taken = []
  for (let match = pattern.exec(rows[0] ?? ''); match !== null; match = pattern.exec(rows[0] ?? '')) {
    taken.push(match)
    rows.shift()
    if (rows.length === 0) break
  }
  return taken
}

/** @type {(row: string) => boolean} */
const beginsOther = (row) =>
  row.trim() === '' ||
  [heading, rule, quote, item].some((pattern) => pattern.test(row)) ||
  row.startsWith('```')

/** The next passage, taken from the front of the rows.  @type {(rows: string[]) => HTMLElement[]} */
function nextPassage(rows) {
  const row = rows[0] ?? ''
  if (row.trim() === '') {
    rows.shift()
    return []
  }
  if (row.startsWith('```')) {
    const end = rows.findIndex((one, at) => at > 0 && one.startsWith('```'))
    const code = rows.splice(0, end < 0 ? rows.length : end + 1)
    return [build('pre', { class: 'bk-pre' }, code.slice(1, end < 0 ? undefined : -1).join('\n'))]
  }
  const title = heading.exec(row)
  if (title !== null) {
    rows.shift()
    return [build('p', { class: 'bk-markdown-heading' }, build('strong', {}, ...inlinesOf(title[1] ?? '')))]
  }
  if (rule.test(row)) {
    rows.shift()
    return [build('hr', { class: 'bk-divider' })]
  }
  if (quote.test(row)) {
    const inner = takeWhile(rows, quote).map(([, text = '']) => text)
    return [build('blockquote', { class: 'bk-quote' }, ...passagesOf(inner))]
  }
  const items = takeWhile(rows, item)
  if (items.length > 0) {
    return listsOf(items.map(([, indent = '', start, text = '']) => ({ depth: indent.length, start, text })))
  }
  const first = rows.shift() ?? ''
  const next = rows.findIndex(beginsOther)
  const rest = rows.splice(0, next < 0 ? rows.length : next)
  return [build('p', { class: 'bk-prose' }, ...inlinesOf([first, ...rest].join('\n')))]
}

/** @type {(rows: string[]) => HTMLElement[]} */
function passagesOf(rows) {
  /** @type {HTMLElement[]} */
  const passages = []
  while (rows.length > 0) passages.push(...nextPassage(rows))
  return passages
}

/** @type {(text: string) => HTMLElement} */
export function renderMarkdown(text) {
  return build(
    'div',
    { class: 'bk-text bk-markdown' },
    ...passagesOf(text.replaceAll('\r\n', '\n').split('\n')),
  )
}
