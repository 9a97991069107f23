// How much text a message's blocks hold together.

import { charsIn } from './rule.ts'

const spoken = new Set(['text', 'title', 'label', 'caption', 'alt_text', 'description', 'name'])

/**
 * All text of all blocks together, in characters (code points): texts, titles, labels, options, cells, alt texts.
 * Ids, values and addresses are not text. Slack refuses a total near 13,200 with `msg_blocks_too_long` (undocumented;
 * bolt-js #2509), so the limit is the caller's.
 */
export function blocksTextLength(blocks: readonly unknown[]): number {
  // A stack of its own, because JSON may be nested deeper than calls may.
  const waiting: unknown[] = [...blocks]
  let chars = 0
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, entry] of Object.entries(value)) {
      if (typeof entry !== 'string') waiting.push(entry)
      else if (spoken.has(key)) chars += charsIn(entry)
    }
  }
  return chars
}
