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
    expect(parseDetails({ id: 1, title: 'CPU' })).toEqual({ leftOut: 0 })
  })

  test('are read as they are', () => {
    const labels = { alertname: 'PodDown', namespace: 'pay' }
    const links = [{ text: 'Runbook', url: 'https://wiki.example/pod' }]
    expect(
      parseDetails({ labels, description: 'It is down.', links, trouble: 'a1', can_mute: true }),
    ).toEqual({
      details: { labels, description: 'It is down.', links, trouble: 'a1', canMute: true },
      leftOut: 0,
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
    expect(parseDetails({ labels })).toEqual({ details: { ...nothing, labels: read }, leftOut })
  })

  test.each([
    [39, 0],
    [40, 0],
    [41, 1],
  ])('of %i labels, %i are left out', (count, leftOut) => {
    const read = parseDetails({ labels: many(count) })
    expect(Object.keys(read.details?.labels ?? {})).toHaveLength(count - leftOut)
    expect(read.leftOut).toBe(leftOut)
  })

  test('labels of more than 4 KB together are left out from there', () => {
    const read = parseDetails({ labels: many(17, 250) })
    expect(Object.keys(read.details?.labels ?? {})).toHaveLength(16)
    expect(read.leftOut).toBe(1)
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
    expect(read.leftOut).toBe(leftOut)
    expect(read.details).toEqual(nothing)
  })

  test('of six entries five are kept', () => {
    const read = parseDetails({ muted_by: Array.from({ length: 6 }, () => ({ kind: 'silence' })) })
    expect(read.mutedBy).toHaveLength(5)
    expect(read.leftOut).toBe(1)
  })
})
