// Blocks as lines for a terminal; a block that is not known here is shown as its JSON, never dropped.

import { elementSpans, imageSpan } from './terminal-elements.ts'
import { withEmoji } from './terminal-emoji.ts'
import { type Look, mrkdwnLines } from './terminal-mrkdwn.ts'
import { richTextLines } from './terminal-rich-text.ts'
import { isObject, type JsonObject, objectsIn, stringAt, textAt } from './terminal-shape.ts'
import { type Line, line, type Span, type Style, span } from './terminal-span.ts'

export type BlockLook = Look & { readonly width: number }

/** Pieces with a gap between them. */
function spaced(groups: readonly (readonly Span[])[], gap: string): Span[] {
  return groups.flatMap((spans, index) => (index === 0 ? spans : [span(gap), ...spans]))
}

/** Elements in a row, a space between their pieces. */
function rowOf(elements: readonly JsonObject[]): Line {
  const pieces = elements.flatMap(elementSpans).map((piece) => [piece])
  return line(spaced(pieces, ' '))
}

/** The lines of a text object: plain_text as it is but for emoji codes, mrkdwn with its markup. */
function textLines(object: unknown, look: Look, styles: readonly Style[] = []): Line[] | undefined {
  if (!isObject(object)) return undefined
  const text = stringAt(object, 'text')
  if (text === undefined) return undefined
  if (object.type === 'mrkdwn') return mrkdwnLines(text, look, styles)
  if (object.type !== 'plain_text') return undefined
  const shown = object.emoji === false ? text : withEmoji(text)
  return span(shown, styles)
    .text.split('\n')
    .map((row) => line([span(row, styles)]))
}

function sectionLines(block: JsonObject, look: Look): Line[] | undefined {
  const texts = [block.text, ...objectsIn(block.fields)].filter((text) => text !== undefined)
  const lines = texts.map((text) => textLines(text, look))
  if (lines.length === 0 || lines.some((own) => own === undefined)) return undefined
  const beside = isObject(block.accessory) ? [rowOf([block.accessory])] : []
  return [...lines.flatMap((own) => own ?? []), ...beside]
}

/** The elements stand in a row; a text of several lines begins a row of its own. */
function contextLines(block: JsonObject, look: Look): Line[] {
  const row: Span[][] = []
  const lines: Line[] = []
  const close = (): void => {
    if (row.length > 0) lines.push(line(spaced(row.splice(0), ' · ')))
  }
  for (const element of objectsIn(block.elements)) {
    const own = element.type === 'image' ? [line([imageSpan(element)])] : textLines(element, look, ['dim'])
    const [only, ...more] = own ?? [line([span(JSON.stringify(element), ['dim'])])]
    if (only !== undefined && more.length === 0 && only.first === '') {
      row.push([...only.spans])
    } else {
      close()
      lines.push(...(own ?? []))
    }
  }
  close()
  return lines
}

function inputLines(block: JsonObject, look: Look): Line[] | undefined {
  const label = textAt(block, 'label')
  if (label === undefined || !isObject(block.element)) return undefined
  const named = line([span(`${withEmoji(label)}: `, ['bold']), ...rowOf([block.element]).spans])
  return [named, ...(textLines(block.hint, look, ['dim']) ?? [])]
}

function imageLines(block: JsonObject, look: Look): Line[] | undefined {
  if (stringAt(block, 'alt_text') === undefined) return undefined
  return [...(textLines(block.title, look) ?? []), line([imageSpan(block)])]
}

function knownLines(block: JsonObject, look: BlockLook): Line[] | undefined {
  switch (block.type) {
    case 'section':
      return sectionLines(block, look)
    case 'header':
      return textLines(block.text, look, ['bold'])
    case 'context':
      return contextLines(block, look)
    case 'divider':
      return [line([span('─'.repeat(look.width), ['dim'])])]
    case 'image':
      return imageLines(block, look)
    case 'actions':
    case 'context_actions':
      return [rowOf(objectsIn(block.elements))]
    case 'input':
      return inputLines(block, look)
    case 'rich_text':
      return richTextLines(block, look)
    default:
      return undefined
  }
}

/** The lines of one block; `look.width` is the length of a divider. */
export function blockLines(block: unknown, look: BlockLook): Line[] {
  const known = isObject(block) ? knownLines(block, look) : undefined
  return known ?? [line([span(JSON.stringify(block) ?? String(block), ['dim'])])]
}
