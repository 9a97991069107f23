import { describe, expect, test } from 'vitest'
import { buttonValueOf, optionValueOf, readValue, seenOf } from '../../../src/bot/view/blocks.ts'
import * as words from '../../../src/bot/view/words.ts'
import { amount } from '../../../src/bot/view/words.ts'
import { alertOf, muteOf } from '../worlds/builders.ts'
import { nowMs, sceneOf } from './seen.ts'

const hour = 3_600_000

test.each([
  ['mentions nobody', '<!channel> <@U1>', '&lt;!channel&gt; &lt;@U1&gt;'],
  ['hides no link', '<https://evil|bank>', '&lt;https://evil|bank&gt;'],
  ['formats nothing', '*a* ~b~ `c`', '∗a∗ ∼b∼ ˋcˋ'],
  ['is no picture of well-being', ':white_check_mark: ok', '∶white_check_mark: ok'],
  ['keeps addresses and times', 'fe80::1 10:20:30', 'fe80::1 10:20:30'],
  ['is not turned around', 'a\u202eb\u2066c\u200bd', 'a b c d'],
  ['is one line', ' a\n\tb\0 ', 'a b'],
  ['piles up no marks', `a${'\u0301'.repeat(50)}`, 'a\u0301\u0301'],
  ['has no half characters', 'a\ud83d', 'a'],
])('foreign text %s', (_, text, shown) => {
  expect(words.escaped(text)).toBe(shown)
})

test('foreign text is cut by characters, before it is escaped', () => {
  expect(words.escaped('&&&&', 3)).toBe('&amp;&amp;…')
  expect(words.plain('🚨🚨🚨🚨', 3)).toBe('🚨🚨…')
})

test.each([
  ['inside an entity', 'ab&amp;cd', 5, 'ab…'],
  ['inside a link', 'ab <https://x.example|y> z', 12, 'ab…'],
  ['inside a character', 'ab🚨cd', 4, 'ab…'],
  ['nothing', 'ab&amp;cd', 9, 'ab&amp;cd'],
])('our own text is never cut %s', (_, text, max, shown) => {
  expect(words.cut(text, max)).toBe(shown)
})

test.each([
  ['has headings, bold and lists', '## Why\n\n- **disk** full\n* 5 * 3', '*Why*\n\n• *disk* full\n• 5 ∗ 3'],
  [
    'has web links',
    'see [the log](https://l.example/a), https://m.example/b.',
    'see <https://l.example/a|the log>, <https://m.example/b|m.example/b>.',
  ],
  [
    'has addresses as they are',
    '<https://a.example/~b?c=1&d=2>',
    '&lt;<https://a.example/~b?c=1&d=2|a.example/∼b?c=1&amp;d=2>&gt;',
  ],
  ['has no others', '[x](javascript:alert) [y](https://a@b.example/)', 'x y'],
  [
    'mentions nobody',
    '<!channel> <@U1> **<@U2>** [<!here>](https://x.example/)',
    '&lt;!channel&gt; &lt;@U1&gt; *&lt;@U2&gt;* <https://x.example/|&lt;!here&gt;>',
  ],
  ['shows code as text', '```sh\nls `a`\n```', 'ls ˋaˋ'],
])('foreign Markdown %s', (_, text, shown) => {
  expect(words.markdownLines(text).join('\n')).toBe(shown)
})

test.each([
  ['https://mon.example/a?b=|c', '<https://mon.example/a?b=%7Cc|x>'],
  ['javascript:alert(1)', 'x'],
  ['https://bank.example@evil.example/', 'x'],
  ['not an address', 'x'],
  [`https://mon.example/${'a'.repeat(2_000)}`, 'x'],
])('a link to %s', (address, shown) => {
  expect(words.link(address, 'x')).toBe(shown)
})

