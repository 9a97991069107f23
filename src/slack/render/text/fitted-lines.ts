/** Lines that fit: as many as a message has room for, how many are left out, and the same words without formatting. */
import type { KnownBlock } from '@slack/types'
import { textCharsMax, withoutBold } from './message-parts.ts'

/** Room that one list has in a message: Slack refuses more than about 13,000 characters in all (slack-facts.md 2.2). */
export const listCharsMax = 9_000

export type Room = {
  readonly charsMax: number
  readonly linesMax: number
  /** The line that says how many are left out. */
  readonly more: (left: number) => string
}

/** The lines of the first items, as many as fit; only as many are made, because there may be ten thousand items. */
export function fitted<Item>(items: readonly Item[], lineOf: (item: Item) => string, room: Room): string[] {
  const shown: string[] = []
  let chars = 0
  for (const item of items) {
    const line = shown.length < room.linesMax ? lineOf(item) : null
    chars += (line?.length ?? 0) + 1
    if (line === null || chars > room.charsMax) return [...shown, room.more(items.length - shown.length)]
    shown.push(line)
  }
  return shown
}

/** `a, b and 3 more`: as many of the items as fit, and one at least; only as many are put into words. */
export function listedWithin<Item>(
  items: readonly Item[],
  wordOf: (item: Item) => string,
  charsMax: number,
): string {
  const shown: string[] = []
  let chars = 0
  for (const item of items) {
    const word = wordOf(item)
    chars += word.length + 2
    if (shown.length > 0 && chars > charsMax) break
    shown.push(word)
  }
  const rest = items.length - shown.length
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/**
 * The words of blocks for a notification or a screen reader: the blocks' own, so that both always say the same. Names
 * from outside are escaped in them already, so what looks like a link, a date or bold here is ours.
 */
export function spokenText(blocks: readonly KnownBlock[]): string {
  const lines = blocks.flatMap(wordsOf).flatMap((words) => plain(words).split('\n'))
  const ellipsis = '…'
  const charsMax = textCharsMax - ellipsis.length
  const room = { charsMax, linesMax: lines.length, more: () => ellipsis }
  return fitted(lines, (line) => line, room).join('\n')
}

function wordsOf(block: KnownBlock): string[] {
  switch (block.type) {
    case 'section':
      return [...(block.text === undefined ? [] : [block.text]), ...(block.fields ?? [])].map(
        ({ text }) => text,
      )
    case 'context':
      return block.elements.flatMap((element) => ('text' in element ? [element.text] : []))
    default:
      return []
  }
}

function plain(mrkdwn: string): string {
  return withoutBold(
    mrkdwn.replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1').replace(/<https?:[^|>]*\|([^>]*)>/g, '$1'),
  )
}
