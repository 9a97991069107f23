/** `/api/:method`: a Web API call: token, scopes, limits, then the method (docs/slack.md#rate-limits, docs/slack.md#errors). */
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type Args, type Caller, readArgs, refuseScope } from './call.ts'
import { type MethodRow, methods } from './methods.ts'
import { answerOf, no, type Reply, refuse } from './reply.ts'

const bodyBytesMax = 2_000_000

export function serveApi(app: Hono, state: State, invite: () => string): void {
  app.post('/api/:method', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const method = c.req.param('method')
    const row = methods.get(method)
    const type = c.req.header('content-type') ?? ''
    const args = readBody(type, await c.req.text())
    const named = args?.text('channel')
    const channel = named && (state.channels.find(named)?.id ?? named)
    let waits: number | undefined
    const reply = answerOf((): Reply => {
      if (row === undefined) return refuse('unknown_method', { req_method: method })
      if (args === undefined) return refuse(isJson(type) ? 'invalid_json' : 'invalid_post_type')
      // Of JSON it takes the header's alone (docs.slack.dev/apis/web-api#authentication).
      const caller = whoCalls(state, c, isJson(type) ? undefined : args.text('token'), row)
      const [needed] = row.scopes ?? []
      if (needed !== undefined && !row.scopes?.some((scope) => state.bot.scopes.has(scope)))
        refuseScope(state, needed)
      // A name that is none of ours is refused anyway, and would only fill the memory.
      const place = channel && state.channels.all.has(channel) ? { channelId: channel } : {}
      waits = state.limiter.retryAfterSeconds({ method, tier: row.tier, ...place })
      if (waits !== undefined) return no('ratelimited')
      return row.run({ state, args, caller, invite })
    })
    const outcome = reply.ok ? 'ok' : reply.error
    state.events.emit({ type: 'api_call', method, ...(channel && { channel }), outcome })
    if (waits !== undefined) return c.json(reply, 429, { 'retry-after': String(waits) })
    c.header('x-oauth-scopes', [...state.bot.scopes].join(','))
    c.header('x-accepted-oauth-scopes', (row?.scopes ?? []).join(','))
    return c.json(reply)
  })
}

const isJson = (type: string) => type.startsWith('application/json')

function readBody(type: string, body: string): Args | undefined {
  if (type === '' || type.startsWith('application/x-www-form-urlencoded'))
    return readArgs(Object.fromEntries(new URLSearchParams(body)))
  try {
    const fields: unknown = isJson(type) && JSON.parse(body)
    return isFields(fields) ? readArgs(fields) : undefined
  } catch {
    return undefined
  }
}

function whoCalls(state: State, c: Context, inForm: string | undefined, row: MethodRow): Caller {
  if (row.token === 'none') return 'nobody'
  // A token in an address ends up in logs: Slack takes none from there.
  if (c.req.query('token') !== undefined) refuse('invalid_auth')
  const token = /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? inForm
  if (token === undefined || token === '') refuse('not_authed')
  const which = token === state.tokens.bot ? 'bot' : token === state.tokens.app ? 'app' : undefined
  if (which === undefined) return refuse('invalid_auth')
  const { token: wanted = 'bot' } = row
  return wanted === 'either' || wanted === which ? which : refuse('not_allowed_token_type')
}
