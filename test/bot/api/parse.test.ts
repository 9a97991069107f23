/** Records as they are met in the wild: what is wrong is left out, never the record. */
import { expect, test } from 'vitest'
import { parseAlerts, parseJson, plain } from '../../../src/bot/api/parse.ts'

const record = {
  id: 8398,
  lifecycle: 'start',
  time: '2026-11-21T03:12:00Z',
  server_hostname: 'web-2',
  title: 'CPU busy',
}
const alertOf = (fields: object) => parseAlerts({ results: [{ ...record, ...fields }] }, 5)?.alerts[0]

test.each([
  { why: 'an id in quotes', fields: { id: '0x12' }, is: { number: '0x12', key: '0x12@1795230720000' } },
  {
    why: 'no readable time',
    fields: { time: '03/04/2026' },
    is: { hasTime: false, startedMs: 5, key: '8398@0' },
  },
  {
    why: 'the name alone',
    fields: { server_hostname: null, server_name: 'vm' },
    is: { host: 'vm', server: 'vm' },
  },
  { why: 'a title that hides and turns', fields: { title: 'a\u202eb\u0007\n c' }, is: { title: 'ab c' } },
  { why: 'a link that is none', fields: { url: 'javascript:alert(1)' }, is: { url: null } },
  {
    why: 'a link that looks like another',
    fields: { url: 'https://bank.example@evil.example/' },
    is: { url: null },
  },
  {
    why: 'an unreadable mute hides all the same',
    fields: { muted_by: 'x' },
    is: { mutedBy: [expect.objectContaining({ kind: 'silence', ours: false })] },
  },
  {
    why: 'a limit without a side',
    fields: { limit: 90 },
    is: { details: expect.objectContaining({ limit: null, side: null }) },
  },
  {
    why: 'labels of another type',
    fields: { labels: { a: 'b', c: 7, long: 'x'.repeat(300) } },
    is: { details: expect.objectContaining({ labels: { a: 'b' } }) },
  },
  {
    why: 'links in part',
    fields: { links: [{ text: 'Runbook', url: 'https://w.example/' }, 7] },
    is: { details: expect.objectContaining({ links: [{ text: 'Runbook', url: 'https://w.example/' }] }) },
  },
])('$why', ({ fields, is }) => {
  expect(alertOf(fields)).toMatchObject(is)
})

test('a record without an id or a lifecycle is counted, and the others are read', () => {
  const page = parseAlerts({ result: [{ ...record, id: null }, { ...record, lifecycle: 'x' }, 7, record] }, 5)
  expect([page?.alerts.length, page?.unreadable.length, page?.contents.length]).toEqual([1, 3, 4])
})

test('the digest says all but the address of the picture', () => {
  const digest = alertOf({})?.content
  expect(alertOf({ sparkline_url: 'https://a.example/?token=2' })?.content).toBe(digest)
  expect(alertOf({ lifecycle: 'end' })?.content).not.toBe(digest)
})

test('large ids stay exact, and no text holds the key', () => {
  const body = '{"id": 12345678901234567890, "n": 1e20, "title": "see /api/v2/s3cret/x 1234567890123456"}'
  expect(parseJson(body, 's3cret')).toEqual({
    id: '12345678901234567890',
    n: 1e20,
    title: 'see /api/v2/[hidden]/x 1234567890123456',
  })
})

test.each([
  ['1970-01-01T00:00:00.000-00:00', 0],
  ['2026-11-21T03:12:00+02:00', Date.UTC(2026, 10, 21, 1, 12)],
  ['2026-02-30T00:00:00Z', null],
  ['soon', null],
  [null, null],
])('the time %j', (time, ms) => {
  expect(alertOf({ time })).toMatchObject({ hasTime: ms !== null, startedMs: ms ?? 5 })
})

test('a text is cut with an ellipsis', () => {
  expect(plain('x'.repeat(20), 10)).toBe(`${'x'.repeat(9)}…`)
})

test('a record that says the same as in the poll before is not parsed again', () => {
  expect(alertOf({ title: 'again' })).toBe(alertOf({ title: 'again' }))
  expect(alertOf({ title: 'again', metric_value: 2 })?.value).toBe(2)
})
