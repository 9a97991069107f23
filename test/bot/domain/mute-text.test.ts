/** How a mute is asked for in words: which server, until when, and why; and words that were taken for something else. */
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../../src/bot/domain/command/commands.ts'
import { endBefore, endInReason, parseAskedMute } from '../../../src/bot/domain/command/mute-text.ts'
import { parseDurationText } from '../../../src/bot/domain/command/time-text.ts'
import type { MuteEnd } from '../../../src/bot/domain/request/named.ts'
import { typedEnd } from '../../../src/bot/slack/inbound/mute-end.ts'

const hourMs = 3_600_000
const lasting = (ms: number): MuteEnd => ({ kind: 'for', ms })

const intentOf = (text: string) => {
  const parsed = parseCommand(text)
  return parsed.ok ? parsed.intent : parsed.refusal
}

test.each<[string, string[], MuteEnd, string]>([
  ['mute web-1', ['web-1'], { kind: 'default' }, ''],
  ['mute host web-1', ['web-1'], { kind: 'default' }, ''],
  ['mute host', ['host'], { kind: 'default' }, ''],
  ['Mute web-1 2h deploying', ['web-1'], lasting(2 * hourMs), 'deploying'],
  ['mute web-1 for 30 min the new disk', ['web-1'], lasting(hourMs / 2), 'the new disk'],
  ['mute web-1 2 hours: ana’s deploy', ['web-1'], lasting(2 * hourMs), 'ana’s deploy'],
  ['mute web-1 1h 30m', ['web-1'], lasting(1.5 * hourMs), ''],
  ['mute web-1 2h — 3 disks', ['web-1'], lasting(2 * hourMs), '3 disks'],
  ['mute web-1 deploying for 2h', ['web-1'], { kind: 'default' }, 'deploying for 2h'],
  ['mute web-1 until 15:00', ['web-1'], { kind: 'at', hour: 15, minute: 0 }, ''],
  ['mute web-1 Until 9:05, backup', ['web-1'], { kind: 'at', hour: 9, minute: 5 }, 'backup'],
  ['mute web-1 until healthy new kernel', ['web-1'], { kind: 'healthy' }, 'new kernel'],
  ['mute web-1 until unmuted', ['web-1'], { kind: 'unmuted' }, ''],
  ['mute web-1,web-2 , db-* 2h', ['web-1', 'web-2', 'db-*'], lasting(2 * hourMs), ''],
  ['mute web-1,web-1 2h', ['web-1'], lasting(2 * hourMs), ''],
  ['mute <http://a.example|a.example>, “b c” 2h', ['a.example', 'b c'], lasting(2 * hourMs), ''],
])('%s', (text, servers, end, reason) => {
  expect(intentOf(text)).toEqual({
    kind: 'mute_server',
    servers: servers.map((name) => ({ by: 'name', name })),
    end,
    reason,
    shown: null,
  })
})

const duration = 'a duration with a unit, such as 90s, 1h30m or 30d'
const until = 'until 15:00 (in your time zone), until healthy or until unmuted'

test.each([
  ['mute web-1 1h30', duration, '1h30'],
  ['mute web-1 -1h', duration, '-1h'],
  ['mute web-1 –1h', duration, '–1h'],
  ['mute web-1 0m', duration, '0m'],
  ['mute web-1 30mn', duration, '30mn'],
  ['mute web-1 5xx errors', duration, '5xx errors'],
  ['mute web-1 for ever', duration, 'ever'],
  ['mute web-1 for', duration, ''],
  ['mute web-1 until', until, 'until'],
  ['mute web-1 until 25:00', until, 'until 25:00'],
  ['mute web-1 until further notice', until, 'until further notice'],
  [
    'mute account until healthy',
    'a duration or a time: the account is never muted without an end',
    'until healthy',
  ],
])('%s is refused, and nothing is muted for another time than was meant', (text, expected, came) => {
  expect(intentOf(text)).toEqual({ why: 'invalid', expected, came, topic: expect.stringMatching(/^mute/) })
})

test.each([
  ['mute web-1 90', '90', 'mute web-1 90m'],
  ['mute web-1 for 30', '30', 'mute web-1 for 30m'],
  ['mute web-1,"web 2" 30 deploying 2.4', '30', 'mute web-1,"web 2" 30m deploying 2.4'],
  ['mute web-1 1h 30', '30', 'mute web-1 1h 30m'],
  ['mute web-1 0.5 x', '0.5', 'mute web-1 0.5m x'],
  ['mute account 30 network', '30', 'mute account 30m network'],
  ['mute web-1 0', '0', null],
])('%s is asked back with minutes', (text, number, meant) => {
  expect(intentOf(text)).toMatchObject({ why: 'no_unit', number, meant })
})

test('a mute of the account that says for how long and why is asked for as it is', () => {
  expect(intentOf('mute account for 2h network work')).toEqual({
    kind: 'mute_account',
    end: lasting(2 * hourMs),
    reason: 'network work',
    shown: null,
  })
  expect(intentOf('mute account until 15:00 network work')).toMatchObject({
    kind: 'mute_account',
    end: { kind: 'at', hour: 15, minute: 0 },
  })
})

