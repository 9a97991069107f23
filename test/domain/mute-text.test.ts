/** How a mute is asked for in words: which server, until when, and why. */
import { expect, test } from 'vitest'
import { parseCommand } from '../../src/domain/command/commands.ts'
import { parseAskedMute } from '../../src/domain/command/mute-text.ts'
import type { MuteEnd } from '../../src/domain/request/named.ts'

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
  ['mute web-1 30', duration, '30 (a number without a unit)'],
  ['mute web-1 30 deploying', duration, '30 deploying (a number without a unit)'],
  ['mute web-1 1h 30', duration, '30 without a unit'],
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
  ['mute account 30 network', duration, '30 network (a number without a unit)'],
])('%s is refused, and nothing is muted for another time than was meant', (text, expected, came) => {
  expect(intentOf(text)).toEqual({ why: 'invalid', expected, came, topic: expect.stringMatching(/^mute/) })
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
  expect(parseAskedMute('2')).toMatchObject({ why: 'invalid' })
})
