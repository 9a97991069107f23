/** Optional fields of a record: each is read by itself, and what is wrong costs only itself. */
import { describe, expect, test } from 'vitest'
import { parseDetails } from '../../../src/bot/monitor/details.ts'

const nothing = { labels: {}, description: '', links: [], trouble: null, canMute: false }
const unknown = { kind: 'silence', id: null, by: null, untilMs: null, why: null, isOurs: false }
const long = (chars: number) => 'x'.repeat(chars)
const many = (count: number, chars = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, long(chars)]))

describe('the optional fields of a record', () => {
  test('a record of the plain API has none', () => {
    expect(parseDetails({ id: 1, title: 'CPU' })).toEqual({})
  })

  test('are read as they are', () => {
    const labels = { alertname: 'PodDown', namespace: 'pay' }
    const links = [{ text: 'Runbook', url: 'https://wiki.example/pod' }]
    expect(
      parseDetails({ labels, description: 'It is down.', links, trouble: 'a1', can_mute: true }),
    ).toEqual({
      details: { labels, description: 'It is down.', links, trouble: 'a1', canMute: true },
    })
  })

  test.each([
    ['labels', ['a']],
    ['description', 7],
    ['links', 'https://wiki.example'],
    ['trouble', 'two words'],
    ['trouble', long(65)],
    ['can_mute', 'yes'],
  ])('%s of the wrong kind is left out and counted: %j', (name, value) => {
    expect(parseDetails({ can_mute: true, [name]: value })).toEqual({
      details: { ...nothing, canMute: name !== 'can_mute' },
      leftOut: 1,
    })
  })

  test.each([
    ['of 256 characters', { a: long(256) }, { a: long(256) }, 0],
    ['of 257 characters is left out, never cut', { a: long(257), b: 'c' }, { b: 'c' }, 1],
    ['that is no text', { a: 1, b: 'c' }, { b: 'c' }, 1],
    ['that is empty', { a: '' }, { a: '' }, 0],
  ])('a label %s', (_what, labels, read, leftOut) => {
    const { details, leftOut: counted = 0 } = parseDetails({ labels })
    expect({ details, counted }).toEqual({ details: { ...nothing, labels: read }, counted: leftOut })
  })

  test.each([
    [39, 0],
    [40, 0],
    [41, 1],
  ])('of %i labels, %i are left out', (count, leftOut) => {
    const read = parseDetails({ labels: many(count) })
    expect(Object.keys(read.details?.labels ?? {})).toHaveLength(count - leftOut)
    expect(read.leftOut ?? 0).toBe(leftOut)
  })

  test('labels of more than 4 KB together are left out from there', () => {
    const read = parseDetails({ labels: many(17, 250) })
    expect(Object.keys(read.details?.labels ?? {})).toHaveLength(16)
    expect(read.leftOut).toBe(1)
  })

  test.each([
    ['x', 4_096, 0],
    ['x', 4_097, 1],
    ['é', 4_096, 0],
    ['é', 4_098, 1],
  ])('of %s, %i bytes together leave out %i', (char, bytes, leftOut) => {
    const size = Buffer.byteLength(char)
    // Sixteen of two letters and 254 bytes make 4,096.
    const labels = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`l${n.toString(16)}`, char.repeat(254 / size)]),
    )
    labels.lf = char.repeat((254 + bytes - 4_096) / size)
    expect(parseDetails({ labels }).leftOut ?? 0).toBe(leftOut)
  })

  test('a label called __proto__ is one like any other', () => {
    const { details } = parseDetails(JSON.parse('{"labels":{"__proto__":"x","a":"b"}}'))
    expect(Object.entries(details?.labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['a', 'b'],
    ])
  })

  test.each([
    'javascript:alert(1)',
    'ftp://wiki.example',
    'https://wiki.example/ two',
    'https://ana:secret@wiki.example/',
    `https://wiki.example/${long(2_980)}`,
    'https://',
    '//wiki.example',
  ])('a link to %s is left out', (url) => {
    expect(parseDetails({ links: [{ text: 'Runbook', url }] })).toEqual({ details: nothing, leftOut: 1 })
  })

  test('of six links five are kept', () => {
    const links = Array.from({ length: 6 }, (_, n) => ({ text: `${n}`, url: 'https://wiki.example' }))
    const read = parseDetails({ links })
    expect(read.details?.links).toEqual(links.slice(0, 5))
    expect(read.leftOut).toBe(1)
  })
})

