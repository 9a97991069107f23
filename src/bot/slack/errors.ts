/**
 * Translates errors of the SDK: for a message into an outcome that the outbox acts on, for anything else into an
 * `OutsideFailure`. The classes are those of docs/slack.md#errors. An undocumented code says nothing: it is tried again, less and
 * less often, and reported.
 */
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api'
import { refusedByProxy } from '../../shared/outward.ts'
import { type FailureKind, neverSentCodes, OutsideFailure } from '../domain/base/failure.ts'
import type { Outcome } from '../domain/delivery/delivery.ts'
import { printable } from './mrkdwn.ts'

/** Codes about the token, which mean the same in every call. */
const tokenCodes = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'not_allowed_token_type',
  'accesslimited',
  'app_access_restricted',
  'enterprise_is_restricted',
  'two_factor_setup_required',
  'user_removed_from_team',
  'team_disabled',
  'deprecated_endpoint',
  'method_deprecated',
  'unknown_method',
])

/** Codes about the channel that was named; some are worded as if the token were refused. */
const channelCodes = new Set([
  'channel_not_found',
  'invalid_channel',
  'not_in_channel',
  'is_archived',
  'is_inactive',
  'no_permission',
  'access_denied',
  'ekm_access_denied',
  'team_access_not_granted',
  'team_not_found',
  'method_not_supported_for_channel_type',
  'posting_to_channel_denied',
  'messages_tab_disabled',
  'cannot_reply_to_message',
  'message_limit_exceeded',
  'user_not_in_channel',
])
/** `restricted_action`, `restricted_action_read_only_channel` and others; Slack adds some now and then. */
const channelRestriction = /^restricted_action(?:_|$)/

/** Codes about content that Slack will never show. */
const payloadCodes = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_attachments',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'too_many_attachments',
  'attachment_payload_limit_exceeded',
  'metadata_too_large',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'markdown_text_conflict',
  'view_too_large',
  'block_mismatch',
  'metadata_must_be_sent_from_app',
  'as_user_not_supported',
  'too_many_contact_cards',
  'cant_broadcast_message',
  'no_dual_broadcast_content_update',
  'invalid_arguments',
  'invalid_arg_name',
  'invalid_array_arg',
  'invalid_form_data',
  'invalid_charset',
  'invalid_post_type',
  'missing_post_type',
  // From the three steps of an upload; another try gives the same result.
  'file_not_found',
  'file_uploads_disabled',
  'storage_limit_reached',
])

/**
 * An administrator forbids files, but not messages, in channels shared with other organizations (reference of chat.postMessage).
 */
const forbiddenFileCode = /^slack_connect_[a-z_]*_blocked$/

/** Codes about the thread of a reply, not about its channel. */
const goneThreadCodes = new Set(['cannot_reply_to_message', 'thread_not_found'])
/** A locked thread, a channel without threads, or one where not everybody may reply. */
const noThreadCodes = new Set([
  'restricted_action',
  'restricted_action_thread_locked',
  'restricted_action_non_threadable_channel',
])

/** Codes about the person who was to get a direct message. */
const personCodes = new Set(['user_not_found', 'user_not_visible', 'user_disabled', 'cannot_dm_bot'])

/** Codes for a message that exists but may not be changed. */
const frozenCodes = new Set(['cant_update_message', 'cant_delete_message', 'edit_window_closed'])

const notDoneCodes = new Set(['ratelimited', 'rate_limited', 'request_timeout', 'streaming_state_conflict'])

/** Codes after which, as Slack documents, part of the operation may have succeeded. */
const perhapsDoneCodes = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'update_failed'])

const movingCodes = new Set(['team_added_to_org', 'external_channel_migrating', 'org_login_required'])
const movingRetryMs = 5 * 60_000

/** A platform code is a short word; anything else in its place is the body of an answer that was not JSON. */
const codeShape = /^[a-z][a-z0-9_]{0,63}$/

