/**
 * `/town`: what the page's town pane asks. The monitoring service is another process; it is reached over its control API, by
 * the paths listed here and no others, and never with a key.
 *
 * - `GET /town` → `{ ok, attached }`: whether there is a monitoring service to ask.
 * - `GET /town/log?since=SEQ` → `{ ok, epoch, newest, rows }`: what the bot and Slack said to each other, oldest first,
 *   bounded, without any secret.
 * - `GET /town/slack-faults` → `{ ok, faults }`: what goes wrong at Slack on command.
 * - `GET /town/state`, `GET /town/scenarios`, `GET /town/series?…`, `GET /town/faults`, `POST /town/scenarios/NAME`,
 *   `POST /town/busy`, `POST /town/faults`, `DELETE /town/faults`: the same below `/control` of the service. 404 where none
 *   is attached; 502 where it does not answer; both say so in `detail`.
 */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Emitted, Happening } from '../state/events.ts'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { refuseStrangers } from './strangers.ts'

const bodyBytesMax = 10_000

const gets = ['state', 'scenarios', 'series', 'faults'] as const
const posts = ['busy', 'faults', 'scenarios/:name{[a-z0-9-]{1,40}}'] as const
const seriesQuestion = ['server', 'type', 'source', 'metric', 'seconds'] as const

/** Serves it; throws if `townUrl` is no address of this machine. */
export function serveTown(
  app: Hono<{ Bindings: HttpBindings }>,
  state: State,
  parts: { readonly townUrl: string | undefined; readonly listensOn: string },
): void {
  const { listensOn } = parts
  const townUrl = parts.townUrl === undefined ? undefined : parseTownUrl(parts.townUrl)
  app.use('/town/*', refuseStrangers(listensOn))
  app.use('/town/*', bodyLimit({ maxSize: bodyBytesMax, onError: (c) => c.json(tooLarge, 413) }))

  app.get('/town', (c) => c.json({ ok: true, attached: townUrl !== undefined }))
  app.get('/town/log', (c) => {
    const since = c.req.query('since') ?? '0'
    if (!/^\d{1,15}$/.test(since)) return c.json(wrongSince, 400)
    return c.json({ ok: true, ...logSince(state, Number(since)) })
  })
  app.get('/town/slack-faults', (c) => c.json({ ok: true, faults: state.faults.list() }))

  const pass = async (c: Context, method: 'GET' | 'POST' | 'DELETE'): Promise<Response> => {
    if (townUrl === undefined) return c.json(notAttached, 404)
    const url = new URL(`/control/${c.req.path.slice('/town/'.length)}`, townUrl)
    if (url.pathname === '/control/series') {
      for (const name of seriesQuestion) {
        const value = c.req.query(name)
        if (value !== undefined) url.searchParams.set(name, value)
      }
    }
    const { status, body } = await askTown(url, method, method === 'POST' ? await c.req.text() : undefined)
    return c.json(body, status)
  }
  for (const path of gets) app.get(`/town/${path}`, (c) => pass(c, 'GET'))
  for (const path of posts) app.post(`/town/${path}`, (c) => pass(c, 'POST'))
  app.delete('/town/faults', (c) => pass(c, 'DELETE'))
  app.all('/town/*', (c) => c.json(unknownPath, 404))
}

const notAttached = {
  ok: false,
  error: 'no_town',
  detail:
    'No monitoring service is attached: start the workspace with MONITOR_CONTROL_URL=http://127.0.0.1:PORT.',
}
const unknownPath = { ok: false, error: 'unknown_path', detail: 'The demo controls have no such path.' }
const tooLarge = { ok: false, error: 'too_large', detail: `expected at most ${bodyBytesMax} bytes` }
const wrongSince = { ok: false, error: 'invalid', detail: 'since: expected a whole number' }

/** Rows in one answer; older ones are left out. */
const rowsMax = 500
const textCharsMax = 200

const loggedTypes: ReadonlySet<Happening['type']> = new Set([
  'api_call',
  'interaction',
  'event_sent',
  'event_acked',
  'event_missed',
  'event_lost',
  'socket_opened',
  'socket_closed',
  'socket_refused',
  'socket_told',
  'fault_set',
  'fault_used',
  'fault_cleared',
  'token_revoked',
])

