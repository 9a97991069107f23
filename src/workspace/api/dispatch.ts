/** `/api/:method`: a Web API call: token, scopes, limits, then the method (docs/slack.md#rate-limits, docs/slack.md#errors). */
import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { State } from '../state/state.ts'
import { type Caller, readArgs, refuseScope } from './call.ts'
import { type MethodRow, methods } from './methods.ts'
import { answerOf, no, type Reply, refuse } from './reply.ts'

const bodyBytesMax = 2_000_000

export function serveApi(app: Hono, state: State, invite: () => string): void {
  app.post('/api/:method', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const method = c.req.param('method')
    const row = methods.get(method)
    const fields: Readonly<Record<string, string>> = Object.fromEntries(
      new URLSearchParams(await c.req.text()),
    )
    const channel = fields.channel && (state.channels.find(fields.channel)?.id ?? fields.channel)
    let waits: number | undefined
    const reply = answerOf((): Reply => {
      if (row === undefined) return refuse('unknown_method', { req_method: method })
      const type = c.req.header('content-type') ?? ''
      if (type !== '' && !type.startsWith('application/x-www-form-urlencoded')) refuse('invalid_post_type')
      const caller = whoCalls(state, c, fields.token, row)
      const [needed] = row.scopes ?? []
      if (needed !== undefined && !row.scopes?.some((scope) => state.bot.scopes.has(scope)))
        refuseScope(state, needed)
      // A name that is none of ours is refused anyway, and would only fill the memory.
      const place = channel && state.channels.all.has(channel) ? { channelId: channel } : {}
      waits = state.limiter.retryAfterSeconds({ method, tier: row.tier, ...place })
      if (waits !== undefined) return no('ratelimited')
      return row.run({ state, args: readArgs(fields), caller, invite })
    })
    const outcome = reply.ok ? 'ok' : reply.error
    state.events.emit({ type: 'api_call', method, ...(channel && { channel }), outcome })
    if (waits !== undefined) return c.json(reply, 429, { 'retry-after': String(waits) })
    c.header('x-oauth-scopes', [...state.bot.scopes].join(','))
    c.header('x-accepted-oauth-scopes', (row?.scopes ?? []).join(','))
    return c.json(reply)
  })
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
