/**
 * Clients of Slack's Web API that end each call in their own time and never repeat one, and what its answers mean: whoever calls decides
 * what comes next.
 */
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api'
import { failureOf } from '../call.ts'
import { minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'
import type { Outcome } from './port.ts'

/** How Slack is reached. `fetch` goes through the proxy if there is one. */
export type Reach = {
  /** With a slash at its end. */
  readonly apiUrl: string
  readonly fetch: typeof fetch
  readonly log: Log
  /** 10 s unless a test asks for less. */
  readonly callMs?: number
}

const callMs = 10 * second

export function openClient(token: Secret, reach: Reach): WebClient {
  return new WebClient(token.reveal(), clientOptions(reach))
}

/** A fresh object for each client: the SDK writes into what it is given, and shares it (docs/slack.md#socket-mode). */
export function clientOptions(reach: Reach): WebClientOptions {
  return {
    slackApiUrl: reach.apiUrl,
    fetch: fetchWithin(reach),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: sdkLogger(reach.log),
  }
}

/** For the answer to a call, to a `response_url`, and for the bytes of an upload: the SDK limits the first of them alone. */
export function fetchWithin({ fetch, callMs: withinMs = callMs }: Reach): Reach['fetch'] {
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(withinMs) })
}

/** The SDK's lines at a low level: it reports every refusal, which the caller knows better. */
export function sdkLogger(log: Log): NonNullable<WebClientOptions['logger']> {
  const line = (...parts: unknown[]) =>
    log.debug('slack:sdk', { said: parts.map(String).join(' ').slice(0, 300) })
  return {
    // Whole requests and answers.
    debug: () => {},
    info: line,
    warn: line,
    error: line,
    setLevel: () => {},
    getLevel: () => 'info' as ReturnType<NonNullable<WebClientOptions['logger']>['getLevel']>,
    setName: () => {},
  }
}

type Failure = Exclude<Outcome, { kind: 'ok' }>

/** No pause that Slack or something in between asks for is longer. */
const restMaxMs = 10 * minute
/** A limit that does not say for how long. */
const restUsualMs = 30 * second

type Code = 'token' | 'channel' | 'archived' | 'content' | 'gone' | 'later' | 'limited' | 'unclear'

/** Slack's codes, some worded as if the token were refused that say something of one channel or person only. */
const codes: Readonly<Record<Code, string>> = {
  token: `invalid_auth not_authed account_inactive token_revoked token_expired missing_scope not_allowed_token_type
    accesslimited app_access_restricted enterprise_is_restricted two_factor_setup_required user_removed_from_team
    team_disabled deprecated_endpoint method_deprecated unknown_method`,
  channel: `channel_not_found invalid_channel not_in_channel no_permission access_denied ekm_access_denied
    team_access_not_granted team_not_found posting_to_channel_denied messages_tab_disabled message_limit_exceeded
    method_not_supported_for_channel_type user_not_in_channel user_not_found user_not_visible user_disabled
    cannot_dm_bot`,
  archived: 'is_archived is_inactive',
  // Of one reply only: its thread is locked, or its channel has none. A card is not posted anew for that.
  content: 'restricted_action_thread_locked restricted_action_non_threadable_channel',
  // The first two: of the card of a reply. The last one: of a form that somebody closed.
  gone: `cannot_reply_to_message thread_not_found message_not_found cant_update_message cant_delete_message
    edit_window_closed not_found`,
  later: 'request_timeout team_added_to_org external_channel_migrating org_login_required',
  limited: 'ratelimited rate_limited',
  // Slack documents that part of the operation may have succeeded.
  unclear: 'internal_error fatal_error service_unavailable update_failed',
}
const kinds = new Map(
  Object.entries(codes).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => [name, kind as Code] as const),
  ),
)

export function outcomeOf(error: unknown): Failure {
  if (error instanceof WebAPIRateLimitedError) return limited(error.retryAfter * second)
  if (error instanceof WebAPIPlatformError) return platformOutcome(error)
  if (error instanceof WebAPIHTTPError) return { kind: 'unclear', why: `HTTP ${error.statusCode}` }
  // Whatever else was thrown came after the request had left, or may have.
  const { word: why, isSent } = failureOf(error)
  return { kind: isSent || !(error instanceof WebAPIRequestError) ? 'unclear' : 'later', why }
}

/** In words for people and logs. */
export function whyOf(outcome: Outcome): string {
  return 'why' in outcome ? outcome.why : outcome.kind
}

/** Slack's own code of a refusal; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof WebAPIPlatformError ? error.data.error : null
}

function platformOutcome(error: WebAPIPlatformError): Failure {
  const code = error.data.error
  // In place of a code the SDK gives the whole body of an answer that is not JSON.
  if (!/^[a-z][a-z0-9_]{0,80}$/.test(code)) return { kind: 'unclear', why: 'an answer that is not JSON' }
  const reasons = reasonsOf(error.data)
  const isPicture =
    /^slack_connect_[a-z_]*_blocked$/.test(code) ||
    (code === 'invalid_blocks' &&
      reasons.some((one) => /downloading image failed|invalid slack file/.test(one)))
  const why = [code, ...reasons].join(': ').slice(0, 300)
  if (isPicture) return { kind: 'picture', why }
  // `restricted_action_read_only_channel` and others; Slack adds some now and then.
  const kind = kinds.get(code) ?? (code.startsWith('restricted_action') ? 'channel' : 'content')
  if (kind === 'limited') return limited(restUsualMs)
  if (kind === 'channel' || kind === 'archived')
    return { kind: 'channel', why, isArchived: kind === 'archived' }
  if (kind === 'gone') return { kind }
  const scope = code === 'missing_scope' ? `: ${String((error.data as Refusal).needed).slice(0, 100)}` : ''
  return { kind, why: why + scope }
}

function limited(afterMs: number): Failure {
  return { kind: 'limited', afterMs: Math.min(Math.max(afterMs, second), restMaxMs) }
}

type Refusal = {
  readonly needed?: unknown
  readonly errors?: unknown
  readonly response_metadata?: { readonly messages?: unknown }
}

/** What is wrong with which block, as Slack words it. */
function reasonsOf({ errors, response_metadata: metadata }: Refusal): string[] {
  const listed: unknown = errors ?? metadata?.messages
  return Array.isArray(listed) ? listed.map((one) => String(one).slice(0, 200)) : []
}
