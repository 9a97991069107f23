/**
 * What a message says, read and checked as Slack does: text, blocks, metadata. Used wherever somebody writes: posts,
 * updates, ephemeral messages, response URLs, command answers. Attachments and `markdown_text`, which the bot never sends,
 * are not looked at.
 */
import { blocksTextLength, checkBlocks } from '../blocks/check.ts'
import { type Fields, isFields } from '../state/fields.ts'
import type { Metadata } from '../state/messages.ts'
import { tidyBlocks, tidyText } from '../state/sanitize.ts'
import type { State } from '../state/state.ts'
import type { Args } from './args.ts'
import { readMetadata } from './metadata.ts'
import { checkPictures } from './pictures.ts'
import { refuse, refuseBlocks } from './reply.ts'

/** What was given, tidied; undefined is what was not given. */
export type Content = {
  readonly text: string | undefined
  readonly blocks: readonly Fields[] | undefined
  /** Null: given as `{}`, which clears it. */
  readonly metadata: Metadata | null | undefined
  readonly warnings: readonly string[]
}

/** A longer text is cut when it is posted. Slack-facts 2.2. */
const postedTextMax = 40_000
/** A longer text is refused when a message is updated. */
const updatedTextMax = 4_000
/** All text of all blocks; Slack's rule is not published, and was seen near 13,200 (slack-facts 2.2). */
const blocksTextMax = 13_000

export function readContent(state: State, args: Args, use: 'post' | 'update'): Content {
  const points = [...(args.text('text') ?? '')]
  if (use === 'update' && points.length > updatedTextMax) refuse('msg_too_long')
  const text = points.length > postedTextMax ? points.slice(0, postedTextMax).join('') : args.text('text')
  const metadata = args.json('metadata', 'invalid_metadata_format')
  return {
    text: text === undefined ? undefined : tidyText(text, { links: args.text('parse') !== 'none' }),
    blocks: readBlocks(state, args),
    metadata: metadata === undefined ? undefined : readMetadata(metadata),
    warnings: points.length > postedTextMax ? ['message_truncated'] : [],
  }
}

/** Whether there is nothing to see. */
export function isEmpty(body: { text: string | undefined; blocks: readonly unknown[] | undefined }): boolean {
  return (body.text ?? '').trim() === '' && (body.blocks ?? []).length === 0
}

function readBlocks(state: State, args: Args): readonly Fields[] | undefined {
  const blocks = args.json('blocks', 'invalid_blocks_format')
  if (blocks === undefined) return undefined
  if (!Array.isArray(blocks)) return refuse('invalid_blocks_format')
  refuseBlocks(checkBlocks(blocks))
  if (blocksTextLength(blocks) > blocksTextMax) refuse('msg_blocks_too_long')
  refuseBlocks(checkPictures(state, blocks, '/blocks'))
  return tidyBlocks(blocks.filter(isFields), state.ids.blockId)
}
