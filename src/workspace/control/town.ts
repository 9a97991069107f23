/** `/town`: what the demo controls ask. The service is reached over its control API, by the paths listed here and never with a key. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { request } from 'undici'
import { z } from 'zod'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import type { Acts } from './acts.ts'
import { openIncident } from './incident.ts'

const bodyBytesMax = 10_000
const answerWithinMs = 5_000
const posts = ['busy', 'faults', 'scenarios/:name{[a-z0-9-]{1,40}}'] as const
const playAsk = z.object({ minutes: z.number().min(1).max(60).default(5) })

export type AskService = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Fields>

export function serveTown(
  app: Hono<{ Bindings: HttpBindings }>,
  state: State,
  acts: Acts,
  townUrl: string,
): void {
  const root = parseTownUrl(townUrl)
  const ask: AskService = (method, path, body) => askService(`${root}/control/${path}`, method, body)
  const incident = openIncident(state, acts, ask)
  app.use('/town/*', bodyLimit({ maxSize: bodyBytesMax }))

  const does = (work: (c: Context, body: Fields) => Promise<unknown>) => async (c: Context) => {
    try {
      const body: Fields = c.req.method === 'POST' ? await c.req.json() : {}
      return c.json(Object.assign({ ok: true }, await work(c, body)))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return c.json({ ok: false, error: 'service', detail: error.message }, 502)
    }
  }
  app.get(
    '/town/state',
    does(async () => {
      const [town, { faults }] = await Promise.all([ask('GET', 'state'), ask('GET', 'faults')])
      return { town, faults, postsHeldUntilMs: state.limiter.heldUntilMs() }
    }),
  )
  const pass = does((c, body) => ask('POST', c.req.path.slice('/town/'.length), body))
  for (const path of posts) app.post(`/town/${path}`, pass)
  const own = {
    hold: (body: Fields) => acts.holdPosts(body as { seconds: number }),
    play: async (body: Fields) => incident.start(playAsk.parse(body).minutes),
    stop: async () => {
      incident.stop()
      state.limiter.hold(0)
      await ask('DELETE', 'faults')
      await ask('DELETE', 'scenarios')
    },
  }
  for (const [name, work] of Object.entries(own))
    app.post(
      `/town/${name}`,
      does((_c, body) => work(body)),
    )
}

class ServiceError extends Error {}
const said = z.object({ message: z.string().max(2_000) })

async function askService(url: string, method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Fields> {
  const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const signal = AbortSignal.timeout(answerWithinMs)
  try {
    // No connection is kept: a service that was started again must not be asked over a connection to the one before.
    const answer = await request(url, { method, signal, reset: true, ...sent })
    const told = JSON.parse(await answer.body.text()) as Fields
    if (answer.statusCode === 200) return told
    throw new ServiceError(said.safeParse(told).data?.message ?? `it answered ${answer.statusCode}`)
  } catch (error) {
    if (error instanceof ServiceError || !(error instanceof Error)) throw error
    const why = error.name === 'TimeoutError' ? `nothing came within ${answerWithinMs / 1_000} s` : ''
    throw new ServiceError(`The monitoring service does not answer${why && `: ${why}`}.`)
  }
}

/** Says what was expected, without the text itself, which may contain a key. */
export class TownAddressError extends Error {}

function parseTownUrl(text: string): string {
  if (/^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?\/?$/.test(text)) return new URL(text).origin
  throw new TownAddressError(
    "the monitoring service's control address: expected http://127.0.0.1:PORT (or localhost) and nothing after it",
  )
}
