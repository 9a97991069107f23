/** `files.*`: an upload in three steps (docs/slack.md#pictures), the second below `/upload`; `/files` gives the bytes back. */
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Fields } from '../state/fields.ts'
import { fileBytesMax, kindOf } from '../state/files.ts'
import type { State } from '../state/state.ts'
import { wireFile } from '../state/wire.ts'
import type { Method } from './call.ts'
import { refuse, refuseArguments, yes } from './reply.ts'

export const getUploadUrl: Method = ({ state, args }) => {
  const name = args.need('filename')
  const bytes = args.whole('length') || (Number.isNaN(args.whole('length')) ? -1 : refuse('missing_argument'))
  if (bytes < 0) refuseArguments('length must be a positive number of bytes')
  if (bytes > fileBytesMax) refuse('file_upload_size_restricted')
  const { file, ticket } = state.files.announce({ name, bytes, ownerId: state.bot.userId })
  return yes({ upload_url: `${state.url()}upload/v1/${ticket}`, file_id: file.id })
}

export const completeUpload: Method = ({ state, args }) => {
  const asked = args.json('files', 'invalid_arguments')
  if (!Array.isArray(asked) || asked.length !== 1)
    return refuseArguments('files must be a list of one { id, title? }')
  if (args.text('channel_id') || args.text('channels'))
    refuseArguments('channel_id: sharing by the upload is not supported here')
  const { id, title } = asked[0] as Fields
  const file = state.files.find(String(id))
  if (file?.bytes === undefined || file.readyAtMs !== undefined) return refuse('file_not_found')
  if (typeof title === 'string') file.title = title
  state.files.complete(file)
  state.events.emit({ type: 'file_completed', file: file.id, name: file.name })
  return yes({ files: [wireFile(state, file)] })
}

export const fileInfo: Method = ({ state, args }) => {
  const file = state.files.find(args.need('file')) ?? refuse('file_not_found')
  return yes({ file: wireFile(state, file) })
}

export function serveFiles(app: Hono, state: State): void {
  app.post('/upload/v1/:ticket', bodyLimit({ maxSize: fileBytesMax }), async (c) => {
    const bytes = new Uint8Array(await c.req.arrayBuffer())
    const outcome = state.files.receive(c.req.param('ticket'), bytes)
    if (outcome === 'taken') return c.text(`OK - ${bytes.byteLength}`)
    if (outcome === 'unknown_ticket') return c.text('expected an upload address that is not used up', 404)
    return c.text(`expected the announced length, got ${bytes.byteLength} bytes`, 400)
  })

  // Slack wants the bot's token here. This one serves a page on the same machine, which has none, and names the channel that
  // somebody looks at.
  app.get('/files/:id/:name?', (c) => {
    const file = state.files.find(c.req.param('id'))
    // A block names a file by its id alone.
    const isNamed = (c.req.param('name') ?? file?.name) === file?.name
    const channel = c.req.query('channel')
    const isSeen = channel === undefined || [...(file?.shares.values() ?? [])].includes(channel)
    if (file?.bytes === undefined || !isNamed) return c.text('file not found', 404)
    // That it is not shared is nothing that went wrong: the page says so in its place.
    if (!isSeen) return c.body(null, 204)
    const { mimetype } = kindOf(file.bytes)
    return new Response(new Uint8Array(file.bytes), {
      headers: {
        'content-type': mimetype.startsWith('text/') ? `${mimetype}; charset=utf-8` : mimetype,
        'content-disposition': mimetype.startsWith('image/')
          ? 'inline'
          : `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      },
    })
  })
}
