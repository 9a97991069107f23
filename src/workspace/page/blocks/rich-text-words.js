/**
 * Rich text that a person types here is plain words; this turns the one into the other.
 *
 * @import { Fields } from './render-context.js'
 */
import { fieldsIn, fieldsOf, stringOf } from './fields.js'

/** @type {(text: string) => Fields} */
export const richTextOf = (text) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
})

/** The texts of a rich_text block, a line for each of its parts.  @type {(block: unknown) => string} */
export function wordsOfRichText(block) {
  const words = (/** @type {Fields} */ part) =>
    part.elements === undefined
      ? stringOf(part.text) || stringOf(part.url)
      : fieldsIn(part.elements)
          .map((one) => stringOf(one.text) || stringOf(one.url))
          .join('')
  return fieldsIn(fieldsOf(block).elements).map(words).join('\n')
}
