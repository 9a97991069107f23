/** Reads and checks a message's content as Slack does: text, blocks and their pictures, metadata. */
import { type BlockFault, checkBlocks, textLength } from '../blocks/check.ts'
import { type Fields, isFields } from '../state/fields.ts'
import { kindOf } from '../state/files.ts'
import type { Metadata } from '../state/messages.ts'
import { tidyBlocks, tidyText } from '../state/sanitize.ts'
import type { State } from '../state/state.ts'
import type { Args } from './call.ts'
import { refuse, refuseBlocks } from './reply.ts'

export type Content = {
  readonly text: string | undefined
  readonly blocks: readonly Fields[] | undefined
  readonly metadata: Metadata | null | undefined
  readonly attachments: readonly Fields[] | undefined
}

/** Of an update. A post may have 40,000 (docs/slack.md#limits-of-messages), but what is posted is updated later. */
const textMax = 4_000
/** All text of all blocks; not published, and seen near 13,200 (docs/slack.md#limits-of-messages). */
const blocksTextMax = 13_000
const attachmentsMax = 100

export function readContent(state: State, args: Args): Content {
  const text = args.text('text')
  if ([...(text ?? '')].length > textMax) refuse('msg_too_long')
  const metadata = args.json('metadata', 'invalid_metadata_format')
  return {
    text: text === undefined ? undefined : tidyText(text, { links: args.text('parse') !== 'none' }),
    blocks: readBlocks(state, args),
    metadata: metadata === undefined ? undefined : readMetadata(metadata),
    attachments: readAttachments(args),
  }
}

export function isEmpty({ text = '', blocks = [], attachments = [] }: Partial<Content>): boolean {
  return text.trim() === '' && blocks.length === 0 && attachments.length === 0
}

/** What Alertmanager's receiver posts (docs.slack.dev/messaging/formatting-message-text#attachments). */
function readAttachments(args: Args): readonly Fields[] | undefined {
  const attachments = args.json('attachments', 'invalid_attachments')
  if (attachments === undefined) return undefined
  if (!Array.isArray(attachments) || !attachments.every(isFields)) return refuse('invalid_attachments')
  return attachments.length > attachmentsMax ? refuse('too_many_attachments') : attachments
}

function readBlocks(state: State, args: Args): readonly Fields[] | undefined {
  const blocks = args.json('blocks', 'invalid_blocks_format')
  if (blocks === undefined) return undefined
  if (!Array.isArray(blocks)) return refuse('invalid_blocks_format')
  refuseBlocks(checkBlocks(blocks))
  if (textLength(blocks) > blocksTextMax) refuse('msg_blocks_too_long')
  if (blocks.filter(({ type }) => type === 'table').length > 1)
    refuse('invalid_attachments', { response_metadata: { messages: ['[ERROR] only_one_table_allowed'] } })
  refuseBlocks(checkPictures(state, blocks))
  return tidyBlocks(blocks.filter(isFields), state.ids.blockId)
}

/** Whether the files that blocks show can be shown, asked while a message is accepted (docs/slack.md#pictures). */
export function checkPictures(state: State, blocks: readonly unknown[]): readonly BlockFault[] {
  return blocks.flatMap((block, at) =>
    isFields(block) && isFields(block.slack_file) && !isUsable(state, String(block.slack_file.id))
      ? [{ message: 'invalid slack file', pointer: `/blocks/${at}/slack_file` }]
      : [],
  )
}

function isUsable(state: State, id: string): boolean {
  const file = state.files.find(id)
  if (file?.bytes === undefined || file.ownerId !== state.bot.userId) return false
  return state.files.isReady(file) && kindOf(file.bytes).mimetype.startsWith('image/')
}

export const metadataBytesMax = 8_192

export function readMetadata(value: unknown): Metadata | null {
  if (!isFields(value)) return refuse('invalid_metadata_format')
  if (Object.keys(value).length === 0) return null
  const { event_type, event_payload, ...rest } = value
  const isNamed = typeof event_type === 'string' && /^[A-Za-z0-9_]{1,255}$/.test(event_type)
  if (!isNamed || !isFields(event_payload) || !isFlat(event_payload, 0) || Object.keys(rest).length > 0)
    return refuse('invalid_metadata_format')
  if (Buffer.byteLength(JSON.stringify(value)) > metadataBytesMax) refuse('metadata_too_large')
  return { event_type, event_payload }
}

/** One level of objects below the payload, lists of plain values only, no null anywhere. */
function isFlat(fields: Fields, depth: number): boolean {
  return Object.entries(fields).every(([key, value]) => {
    if (!/^[a-z][a-z0-9_]*$/.test(key)) return false
    if (isScalar(value)) return true
    if (Array.isArray(value)) return value.every(isScalar)
    return depth === 0 && isFields(value) && isFlat(value, depth + 1)
  })
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
