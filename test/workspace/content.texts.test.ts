/** What Slack makes of texts, and what it takes as metadata. */
import { describe, expect, test } from 'vitest'
import { metadataBytesMax, readMetadata } from '../../src/workspace/api/content.ts'
import { tidyBlocks, tidyText } from '../../src/workspace/state/sanitize.ts'

describe('a text is tidied', () => {
  test.each([
    ['see https://a.example/x?a=1&b=2.', 'see <https://a.example/x?a=1&amp;b=2>.'],
    ['<https://a.example|label> stays', '<https://a.example|label> stays'],
    ['🔴 down ⚠️', ':red_circle: down :warning:'],
    ['a & b < c > d', 'a &amp; b &lt; c &gt; d'],
    ['a &amp; b &lt;', 'a &amp; b &lt;'],
    [
      '<@U0ANA00001> <!here> <#C0ALERTS01> <!date^1^{time}|x>',
      '<@U0ANA00001> <!here> <#C0ALERTS01> <!date^1^{time}|x>',
    ],
    ['<script>', '&lt;script&gt;'],
    ['> quoted', '&gt; quoted'],
    ['(https://a.example/b)', '(<https://a.example/b>)'],
  ])('%s', (given, tidy) => {
    expect(tidyText(given, { links: true })).toBe(tidy)
  })

  test('without links where nobody wants them', () => {
    expect(tidyText('https://a.example', { links: false })).toBe('https://a.example')
  })

  test('in blocks, with an id for each and a word on how to read it', () => {
    const blocks = [
      { type: 'section', text: { type: 'mrkdwn', text: 'at https://a.example' } },
      {
        type: 'section',
        block_id: 'mine',
        text: { type: 'mrkdwn', text: 'at https://a.example', verbatim: true },
      },
      { type: 'header', text: { type: 'plain_text', text: '🔥 https://a.example' } },
      { type: 'header', text: { type: 'plain_text', text: '🔥', emoji: false } },
    ]
    expect(tidyBlocks(blocks, () => 'fresh')).toEqual([
      {
        type: 'section',
        block_id: 'fresh',
        text: { type: 'mrkdwn', text: 'at <https://a.example>', verbatim: false },
      },
      {
        type: 'section',
        block_id: 'mine',
        text: { type: 'mrkdwn', text: 'at https://a.example', verbatim: true },
      },
      {
        type: 'header',
        block_id: 'fresh',
        text: { type: 'plain_text', text: ':fire: https://a.example', emoji: true },
      },
      { type: 'header', block_id: 'fresh', text: { type: 'plain_text', text: '🔥', emoji: false } },
    ])
  })
})

describe('metadata', () => {
  const payloadOf = (event_payload: unknown): unknown => ({ event_type: 'card', event_payload })
  test.each([
    ['scalars', payloadOf({ key: 'a', n: 1, yes: true })],
    ['one level of objects', payloadOf({ key: { inner: 'a' } })],
    ['a list of scalars', payloadOf({ keys: ['a', 1] })],
  ])('%s are taken', (_, value) => {
    expect(readMetadata(value)).toEqual(value)
  })

  test.each([
    ['text', 'card'],
    ['no payload', { event_type: 'card' }],
    ['a strange key beside', { event_type: 'card', event_payload: {}, more: 1 }],
    ['an event type with a dash', { event_type: 'a-b', event_payload: {} }],
    ['a key in capitals', payloadOf({ Key: 1 })],
    ['null', payloadOf({ key: null })],
    ['two levels of objects', payloadOf({ a: { b: { c: 1 } } })],
    ['lists of lists', payloadOf({ a: [[1]] })],
  ])('%s is refused', (_, value) => {
    expect(() => readMetadata(value)).toThrow('invalid_metadata_format')
  })

  test('an empty object clears', () => {
    expect(readMetadata({})).toBeNull()
  })

  test('has a limit in bytes', () => {
    const empty = Buffer.byteLength(JSON.stringify(payloadOf({ key: '' })))
    expect(readMetadata(payloadOf({ key: 'a'.repeat(metadataBytesMax - empty) }))).not.toBeNull()
    const over = payloadOf({ key: 'a'.repeat(metadataBytesMax - empty + 1) })
    expect(() => readMetadata(over)).toThrow('metadata_too_large')
  })
})
