/**
 * What a message says, read and checked as Slack does: text, blocks, attachments, metadata. Used wherever somebody
 * writes: posts, updates, ephemeral messages, response URLs, uploads, command answers.
 */
import { blocksTextLength, checkBlocks } from '../blocks/check.ts'
import { type Fields, isFields, itemsOf } from '../state/fields.ts'
import type { Metadata } from '../state/messages.ts'
import { tidyBlocks, tidyText } from '../state/sanitize.ts'
import type { State } from '../state/state.ts'
import type { Args } from './args.ts'
import { readMetadata } from './metadata.ts'
import { checkPictures } from './pictures.ts'
import { blockReasons, type No, no } from './reply.ts'

/** What was given, tidied; undefined is what was not given. */
export type Content = {
  readonly text?: string
  readonly blocks?: readonly Fields[]
  readonly attachments?: readonly Fields[]
  /** Null: given as `{}`, which clears it. */
  readonly metadata?: Metadata | null
  readonly warnings: readonly string[]
}
export type ContentVerdict =
  | { readonly ok: true; readonly content: Content }
  | { readonly ok: false; readonly reply: No }

/** A longer text is cut when it is posted. Slack-facts 2.2. */
const postedTextMax = 40_000
/** A longer text is refused when a message is updated. */
const updatedTextMax = 4_000
/** All text of all blocks; Slack's rule is not published, and was seen near 13,200 (slack-facts 2.2). */
const blocksTextMax = 13_000
const markdownTextMax = 12_000
const attachmentsMax = 100
/** Slack's cap is not published; this one is ours. */
const attachmentBytesMax = 100_000

export function readContent(state: State, args: Args, use: 'post' | 'update'): ContentVerdict {
  const refuse = (reply: No): ContentVerdict => ({ ok: false, reply })
  const warnings: string[] = []

  let text = args.text('text')
  if (text !== undefined && use === 'update' && [...text].length > updatedTextMax)
    return refuse(no('msg_too_long'))
  if (text !== undefined && text.length > postedTextMax) {
    const points = [...text]
    if (points.length > postedTextMax) {
      text = points.slice(0, postedTextMax).join('')
      warnings.push('message_truncated')
    }
  }

  const markdown = args.text('markdown_text')
  if (markdown !== undefined && (text !== undefined || args.has('blocks')))
    return refuse(no('markdown_text_conflict'))
  if (markdown !== undefined && [...markdown].length > markdownTextMax) return refuse(no('msg_too_long'))

  const blocks =
    markdown === undefined ? readBlocks(state, args) : { list: [{ type: 'markdown', text: markdown }] }
  if ('refused' in blocks) return refuse(blocks.refused)
  const attachments = readAttachments(state, args)
  if ('refused' in attachments) return refuse(attachments.refused)

  let metadata: Metadata | null | undefined
  const asked = args.json('metadata')
  if (asked.given) {
    const verdict = asked.ok
      ? readMetadata(asked.value)
      : ({ ok: false, why: 'invalid_metadata_format' } as const)
    if (!verdict.ok) return refuse(no(verdict.why))
    metadata = verdict.metadata
  }

  const links = args.text('parse') !== 'none'
  return {
    ok: true,
    content: {
      ...(text === undefined ? {} : { text: tidyText(text, { links }) }),
      ...(blocks.list === undefined ? {} : { blocks: tidyBlocks(blocks.list, state.ids.blockId) }),
      ...(attachments.list === undefined ? {} : { attachments: attachments.list }),
      ...(metadata === undefined ? {} : { metadata }),
      warnings,
    },
  }
}

/** Whether there is anything to see. */
export function isEmpty(body: {
  text?: string
  blocks?: readonly unknown[]
  attachments?: readonly unknown[]
}): boolean {
  const noText = body.text === undefined || body.text.trim() === ''
  return noText && (body.blocks ?? []).length === 0 && (body.attachments ?? []).length === 0
}

type ListVerdict = { readonly list: readonly Fields[] | undefined } | { readonly refused: No }

function readBlocks(state: State, args: Args): ListVerdict {
  const asked = args.json('blocks')
  if (!asked.given) return { list: undefined }
  if (!asked.ok || !Array.isArray(asked.value)) return { refused: no('invalid_blocks_format') }
  const faults = checkBlocks(asked.value)
  if (faults.length > 0) return { refused: blockReasons('invalid_blocks', faults) }
  if (blocksTextLength(asked.value) > blocksTextMax) return { refused: no('msg_blocks_too_long') }
  const pictures = checkPictures(state, asked.value, '/blocks')
  if (pictures.length > 0) return { refused: blockReasons('invalid_blocks', pictures) }
  return { list: asked.value.filter(isFields) }
}

function readAttachments(state: State, args: Args): ListVerdict {
  const asked = args.json('attachments')
  if (!asked.given) return { list: undefined }
  if (!asked.ok || !Array.isArray(asked.value)) return { refused: no('invalid_attachments') }
  if (asked.value.length > attachmentsMax) return { refused: no('too_many_attachments') }
  if (Buffer.byteLength(JSON.stringify(asked.value)) > attachmentBytesMax) {
    return { refused: no('attachment_payload_limit_exceeded') }
  }
  const faults = asked.value.flatMap((attachment, at) => {
    const here = `/attachments/${at}`
    if (!isFields(attachment)) return [{ message: 'must be an object', pointer: here }]
    if (attachment.blocks === undefined) return []
    const wrong = checkBlocks(attachment.blocks).map((fault) => ({
      ...fault,
      pointer: here + fault.pointer,
    }))
    return wrong.length > 0 ? wrong : checkPictures(state, attachment.blocks, `${here}/blocks`)
  })
  if (faults.length > 0) return { refused: blockReasons('invalid_attachments', faults) }
  return {
    list: asked.value.filter(isFields).map((attachment) => {
      const tidied =
        typeof attachment.text === 'string' ? { text: tidyText(attachment.text, { links: true }) } : {}
      const inner = itemsOf(attachment.blocks).filter(isFields)
      const blocks = inner.length > 0 ? { blocks: tidyBlocks(inner, state.ids.blockId) } : {}
      return { ...attachment, ...tidied, ...blocks }
    }),
  }
}
