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
import type { Emitted, Happening } from '../state/events.ts'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { refuseStrangers } from './strangers.ts'
import { askTown, parseTownUrl } from './town-proxy.ts'

const bodyBytesMax = 10_000

const gets = ['state', 'scenarios', 'series', 'faults'] as const
const posts = ['busy', 'faults', 'scenarios/:name{[a-z0-9-]{1,40}}'] as const
const seriesQuestion = ['server', 'type', 'source', 'metric', 'seconds'] as const

/** Throws where `townUrl` is no address of this machine. */
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
