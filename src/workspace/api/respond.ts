/** `/respond/:kind/:team/:ticket`: response URLs. Whatever goes wrong is a 404, its reason in the body (slack-facts 4.2). */
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Answer, answerUnder, json } from '../faults/faulty.ts'
import { type Fields, isFields } from '../state/fields.ts'
import type { Message } from '../state/messages.ts'
import type { ResponsePlace } from '../state/response-urls.ts'
import { change, post, remove } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { readArgs } from './args.ts'
import { isEmpty, readContent } from './content.ts'
import { type No, no } from './reply.ts'

const bodyBytesMax = 1_000_000

export function serveResponses(app: Hono<{ Bindings: HttpBindings }>, state: State): void {
  app.post('/respond/:kind/:team/:ticket', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const body = await c.req.text()
    const effect = state.faults.take({ method: 'response_url' })
    if (effect !== undefined) state.events.tell({ type: 'fault_used', fault: effect.kind })
    const { response, outcome } = await answerUnder(c, state, effect, () =>
      respond(state, c.req.param('ticket'), body),
    )
    state.events.tell({ type: 'api_call', method: 'response_url', outcome })
    return response
  })
}

function respond(state: State, ticket: string, body: string): Answer {
  const use = state.responseUrls.use(ticket)
  if (!use.ok) return failed(no(use.why))
  const fields = parse(body)
  if (fields === undefined) return failed(no('invalid_payload'))
  const refused = speak(state, use.place, fields)
  if (refused !== undefined) return failed(refused)
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok', outcome: 'ok' }
}

function failed(reply: No): Answer {
  return { status: 404, headers: json, body: JSON.stringify(reply), outcome: reply.error }
}

function parse(body: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

function speak(state: State, place: ResponsePlace, fields: Fields): No | undefined {
  const args = readArgs(fields)
  const origin = originOf(state, place)
  if (args.flag('delete_original') === true) {
    if (origin === undefined) return no('message_not_found')
    if (!origin.byBot) return no('cant_delete_message')
    remove(state, origin)
    return undefined
  }
  const read = readContent(state, args, 'post')
  if (!read.ok) return read.reply
  const { text, blocks, attachments } = read.content
  if (args.flag('replace_original') === true && origin !== undefined) {
    if (!origin.byBot) return no('cant_update_message')
    const next = {
      text: text ?? origin.text,
      blocks: blocks ?? (text === undefined ? origin.blocks : []),
      attachments: attachments ?? origin.attachments,
    }
    if (isEmpty(next)) return no('no_text')
    change(state, { ...origin, ...next })
    return undefined
  }
  if (isEmpty(read.content)) return no('no_text')
  const inChannel = args.text('response_type') === 'in_channel'
  const threadTs = args.text('thread_ts') ?? (inChannel ? undefined : place.threadTs)
  post(state, {
    channelId: place.channelId,
    userId: state.bot.userId,
    byBot: true,
    text: text ?? '',
    blocks: blocks ?? [],
    attachments: attachments ?? [],
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(inChannel ? {} : { onlyFor: place.userId }),
  })
  return undefined
}

/** The message that was acted on; a command has none. */
function originOf(state: State, place: ResponsePlace): Message | undefined {
  return place.messageTs === undefined ? undefined : state.messages.find(place.channelId, place.messageTs)
}
