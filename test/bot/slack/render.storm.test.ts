/** The card of many alerts: what one glance at it tells, and what can be pressed. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { parseStamp } from '../../../src/bot/slack/vocabulary.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { ago, aMute, local, minuteMs, startedMs, words } from './card-views.ts'

type StormView = CardView<'summary' | 'storm'>

const buttons = '[Acknowledge all] [Mute servers… ▾] [Hand to…] [Drop marker…] [Mute account…]'

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
    '🔴 *85 × CPU above 90 %, Disk full in 4 h on web-∗ (7 servers) · 90 fired at once*',
    [
      '*What* CPU ×57, Disk / ×28',
      '*Why* CPU above 90 % ×57, Disk full in 4 h ×28',
      '*Roles* web ×85, edge ×28',
      '*Worst servers* web-5 ×13, web-0 ×12, web-1 ×12, web-2 ×12 and 3 more',
    ].join('\n'),
    '👀 All unacknowledged',
    `Oldest since ${local(startedMs + 5_000)}, newest since ${local(startedMs + 89_000)} · all are listed in the thread · <!here>`,
    buttons,
  ])
  expect(render(card).text.split('\n')).toEqual([
    '🔴 85 × CPU above 90 %, Disk full in 4 h on web-∗ (7 servers) · 90 fired at once',
    '👀 All unacknowledged',
    'Oldest since 2026-11-21 03:00 UTC, newest since 2026-11-21 03:01 UTC · all are listed in the thread · <!here>',
    'What CPU ×57, Disk / ×28',
    'Why CPU above 90 % ×57, Disk full in 4 h ×28',
    'Roles web ×85, edge ×28',
    'Worst servers web-5 ×13, web-0 ×12, web-1 ×12, web-2 ×12 and 3 more',
  ])
})

const mixed = 'CPU above 90 %, Disk full in 4 h on web-∗ (7 servers)'

test.each([
  ['all open', storm(many(30)), `🔴 *30 × ${mixed}*`],
  ['found open', storm(many(30), { kind: 'summary' }), `🔴 *30 × ${mixed} · found open*`],
  [
    'some of those found open',
    storm(
      many(30, (n) => (n > 0 ? closed(n) : {})),
      { kind: 'summary' },
    ),
    '🔴 *1 × Disk full in 4 h on web-0 · 30 found open*',
  ],
  [
    'what only happened is no open alert',
    storm(many(30, (n) => (n < 10 ? { state: 'oneoff' } : {}))),
    `🔴 *20 × ${mixed}*`,
  ],
  ['one alone', storm(many(1), { kind: 'summary' }), '🔴 *1 × Disk full in 4 h on web-0 · found open*'],
])('its one bold line: %s', (_, card, line) => {
  expect(words(card)[0]).toBe(line)
})

const endMs = startedMs + 25 * minuteMs
const took = `${local(startedMs)} – ${local(endMs)} (25 min)`
const why = 'CPU above 90 % ×20, Disk full in 4 h ×10'

test.each([
  [
    'all closed',
    storm(many(30, closed)),
    `🟢 *Storm over: 30 alerts*, ${why}, ${took} · nobody had it · median time to close 24 min`,
  ],
  [
    'for one reason, and two people had it',
    storm(
      many(199, (n) => ({
        ...closed(0),
        startedMs: startedMs,
        title: `Timeouts met or exceeded 5.00, increasing to ${n}.50`,
        ackedBy: n < 3 ? 'U2' : n < 150 ? 'U1' : null,
      })),
    ),
    `🟢 *Storm over: 199 alerts*, Timeouts, ${local(startedMs)} – ${local(endMs)} (25 min) · <@U1> had 147, <@U2> 3 of 199 · median time to close 25 min`,
  ],
  [
    'all that were found',
    storm(many(30, closed), { kind: 'summary' }),
    `🟢 *All 30 alerts that were found open have closed*, ${why}, ${took} · nobody had it · median time to close 24 min`,
  ],
  [
    'one alone',
    storm(many(1, closed), { kind: 'summary' }),
    `🟢 *The alert that was found open has closed*, Disk full in 4 h, ${local(startedMs)} – ${local(endMs)} (25 min) · nobody had it`,
  ],
  [
    'closed, and nobody knows when; who had it handed it back before',
    storm(many(4, () => ({ state: 'closed', closedMs: null, ackedBefore: 'U1' }))),
    '🟢 *Storm over: 4 alerts*, CPU above 90 % ×2, Disk full in 4 h ×2 · <@U1> had all',
  ],
  [
    'no longer reported, so that nobody said that they closed',
    storm(many(4, (n) => (n === 1 ? closed(n) : { state: 'unreported' }))),
    '⚪ *None of the 4 alerts that fired at once is listed as open any more* · nobody had it',
  ],
  ['only happened', storm(many(5, () => ({ state: 'oneoff' }))), '🔵 *5 one-off alerts fired at once*'],
])(
  'once nothing is open it is one line, with buttons once all is known to have closed: %s',
  (_, card, line) => {
    const buttons = line.startsWith('🟢') ? ['[👍 Useful] [👎 Noise] [Timeline]'] : []
    expect(words(card)).toEqual([line, ...buttons])
    expect(render(card).text).toBe(line.replaceAll('*', '').replace(/<!date[^|]*\|([^>]*)>/g, '$1'))
  },
)

test.each([
  ['all alike', (): Partial<Alert> => ({}), `🔴 *30 × ${mixed}*`],
  ['all critical', (): Partial<Alert> => ({ severity: 'critical' }), `🚨 *30 × ${mixed} · all critical*`],
  [
    'mixed',
    (n: number): Partial<Alert> => ({ severity: n < 12 ? 'critical' : n < 15 ? 'info' : 'warning' }),
    `🚨 *30 × ${mixed} · 12 critical, 3 info*`,
  ],
  [
    'none of them critical any more',
    (n: number): Partial<Alert> => (n < 12 ? { ...closed(n), severity: 'critical' } : { severity: 'info' }),
    `🟡 *18 × ${mixed} · 30 fired at once*`,
  ],
])('its one bold line says how bad those are that are open: %s', (_, over, line) => {
  const card = storm(many(30, over))
  expect(words(card)[0]).toBe(line)
  expect(render(card).text.split('\n')[0]).toBe(line.replaceAll('*', ''))
})

test('of a few that are open the critical ones stand first', () => {
  const card = storm(many(30, (n) => (n < 3 ? { severity: n === 2 ? 'critical' : 'info' } : closed(n))))
  const [first, second] = words(card)[1]?.split('\n') ?? []
  expect(first).toMatch(/^🚨 CRITICAL .*web-2>\* CPU/)
  expect(second).toMatch(/^🟡 /)
})

test.each([
  [
    'numbers that differ',
    (n: number) => `Timeouts met or exceeded 5.00, increasing to ${n}.${n}0`,
    'Timeouts ×30',
  ],
  [
    'the low side',
    (n: number) => `Disk free met or fell below ${n} MB, decreasing to 3 MB`,
    'Disk free below limit ×30',
  ],
  ['other words', (n: number) => `CPU is ${n}.5% busy`, 'CPU is … busy ×30'],
  ['the name of the server', (n: number) => `web-${n % 7} cannot be reached`, '… cannot be reached ×30'],
  ['nothing', () => 'Disk full in 4 h', 'Disk full in 4 h ×30'],
  ['a name with a number', (n: number) => `/mnt/${n % 2} is full`, '/mnt/0 is full ×15, /mnt/1 is full ×15'],
  ['no title at all', () => '', 'Disk / ×30'],
  ['hostile words', (n: number) => `<!here> ${n} & *bold*`, '&lt;!here&gt; … &amp; ∗bold∗ ×30'],
])('reasons are told by their words, whatever differs: %s', (_, titleOf, line) => {
  const card = storm(many(30, (n) => ({ title: titleOf(n), plugin: 'Disk /' })))
  expect(words(card)[1]?.split('\n')[1]).toBe(`*Why* ${line}`)
})

test('names that are as frequent stand in the order in which people count', () => {
  const card = storm(many(48, (n) => ({ serverName: `web-${[10, 2, 1, 100, 3, 20][n % 6]}` })))
  expect(words(card)[1]).toContain('*Worst servers* web-1 ×8, web-2 ×8, web-3 ×8, web-10 ×8 and 2 more')
})

describe('who is on it', () => {
  test.each([
    ['one of some', (n: number) => (n < 12 ? 'U1' : null), '👀 12 of 30 acknowledged: <@U1>'],
    [
      'two',
      (n: number) => (n < 12 ? (n < 4 ? 'U2' : 'U1') : null),
      '👀 12 of 30 acknowledged: <@U1> 8, <@U2> 4',
    ],
    ['one of all', () => 'U1', '👀 All acknowledged: <@U1>'],
  ])('%s', (_, ackedBy, line) => {
    const card = storm(many(30, (n) => ({ ackedBy: ackedBy(n), ackedMs: startedMs })))
    expect(words(card)[2]).toBe(line)
  })

  test('where somebody is on each there is nothing left to acknowledge', () => {
    const card = storm(many(30, () => ({ ackedBy: 'U1', ackedMs: startedMs })))
    expect(words(card).at(-1)).toBe(buttons.replace('[Acknowledge all]', '[Take over] [Hand back]'))
  })
})

describe('what is muted', () => {
  const untilMs = startedMs + 60 * minuteMs
  const mutes = (count: number) =>
    Array.from({ length: count }, (_, n) => aMute({ muteId: `m${n}`, subject: `web-${n}` }))
  test.each([
    ['some', mutes(3), `🔕 3 of 7 servers are muted until ${local(untilMs)} by <@U2> — deploying`],
    ['all', mutes(7), `🔕 All 7 servers are muted until ${local(untilMs)} by <@U2> — deploying`],
    ['one', mutes(1), `🔕 1 of 7 servers is muted until ${local(untilMs)} by <@U2> — deploying`],
    [
      'by two people',
      [...mutes(2), aMute({ subject: 'web-5', userId: 'U1', untilMs: untilMs - minuteMs })],
      `🔕 3 of 7 servers are muted, the first of them until ${local(untilMs - minuteMs)}`,
    ],
    [
      'the account',
      [...mutes(2), aMute({ subject: null })],
      `🔕 The whole account is muted until ${local(untilMs)} by <@U2> — deploying`,
    ],
  ])('%s', (_, muted, line) => {
    const card = storm(many(30), { mutes: muted })
    expect(words(card)[2]).toBe(`👀 All unacknowledged\n${line}`)
    expect(render(card).text.split('\n')[2]).toBe(
      line.replaceAll('*', '').replace(/<!date[^|]*\|([^>]*)>/g, '$1'),
    )
  })
})

test('a few that are open are shown themselves', () => {
  const card = storm(many(30, (n) => (n < 3 ? {} : closed(n))))
  expect(words(card)[1]?.split('\n')).toEqual([
    `🔴 *<https://monitor.example/a/1|web-0>* Disk /: last minute *3.5* — Disk full in 4 h · ${ago(startedMs)} · unacknowledged · #0`,
    expect.stringContaining('|web-1>* CPU'),
    expect.stringContaining('|web-2>* CPU'),
  ])
  expect(render(card).text).toContain(
    '\n🔴 web-2 CPU: last minute 3.5 — CPU above 90 % · since 2026-11-21 03:00 UTC · unacknowledged · #2',
  )
})

test.each([
  [
    'one stands out',
    (n: number) => ({ serverName: n < 5 ? 'web-0' : `web-${n}` }),
    '*Worst servers* web-0 ×5 and 25 with one',
  ],
])('servers are named where they have more than others: %s', (_, over, line) => {
  expect(words(storm(many(30, over)))[1]).toContain(`\n${line}`)
  const alike = words(storm(many(30, (n) => ({ serverName: `web-${n}` }))))[1]
  expect(alike).not.toMatch(/servers/i)
})

test('what happened once is counted beside what is open', () => {
  const card = storm(many(30, (n) => (n < 10 ? { state: 'oneoff' } : {})))
  expect(words(card)[1]).toContain('\n🔵 +10 one-offs: web-0 Disk /, web-1 CPU and 8 more')
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
  expect(words(card)[0]).toEqual(expect.stringMatching(/^🔴 \*1000 × .* on .*… \(1000 servers\)\*$/))
  expect(render(card).text.length).toBeLessThanOrEqual(4_000)
})

test('one-offs that came with alerts that have closed were told by no word of the card', () => {
  const closed = anAlert('1', { state: 'closed', closedMs: startedMs + minuteMs, closedBy: 'record' })
  const oneoffs = ['2', '3', '4'].map((alertId) => anAlert(alertId, { state: 'oneoff' }))
  const stamp = { cardId: 'storm:1:C1', version: 1 }
  const alerts = [closed, ...oneoffs]
  const card = { kind: 'storm', stamp, alerts, mention: null, mutes: [] } as const
  expect(words(card)).toEqual([
    `🟢 *Storm over: 1 alert*, Last minute, ${local(startedMs)} – ${local(startedMs + minuteMs)} (1 min) · nobody had it · +3 one-offs: web-2 Load Average, web-3 Load Average and 1 more`,
    '[👍 Useful] [👎 Noise] [Timeline]',
  ])
  expect(render(card).text).toContain('+3 one-offs: web-2 Load Average, web-3 Load Average and 1 more')
})
