/** Reads blocks as a person sees them: the words, and the elements that can be used, by their labels. */

import { withEmoji } from '../../src/workspace/page/blocks/emoji-codes.js'
import { type Choice, type Element, elementsIn } from '../../src/workspace/people/elements.ts'

type Fields = Readonly<Record<string, unknown>>

/** Something that can be pressed, chosen from or filled in. */
export type Usable = {
  readonly label: string
  readonly element: Element
  /** The words that it stands by: its block's own, and for a row of buttons those of the block before. */
  readonly beside: string
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Everything usable, in the order in which it stands. */
export function usablesIn(blocks: readonly unknown[]): Usable[] {
  return blocks.flatMap((block, index) => {
    const isRow = isFields(block) && block.type === 'actions'
    const beside = wordsOf(blocks.slice(isRow && index > 0 ? index - 1 : index, index + 1))
    return elementsIn([block]).map((element) => ({ label: labelOf(element, block), element, beside }))
  })
}

/** The visible words of blocks, a line for each text; what can be used stands in brackets. */
export function wordsOf(blocks: readonly unknown[]): string {
  return blocks.flatMap(linesOf).join('\n')
}

function linesOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(linesOf)
  if (!isFields(node)) return []
  if (typeof node.action_id === 'string') {
    const [element] = elementsIn([node])
    return element === undefined ? [] : [`[${labelOf(element, node)}]`]
  }
  if (typeof node.text === 'string') return [withEmoji(node.text)]
  const alt = typeof node.alt_text === 'string' ? [`(image: ${node.alt_text})`] : []
  return [...alt, ...Object.values(node).flatMap(linesOf)]
}

function labelOf({ type, fields }: Element, block: unknown): string {
  const input = isFields(block) && block.type === 'input' ? textOf(block.label) : ''
  const [option] = [fields.initial_option, ...listOf(fields.initial_options)].filter(isFields)
  return input || textOf(fields.text) || textOf(option?.text) || textOf(fields.placeholder) || type
}

/**
 * The value of an element for the words that a person chooses or types; for words that it does not offer, the error lists what it
 * does.
 */
export function choiceByWords({ element: { type, fields }, label }: Usable, wanted: string): Choice {
  if (!type.endsWith('_select')) return wanted
  const offered = listOf(fields.options)
    .filter(isFields)
    .map((option) => ({ text: textOf(option.text), value: String(option.value) }))
  const option = offered.find(({ text }) => sameWords(text, wanted))
  if (option !== undefined) return option.value
  const list = offered.map(({ text }) => JSON.stringify(text)).join(', ') || 'nothing'
  throw new Error(`there is no ${JSON.stringify(wanted)} in ${JSON.stringify(label)}; it offers: ${list}`)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The words of a text object; empty where there is none. */
export function textOf(value: unknown): string {
  return isFields(value) && typeof value.text === 'string' ? withEmoji(value.text) : ''
}

/** Whether words say the same to a person: emoji, arrows, an ellipsis at the end and spaces make no difference. */
export function sameWords(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

function bare(text: string): string {
  return withEmoji(text)
    .replace(/\p{Extended_Pictographic}|\uFE0F|\u200D|[▾▼⋯]|(?:…|\.\.\.)\s*$/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
