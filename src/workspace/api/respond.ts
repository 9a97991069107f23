/** Response URLs. Whatever goes wrong is a 404 with the bare code (java-slack-sdk #1349; docs/slack.md#answering-one-person). */
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isFields } from '../state/fields.ts'
import { change, post } from '../state/speak.ts'
import type { ResponsePlace, State } from '../state/state.ts'
import { readArgs } from './call.ts'
import { isEmpty, readContent } from './content.ts'
import { answerOf, refuse, type Yes, yes } from './reply.ts'

const bodyBytesMax = 1_000_000

export function serveResponses(app: Hono, state: State): void {
  app.post('/respond/:kind/:team/:ticket', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const body = await c.req.text()
    const reply = answerOf(() => {
      const use = state.responseUrls.use(c.req.param('ticket'))
      return use.ok ? speak(state, use.thing, body) : refuse(`${use.why}_url`)
    })
    const outcome = reply.ok ? 'ok' : reply.error
    state.events.emit({ type: 'api_call', method: 'response_url', outcome })
    return reply.ok ? c.text('ok') : c.json({ ok: false, error: reply.error }, 404)
  })
}

function speak(state: State, place: ResponsePlace, body: string): Yes {
  const fields = readArgs({ body }).json('body', 'invalid_payload')
  const args = isFields(fields) ? readArgs(fields) : refuse('invalid_payload')
  const origin =
    place.messageTs === undefined ? undefined : state.messages.find(place.channelId, place.messageTs)
  const { text, blocks } = readContent(state, args)
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
  // It knows no thread: what was pressed in one is answered in the channel (node-slack-sdk #674, bolt-js #963, #2170).
  const threadTs = inChannel ? args.text('thread_ts') : undefined
  post(state, {
    channelId: place.channelId,
    text: text ?? '',
    blocks: blocks ?? [],
    threadTs,
    onlyFor: inChannel ? undefined : place.userId,
  })
  return yes()
}
