/** An alert's card in each of its states: what one glance tells, and what can be pressed. */
import type { KnownBlock } from '@slack/types'
import { expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'

import { render } from '../../../src/bot/slack/render/render.ts'
import { actions, parseStamp } from '../../../src/bot/slack/vocabulary.ts'
import { type AlertView, ago, aMute, anEntry, local, minuteMs, startedMs, view, words } from './card-views.ts'

const line = '🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3)'
const headlineBy = (who: string) => `${line} · ${ago(startedMs)} · ${who}`
const headline = headlineBy('unacknowledged')
const file = { fileId: 'F01234567', attempts: 0 } as const

function actionsOf(card: CardView): Extract<KnownBlock, { type: 'actions' }> {
  const block = render(card).blocks.find((one) => one.type === 'actions')
  if (block?.type !== 'actions') throw new Error('the card has no actions')
  return block
}

test('an open alert: one bold line, the context, the picture, what can be pressed', () => {
  const card = view(
    { roles: ['web', 'edge'] },
    { timesThisWeek: 4, picture: file, mention: '<!subteam^S123>', notes: 2 },
  )
  expect(words(card)).toEqual([
    headline,
    `Started ${local(startedMs)} · roles web, edge · 4th this week · 2 notes in the thread · #1 · <!subteam^S123>`,
    'image',
    '[Acknowledge] [Mute… ▾] [Chart] [⋯]',
  ])
  const { text } = render(card)
  for (const part of [
    '🔴 web-1 Load Average: last minute 3.5 (limit 3) · since 2026-11-21 03:00 UTC · unacknowledged',
    'roles web, edge · 4th this week · 2 notes in the thread · #1',
  ]) {
    expect(text).toContain(part)
  }
  expect(text.split('<!subteam^S123>')).toHaveLength(2)
})

test.each([
  ['critical', 'open', '🚨 CRITICAL '],
  ['warning', 'open', '🔴 '],
  ['info', 'open', '🟡 '],
  ['critical', 'oneoff', '🔵 CRITICAL '],
  ['info', 'oneoff', '🔵 '],
  ['critical', 'closed', '🟢 '],
  ['critical', 'unreported', '⚪ '],
] as const)('%s and %s begins with %s, in blocks and in the text', (severity, state, mark) => {
  const card = view({ severity, state })
  expect(words(card)[0]).toMatch(new RegExp(`^${mark}\\*`))
  expect(render(card).text.startsWith(mark)).toBe(true)
})

test('two links stand as buttons, and the others below them', () => {
  const links = ['Runbook', 'Dashboard', 'Logs', 'A *bold* <!here>'].map((text, n) => ({
    text,
    url: `https://wiki.example/${n}`,
  }))
  const card = view({}, { links })
  expect(words(card).slice(2)).toEqual([
    '[Acknowledge] [Mute… ▾] [Chart] [Runbook] [Dashboard] [⋯]',
    '<https://wiki.example/2|Logs> · <https://wiki.example/3|A ∗bold∗ &lt;!here&gt;>',
  ])
  const [runbook, dashboard] = actionsOf(card).elements.filter((element) => 'url' in element)
  expect(runbook).toMatchObject({ action_id: 'open:1', url: 'https://wiki.example/0' })
  expect(dashboard).toMatchObject({
    action_id: 'open:2',
    accessibility_label: 'Dashboard: Load Average on web-1',
  })
  expect(words(view({ state: 'closed' }, { links })).join()).not.toContain('wiki')
})

test('who cannot see the picture of a critical alert is told that it is critical', () => {
  const altOf = (over: Partial<Alert>) =>
    render(view(over, { picture: file })).blocks.flatMap((block) =>
      block.type === 'image' ? [block.alt_text] : [],
    )
  expect(altOf({ severity: 'critical' })[0]).toMatch(/^Critical: /)
  expect(altOf({ severity: 'warning' })[0]).toMatch(/^Load Average/)
})

test.each<[string, Partial<Alert>, Partial<AlertView>, string[], string]>([
  [
    'muted for a time',
    {},
    { mute: aMute() },
    [`🔕 Muted by <@U2> until ${local(startedMs + 60 * minuteMs)} — deploying`],
    '[Acknowledge] [Unmute] [Chart] [⋯]',
  ],
  [
    'muted until it is healthy, without a reason',
    {},
    { mute: aMute({ mode: 'healthy', reason: '' }) },
    [`🔕 Muted by <@U2> until healthy for 15 min (max ${local(startedMs + 60 * minuteMs)})`],
    '[Acknowledge] [Unmute] [Chart] [⋯]',
  ],
  [
    'muted until somebody unmutes it',
    {},
    { mute: aMute({ mode: 'open', untilMs: null }) },
    ['🔕 Muted by <@U2> until somebody unmutes it — deploying'],
    '[Acknowledge] [Unmute] [Chart] [⋯]',
  ],
  [
    'muted with the account, so that the server can only be muted further',
    {},
    { mute: aMute({ subject: null }) },
    [`🔕 Whole account muted by <@U2> until ${local(startedMs + 60 * minuteMs)} — deploying`],
    '[Acknowledge] [Mute… ▾] [Chart] [⋯]',
  ],
  [
    'a mute that is being ended',
    {},
    { mute: aMute({ state: 'ended', confirmation: 'waiting' }) },
    ['🔕 Muted by <@U2> · ending: notifications are being switched on again'],
    '[Acknowledge] [Mute… ▾] [Chart] [⋯]',
  ],
  [
    'acknowledged and muted',
    { ackedBy: 'U1', ackedMs: startedMs },
    { mute: aMute({ mode: 'open', untilMs: null, reason: '' }) },
    ['🔕 Muted by <@U2> until somebody unmutes it'],
    '[Take over] [Unmute] [Chart] [⋯]',
  ],
])('an open alert, %s', (_, over, more, state, pressable) => {
  const card = view(over, more)
  const [first, , stateLine, last] = words(card)
  const { ackedBy = null } = over
  const owned = ackedBy === null ? headline : headlineBy(`👀 <@${ackedBy}>`)
  expect([first, stateLine, last]).toEqual([owned, state.join('\n'), pressable])
  const spoken = state.map((one) => one.replace(/<!date[^|]*\|([^>]*)>/g, '$1'))
  for (const one of spoken) expect(render(card).text).toContain(one)
})

test('who has it stands in the headline, and since when beside it', () => {
  const card = view({ ackedBy: 'U1', ackedMs: startedMs + 2 * minuteMs })
  expect(words(card)).toEqual([
    headlineBy('👀 <@U1>'),
    `Started ${local(startedMs)} · acknowledged ${local(startedMs + 2 * minuteMs)} · #1`,
    '[Take over] [Mute… ▾] [Chart] [⋯]',
  ])
  expect(render(card).text).toContain(' · 👀 <@U1> · acknowledged 2026-11-21 03:02 UTC · ')
})

test('what is pressed carries the card, the version that was seen, and the alert', () => {
  const { block_id: blockId, elements } = actionsOf(view({ alertId: '42' }, { mute: aMute() }))
  expect(parseStamp(blockId ?? '')).toEqual({ cardId: 'alert:1:C1', version: 3, alertId: '42' })
  const buttons = elements.filter((one) => one.type === 'button')
  expect(buttons.map((one) => [one.action_id, one.value, one.accessibility_label])).toEqual([
    [actions.acknowledge, '42', 'Acknowledge Load Average on web-1'],
    [actions.unmuteServer, expect.stringMatching(/^mute:m1:\d+:\d*\|$/), 'Unmute web-1'],
    [actions.showChart, '42', 'Chart of Load Average on web-1'],
  ])
})

test('an alert that flaps says so, up to the newest time that it opened', () => {
  const flaps = { times: 6, sinceMs: startedMs - 40 * minuteMs }
  expect(words(view({}, { flaps }))[1]).toContain(' · reopened 5 times in 40 min · #1')
  // The same record, listed again with the same time.
  const again = { times: 3, sinceMs: startedMs }
  const seen = view({ firstSeenMs: startedMs + 5 * minuteMs }, { flaps: again })
  expect(words(seen)[1]).toContain(' · reopened twice in 5 min · #1')
})

test('an alert without a metric has no chart to show', () => {
  expect(words(view({ metric: null })).at(-1)).toBe('[Acknowledge] [Mute… ▾] [⋯]')
})

test.each<[string, Partial<Alert>, string]>([
  ['its own record', { closedMs: startedMs + 12 * minuteMs, closedBy: 'record' }, 'closed after 12 min'],
  ['absence', { closedMs: startedMs + 12 * minuteMs, closedBy: 'absence' }, 'closed after about 12 min'],
  [
    'a start that the API did not tell',
    { closedMs: startedMs + 12 * minuteMs, closedBy: 'record', firstSeenMs: startedMs },
    'closed after at least 12 min',
  ],
  ['an end at a time unknown', { closedMs: null, closedBy: 'record' }, 'closed'],
  [
    'an end between two polls',
    { closedMs: startedMs + 9_000, closedBy: 'record', firstSeenMs: startedMs + 9_000 },
    'opened and closed within 9 s',
  ],
])('a closed alert about which nobody did anything is one green line: by %s', (_, over, expected) => {
  const card = view(
    { state: 'closed', firstSeenMs: startedMs + 5_000, ...over },
    { mention: '<!here>', mute: aMute() },
  )
  expect(words(card)).toEqual([
    `🟢 *<https://monitor.example/a/1|web-1>* Load Average: last minute ${expected} · opened at 3.5 (limit 3)`,
    '[👍 Useful] [👎 Noise] [Timeline]',
  ])
  expect(render(card).text).toBe(
    `🟢 web-1 Load Average: last minute ${expected} · opened at 3.5 (limit 3) · #1`,
  )
})

test('a closed alert shows its episode, and who did what', () => {
  const closed = { state: 'closed', closedMs: startedMs + 30 * minuteMs, closedBy: 'record' } as const
  const timeline = [
    anEntry({ act: 'acknowledge', alertId: '1', atMs: startedMs + 2 * minuteMs }),
    // The API confirmed it after 20 s.
    anEntry({
      userId: 'U2',
      atMs: startedMs + 20_000,
      detail: { mode: 'timed', untilMs: startedMs + 60 * minuteMs },
    }),
    anEntry({ act: 'add_roles', detail: { roles: ['db'] } }),
    anEntry({ act: 'add_note', alertId: '1', detail: { text: 'looking' } }),
    anEntry({ act: 'end_mute', userId: null }),
  ]
  const flaps = { times: 3, sinceMs: startedMs }
  const ack = { ackedBy: 'U1', ackedMs: startedMs + 2 * minuteMs }
  const card = view({ ...closed, ...ack }, { picture: file, timeline, flaps, notes: 2 })
  const [, picture, did] = words(card)
  expect([picture, did]).toEqual([
    'image',
    'Reopened twice in 30 min · acknowledged by <@U1> after 2 min · muted 1 h by <@U2> · role db added by <@U1> · 2 notes in the thread · #1',
  ])
  expect(render(card).text).toContain('reopened twice in 30 min · acknowledged by <@U1> after 2 min')
  // More may have happened than a card tells of: who had it is told in any case.
  expect(words(view({ ...closed, ...ack }))[1]).toBe('Acknowledged by <@U1> after 2 min · #1')
})

test('an alert that is no longer reported does not claim that it closed', () => {
  expect(words(view({ state: 'unreported' }))).toEqual([
    expect.stringMatching(/^⚪ .* is no longer reported after 30 days; nobody said/),
  ])
})

test('a one-off happened; it did not start', () => {
  const [headline, context] = words(
    view({ state: 'oneoff', value: null, metric: null, title: 'backup finished' }),
  )
  expect(headline).toBe(
    `🔵 *<https://monitor.example/a/1|web-1>* Load Average — backup finished · ${ago(startedMs).replace('opened', 'happened').replace('since', 'at')}`,
  )
  expect(context).toMatch(/^Happened /)
})

test('what else is open on the server and how long ago the same was over stand below, a line each', () => {
  const other = (over: Partial<Alert>) => view({ hostname: 'web-1', ...over }).alert
  const alsoOpen = [
    other({ alertId: '2', plugin: 'Disk /', metric: 'disk_used_percent', value: 95, title: 'Disk /: used' }),
    other({ alertId: '3', plugin: '<!here>', metric: null, value: null, title: 'x' }),
    other({ alertId: '4' }),
    other({ alertId: '5' }),
  ]
  const before = other({
    state: 'closed',
    startedMs: startedMs - 600 * minuteMs,
    closedMs: startedMs - 560 * minuteMs,
  })
  const card = view({}, { alsoOpen, lastTime: { alert: before, note: 'log <rotation>' } })
  expect(words(card).slice(2, 4)).toEqual([
    'Also open on web-1: Disk /: used 95 %, &lt;!here&gt;, Load Average: last minute 3.5 and 1 more',
    `Previous: <!date^${(startedMs - 560 * minuteMs) / 1000}^{ago}|2026-11-20 17:40 UTC>, lasted 40 min, "log &lt;rotation&gt;"`,
  ])
  expect(render(card).text).toContain('Previous: 2026-11-20 17:40 UTC, lasted 40 min, "log &lt;rotation&gt;"')
})

test('a closed card says what was written about it last', () => {
  const closed = { state: 'closed', closedMs: startedMs + 40 * minuteMs, closedBy: 'record' } as const
  expect(words(view(closed, { lastNote: 'log rotation', notes: 1 }))[1]).toBe(
    '1 note in the thread · last note: "log rotation" · #1',
  )
})
