/** One Web API call from its raw request to its answer: token, scopes, limits, then the method (slack-facts 1.2, 3.1, 3.2). */

import { type Answer, json, rateLimited } from '../faults/faulty.ts'
import type { Fields } from '../state/fields.ts'
import { isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import { readArgs } from './args.ts'
import type { Call, Method } from './call.ts'
import { type MethodRow, methodRows } from './methods.ts'
import { missingScope } from './reach.ts'
import { type No, no, type Reply } from './reply.ts'

export type RawCall = {
  readonly method: string
  readonly authorization: string | undefined
  readonly contentType: string
  readonly query: URLSearchParams
  readonly body: string
}

const rows: ReadonlyMap<string, MethodRow> = new Map(methodRows.map((row) => [row.method, row]))

/** The channel that a call names, as an id where it is one of ours. */
export function channelOf(state: State, raw: RawCall): string | undefined {
  const ref = readRaw(raw, true).fields.channel
  if (typeof ref !== 'string' || ref === '') return undefined
  return state.channels.find(ref)?.id ?? ref
}

export function answerCall(state: State, routes: ReadonlyMap<string, Method>, raw: RawCall): Answer {
  const row = rows.get(raw.method)
  const method = routes.get(raw.method)
  if (row === undefined || method === undefined)
    return told(state, no('unknown_method', { req_method: raw.method }))
  const read = readRaw(raw, row.writes)
  if (read.refused !== undefined) return told(state, read.refused, row)
  const caller = whoCalls(state, raw, read.fields, row)
  if ('refused' in caller) return told(state, caller.refused, row)
  const [needed] = row.scopes
  if (needed !== undefined && !row.scopes.some((scope) => state.bot.scopes.has(scope))) {
    return told(state, missingScope(state, needed), row)
  }
  const channelId = channelOf(state, raw)
  const waits = state.limiter.retryAfterSeconds({
    method: raw.method,
    tier: row.tier,
    // A name that is none of ours is refused anyway, and would only fill the memory.
    ...(channelId !== undefined && state.channels.all.has(channelId) ? { channelId } : {}),
  })
  if (waits !== undefined) return rateLimited(waits)
  const reply = method({ state, args: readArgs(read.fields), caller: caller.caller })
  return told(state, withWarning(reply, read.warning), row)
}

function told(state: State, reply: Reply, row?: MethodRow): Answer {
  const scopes = {
    'x-oauth-scopes': [...state.bot.scopes].join(','),
    'x-accepted-oauth-scopes': (row?.scopes ?? []).join(','),
  }
  return {
    status: 200,
    headers: { ...json, ...scopes },
    body: JSON.stringify(reply),
    outcome: reply.ok ? 'ok' : reply.error,
  }
}

type Who = { readonly caller: Call['caller'] } | { readonly refused: No }

function whoCalls(state: State, raw: RawCall, fields: Fields, row: MethodRow): Who {
  // A token in an address ends up in logs: Slack takes none from there.
  if (raw.query.has('token')) return { refused: no('invalid_auth') }
  const isForm = !raw.contentType.startsWith('application/json')
  const inForm = isForm && typeof fields.token === 'string' ? fields.token : undefined
  const token = /^Bearer (\S+)$/i.exec(raw.authorization ?? '')?.[1] ?? inForm
  if (row.token === 'none') return { caller: 'anyone' }
  if (token === undefined || token === '') return { refused: no('not_authed') }
  const which = token === state.tokens.bot ? 'bot' : token === state.tokens.app ? 'app' : undefined
  if (which === undefined) return { refused: no('invalid_auth') }
  if (state.tokens.revoked.has(which)) return { refused: no('token_revoked') }
  if (row.token !== 'either' && row.token !== which) return { refused: no('not_allowed_token_type') }
  return { caller: which }
}

type Read = { readonly fields: Fields; readonly warning?: string; readonly refused?: No }

/** Arguments from the address and the body together; the body wins. */
function readRaw({ contentType, query, body }: RawCall, writes: boolean): Read {
  const fields: Fields = Object.fromEntries(query)
  if (body === '') return { fields }
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { fields: { ...fields, ...Object.fromEntries(new URLSearchParams(body)) } }
  }
  if (!contentType.startsWith('application/json')) return { fields, refused: no('invalid_post_type') }
  // Reads do not look into a JSON body.
  if (!writes) return { fields }
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { fields, refused: no('invalid_json') }
  }
  if (!isFields(value)) return { fields, refused: no('json_not_object') }
  const warning = /charset=/i.test(contentType) ? {} : { warning: 'missing_charset' }
  return { fields: { ...fields, ...value }, ...warning }
}

function withWarning(reply: Reply, warning: string | undefined): Reply {
  if (warning === undefined) return reply
  const meta = isFields(reply.response_metadata) ? reply.response_metadata : {}
  const warnings = [...(Array.isArray(meta.warnings) ? meta.warnings : []), warning]
  return { ...reply, warning: warnings.join(','), response_metadata: { ...meta, warnings } }
}
