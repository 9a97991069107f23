/** `/upload/v1/:ticket` takes the bytes of a file, `/files/:id/:name` and `/files/:id` give them back (slack-facts 5.1). */
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Answer, answerUnder } from '../faults/faulty.ts'
import { fileBytesMax, kindOf } from '../state/files.ts'
import type { State } from '../state/state.ts'

/** What multipart adds to the bytes themselves. */
const wrappingBytesMax = 10_000
const text = { 'content-type': 'text/plain; charset=utf-8' } as const

export function serveFiles(app: Hono<{ Bindings: HttpBindings }>, state: State): void {
  app.post('/upload/v1/:ticket', bodyLimit({ maxSize: fileBytesMax + wrappingBytesMax }), async (c) => {
    const bytes = await readBytes(c.req.raw)
    return answerUnder(c, state, { method: 'upload' }, () => take(state, c.req.param('ticket'), bytes))
  })

  // Slack wants the bot's token here. This one serves a page on the same machine, which has none.
  app.get('/files/:id/:name?', (c) => {
    const file = state.files.find(c.req.param('id'))
    // A block names a file by its id alone.
    const isNamed = (c.req.param('name') ?? file?.name) === file?.name
    if (file?.bytes === undefined || !isNamed) return c.text('no such file', 404)
    const { mimetype } = kindOf(file.bytes)
    return new Response(new Uint8Array(file.bytes), {
      headers: {
        'content-type': mimetype,
        'content-disposition': mimetype.startsWith('image/') ? 'inline' : 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      },
    })
  })
}

function take(state: State, ticket: string, bytes: Uint8Array): Answer {
  const outcome = state.files.receive(ticket, bytes)
  if (outcome === 'taken')
    return { status: 200, headers: text, body: `OK - ${bytes.byteLength}`, outcome: 'ok' }
  if (outcome === 'wrong_length') {
    return {
      status: 400,
      headers: text,
      body: `expected the announced length, got ${bytes.byteLength} bytes`,
      outcome,
    }
  }
  return { status: 404, headers: text, body: 'expected an upload address that is not used up', outcome }
}

/** Raw bytes, or the first part of a multipart body, whatever its name. */
async function readBytes(request: Request): Promise<Uint8Array> {
  if (!(request.headers.get('content-type') ?? '').startsWith('multipart/form-data')) {
    return new Uint8Array(await request.arrayBuffer())
  }
  const form = await request.formData()
  for (const part of form.values()) {
    return typeof part === 'string' ? Buffer.from(part) : new Uint8Array(await part.arrayBuffer())
  }
  return new Uint8Array()
}
