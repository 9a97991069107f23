/** What each answer of Slack means for a card, as a table: the SDK's own error classes, as its client throws them. */

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebClient } from '@slack/web-api'
import { afterEach, describe, expect, test } from 'vitest'
import { failureOf, outcomeOf } from '../../src/slack/errors.ts'
import { fetchOnce } from '../../src/slack/fetch.ts'

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
    ['into an archived channel', refused('is_archived'), 'closed_door'],
    ['into a channel without us', refused('not_in_channel'), 'closed_door'],
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
