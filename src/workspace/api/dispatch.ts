/**
 * `/api/:method`: handles a Web API call: token, scopes, limits, then the method (docs/slack.md#rate-limits,
 * docs/slack.md#errors).
 */

import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Answer, answerUnder, json, rateLimited } from '../faults/faulty.ts'
import { type Fields, isFields, stringOf } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { type Caller, readArgs, refuseScope } from './call.ts'
import { type MethodRow, methods } from './methods.ts'
import { answerOf, no, type Reply, refuse } from './reply.ts'

/** A larger call is refused with 413. */
const bodyBytesMax = 2_000_000

/** `invite` makes the address of one Socket Mode connection. */
export function serveApi(app: Hono<{ Bindings: HttpBindings }>, state: State, invite: () => string): void {
  app.on(['GET', 'POST'], '/api/:method', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const raw: RawCall = {
      method: c.req.param('method'),
      authorization: c.req.header('authorization'),
      contentType: (c.req.header('content-type') ?? '').toLowerCase(),
      query: new URL(c.req.url).searchParams,
      body: c.req.method === 'POST' ? await c.req.text() : '',
    }
    const channel = channelOf(state, raw)
    const place = { method: raw.method, ...(channel === undefined ? {} : { channelId: channel }) }
    return answerUnder(c, state, place, () => answerCall(state, invite, raw, channel))
  })
}

/** Of an app that is distributed commercially (docs/slack.md#rate-limits). */
const oncePerMinute: ReadonlySet<string> = new Set(['conversations.history', 'conversations.replies'])

type RawCall = {
  readonly method: string
  readonly authorization: string | undefined
  readonly contentType: string
  readonly query: URLSearchParams
  readonly body: string
}

/** The channel that a call names, as an id where it is one of ours. */
function channelOf(state: State, raw: RawCall): string | undefined {
  const read: Fields = answerOf(() => readRaw(raw))
  const ref = read.channel
  if (typeof ref !== 'string' || ref === '') return undefined
  return state.channels.find(ref)?.id ?? ref
}

function answerCall(state: State, invite: () => string, raw: RawCall, channelId: string | undefined): Answer {
  const row = methods.get(raw.method)
  let waits: number | undefined
  const reply = answerOf((): Reply => {
    if (row === undefined) return refuse('unknown_method', { req_method: raw.method })
    const fields = readRaw(raw)
    const caller = whoCalls(state, raw, fields, row)
    const [needed] = row.scopes ?? []
    if (needed !== undefined && !row.scopes?.some((scope) => state.bot.scopes.has(scope)))
      refuseScope(state, needed)
    waits = state.limiter.retryAfterSeconds({
      method: raw.method,
      tier: state.isDistributed && oncePerMinute.has(raw.method) ? 1 : row.tier,
      // A name that is none of ours is refused anyway, and would only fill the memory.
      ...(channelId !== undefined && state.channels.all.has(channelId) ? { channelId } : {}),
    })
    if (waits !== undefined) return no('ratelimited')
    return row.run({ state, args: readArgs(fields), caller, invite })
  })
  if (waits !== undefined) return rateLimited(waits)
  return {
    status: 200,
    headers: {
      ...json,
      'x-oauth-scopes': [...state.bot.scopes].join(','),
      'x-accepted-oauth-scopes': (row?.scopes ?? []).join(','),
    },
    body: JSON.stringify(reply),
    outcome: reply.ok ? 'ok' : reply.error,
  }
}

function whoCalls(state: State, raw: RawCall, fields: Fields, row: MethodRow): Caller {
  if (row.token === 'none') return 'nobody'
  // A token in an address ends up in logs: Slack takes none from there.
  if (raw.query.has('token')) refuse('invalid_auth')
  const token = /^Bearer (\S+)$/i.exec(raw.authorization ?? '')?.[1] ?? stringOf(fields.token)
  if (token === undefined || token === '') refuse('not_authed')
  const which = token === state.tokens.bot ? 'bot' : token === state.tokens.app ? 'app' : undefined
  if (which === undefined) return refuse('invalid_auth')
  if (state.tokens.revoked.has(which)) refuse('token_revoked')
  const { token: wanted = 'bot' } = row
  return wanted === 'either' || wanted === which ? which : refuse('not_allowed_token_type')
}

/**
 * Arguments from the address and the body together; the body wins. A form is what the SDK sends; JSON is what others do, for
 * instance Alertmanager (docs.slack.dev/apis/web-api: POST bodies).
 */
function readRaw({ contentType, query, body }: RawCall): Fields {
  const fields: Fields = Object.fromEntries(query)
  if (body === '') return fields
  if (contentType.startsWith('application/json')) return { ...fields, ...readJson(body) }
  if (!contentType.startsWith('application/x-www-form-urlencoded')) refuse('invalid_post_type')
  return { ...fields, ...Object.fromEntries(new URLSearchParams(body)) }
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
