/** `/api/:method`: the Web API over HTTP. */

import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { answerUnder } from '../faults/faulty.ts'
import type { State } from '../state/state.ts'
import type { Method } from './call.ts'
import { answerCall, channelOf, type RawCall } from './dispatch.ts'

/** A larger call is refused with 413. */
const bodyBytesMax = 2_000_000

export function serveApi(
  app: Hono<{ Bindings: HttpBindings }>,
  state: State,
  routes: ReadonlyMap<string, Method>,
): void {
  app.on(['GET', 'POST'], '/api/:method', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const raw: RawCall = {
      method: c.req.param('method'),
      authorization: c.req.header('authorization'),
      contentType: (c.req.header('content-type') ?? '').toLowerCase(),
      query: new URL(c.req.url).searchParams,
      body: c.req.method === 'POST' ? await c.req.text() : '',
    }
    const channel = channelOf(state, raw)
    const named = channel === undefined ? {} : { channelId: channel }
    const effect = state.faults.take({ method: raw.method, ...named })
    if (effect !== undefined) state.events.tell({ type: 'fault_used', fault: effect.kind })
    const { response, outcome } = await answerUnder(c, state, effect, () => answerCall(state, routes, raw))
    state.events.tell({
      type: 'api_call',
      method: raw.method,
      ...(channel === undefined ? {} : { channel }),
      outcome,
    })
    return response
  })
}
