/** What each answer of Slack means for a card, as a table: the SDK's own error classes, as its client throws them. */

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebClient } from '@slack/web-api'
import { afterEach, describe, expect, test } from 'vitest'
import { failureOf, outcomeOf } from '../../../src/bot/slack/errors.ts'
import { fetchOnce } from '../../../src/bot/slack/fetch.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** The error that the SDK throws when Slack answers like this. */
async function thrownFor(answer: RequestListener | null, timeout = 20_000): Promise<unknown> {
  const server = createServer(answer ?? (() => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  if (answer === null) close()
  else open.push(close)
  const client = new WebClient('xoxb-test', {
    slackApiUrl: `http://127.0.0.1:${port}/api/`,
    timeout,
    fetch: fetchOnce,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: {
      debug() {},
      info() {},
      warn() {},
      error() {},
      setLevel() {},
      setName() {},
      getLevel: () => 'error' as never,
    },
  })
  return client.chat.postMessage({ channel: 'C1', text: 'x' }).then(
    () => null,
    (error: unknown) => error,
  )
}

const json =
  (body: object): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }

const refused = (error: string, more: object = {}) => json({ ok: false, error, ...more })
const imageReason = 'downloading image failed [json-pointer:/blocks/2/image_url]'

describe('a post', () => {
  const table: [string, RequestListener | null, string][] = [
    ['refused for its image', refused('invalid_blocks', { errors: [imageReason] }), 'image_refused'],
    [
      'refused for a file that is not ready',
      refused('invalid_blocks', {
        response_metadata: { messages: ['[ERROR] invalid slack file [json-pointer:/blocks/2/slack_file]'] },
      }),
      'image_refused',
    ],
    [
      'refused for its blocks',
      refused('invalid_blocks', { errors: ['no more than 50 items allowed [json-pointer:/blocks]'] }),
      'bad_payload',
    ],
    ['too long', refused('msg_blocks_too_long'), 'bad_payload'],
    ['refused for a reason nobody listed', refused('some_new_code'), 'unlisted'],
    ['into an archived channel', refused('is_archived'), 'channel_unavailable'],
    ['into a channel without us', refused('not_in_channel'), 'channel_unavailable'],
    ['with a revoked token', refused('token_revoked'), 'no_token'],
    ['without the scope', refused('missing_scope'), 'no_token'],
    ['to a message that is gone', refused('message_not_found'), 'gone'],
    ['to a message that may not be edited', refused('edit_window_closed'), 'frozen'],
    ['that Slack may have taken', refused('fatal_error'), 'unknown'],
    ['that was cut short on the way', refused('request_timeout'), 'later'],
    ['while the channel moves', refused('external_channel_migrating'), 'later'],
    ['answered with HTML', (_, response) => response.end('<html>Bad gateway</html>'), 'unknown'],
    ['answered with 503', (_, response) => response.writeHead(503).end(), 'unknown'],
    ['answered with 429', (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(), 'later'],
    ['answered with 429 and no time', (_, response) => response.writeHead(429).end(), 'later'],
    ['reset', (request) => request.socket.destroy(), 'unknown'],
    [
      'cut in the middle of the answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"ok":', () => response.destroy())
      },
      'unknown',
    ],
    ['never answered', () => undefined, 'unknown'],
    ['to a server that is down', null, 'later'],
  ]
  test.each(table)('%s', async (name, answer, kind) => {
    const outcome = outcomeOf(await thrownFor(answer, name === 'never answered' ? 300 : undefined))
    expect(outcome.kind).toBe(kind)
    expect(JSON.stringify(outcome)).not.toMatch(/xoxb|<html>|127\.0\.0\.1/)
  })
})

// What Slack documents of chat.postMessage and chat.update (docs/slack.md#errors).
const documented: Readonly<Record<string, readonly string[]>> = {
  no_token: [
    'not_authed invalid_auth account_inactive token_revoked token_expired missing_scope not_allowed_token_type',
    'accesslimited enterprise_is_restricted two_factor_setup_required deprecated_endpoint method_deprecated',
  ],
  channel_unavailable: [
    'channel_not_found not_in_channel is_archived is_inactive no_permission access_denied ekm_access_denied',
    'team_access_not_granted team_not_found messages_tab_disabled cannot_reply_to_message message_limit_exceeded',
    'restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel',
    'restricted_action_non_threadable_channel restricted_action_thread_locked restricted_action_of_next_year',
  ],
  bad_payload: [
    'msg_too_long msg_blocks_too_long no_text too_many_attachments attachment_payload_limit_exceeded block_mismatch',
    'invalid_attachments invalid_blocks invalid_blocks_format markdown_text_conflict too_many_contact_cards',
    'metadata_too_large invalid_metadata_format invalid_metadata_schema metadata_must_be_sent_from_app',
    'as_user_not_supported cant_broadcast_message no_dual_broadcast_content_update invalid_arguments invalid_arg_name',
    'invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type',
  ],
  later: [
    'ratelimited rate_limited request_timeout team_added_to_org org_login_required external_channel_migrating',
    'streaming_state_conflict',
  ],
  unknown: ['fatal_error internal_error service_unavailable update_failed'],
  gone: ['message_not_found'],
  frozen: ['cant_update_message edit_window_closed'],
}

test.each(Object.entries(documented))('each word that means %s is taken for it', async (kind, codes) => {
  for (const code of codes.flatMap((line) => line.split(' '))) {
    const outcome = outcomeOf(await thrownFor(refused(code)))
    expect(`${code} ${outcome.kind}`).toBe(`${code} ${kind}`)
  }
})

test('a place that may not be used is no refusal of the token, for reads and uploads neither', async () => {
  for (const code of ['no_permission', 'access_denied', 'ekm_access_denied', 'team_access_not_granted']) {
    expect(failureOf(await thrownFor(refused(code)), 'show the history')).toMatchObject({
      kind: 'missing',
      code,
    })
  }
})

test('Retry-After is kept', async () => {
  const thrown = await thrownFor((_, response) => response.writeHead(429, { 'retry-after': '7' }).end())
  expect(outcomeOf(thrown)).toEqual({ kind: 'later', why: 'ratelimited', retryAfterMs: 7_000 })
  expect(failureOf(thrown, 'take a picture')).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7_000 })
})

test('the reason of a refusal is kept, and may be shown', async () => {
  const thrown = await thrownFor(refused('invalid_blocks', { errors: [imageReason] }))
  expect(outcomeOf(thrown)).toEqual({ kind: 'image_refused', why: imageReason })
  expect(failureOf(await thrownFor(refused('not_in_channel')), 'show the history').message).toBe(
    'Slack could not show the history: not_in_channel',
  )
})
