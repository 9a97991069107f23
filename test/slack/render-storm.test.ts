/** The card of many alerts: what one glance at it tells, and what can be pressed. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import type { CardView } from '../../src/domain/card/kinds.ts'
import { render } from '../../src/slack/render/render.ts'
import { parseStamp } from '../../src/slack/stamp.ts'
import { anAlert } from '../support/delivery-world.ts'
import { aMute, local, minuteMs, startedMs, words } from './card-views.ts'

type StormView = CardView<'summary' | 'storm'>

const buttons = '[Acknowledge all] [Mute servers… ▾] [Drop marker…] [Mute account…]'

/** The alert `n` of many: on one of seven servers, a second after the one before. */
function one(n: number, over: Partial<Alert> = {}): Alert {
  return anAlert(String(n), {
    hostname: `web-${n % 7}`,
    serverName: `web-${n % 7}`,
    plugin: n % 3 ? 'CPU' : 'Disk /',
    title: n % 3 ? 'CPU above 90 %' : 'Disk full in 4 h',
    roles: n % 3 ? ['web'] : ['web', 'edge'],
    startedMs: startedMs + n * 1_000,
    ...over,
  })
}

function many(count: number, over: (n: number) => Partial<Alert> = () => ({})): Alert[] {
  return Array.from({ length: count }, (_, n) => one(n, over(n)))
}

function storm(alerts: readonly Alert[], over: Partial<StormView> = {}): StormView {
  const stamp = { cardId: 'storm:1:C1', version: 4 }
  return { kind: 'storm', stamp, alerts, mention: null, mutes: [], ...over } as StormView
}

const closed = (n: number) => ({ state: 'closed', closedMs: startedMs + 25 * minuteMs + n }) as const

test('a storm tells how many, what, where, who is on it and since when', () => {
  const card = storm(
    many(90, (n) => (n < 5 ? closed(n) : {})),
    { mention: '<!here>' },
  )
  expect(words(card)).toEqual([
    '🔴 *90 alerts came at once, 85 still open on 7 servers*',
    [
      '*What* CPU ×57, Disk / ×28',
      '*Why* CPU above 90 % ×57, Disk full in 4 h ×28',
      '*Roles* web ×85, edge ×28',
      '*Worst servers* web-5 ×13, web-0 ×12, web-1 ×12, web-2 ×12 and 3 more',
    ].join('\n'),
    '👀 Nobody has acknowledged any of them yet',
    `Oldest since ${local(startedMs + 5_000)}, newest since ${local(startedMs + 89_000)} · all are listed in the thread · <!here>`,
    buttons,
  ])
  expect(render(card).text.split('\n')).toEqual([
    '🔴 90 alerts came at once, 85 still open on 7 servers',
    '👀 Nobody has acknowledged any of them yet',
    'Oldest since 2026-11-21 03:00 UTC, newest since 2026-11-21 03:01 UTC · all are listed in the thread · <!here>',
    'What CPU ×57, Disk / ×28',
    'Why CPU above 90 % ×57, Disk full in 4 h ×28',
    'Roles web ×85, edge ×28',
    'Worst servers web-5 ×13, web-0 ×12, web-1 ×12, web-2 ×12 and 3 more',
  ])
})

test.each([
  ['all open', storm(many(30)), '🔴 *30 alerts came at once, all open on 7 servers*'],
  ['found open', storm(many(30), { kind: 'summary' }), '🔴 *30 alerts were found open on 7 servers*'],
  [
    'some of those found open',
    storm(
      many(30, (n) => (n > 0 ? closed(n) : {})),
      { kind: 'summary' },
    ),
    '🔴 *30 alerts were found open, 1 still open on web-0*',
  ],
  [
    'what only happened is no open alert',
    storm(many(30, (n) => (n < 10 ? { state: 'oneoff' } : {}))),
    '🔴 *20 alerts came at once, all open on 7 servers*',
  ],
  ['one alone', storm(many(1), { kind: 'summary' }), '🔴 *1 alert was found open on web-0*'],
])('its one bold line: %s', (_, card, line) => {
  expect(words(card)[0]).toBe(line)
})

test.each([
  ['all closed', storm(many(30, closed)), '🟢 *All 30 alerts that came at once have closed* after 25 min'],
  [
    'all that were found',
    storm(many(30, closed), { kind: 'summary' }),
    '🟢 *All 30 alerts that were found open have closed* after 25 min',
  ],
  [
    'one alone',
    storm(many(1, closed), { kind: 'summary' }),
    '🟢 *The alert that was found open has closed* after 25 min',
  ],
  [
    'no longer reported, so that nobody said that they closed',
    storm(many(4, (n) => (n === 1 ? closed(n) : { state: 'unreported' }))),
    '⚪ *None of the 4 alerts that came at once is listed as open any more*',
  ],
  ['only happened', storm(many(5, () => ({ state: 'oneoff' }))), '🔵 *5 one-off alerts came at once*'],
])('once nothing is open it is one line without buttons: %s', (_, card, line) => {
  expect(words(card)).toEqual([line])
  expect(render(card).text).toBe(line.replaceAll('*', ''))
})

