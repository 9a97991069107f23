/** Changes a text as Slack does before it stores it, so that an echo is not what was sent (docs/slack.md#messages). */
import { emoji } from '../page/blocks/emoji-codes.js'
import { type Fields, isFields } from './fields.ts'

/** Links, mentions, channels and dates, which Slack leaves as they are. */
const markup = /(<(?:https?:\/\/|mailto:|tel:|@[UWB]|#[CG]|!)[^<>\n]*>)/
const bareUrl = /(\bhttps?:\/\/[^\s<>|]+[^\s<>|.,;:!?)'"*_~`])/

/** Emoji → its code, the first of them where it has several; what the page cannot show stays as it is. */
const codes = new Map([...emoji].reverse().map(([code, shown]) => [shown, code]))
const longestFirst = [...codes.keys()].sort((a, b) => b.length - a.length)
const anyEmoji = new RegExp(longestFirst.join('|'), 'gu')

/** A mrkdwn text as Slack stores it; `links: false` (a text with `verbatim`, a post with `parse: none`) leaves addresses alone. */
export function tidyText(text: string, { links }: { links: boolean }): string {
  const tidyPlain = (part: string) =>
    links ? mapParts(part, bareUrl, escaped, (url) => `<${ampersands(url)}>`) : escaped(part)
  return mapParts(text, markup, tidyPlain, (found) => found)
}

/** What stands between the places that a pattern with one group finds, and those places, each by its own rule. */
function mapParts(
  text: string,
  pattern: RegExp,
  between: (part: string) => string,
  found: (part: string) => string,
): string {
  const parts = text.split(pattern)
  return parts.map((part, at) => (at % 2 === 0 ? between(part) : found(part))).join('')
}

function codeEmoji(text: string): string {
  return text.replace(anyEmoji, (found) => `:${codes.get(found) ?? found}:`)
}

export function tidyBlocks(blocks: readonly Fields[], newBlockId: () => string): readonly Fields[] {
  return blocks.map((block) => ({
    ...tidyFields(block),
    block_id: typeof block.block_id === 'string' && block.block_id !== '' ? block.block_id : newBlockId(),
  }))
}

function tidyFields(fields: Fields): Fields {
  if (fields.type === 'mrkdwn' && typeof fields.text === 'string') {
    const verbatim = fields.verbatim === true
    return { ...fields, text: tidyText(fields.text, { links: !verbatim }), verbatim }
  }
  if (fields.type === 'plain_text' && typeof fields.text === 'string') {
    const asCodes = fields.emoji !== false
    return { ...fields, text: asCodes ? codeEmoji(fields.text) : fields.text, emoji: asCodes }
  }
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, tidyValue(value)]))
}

function tidyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyValue)
  return isFields(value) ? tidyFields(value) : value
}

const ampersands = (text: string) => text.replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')

function escaped(text: string): string {
  return codeEmoji(ampersands(text).replace(/</g, '&lt;').replace(/>/g, '&gt;'))
}
