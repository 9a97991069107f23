/** What each of Slack's refusals means for the message that was to be sent. Failures of the connection: calls.test.ts. */
import { WebAPIPlatformError } from '@slack/web-api'
import { expect, test } from 'vitest'
import { outcomeOf } from '../../../src/bot/slack/client.ts'

const refused = (error: string, more: object = {}) =>
  outcomeOf(new WebAPIPlatformError({ ok: false, error, ...more }))

test.each([
  ['invalid_auth', 'token', 'nothing works with it'],
  ['token_revoked', 'token', 'somebody took the app away'],
  ['org_login_required', 'later', 'worded as if it were the token, and ends by itself'],
  ['channel_not_found', 'channel', 'a private channel that the bot is not in'],
  ['no_permission', 'channel', 'that channel, not the token (slack-facts 5.5)'],
  ['restricted_action', 'channel', 'only some may post there'],
  ['restricted_action_read_only_channel', 'channel', 'the same, by another name'],
  ['restricted_action_of_next_year', 'channel', 'Slack adds some'],
  ['restricted_action_thread_locked', 'content', 'one reply; its card must not be posted anew for it'],
  ['user_disabled', 'channel', 'a person gets no direct messages any more'],
  ['cannot_reply_to_message', 'gone', 'its card is gone'],
  ['message_not_found', 'gone', 'somebody deleted it'],
  ['edit_window_closed', 'gone', 'it cannot be changed, so a new one tells what is still open'],
  ['msg_too_long', 'content', 'the plain text may still go'],
  ['invalid_blocks', 'content', 'the same'],
  ['a_code_that_nobody_knows', 'content', 'tried once as plain text, then told'],
  ['slack_connect_file_link_sharing_blocked', 'picture', 'the picture, not the card'],
  ['request_timeout', 'later', 'Slack never got all of it'],
  ['team_added_to_org', 'later', 'a migration of hours'],
  ['rate_limited', 'limited', 'not done, and only for a while'],
  ['internal_error', 'unclear', 'Slack says that part of it may be done'],
  ['service_unavailable', 'unclear', 'the same'],
  ['<html>Bad gateway</html>', 'unclear', 'a proxy answered, and nobody knows what Slack did'],
])('%s: %s, since %s', (code, kind) => {
  expect(refused(code).kind).toBe(kind)
})

test('an archived channel is no lasting trouble', () => {
  expect(refused('is_archived')).toMatchObject({ kind: 'channel', isArchived: true })
  expect(refused('not_in_channel')).toMatchObject({ kind: 'channel', isArchived: false })
})

test.each([
  ['downloading image failed [json-pointer:/blocks/1/image_url]', 'picture'],
  ['invalid slack file [json-pointer:/blocks/0/slack_file]', 'picture'],
  ['must be less than 3001 characters [json-pointer:/blocks/0/text]', 'content'],
])('blocks that are refused with "%s" are a matter of the %s', (reason, kind) => {
  expect(refused('invalid_blocks', { errors: [reason] })).toMatchObject({
    kind,
    why: expect.stringContaining(reason),
  })
})

test('a missing scope is named', () => {
  expect(refused('missing_scope', { needed: 'chat:write' })).toMatchObject({
    why: 'missing_scope: chat:write',
  })
})