test.each([
  [45_000, '45 s'],
  [24.5 * 60_000, '24 min'],
  [1.5 * hour, '1 h 30 min'],
  [24 * hour, '1 day'],
  [51 * hour, '2 days 3 h'],
  [-5, '0 s'],
])('%d ms last %s', (ms, text) => {
  expect(words.duration(ms)).toBe(text)
})

test.each([
  [97.2, '%', 90, '97%'],
  [99.97, '%', 90, '99.97%'],
  [90.02, '%', 90, '90.02%'],
  [3.5, null, 3, '3.5'],
  [1_500_000_000, 'bytes', null, '1.5 GB'],
  [2_000, 'bytes/s', null, '2 kB/s'],
  [31, 's', null, '31 s'],
  [300, 's', null, '5 min'],
  [0.0034, '', null, '0.0034'],
  [12_345, 'requests', null, '12,345 requests'],
  [1e300, '', null, '1.0e+300'],
])('%d %s beside %s is %s', (value, units, beside, text) => {
  expect(amount(value, units, beside)).toBe(text)
})

test('lists are sorted as people count, and the middle goes', () => {
  expect(words.listed(['db-33', 'db-4', 'db-3'])).toBe('db-3, db-4 and db-33')
  expect(words.listed(['db-33', 'db-4', 'db-3', 'db-5'], 3)).toBe('db-3, db-4 … db-33')
  expect(words.people(['UA', 'UB', 'UA'])).toBe('<@UA> and <@UB>')
  expect(words.people(['UA', 'UB', 'UC', 'UD', 'UE'])).toBe('<@UA>, <@UB>, <@UC> and 2 others')
})

test.each([
  [{ plugin: 'Disk /', metric: 'disk_used_percent' }, 'Disk / used'],
  [{ plugin: 'Load Average', metric: 'last_minute' }, 'Load Average last minute'],
  [{ plugin: 'KubeDown', metric: 'KubeDown' }, 'KubeDown'],
  [{ plugin: '', metric: 'cpu_busy' }, 'CPU busy'],
])('%o is called %s', (metric, text) => {
  expect(words.metricWords(metric)).toBe(text)
})

describe('what a button carries', () => {
  const value = {
    alert: '8398@1',
    post: 'list:1:C0',
    mutes: ['m1', 'm2'],
    act: 'a',
    seen: 's',
    words: 'server 30m',
  }

  test('comes back as it was', () => {
    expect(readValue(buttonValueOf(value))).toEqual(value)
    expect(readValue('nonsense')).toBeNull()
    expect(readValue('{"alert":7}')).toBeNull()
  })

  test('fits: mutes give way on a button, the alert on an option', () => {
    const many = Array.from({ length: 500 }, (_, n) => `mute-${n}`)
    expect(readValue(buttonValueOf({ act: 'a', mutes: many }))).toEqual({ act: 'a' })
    expect(readValue(optionValueOf({ ...value, alert: 'x'.repeat(200) }))).toEqual({
      seen: 's',
      words: 'server 30m',
    })
  })

  test('tells whether holder, round or mutes changed since', () => {
    const alert = alertOf()
    const { world } = sceneOf({ alerts: [alert] })
    const muted = sceneOf({ alerts: [alert], mutes: [muteOf()] }).world
    const of = (one = alert, where = world) => seenOf([one], where, nowMs)
    expect(of({ ...alert, value: 3 })).toBe(of())
    const changed = [
      of({ ...alert, holder: 'UB' }),
      of({ ...alert, round: { count: 2, fromMs: 0 } }),
      of(alert, muted),
    ]
    expect(new Set([of(), ...changed]).size).toBe(4)
  })
})

test.each([
  ['is busy', 'web-2', '*Disk: is busy* on web-2'],
  ['Load on WEB-2 is high', 'web-2', '*Disk: Load on WEB-2 is high*'],
  ['web-22 is slow', 'web-2', '*Disk: web-22 is slow* on web-2'],
])('of the title %j the server %s is named once', (title, server, said) => {
  expect(words.headline(alertOf({ metric: null, plugin: 'Disk', title, server }))).toBe(said)
})
