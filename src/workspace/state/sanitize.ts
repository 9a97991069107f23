/**
 * What Slack makes of a text before it stores it: bare addresses become `<url>`, emoji become `:codes:`, and `& < >`
 * outside of Slack's own markup are escaped. An echo is therefore not byte for byte what was sent (slack-facts 3.3).
 */
import type { Fields } from './fields.ts'
import { isFields } from './fields.ts'

/** Links, mentions, channels and dates, which Slack leaves as they are. */
const markup = /<(?:https?:\/\/|mailto:|tel:|@[UWB]|#[CG]|!)[^<>\n]*>/g
const bareUrl = /\bhttps?:\/\/[^\s<>|]+[^\s<>|.,;:!?)'"*_~`]/g

/** The emoji that chat-ops messages use; others stay as they are. */
const emojiCodes: Readonly<Record<string, string>> = {
  '🔴': 'red_circle',
  '🟢': 'large_green_circle',
  '🟡': 'large_yellow_circle',
  '🟠': 'large_orange_circle',
  '🔵': 'large_blue_circle',
  '⚪': 'white_circle',
  '⚫': 'black_circle',
  '🔔': 'bell',
  '🔕': 'no_bell',
  '🔇': 'mute',
  '🔊': 'loud_sound',
  '⚠️': 'warning',
  '🚨': 'rotating_light',
  '🔥': 'fire',
  '✅': 'white_check_mark',
  '✔️': 'heavy_check_mark',
  '❌': 'x',
  '❗': 'exclamation',
  '❓': 'question',
  ℹ️: 'information_source',
  '👀': 'eyes',
  '👋': 'wave',
  '👍': '+1',
  '🎉': 'tada',
  '🚀': 'rocket',
  '📌': 'pushpin',
  '📈': 'chart_with_upwards_trend',
  '📉': 'chart_with_downwards_trend',
  '📊': 'bar_chart',
  '📝': 'memo',
  '🔗': 'link',
  '⏰': 'alarm_clock',
  '⏳': 'hourglass_flowing_sand',
  '⌛': 'hourglass',
  '🛠️': 'hammer_and_wrench',
  '🔧': 'wrench',
  '🙈': 'see_no_evil',
  '💾': 'floppy_disk',
  '🖥️': 'desktop_computer',
  '🌩️': 'lightning_cloud',
  '🧵': 'thread',
  '🔁': 'repeat',
}
const emoji = new RegExp(Object.keys(emojiCodes).join('|'), 'gu')

/** A mrkdwn text as Slack stores it; `links: false` (a text with `verbatim`, a post with `parse: none`) leaves addresses alone. */
export function tidyText(text: string, { links }: { links: boolean }): string {
  let tidy = ''
  let from = 0
  for (const found of text.matchAll(markup)) {
    tidy += tidyPlain(text.slice(from, found.index), links) + found[0]
    from = found.index + found[0].length
  }
  return tidy + tidyPlain(text.slice(from), links)
}

/** Emoji as codes, nothing else: what happens to a plain_text. */
function codeEmoji(text: string): string {
  return text.replace(emoji, (found) => `:${emojiCodes[found] ?? found}:`)
}

/** Blocks as Slack stores them: every block has an id, every text says how it is to be read, every text is tidy. */
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

function tidyPlain(text: string, links: boolean): string {
  const escaped = (part: string): string =>
    codeEmoji(
      part
        .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
        .replace(/</g, '&lt;')
        .replace(/>/g, '&gt;'),
    )
  if (!links) return escaped(text)
  let tidy = ''
  let from = 0
  for (const found of text.matchAll(bareUrl)) {
    tidy += `${escaped(text.slice(from, found.index))}<${found[0].replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')}>`
    from = found.index + found[0].length
  }
  return tidy + escaped(text.slice(from))
}