test('a link with a long address is kept up to the limit of a button, and a long text is shortened', () => {
  const url = `https://wiki.example/${long(2_979)}`
  expect(url).toHaveLength(3_000)
  const { details, leftOut } = parseDetails({ links: [{ text: long(500), url }] })
  expect(details?.links).toEqual([{ text: long(100), url }])
  expect(leftOut).toBeUndefined()
})

describe('units and limit', () => {
  test.each([
    [{ units: '%', limit: 90, limit_side: 'high' }, { units: '%', limit: { value: 90, side: 'high' } }, 0],
    [{ limit: 0, limit_side: 'low' }, { limit: { value: 0, side: 'low' } }, 0],
    [{ units: '' }, { units: '' }, 0],
    [{ units: null, limit: null, limit_side: null, can_mute: false }, {}, 0],
    [{ units: long(40) }, { units: long(40) }, 0],
    [{ units: long(41) }, {}, 1],
    [{ units: 5, limit: 90, limit_side: 'high' }, { limit: { value: 90, side: 'high' } }, 1],
    [{ limit: '90', limit_side: 'high' }, {}, 1],
    [{ limit: Number.POSITIVE_INFINITY, limit_side: 'high' }, {}, 1],
    [{ limit: 90, limit_side: 'above' }, {}, 1],
    [{ limit: 90 }, {}, 1],
    [{ limit_side: 'high', can_mute: false }, {}, 1],
  ])('%j', (entry, read, leftOut) => {
    const { details, leftOut: counted = 0 } = parseDetails(entry)
    expect({ details, counted }).toEqual({ details: { ...nothing, ...read }, counted: leftOut })
  })
})

describe('what mutes an alert', () => {
  test('is read as it is', () => {
    const until = '2026-11-23T15:00:00Z'
    const silence = { kind: 'silence', id: 'a-1', by: 'ana', until, why: 'new disks', ours: false }
    const inhibition = { kind: 'inhibition', by: 'NodeDown on node-3' }
    expect(parseDetails({ muted_by: [silence, inhibition] }).mutedBy).toEqual([
      { kind: 'silence', id: 'a-1', by: 'ana', untilMs: Date.parse(until), why: 'new disks', isOurs: false },
      { ...unknown, kind: 'inhibition', by: 'NodeDown on node-3' },
    ])
  })

  test('by nothing, it is not muted', () => {
    expect(parseDetails({ muted_by: [], can_mute: true }).mutedBy).toBeUndefined()
  })

  test.each([
    ['parts that are unreadable', [{ kind: 7, by: 8, until: 'soon', why: [], ours: 'no' }], 5],
    ['an entry that is no object', ['silence'], 1],
    ['a value that is no list', 'silence', 1],
  ])('%s are left out, and it is still muted', (_what, mutedBy, leftOut) => {
    const read = parseDetails({ muted_by: mutedBy })
    expect(read.mutedBy).toEqual([unknown])
    expect(read.leftOut ?? 0).toBe(leftOut)
    expect(read.details).toEqual(nothing)
  })

  test('of six entries five are kept', () => {
    const read = parseDetails({ muted_by: Array.from({ length: 6 }, () => ({ kind: 'silence' })) })
    expect(read.mutedBy).toHaveLength(5)
    expect(read.leftOut).toBe(1)
  })
})