/** What looks like a token of Slack's, wherever it stands: a caller chooses the names of methods and channels. */
const tokenShape = /\bxox[a-z]-[\w-]*|\bxapp-[\w-]*/gi

/** `newest` is the last event of any kind, from which a reader asks the next time; another `epoch` counts from the start. */
function logSince(state: State, since: number): { epoch: string; newest: number; rows: readonly Fields[] } {
  const all = state.events.since(0)
  const secrets = [state.tokens.bot, state.tokens.app]
  return {
    epoch: state.epoch,
    newest: all.at(-1)?.seq ?? 0,
    rows: all
      .filter(({ seq, event }) => seq > since && loggedTypes.has(event.type))
      .slice(-rowsMax)
      .map((one) => rowOf(one, secrets)),
  }
}

function rowOf({ seq, atMs, event }: Emitted, secrets: readonly string[]): Fields {
  const fields = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' ? blanked(value, secrets) : value,
  ])
  return { seq, atMs, event: Object.fromEntries(fields) }
}

/** No event is to hold a secret; should one all the same, it does not get as far as a screen. */
function blanked(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  const blank = known.replace(tokenShape, '[secret]')
  return blank.length > textCharsMax ? `${blank.slice(0, textCharsMax)}…` : blank
}

const answerWithinMs = 5_000
/** A storm of thousands of alerts fits; more is not the service. */
const answerBytesMax = 5_000_000
// No connection is kept: a service that was started again must not be asked over a connection to the one before.
const dispatcher = new Agent({ pipelining: 0, maxResponseSize: answerBytesMax })

type TownAnswer = { readonly status: 200 | 404 | 409 | 422 | 502; readonly body: object }

const said = z.object({ message: z.string().max(2_000) })

/**
 * What the service answered, as JSON: 200 with its hash; its own refusals (404, 409, 422) as `{ ok: false, error, detail }`
 * with its words; 502 where it cannot be reached, takes too long or answers anything else.
 */
async function askTown(url: URL, method: 'GET' | 'POST' | 'DELETE', body?: string): Promise<TownAnswer> {
  let answer: { readonly status: number; readonly text: string }
  try {
    const response = await request(url, {
      method,
      dispatcher,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })
    answer = { status: response.statusCode, text: await response.body.text() }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return down(whyOf(error))
  }
  const parsed = parseJson(answer.text)
  if (parsed === undefined && answer.status === 200) return down('what came is no JSON')
  return passOn(answer.status, parsed)
}

/** Undefined where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function passOn(status: number, body: unknown): TownAnswer {
  if (status === 200 && typeof body === 'object' && body !== null) return { status, body }
  const words = said.safeParse(body).data?.message
  if (words !== undefined && (status === 404 || status === 409 || status === 422)) {
    return { status, body: { ok: false, error: 'refused', detail: words } }
  }
  return down(`it answered ${status}${words === undefined ? '' : `: ${words}`}`)
}

function down(why: string): TownAnswer {
  const detail = `The monitoring service does not answer as it should: ${why}.`
  return { status: 502, body: { ok: false, error: 'service_down', detail } }
}

function whyOf(error: Error): string {
  if (error.name === 'TimeoutError') return `nothing came within ${answerWithinMs / 1_000} seconds`
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `more than ${answerBytesMax} bytes came`
  return code === 'ECONNREFUSED'
    ? 'nothing listens at its address'
    : `the connection failed${code && ` (${code})`}`
}

/** Says what was expected, without the text itself, which may contain a key. */
export class TownAddressError extends Error {}

/** Where the monitoring service is: an address on this machine and no other, without a slash at the end. Throws a `TownAddressError`. */
function parseTownUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOurs =
    url !== null &&
    url.protocol === 'http:' &&
    ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  if (isOurs) return url.origin
  throw new TownAddressError(
    "the monitoring service's control address: expected http://127.0.0.1:PORT (or localhost) and nothing after it",
  )
}
