/** Faults that the words of a mute once had: each test is named for what went wrong. */
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../src/domain/command/commands.ts'
import { parseDurationText } from '../../src/domain/command/duration-text.ts'
import { endInReason, parseAskedMute } from '../../src/domain/command/mute-text.ts'
import { typedEnd } from '../../src/slack/inbound/mute-end.ts'

const hourMs = 3_600_000
const at = (hour: number, minute: number, reason = '') => ({ end: { kind: 'at', hour, minute }, reason })

describe('“until 3:00 pm” muted until three at night, with the reason “pm”', () => {
  test.each([
    ['until 3:00 pm', at(15, 0)],
    ['until 3pm', at(15, 0)],
    ['until 3 P.M., backup', at(15, 0, 'backup')],
    ['until 11:30 PM db move', at(23, 30, 'db move')],
    ['until 12:00 am', at(0, 0)],
    ['until 12:15 pm', at(12, 15)],
    ['until 15:00 a new disk', at(15, 0, 'a new disk')],
  ])('%s', (text, asked) => {
    expect(parseAskedMute(text)).toEqual(asked)
  })

  test.each(['until 15:00 pm', 'until 0:30 am', 'until 13 pm', 'until 3', 'until 3:60 pm'])(
    '%s is no time',
    (text) => {
      expect(parseAskedMute(text)).toMatchObject({ why: 'invalid', came: text })
    },
  )

  test('and in a form as well', () => {
    expect(typedEnd('3:00 pm')).toEqual({ kind: 'at', hour: 15, minute: 0 })
    expect(typedEnd('15:00')).toEqual({ kind: 'at', hour: 15, minute: 0 })
    expect(typedEnd('until 15:00 tomorrow')).toBeNull()
  })
})

describe('a day or a zone after the time became the reason, and the mute ended on another day', () => {
  test.each([
    'until 15:00 today',
    'until 15:00 tomorrow',
    'until 15:00 Tomorrow: new disk',
    'until 8:00 on Monday',
    'until 8:00 fri',
    'until 8:00 next week',
    'until 8:00 23 Nov',
    'until 8:00 on the 5th',
    'until 8:00 2026-11-23',
    'until 8:00 in the evening',
    'until 15:00 UTC',
    'until 15:00 gmt+2',
  ])('%s', (text) => {
    const expected = expect.stringContaining('for another day a duration, such as 2d')
    expect(parseAskedMute(text)).toEqual({ why: 'invalid', expected, came: text })
  })

  test.each(['on call', 'monitoring work', 'today-app is down', 'the disk', 'March release', '"tomorrow"'])(
    '%s is a reason',
    (reason) => {
      expect(parseAskedMute(`until 15:00 ${reason}`)).toEqual(at(15, 0, reason.replaceAll('"', '')))
    },
  )
})

describe('an end in other words became the reason of a mute of usual length', () => {
  test('till and til are until', () => {
    expect(parseAskedMute('till 15:00')).toEqual(at(15, 0))
    expect(parseAskedMute('til 6:00 backup')).toEqual(at(6, 0, 'backup'))
  })

  test.each([
    'two hours',
    'an hour',
    'half an hour',
    'a couple of days',
    '½h',
    '٣h',
    'forever',
    'Indefinitely',
  ])('%s is refused', (text) => {
    expect(parseAskedMute(text)).toMatchObject({ why: 'invalid', came: text })
  })

  test.each(['a disk', 'one of three', 'two disks', 'forevermore'])('%s is a reason', (reason) => {
    expect(parseAskedMute(reason)).toEqual({ end: { kind: 'default' }, reason })
  })

  test.each([
    ['deploying 2h', '2h', 'deploying'],
    ['deploying for 2 hours', '2 hours', 'deploying'],
    ['deploying, 1h 30m', '1h 30m', 'deploying'],
    ['deploying until healthy', 'until healthy', 'deploying'],
    ['deploying till 15:00', 'till 15:00', 'deploying'],
    ['deploying for two hours', null, 'deploying'],
    ['do not page until monday', null, 'do not page'],
    ['broken forever', null, 'broken'],
  ])('%s says when it ends', (text, end, reason) => {
    expect(endInReason(text)).toEqual({ end, reason })
  })

  test.each(['deploying', 'disk 3', 'release 2.4', 'untilled soil', 'the 2h job', ''])(
    '%s does not',
    (text) => {
      expect(endInReason(text)).toBeNull()
    },
  )
})

test('units in capitals were refused as a number without a unit', () => {
  expect(['1 Hour', '2H', '30 MIN', '1D'].map(parseDurationText)).toEqual([
    hourMs,
    2 * hourMs,
    hourMs / 2,
    24 * hourMs,
  ])
  // Its writer may have meant a month.
  expect(['1M', '1 M', '1h30M'].map(parseDurationText)).toEqual([null, null, null])
})

test('“1 month” was called a number without a unit', () => {
  expect(parseAskedMute('1 month')).toMatchObject({
    came: '1 month (an unknown unit: the longest is the week)',
  })
  expect(parseAskedMute('5M')).toMatchObject({ came: '5M (M is no unit: m means minutes)' })
})

test.each([
  ['mute web-1 30', 'mute'],
  ['mute account 30 x', 'mute account'],
  ['ack', 'ack'],
  ['role add web-1', 'role add'],
  ['chart web-1 cpu 2', 'chart'],
])('what was wrong in “%s” did not say which command to look up', (text, topic) => {
  expect(parseCommand(text)).toMatchObject({ ok: false, refusal: { why: 'invalid', topic } })
  expect(parseCommand(`help ${topic}`)).toMatchObject({ ok: true })
})

test('several servers, or a glob, could not be unmuted at once', () => {
  const [web1, web4, glob] = ['web-1', 'web-4', 'web-*'].map((name) => ({ by: 'name', name }))
  const intentOf = (text: string) => parseCommand(text)
  expect(intentOf('unmute web-1,web-4')).toEqual({
    ok: true,
    intent: { kind: 'unmute_server', server: web1, servers: [web1, web4] },
  })
  expect(intentOf('unmute web-*')).toMatchObject({ intent: { server: glob, servers: [glob] } })
  expect(intentOf('unmute web-1')).toEqual({ ok: true, intent: { kind: 'unmute_server', server: web1 } })
})
