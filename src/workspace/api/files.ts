/**
 * `files.*`: an upload in three steps (slack-facts 5). The bytes come by `upload.ts`. Files are not shared in channels by
 * their upload: the bot shows them in blocks. No snippets.
 */
import { isFields } from '../state/fields.ts'
import { fileBytesMax, type StoredFile } from '../state/files.ts'
import { wireFile } from '../state/wire.ts'
import type { Method } from './call.ts'
import { refuse, refuseArguments, yes } from './reply.ts'

const altTextMax = 1_000
const filesPerCompletionMax = 10

/** Step 1: announces the name and the length in bytes. */
export const getUploadUrl: Method = ({ state, args }) => {
  const name = args.need('filename')
  const bytes = args.whole('length') || (Number.isNaN(args.whole('length')) ? -1 : refuse('missing_argument'))
  if (bytes < 0) refuseArguments('length must be a positive number of bytes')
  if (bytes > fileBytesMax) refuse('file_upload_size_restricted')
  const altText = args.text('alt_txt') ?? ''
  if (altText.length > altTextMax) refuseArguments(`alt_txt must be less than ${altTextMax + 1} characters`)
  const { file, ticket } = state.files.announce({ name, bytes, ownerId: state.bot.userId, altText })
  return yes({ upload_url: `${state.url()}upload/v1/${ticket}`, file_id: file.id })
}

/** Step 3: one shot. A file completed before, or without its bytes, is `file_not_found`. */
export const completeUpload: Method = ({ state, args }) => {
  const asked = args.json('files', 'invalid_arguments')
  if (!Array.isArray(asked) || asked.length === 0)
    return refuseArguments('files must be a list of { id, title? }')
  if (asked.length > filesPerCompletionMax)
    refuseArguments(`no more than ${filesPerCompletionMax} items allowed`)
  if (args.text('channel_id') || args.text('channels'))
    refuseArguments('channel_id: sharing by the upload is not supported here')
  const chosen = asked.filter(isFields).map(({ id, title }): [StoredFile, unknown] => {
    const file = state.files.find(String(id))
    return file?.bytes === undefined || file.readyAtMs !== undefined
      ? refuse('file_not_found')
      : [file, title]
  })
  for (const [file, title] of chosen) {
    if (typeof title === 'string') file.title = title
    file.readyAtMs = state.nowMs() + state.fileReadyMs
    state.events.emit({ type: 'file_completed', file: file.id, name: file.name })
  }
  return yes({ files: chosen.map(([file]) => wireFile(state, file)) })
}

/** Only whoever uploaded a file may delete it. */
export const deleteFile: Method = ({ state, args }) => {
  const file = state.files.find(args.need('file')) ?? refuse('file_not_found')
  if (file.ownerId !== state.bot.userId) return refuse('cant_delete_file')
  state.files.remove(file.id)
  return yes({})
}
