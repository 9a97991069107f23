// A rich_text block as lines for a terminal.

import { formatDate } from './terminal-date.ts'
import { emojiNamed } from './terminal-emoji.ts'
import { codeLines, codeSpan, type Look, quoteMark, struck } from './terminal-mrkdwn.ts'
import { isObject, type JsonObject, objectsIn, stringAt } from './terminal-shape.ts'
import { type Line, line, type Span, type Style, span } from './terminal-span.ts'

const styleNames: readonly [key: string, style: Style][] = [
  ['bold', 'bold'],
  ['italic', 'italic'],
  ['strike', 'strikethrough'],
  ['underline', 'underline'],
]

function emojiOf(element: JsonObject): string {
  const points = (stringAt(element, 'unicode') ?? '').split('-').map((hex) => Number.parseInt(hex, 16))
  if (points.every((point) => point >= 0 && point <= 0x10ffff)) return String.fromCodePoint(...points)
  const name = stringAt(element, 'name') ?? ''
  return emojiNamed(name) ?? `:${name}:`
}

function dateOf(element: JsonObject, look: Look): string | undefined {
  const words = formatDate(Number(element.timestamp), stringAt(element, 'format') ?? '', look)
  return words ?? stringAt(element, 'fallback')
}

/** What an element says, and the style of its kind; undefined for an element that is not known. */
function saying(element: JsonObject, look: Look): [text: string | undefined, ...styles: Style[]] {
  switch (element.type) {
    case 'text':
      return [stringAt(element, 'text')]
    case 'link':
      return [stringAt(element, 'text') || stringAt(element, 'url'), 'underline']
    case 'emoji':
      return [emojiOf(element)]
    case 'user':
      return [`@${stringAt(element, 'user_id') ?? ''}`, 'blue']
    case 'usergroup':
      return [`@${stringAt(element, 'usergroup_id') ?? ''}`, 'blue']
    case 'team':
      return [`@${stringAt(element, 'team_id') ?? ''}`, 'blue']
    case 'channel':
      return [`#${stringAt(element, 'channel_id') ?? ''}`, 'blue']
    case 'broadcast':
      return [`@${stringAt(element, 'range') ?? ''}`, 'yellow']
    case 'color':
      return [stringAt(element, 'value')]
    case 'date':
      return [dateOf(element, look)]
    default:
      return [undefined]
  }
}

function spansOf(element: JsonObject, look: Look): Span[] {
  const [text = JSON.stringify(element), ...own] = saying(element, look)
  const style = isObject(element.style) ? element.style : {}
  const styles = [...own, ...styleNames.filter(([key]) => style[key] === true).map(([, name]) => name)]
  const one = style.code === true ? codeSpan(text, styles, look) : span(text, styles)
  return style.strike === true ? struck([one], look) : [one]
}

/** Line feeds inside the texts begin new lines. */
function linesOf(elements: unknown, look: Look, first = '', next = first): Line[] {
  const rows: Span[][] = [[]]
  for (const part of objectsIn(elements).flatMap((element) => spansOf(element, look))) {
    const [head = '', ...rest] = part.text.split('\n')
    rows.at(-1)?.push({ ...part, text: head })
    for (const text of rest) rows.push([{ ...part, text }])
  }
  return rows.map((spans, index) => line(spans, index === 0 ? first : next, next))
}

function listLines(part: JsonObject, look: Look): Line[] {
  const indent = '  '.repeat(typeof part.indent === 'number' ? Math.min(Math.max(part.indent, 0), 8) : 0)
  const start = typeof part.offset === 'number' ? part.offset : 0
  return objectsIn(part.elements).flatMap((item, index) => {
    const mark = part.style === 'ordered' ? `${start + index + 1}. ` : '• '
    return linesOf(item.elements, look, `${indent}${mark}`, `${indent}${' '.repeat(mark.length)}`)
  })
}

function partLines(part: JsonObject, look: Look): Line[] {
  switch (part.type) {
    case 'rich_text_section':
      return linesOf(part.elements, look)
    case 'rich_text_list':
      return listLines(part, look)
    case 'rich_text_quote':
      return linesOf(part.elements, look, quoteMark)
    case 'rich_text_preformatted':
      return codeLines(
        objectsIn(part.elements)
          .map((element) => saying(element, look)[0] ?? '')
          .join(''),
      )
    default:
      return [line([span(JSON.stringify(part), ['dim'])])]
  }
}

export function richTextLines(block: JsonObject, look: Look): Line[] {
  return objectsIn(block.elements).flatMap((part) => partLines(part, look))
}