test.each([
  ['mute account', null],
  ['mute account 2h', '2h'],
  ['mute account network work', 'network work'],
  ['mute account until 15:00', 'until 15:00'],
])('%s opens the form, which is given what was said', (text, given) => {
  expect(intentOf(text)).toEqual({ kind: 'open_form', form: 'mute_account', alertId: null, given })
})

test('a field of a form is read in the same way', () => {
  expect(parseAskedMute('2h network work')).toEqual({ end: lasting(2 * hourMs), reason: 'network work' })
  expect(parseAskedMute('until 15:00')).toEqual({ end: { kind: 'at', hour: 15, minute: 0 }, reason: '' })
  expect(parseAskedMute('')).toEqual({ end: { kind: 'default' }, reason: '' })
  expect(parseAskedMute('2')).toMatchObject({ why: 'no_unit' })
})

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
    'until 15:00 in utc',
    'until 15:00 (UTC)',
    'until 15:00 Europe/Berlin',
    'until 15:00 Etc/GMT-2',
    'until 15:00 +02:00',
    'until 15:00 EEST',
    'until 15:00 ET: deploy',
    'until 15:00 z',
    'until 15:00 London time',
    'until 15:00, utc',
    'until 15:00 - CET',
    'until 3 pm, ET',
    'until 15:00 +0200',
    'until 15:00 +2',
    'until 15:00 US/Eastern',
    'until 15:00 CET/CEST',
    'until 15:00 (tomorrow)',
  ])('%s', (text) => {
    const expected = expect.stringContaining('for another day a duration, such as 2d')
    expect(parseAskedMute(text)).toEqual({ why: 'invalid', expected, came: text })
  })

  test.each([
    'on call',
    'monitoring work',
    'today-app is down',
    'the disk',
    'March release',
    '"tomorrow"',
    'in utility room',
    'western wing',
    'zoo keeper',
    'some time off',
    'more time for backups',
    '+2 replicas',
    'etc/hosts is new',
    'Asia/Pacific link',
  ])('%s is a reason', (reason) => {
    expect(parseAskedMute(`until 15:00 ${reason}`)).toEqual(at(15, 0, reason.replaceAll('"', '')))
  })
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
    ['deploy at 22:00 for 1h', 'at 22:00 for 1h', 'deploy'],
    ['deploy, tomorrow 22:00 for 1h', 'tomorrow 22:00 for 1h', 'deploy'],
    ['restart 22:00 for 1h', 'from 22:00 for 1h', 'restart'],
    ['backup every tue 02:00-04:00', 'every tue 02:00-04:00', 'backup'],
    ['backup mondays 02:00-04:00', 'mondays 02:00-04:00', 'backup'],
    ['deploy at 22:00', null, 'deploy'],
    ['deploy, sat midnight for 2h', 'sat midnight for 2h', 'deploy'],
    ['backup 02:00-04:00 nightly', 'from 02:00-04:00 nightly', 'backup'],
  ])('%s says when it ends', (text, end, reason) => {
    expect(endInReason(text)).toEqual({ end, reason })
  })

  test.each([
    'deploy at 22:00 for 1h tomorrow',
    'deploy at 22:00 tomorrow',
    'deploy tomorrow at 22:00 for 1h please',
    'deploy at 22:00 for 1h +02:00',
    'deploy this friday 22:00 for 1h',
    'deploy 22:00-23:00 daily except sunday',
    'backup 22:00-23:00 utc',
    'backup 02:00-04:00 weekly',
    'backup, weekly tue 02:00-04:00',
    'backup 22:00 for 1h daily.',
    'x noon-14:00 utc',
  ])('%s says when in words that are not understood', (text) => {
    expect(endInReason(text)).toMatchObject({ end: null })
  })

  test.each([
    ['2h', 'deploying', '2h deploying'],
    ['at 22:00 for 1h', 'deploy', 'at 22:00 for 1h deploy'],
    ['from 02:00-04:00 nightly', 'backup', 'from 02:00-04:00 nightly, backup'],
    ['at 22:00 for 1h daily', 'deploy', 'at 22:00 for 1h daily, deploy'],
    ['from 22:00 for 1h', 'utc move', null],
    ['from 22:00-23:00', 'except sunday', null],
  ])('%s before “%s” is proposed only as it is read back', (end, reason, typed) => {
    expect(endBefore(end, reason)).toBe(typed)
  })

  test.each([
    'deploying',
    'down since 03:10',
    'will be fixed tomorrow',
    'disk 3',
    'release 2.4',
    'untilled soil',
    'the 2h job',
    '',
  ])('%s does not', (text) => {
    expect(endInReason(text)).toBeNull()
  })
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
  ['mute web-1 30mn', 'mute'],
  ['mute account 30mn x', 'mute account'],
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
