/** `/respond/:kind/:team/:ticket`: response URLs. Whatever goes wrong is a 404, its reason in the body (slack-facts 4.2). */
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Answer, answerUnder, json } from '../faults/faulty.ts'
import { isFields } from '../state/fields.ts'
import { change, post } from '../state/speak.ts'
import type { ResponsePlace, State } from '../state/state.ts'
import { readArgs } from './call.ts'
import { isEmpty, readContent } from './content.ts'
import { answerOf, refuse, type Yes, yes } from './reply.ts'

const bodyBytesMax = 1_000_000

export function serveResponses(app: Hono<{ Bindings: HttpBindings }>, state: State): void {
  app.post('/respond/:kind/:team/:ticket', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const body = await c.req.text()
    return answerUnder(c, state, { method: 'response_url' }, () =>
      respond(state, c.req.param('ticket'), body),
    )
  })
}

function respond(state: State, ticket: string, body: string): Answer {
  const reply = answerOf(() => {
    const use = state.responseUrls.use(ticket)
    return use.ok ? speak(state, use.thing, body) : refuse(`${use.why}_url`)
  })
  if (!reply.ok) return { status: 404, headers: json, body: JSON.stringify(reply), outcome: reply.error }
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok', outcome: 'ok' }
}

function speak(state: State, place: ResponsePlace, body: string): Yes {
  const fields = readArgs({ body }).json('body', 'invalid_payload')
  const args = isFields(fields) ? readArgs(fields) : refuse('invalid_payload')
  // The message that was acted on; a command has none.
  const origin =
    place.messageTs === undefined ? undefined : state.messages.find(place.channelId, place.messageTs)
  const { text, blocks } = readContent(state, args, 'post')
  if (args.flag('replace_original') === true && origin !== undefined) {
    if (!origin.byBot) refuse('cant_update_message')
    const next = {
      text: text ?? origin.text,
      blocks: blocks ?? (text === undefined ? origin.blocks : []),
    }
    if (isEmpty(next)) refuse('no_text')
    change(state, { ...origin, ...next })
    return yes()
  }
  if (isEmpty({ text, blocks })) refuse('no_text')
  const inChannel = args.text('response_type') === 'in_channel'
  const threadTs = args.text('thread_ts') ?? (inChannel ? undefined : place.threadTs)
  post(state, {
    channelId: place.channelId,
    text: text ?? '',
    blocks: blocks ?? [],
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(inChannel ? {} : { onlyFor: place.userId }),
  })
  return yes()
}
