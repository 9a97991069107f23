/** `files.*`: the upload in three steps, looking a file up, deleting it (slack-facts 5). The bytes come by `upload.ts`. */
import { isFields } from '../state/fields.ts'
import { fileBytesMax, type StoredFile } from '../state/files.ts'
import { tidyText } from '../state/sanitize.ts'
import { post } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { tellFile } from '../state/tell-message.ts'
import { isTimestamp } from '../state/timestamps.ts'
import { type Args, readArgs } from './args.ts'
import type { Method } from './call.ts'
import { readContent } from './content.ts'
import { reachToPost } from './reach.ts'
import { badArguments, missing, type No, no, yes } from './reply.ts'

const altTextMax = 1_000
const filesPerCompletionMax = 10

/** Step 1: announces the name and the length in bytes. */
export const getUploadUrl: Method = ({ state, args }) => {
  const name = args.text('filename')
  if (name === undefined || name === '') return missing('filename')
  const bytes = args.whole('length')
  if (bytes === undefined || bytes === 0) return no('missing_argument')
  if (Number.isNaN(bytes) || bytes < 0) return badArguments('length must be a positive number of bytes')
  if (bytes > fileBytesMax) return no('file_upload_size_restricted')
  const altText = args.text('alt_txt') ?? ''
  if (altText.length > altTextMax)
    return badArguments(`alt_txt must be less than ${altTextMax + 1} characters`)
  const { file, ticket } = state.files.announce({ name, bytes, ownerId: state.bot.userId, altText })
  return yes({ upload_url: `${state.url()}upload/v1/${ticket}`, file_id: file.id })
}

/** Step 3: one shot. A file completed before, or without its bytes, is `file_not_found`. */
export const completeUpload: Method = ({ state, args }) => {
  const asked = args.json('files')
  if (!asked.given) return missing('files')
  if (!asked.ok || !Array.isArray(asked.value) || asked.value.length === 0) {
    return badArguments('files must be a list of { id, title? }')
  }
  if (asked.value.length > filesPerCompletionMax)
    return badArguments(`no more than ${filesPerCompletionMax} items allowed`)
  const chosen: { file: StoredFile; title: string | undefined }[] = []
  for (const item of asked.value) {
    const id = isFields(item) && typeof item.id === 'string' ? item.id : ''
    const file = state.files.find(id)
    if (file?.bytes === undefined || file.readyAtMs !== undefined) return no('file_not_found')
    const title = isFields(item) && typeof item.title === 'string' ? item.title : undefined
    chosen.push({ file, title })
  }
  const share = readShare(state, args)
  if ('refused' in share) return share.refused

  for (const { file, title } of chosen) {
    file.title = title ?? file.title
    file.readyAtMs = state.nowMs() + state.fileReadyMs
    if (share.channelId !== undefined) file.sharedIn.add(share.channelId)
    state.events.tell({ type: 'file_completed', file: file.id, name: file.name })
  }
  if (share.channelId !== undefined) {
    post(state, {
      channelId: share.channelId,
      userId: state.bot.userId,
      byBot: true,
      text: share.text,
      blocks: share.blocks,
      attachments: [],
      fileIds: chosen.map(({ file }) => file.id),
      ...(share.threadTs === undefined ? {} : { threadTs: share.threadTs }),
    })
  }
  return yes({ files: chosen.map(({ file }) => tellFile(state, file)) })
}

export const info: Method = ({ state, args }) => {
  const id = args.text('file')
  if (id === undefined || id === '') return missing('file')
  const file = state.files.find(id)
  if (file?.readyAtMs === undefined) return no('file_not_found')
  return yes({ file: tellFile(state, file), comments: [], response_metadata: { next_cursor: '' } })
}

export const deleteFile: Method = ({ state, args }) => {
  const id = args.text('file')
  if (id === undefined || id === '') return missing('file')
  const file = state.files.find(id)
  if (file?.readyAtMs === undefined) return no('file_not_found')
  if (file.ownerId !== state.bot.userId) return no('cant_delete_file')
  state.files.remove(id)
  return yes()
}

type Share =
  | { readonly channelId: undefined }
  | {
      readonly channelId: string
      readonly threadTs: string | undefined
      readonly text: string
      readonly blocks: readonly Record<string, unknown>[]
    }
  | { readonly refused: No }

/** The channel, where the upload names one: it then gets a message of its own with the files. */
function readShare(state: State, args: Args): Share {
  const channel = args.text('channel_id') ?? args.list('channels')[0]
  if (channel === undefined || channel === '') return { channelId: undefined }
  if (args.list('channels').length > 1) {
    return { refused: badArguments('channels: sharing in more than one channel is not supported here') }
  }
  const reach = reachToPost(state, readArgs({ channel }))
  if (!reach.ok)
    return { refused: reach.reply.error === 'channel_not_found' ? no('invalid_channel') : reach.reply }
  const comment = args.text('initial_comment')
  const blocks = args.json('blocks')
  const said = readContent(state, readArgs(blocks.given && blocks.ok ? { blocks: blocks.value } : {}), 'post')
  if (!said.ok) return { refused: said.reply }
  const threadTs = args.text('thread_ts')
  if (threadTs !== undefined && !isTimestamp(threadTs)) return { refused: no('invalid_thread_ts') }
  return {
    channelId: reach.channel.id,
    threadTs,
    text: comment === undefined ? '' : tidyText(comment, { links: true }),
    blocks: said.content.blocks ?? [],
  }
}
