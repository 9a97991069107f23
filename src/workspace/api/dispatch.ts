/**
 * `/api/:method`: handles a Web API call: token, scopes, limits, then the method (docs/slack.md#rate-limits,
 * docs/slack.md#errors). A method does everything at once.
 */
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Fields, isFields, stringOf } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type Caller, readArgs, refuseScope } from './call.ts'
import { type MethodRow, methods } from './methods.ts'
import { answerOf, no, type Reply, refuse } from './reply.ts'

/** A larger call is refused with 413. */
const bodyBytesMax = 2_000_000

/** `invite` makes the address of one Socket Mode connection. */
export function serveApi(app: Hono, state: State, invite: () => string): void {
  app.on(['GET', 'POST'], '/api/:method', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const method = c.req.param('method')
    const row = methods.get(method)
    const body = c.req.method === 'POST' ? await c.req.text() : ''
    const read = answerOf(() => ({ ok: true as const, fields: readRaw(c, body) }))
    const fields: Fields = read.ok ? read.fields : {}
    const ref = stringOf(fields.channel)
    const channel = ref === undefined ? undefined : (state.channels.find(ref)?.id ?? ref)
    let waits: number | undefined
    const reply = answerOf((): Reply => {
      if (row === undefined) return refuse('unknown_method', { req_method: method })
      if (!read.ok) return read
      const caller = whoCalls(state, c, fields, row)
      const [needed] = row.scopes ?? []
      if (needed !== undefined && !row.scopes?.some((scope) => state.bot.scopes.has(scope)))
        refuseScope(state, needed)
      // A name that is none of ours is refused anyway, and would only fill the memory.
      const place = channel !== undefined && state.channels.all.has(channel) ? { channelId: channel } : {}
      waits = state.limiter.retryAfterSeconds({ method, tier: row.tier, ...place })
      if (waits !== undefined) return no('ratelimited')
      return row.run({ state, args: readArgs(fields), caller, invite })
    })
    const outcome = reply.ok ? 'ok' : reply.error
    state.events.emit({ type: 'api_call', method, ...(channel === undefined ? {} : { channel }), outcome })
    if (waits !== undefined) return c.json(reply, 429, { 'retry-after': String(waits) })
    c.header('x-oauth-scopes', [...state.bot.scopes].join(','))
    c.header('x-accepted-oauth-scopes', (row?.scopes ?? []).join(','))
    return c.json(reply)
  })
}

function whoCalls(state: State, c: Context, fields: Fields, row: MethodRow): Caller {
  if (row.token === 'none') return 'nobody'
  // A token in an address ends up in logs: Slack takes none from there.
  if (c.req.query('token') !== undefined) refuse('invalid_auth')
  const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? stringOf(fields.token)
  if (token === undefined || token === '') refuse('not_authed')
  const which = token === state.tokens.bot ? 'bot' : token === state.tokens.app ? 'app' : undefined
  if (which === undefined) return refuse('invalid_auth')
  const { token: wanted = 'bot' } = row
  return wanted === 'either' || wanted === which ? which : refuse('not_allowed_token_type')
}

/**
 * Arguments from the address and the body together; the body wins. A form is what the SDK sends; JSON is what others do, for
 * instance Alertmanager (docs.slack.dev/apis/web-api: POST bodies).
 */
function readRaw(c: Context, body: string): Fields {
  const type = (c.req.header('content-type') ?? '').toLowerCase()
  if (body === '') return c.req.query()
  if (type.startsWith('application/json')) return { ...c.req.query(), ...readJson(body) }
  if (!type.startsWith('application/x-www-form-urlencoded')) refuse('invalid_post_type')
  return { ...c.req.query(), ...Object.fromEntries(new URLSearchParams(body)) }
}

function readJson(body: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return refuse('invalid_json')
  }
  return isFields(value) ? value : refuse('json_not_object')
}