describe('who is on it', () => {
  test.each([
    ['one of some', (n: number) => (n < 12 ? 'U1' : null), '👀 12 of 30 acknowledged by <@U1>'],
    [
      'two',
      (n: number) => (n < 12 ? (n < 4 ? 'U2' : 'U1') : null),
      '👀 12 of 30 acknowledged by <@U1> 8, <@U2> 4',
    ],
    ['one of all', () => 'U1', '👀 All 30 acknowledged by <@U1>'],
  ])('%s', (_, ackedBy, line) => {
    const card = storm(many(30, (n) => ({ ackedBy: ackedBy(n), ackedMs: startedMs })))
    expect(words(card)[2]).toBe(line)
  })

  test('where somebody is on each there is nothing left to acknowledge', () => {
    const card = storm(many(30, () => ({ ackedBy: 'U1', ackedMs: startedMs })))
    expect(words(card).at(-1)).toBe(buttons.replace('[Acknowledge all] ', ''))
  })
})

describe('what is muted', () => {
  const untilMs = startedMs + 60 * minuteMs
  const mutes = (count: number) =>
    Array.from({ length: count }, (_, n) => aMute({ muteId: `m${n}`, hostname: `web-${n}` }))
  test.each([
    ['some', mutes(3), `🔕 3 of 7 servers are muted until ${local(untilMs)} by <@U2> — deploying`],
    ['all', mutes(7), `🔕 All 7 servers are muted until ${local(untilMs)} by <@U2> — deploying`],
    ['one', mutes(1), `🔕 1 of 7 servers is muted until ${local(untilMs)} by <@U2> — deploying`],
    [
      'by two people',
      [...mutes(2), aMute({ hostname: 'web-5', userId: 'U1', untilMs: untilMs - minuteMs })],
      `🔕 3 of 7 servers are muted, the first of them until ${local(untilMs - minuteMs)}`,
    ],
    [
      'the account',
      [...mutes(2), aMute({ hostname: null })],
      `🔕 The whole account is muted until ${local(untilMs)} by <@U2> — deploying`,
    ],
  ])('%s', (_, muted, line) => {
    const card = storm(many(30), { mutes: muted })
    expect(words(card)[2]).toBe(`👀 Nobody has acknowledged any of them yet\n${line}`)
    expect(render(card).text.split('\n')[2]).toBe(
      line.replaceAll('*', '').replace(/<!date[^|]*\|([^>]*)>/g, '$1'),
    )
  })
})

test('a few that are open are shown themselves', () => {
  const card = storm(many(30, (n) => (n < 3 ? {} : closed(n))))
  expect(words(card)[1]?.split('\n')).toEqual([
    `🔴 <https://monitor.example/a/1|Disk / on web-0> · 3.5 — Disk full in 4 h · since ${local(startedMs)} · #0`,
    expect.stringContaining('CPU on web-1'),
    expect.stringContaining('CPU on web-2'),
  ])
  expect(render(card).text).toContain(
    '\n🔴 CPU on web-2 · 3.5 — CPU above 90 % · since 2026-11-21 03:00 UTC · #2',
  )
})

test.each([
  ['each has one', (n: number) => ({ serverName: `web-${n}` }), '*Servers* one alert each'],
  [
    'one stands out',
    (n: number) => ({ serverName: n < 5 ? 'web-0' : `web-${n}` }),
    '*Worst servers* web-0 ×5 and 25 with one',
  ],
])('servers are named where they have more than others: %s', (_, over, line) => {
  expect(words(storm(many(30, over)))[1]).toContain(`\n${line}`)
})

test('what happened once is counted beside what is open', () => {
  const card = storm(many(30, (n) => (n < 10 ? { state: 'oneoff' } : {})))
  expect(words(card)[1]).toContain('\n🔵 And 10 one-off alerts')
})

test('within one minute there is one time to tell', () => {
  expect(words(storm(many(30)))[3]).toBe(`Since ${local(startedMs)} · all are listed in the thread`)
})

test('its buttons say which card it is, and that no alert of it is meant alone', () => {
  const block = render(storm(many(5))).blocks.find(({ type }) => type === 'actions')
  expect(parseStamp(block?.block_id ?? '')).toEqual({ cardId: 'storm:1:C1', version: 4, alertId: null })
})

test('a thousand alerts on as many servers fit', () => {
  const card = storm(
    many(1_000, (n) => ({
      hostname: `${n}`,
      serverName: `&<>`.repeat(100) + n,
      plugin: '&<>'.repeat(100) + n,
    })),
  )
  expect(words(card)[0]).toBe('🔴 *1000 alerts came at once, all open on 1000 servers*')
  expect(render(card).text.length).toBeLessThanOrEqual(4_000)
})

test('one-offs that came with alerts that have closed were told by no word of the card', () => {
  const closed = anAlert('1', { state: 'closed', closedMs: startedMs + minuteMs, closedBy: 'record' })
  const oneoffs = ['2', '3', '4'].map((alertId) => anAlert(alertId, { state: 'oneoff' }))
  const stamp = { cardId: 'storm:1:C1', version: 1 }
  const alerts = [closed, ...oneoffs]
  const card = { kind: 'storm', stamp, alerts, mention: null, mutes: [] } as const
  expect(words(card)).toEqual([
    '🟢 *The alert that came has closed* after 1 min · 3 one-off alerts came as well',
  ])
  expect(render(card).text).toContain('3 one-off alerts came as well')
})