/** The outcome of a post or an update that threw. */
export function outcomeOf(error: unknown): Exclude<Outcome, { kind: 'shown' }> {
  if (error instanceof WebAPIRateLimitedError) {
    return { kind: 'later', why: 'ratelimited', retryAfterMs: error.retryAfter * 1000 }
  }
  if (error instanceof WebAPIPlatformError) return platformOutcome(error)
  if (error instanceof WebAPIHTTPError) return { kind: 'unknown', why: `http_${error.statusCode}` }
  if (error instanceof WebAPIRequestError) {
    const code = systemCode(error.original)
    return code !== null && neverSentCodes.has(code)
      ? { kind: 'later', why: code, retryAfterMs: null }
      : { kind: 'unknown', why: code ?? 'no_answer' }
  }
  // The SDK has no class for a 429 without `Retry-After`; the call was not carried out.
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) {
    return { kind: 'later', why: 'ratelimited', retryAfterMs: null }
  }
  // Cut off while the answer was read: the SDK passes these errors on unchanged.
  return { kind: 'unknown', why: 'answer_cut' }
}

/** The outcome of a reply that threw: a thread that was deleted, or takes no replies, says nothing about its channel. */
export function replyOutcomeOf(error: unknown): Exclude<Outcome, { kind: 'shown' }> {
  if (error instanceof WebAPIPlatformError) {
    const why = error.data.error
    if (goneThreadCodes.has(why)) return { kind: 'gone', why }
    if (noThreadCodes.has(why)) return { kind: 'no_thread', why }
  }
  return outcomeOf(error)
}

function platformOutcome(error: WebAPIPlatformError): Exclude<Outcome, { kind: 'shown' }> {
  const why = error.data.error
  if (!codeShape.test(why)) return { kind: 'unknown', why: 'not_json' }
  if (notDoneCodes.has(why)) return { kind: 'later', why, retryAfterMs: null }
  if (perhapsDoneCodes.has(why)) return { kind: 'unknown', why }
  if (movingCodes.has(why)) return { kind: 'later', why, retryAfterMs: movingRetryMs }
  if (tokenCodes.has(why)) return { kind: 'no_token', why }
  if (channelCodes.has(why) || channelRestriction.test(why)) return { kind: 'channel_unavailable', why }
  if (personCodes.has(why)) return { kind: 'no_person', why }
  if (why === 'message_not_found') return { kind: 'gone', why }
  if (frozenCodes.has(why)) return { kind: 'frozen', why }
  if (forbiddenFileCode.test(why)) return { kind: 'image_refused', why, isFinal: true }
  const reasons = reasonsOf(error)
  if (why === 'invalid_blocks' && reasons.some(isAboutImage)) {
    return { kind: 'image_refused', why: reasons[0] ?? why }
  }
  const said = [why, ...reasons].join(': ').slice(0, 300)
  return { kind: payloadCodes.has(why) ? 'bad_payload' : 'unlisted', why: said }
}

function isAboutImage(reason: string): boolean {
  return reason.includes('downloading image failed') || reason.includes('invalid slack file')
}

function reasonsOf(error: WebAPIPlatformError): string[] {
  const { errors, response_metadata: metadata } = error.data as {
    errors?: unknown
    response_metadata?: { messages?: unknown }
  }
  const listed = Array.isArray(errors) && errors.length > 0 ? errors : metadata?.messages
  if (!Array.isArray(listed)) return []
  return listed.filter((reason) => typeof reason === 'string').map((reason) => printable(reason, 200))
}

const failureKinds = {
  later: 'unreachable',
  unknown: 'unreachable',
  unlisted: 'unreachable',
  no_token: 'forbidden',
  channel_unavailable: 'missing',
  gone: 'missing',
  frozen: 'missing',
  no_thread: 'missing',
  no_person: 'missing',
  image_refused: 'rejected',
  bad_payload: 'rejected',
} as const satisfies Record<ReturnType<typeof outcomeOf>['kind'], FailureKind>

/** The failure of a read, deletion or upload, in a sentence that may be logged and shown. */
export function failureOf(error: unknown, doing: string): OutsideFailure {
  const outcome = outcomeOf(error)
  const { kind, why: code } = outcome
  const message = `Slack could not ${doing}: ${code}`
  return kind === 'later' && outcome.retryAfterMs !== null
    ? new OutsideFailure('rate_limited', message, { code, retryAfterMs: outcome.retryAfterMs })
    : new OutsideFailure(failureKinds[kind], message, { code })
}

function systemCode(error: unknown): string | null {
  const byProxy = refusedByProxy(error)
  if (byProxy !== null) return byProxy
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if (at.name === 'TimeoutError') return 'time_out'
  }
  return null
}
