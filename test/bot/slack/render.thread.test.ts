/** What stands beside an alert's card: changes told to everyone, notes, and how a mute ends. */
import { describe, expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import type { Act, AuditEntry } from '../../../src/bot/domain/request/audit.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { ago, aMute, anEntry, local, minuteMs, startedMs, words } from './card-views.ts'

const untilMs = startedMs + 60 * minuteMs
const until = `until ${local(untilMs)}`
const timed = { mode: 'timed', untilMs, reason: 'deploying' } as const

const planned = {
  plannedId: 'p1',
  rule: { is: 'weekly', days: [2], nth: null, minute: 120, length: { untilMinute: 240 } },
  zone: 'Europe/Berlin',
  fromMs: startedMs,
  untilMs,
  reason: 'deploying',
} as const
const inWindow = `from ${local(startedMs)} to ${local(untilMs)}`

type Told = readonly [over: Partial<AuditEntry>, line: string]

/** A line or two for everything that can be told: an act without one does not compile. */
const told = {
  mute_server: [
    [{ detail: timed }, `🔕 <@U1> muted *web-1* ${until} — deploying`],
    [
      { hostname: null, detail: { ...timed, reason: '', names: ['web-1', 'web-2'] } },
      `🔕 <@U1> muted *2 servers* (web-1, web-2) ${until}`,
    ],
    [{ detail: { mode: 'open' } }, '🔕 <@U1> muted *web-1* until somebody unmutes it'],
    [
      { detail: { ...timed, plannedId: 'p1', left: ['web-2'] } },
      `🔕 <@U1> muted *web-1* ${until}, as planned — deploying\nMuted for longer already, and left so: web-2`,
    ],
    [
      { detail: { ...timed, plannedId: 'p1', alerts: 2 } },
      `🔕 <@U1> muted *web-1* ${until}, as planned, which hides 2 open alerts — deploying`,
    ],
    [
      { userId: null, detail: { ...timed, plannedId: 'p1' } },
      `🔕 The policy muted *web-1* ${until}, as planned — deploying`,
    ],
  ],
  unmute_server: [[{}, '🔔 <@U1> unmuted *web-1*: notifications are on again']],
  mute_account: [
    [
      { hostname: null, detail: timed },
      `🔕 <@U1> muted the whole account: notifications of all servers are off ${until} — deploying`,
    ],
  ],
  unmute_account: [[{ hostname: null }, '🔔 <@U1> unmuted the whole account: notifications are on again']],
  extend_mute: [
    [{ detail: { mode: 'timed', untilMs } }, `🔕 <@U1> extended the mute of *web-1*: muted ${until}`],
  ],
  undo_mute: [
    [{}, '🔔 <@U1> undid the mute of *web-1*: notifications are on again'],
    [{ detail: timed }, `🔕 <@U1> undid the last change of the mute of *web-1*: muted ${until} — deploying`],
  ],
  add_roles: [[{ detail: { roles: ['db', 'edge'] } }, '🏷️ <@U1> added roles db, edge to *web-1*']],
  add_marker: [[{ hostname: null, detail: { text: 'deploy 12' } }, '📍 <@U1> dropped a marker: deploy 12']],
  acknowledge: [[{ alertId: '7' }, '👀 <@U1> acknowledged #7 on *web-1*']],
  take_over: [
    [{ alertId: '7', detail: { owner: 'U2' } }, '👀 <@U1> took #7 on *web-1* over from <@U2>'],
    [{ alertId: '7' }, '👀 <@U1> acknowledged #7 on *web-1*'],
    [{ hostname: null, detail: { owner: 'U2', alerts: 3 } }, '👀 <@U1> took 3 alerts over from <@U2>'],
  ],
  hand_to: [
    [{ alertId: '7', detail: { to: 'U2' } }, '👋 <@U1> handed #7 on *web-1* to <@U2>'],
    [
      { alertId: '7', detail: { to: 'U2', owner: 'U3', text: 'on my way to bed' } },
      '👋 <@U1> handed #7 on *web-1* from <@U3> to <@U2>: on my way to bed',
    ],
    [
      { hostname: null, alertId: null, detail: { to: 'U2', alerts: 12 } },
      '👋 <@U1> handed 12 alerts to <@U2>',
    ],
  ],
  not_reached: [
    [
      { userId: null, outcome: 'failed', why: 'user_disabled', detail: { to: 'U2' } },
      '⚠️ <@U2> got no direct message from monbot: their account is deactivated. Tell them another way.',
    ],
    [
      { userId: null, outcome: 'failed', why: 'messages_tab_disabled', detail: { to: 'U2' } },
      '⚠️ <@U2> got no direct message from monbot: Slack refused it (messages_tab_disabled). Tell them another way.',
    ],
  ],
  unacknowledge: [
    [{ alertId: '7', detail: { owner: 'U1' } }, '↩️ <@U1> handed #7 on *web-1* back: nobody is on it now'],
    [
      { alertId: '7', detail: { owner: 'U2' } },
      '↩️ <@U1> handed #7 on *web-1* back for <@U2>: nobody is on it now',
    ],
  ],
  still_on_it: [[{ alertId: '7', detail: { owner: 'U1' } }, '👀 <@U1> is still on #7 on *web-1*']],
  acknowledge_all: [[{ hostname: null, detail: { alerts: 30 } }, '👀 <@U1> acknowledged 30 alerts']],
  add_note: [[{ alertId: '7', detail: { text: 'hm' } }, '📝 <@U1> wrote about #7 on *web-1*: hm']],
  post_timeline: [[{ alertId: '7' }, '📄 <@U1> made a timeline of #7 on *web-1*']],
  rate_alert: [
    [{ alertId: '7', detail: { verdict: 'noise' } }, '👎 <@U1> called #7 on *web-1* noise'],
    [{ alertId: '7', detail: { verdict: 'useful' } }, '👍 <@U1> called #7 on *web-1* useful'],
  ],
  report: [[{ userId: null, hostname: null }, '📊 monbot posted the report']],
  set_no_data: [
    [{ detail: { group: 'DBA' } }, '📨 <@U1> changed who is notified when *web-1* sends no data: DBA'],
    [
      { outcome: 'unknown', detail: { group: 'DBA' } },
      '📨 <@U1> changed who is notified when *web-1* sends no data: DBA (the monitoring API gave no clear answer: whether it was done is not known)',
    ],
  ],
  end_silence: [
    [
      { hostname: null, detail: { owner: 'ben', alerts: 3, text: 'pod=~"a.+" x="<!here>"' } },
      '🔔 <@U1> ended the silence by ben of 3 open alerts: `pod=∼"a.+" x="&lt;!here&gt;"`',
    ],
    [
      { hostname: null, detail: { alerts: 1, text: 'a="b"' } },
      '🔔 <@U1> ended the silence of 1 open alert: `a="b"`',
    ],
  ],
  delete_server: [[{}, '🗑️ <@U1> deleted the server *web-1*']],
  delete_metrics: [
    [{ hostname: null, detail: { names: ['a', 'b'] } }, '🗑️ <@U1> deleted 2 custom metrics: a, b'],
  ],
  end_mute: [
    [{ userId: null }, '🔔 The mute of *web-1* has ended: notifications are on again'],
    [
      { userId: null, hostname: null, detail: { ...timed, owner: 'U2', names: ['web-1', 'web-2'] } },
      '🔔 The mutes of *2 servers* (web-1, web-2) have ended: notifications are on again',
    ],
    [
      { userId: null, outcome: 'unknown', why: 'unknown_server' },
      '🔔 The mute of *web-1* is over: the monitoring API no longer knows the server, so whether notifications are on is not known.',
    ],
  ],
  repeat_switch: [
    [
      { userId: null, outcome: 'failed', detail: { answer: 'it said no' } },
      '⚠️ *web-1* may be silent, though it is not muted; retrying (it said no)',
    ],
    [
      { userId: null, hostname: null, outcome: 'unknown', detail: { muteId: 'm1' } },
      '⚠️ The whole account may notify, though it is muted; retrying',
    ],
  ],
  mute_alert: [
    [
      { alertId: '7', detail: { ...timed, alert: 'Disk on web-1' } },
      `🔕 <@U1> muted *Disk on web-1* until ${local(untilMs)} — deploying`,
    ],
    [
      { alertId: '7', detail: { mode: 'healthy', alert: 'Disk on web-1' } },
      '🔕 <@U1> muted *Disk on web-1* until healthy for 10 min',
    ],
    [
      { hostname: null, detail: { mode: 'open', alert: 'namespace="pay"' } },
      '🔕 <@U1> muted *namespace="pay"* until somebody unmutes it',
    ],
  ],
  unmute_alert: [
    [
      { alertId: '7', detail: { alert: 'Disk on web-1' } },
      '🔔 <@U1> unmuted *Disk on web-1*: it notifies again',
    ],
    [
      { alertId: '7', detail: { alert: 'Disk on web-1', serverMuted: { untilMs } } },
      `🔔 <@U1> unmuted *Disk on web-1*: it stays silent, as its server is muted until ${local(untilMs)}`,
    ],
  ],
  plan_mute: [
    [
      { hostname: null, detail: { ...planned, names: ['web-?'] } },
      `🗓️ <@U1> planned a mute of \`web-?\` ${inWindow}, every Tue 02:00–04:00 (Europe/Berlin) — deploying`,
    ],
    [
      { userId: null, detail: { ...planned, rule: { is: 'once', startMs: startedMs, endMs: untilMs } } },
      `🗓️ The policy planned a mute of *web-1* ${inWindow} — deploying`,
    ],
  ],
  skip_planned: [
    [{ detail: planned }, `⏭️ <@U1> skipped the planned mute of *web-1* ${inWindow}: nothing is muted then`],
  ],
  cancel_planned: [
    [
      { hostname: null, detail: planned },
      '🗓️ <@U1> cancelled the planned mute of the whole account, every Tue 02:00–04:00 (Europe/Berlin)',
    ],
    [
      { userId: null, detail: planned },
      '🗓️ The policy plans no mute of *web-1* any more, every Tue 02:00–04:00 (Europe/Berlin)',
    ],
  ],
  planned_soon: [
    [
      { userId: null, outcome: 'nothing', detail: { ...planned, owner: 'U2' } },
      `⏰ <@U2>, the mute of *web-1* that you planned: ${inWindow} — deploying`,
    ],
    [
      { userId: null, outcome: 'nothing', detail: planned },
      `⏰ The mute of *web-1* that the policy plans: ${inWindow} — deploying`,
    ],
  ],
  planned_missed: [
    [
      { userId: null, why: 'missed', detail: planned },
      `⚠️ The planned mute of *web-1* ${inWindow} did not happen: monbot was not running.`,
    ],
    [
      { userId: null, why: 'no_match', hostname: null, detail: { ...planned, names: ['web-?'] } },
      `⚠️ The planned mute of \`web-?\` ${inWindow} did not happen: no server is called so.`,
    ],
    [
      { userId: null, why: 'added_late', detail: planned },
      `⚠️ The planned mute of *web-1* ${inWindow} does not happen: added to the policy after its window began or was skipped.`,
    ],
    [
      { userId: null, why: 'longer', detail: planned },
      `🔕 The planned mute of *web-1* ${inWindow} changes nothing: muted for longer already.`,
    ],
  ],
  mute_expiring: [
    [{ userId: null }, '⏰ The mute of *web-1* ends soon'],
    [
      { userId: null, hostname: null, detail: { ...timed, owner: 'U2', names: ['web-1', 'web-2'] } },
      `⏰ <@U2>, your mutes of *2 servers* (web-1, web-2) end ${local(untilMs)} — deploying\n*Mute servers…* on the card above mutes what is still open.`,
    ],
  ],
  shift_change: [
    [
      {
        userId: null,
        hostname: null,
        detail: {
          shift: {
            now: { name: 'Ben', userId: 'U2' },
            before: { name: 'Ana', userId: 'U1' },
            untilMs,
            unreadSinceMs: null,
          },
        },
      },
      `📟 <@U2> is on call until ${local(untilMs)} · before: <@U1>`,
    ],
    [
      {
        userId: null,
        hostname: null,
        detail: {
          shift: { now: null, before: { name: '*Ana*', userId: null }, untilMs, unreadSinceMs: untilMs },
        },
      },
      `📟 *Nobody is on call* until ${local(untilMs)} · before: *∗Ana∗* (not found in Slack) · last known: the on-call calendar is not readable since ${local(untilMs)}`,
    ],
    [
      {
        userId: null,
        hostname: null,
        detail: { shift: { now: null, before: null, untilMs: null, unreadSinceMs: null } },
      },
      '📟 *Nobody is on call*',
    ],
  ],
} as const satisfies Record<Act, readonly Told[]>

test.each(
  Object.entries<readonly Told[]>(told).flatMap(([act, rows]) => rows.map((row) => [act, ...row] as const)),
)('%s is told in one line: %j', (act, over, line) => {
  const card: CardView = {
    kind: 'notice',
    topic: 'change_notice',
    entry: anEntry({ act: act as Act, ...over }),
  }
  expect(words(card)).toEqual([line])
  expect(render(card).text).toBe(line.replaceAll('*', '').replace(/<!date[^|]*\|([^>]*)>/g, '$1'))
})

test('below the card of the alert itself, the line about it is as short as can be', () => {
  const entry = anEntry({ act: 'acknowledge', alertId: '7' })
  expect(words({ kind: 'notice', topic: 'change_notice', entry, isAlone: true })).toEqual([
    '👀 <@U1> is on it',
  ])
})

describe('a note', () => {
  const noteOf = (text: string): CardView => ({
    kind: 'note',
    note: { noteId: 'n1', alertId: '1', userId: 'U1', atMs: startedMs, text },
    about: null,
  })

  test('stands as it was written, line by line', () => {
    expect(words(noteOf('two things:\n  1 & 2'))).toEqual(['📝 Note by <@U1>', '>two things:\n>1 &amp; 2'])
    expect(render(noteOf('restarted')).text).toBe('📝 Note by <@U1>: restarted')
  })

  test('in a thread about many alerts says which of them it is about', () => {
    const about = anAlert('7', { hostname: 'web-7', serverName: 'web-7' })
    expect(words({ ...noteOf('restarted'), about } as CardView)[0]).toBe(
      '📝 Note by <@U1> on #7, 🔴 web-7 Load Average: last minute 3.5 (limit 3)',
    )
  })

  test('of the greatest length loses nothing', () => {
    const text = 'x'.repeat(3_000)
    expect(words(noteOf(text)).join('').match(/x/g)).toHaveLength(3_000)
  })
})

const open = [
  anAlert('7', { hostname: 'web-1', serverName: 'web-1', startedMs: startedMs + 5 * minuteMs }),
  anAlert('3', { hostname: 'web-1', serverName: 'web-1', startedMs: startedMs - 5 * minuteMs }),
]

describe('a hand-back', () => {
  const handback = (over: Partial<Mute> = {}, more: object = {}): CardView => ({
    kind: 'mute_expiring',
    stamp: { cardId: `handback:m1:${untilMs}`, version: 1 },
    mute: aMute(over),
    open,
    hidden: 4,
    closed: 3,
    oneoffs: [],
    picture: { fileId: 'F01234567', attempts: 0 },
    ...more,
  })

  test('calls the owner, shows what is open and the chart, and asks', () => {
    expect(words(handback())).toEqual([
      [
        `⏰ <@U2>, your mute of *web-1* ends ${local(untilMs)}.`,
        'Open now:',
        ...open.map(
          (alert) =>
            `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(alert.startedMs)} · unacknowledged · #${alert.alertId}`,
        ),
      ].join('\n'),
      `4 alerts came since it began, 3 of them have closed again · muted since ${local(startedMs)} — deploying`,
      'image',
      '[Extend 1 h] [Unmute now]',
    ])
    const { text, blocks } = render(handback())
    expect(text).toContain('<@U2>, your mute of web-1 ends 2026-11-21 04:00 UTC.\nOpen now:\n🔴 web-1 Load')
    expect(blocks.at(-1)).toMatchObject({
      block_id: `card|1||handback:m1:${untilMs}`,
      elements: [
        { action_id: 'extend_mute', value: 'm1', accessibility_label: 'Extend 1 h: the mute of web-1' },
        { action_id: 'unmute_now', value: expect.stringMatching(/^mute:m1:.*\|server:web-1$/) },
      ],
    })
  })

  test('of the account ends the account', () => {
    expect(render(handback({ subject: null })).blocks.at(-1)).toMatchObject({
      elements: [{}, { value: expect.stringMatching(/\|account$/) }],
    })
  })

  test('under which nothing happened says so', () => {
    const card = handback({ reason: '' }, { open: [], hidden: 0, closed: 0, picture: null })
    expect(words(card).slice(0, 2)).toEqual([
      `⏰ <@U2>, your mute of *web-1* ends ${local(untilMs)}.\nNo open alerts.`,
      `No alert came since it began · muted since ${local(startedMs)}`,
    ])
  })

  test.each<[string, Partial<Mute>, string]>([
    [
      'it was extended',
      { untilMs: untilMs + 60 * minuteMs },
      `🔕 The mute of *web-1* goes on until ${local(untilMs + 60 * minuteMs)}.`,
    ],
    [
      'it is open-ended now',
      { mode: 'open', untilMs: null },
      '🔕 The mute of *web-1* goes on until somebody unmutes it.',
    ],
    [
      'it is ending',
      { state: 'ended', confirmation: 'waiting' },
      '🔔 The mute of *web-1* is ending: notifications are being switched on again.',
    ],
    [
      'it ended',
      { state: 'ended', endedBy: 'deadline' },
      '🔔 The mute of *web-1* has ended: notifications are on again.',
    ],
    [
      'somebody ended it',
      { state: 'ended', endedByUserId: 'U3' },
      '🔔 <@U3> ended the mute of *web-1*: notifications are on again.',
    ],
  ])('is one line without buttons once %s', (_, over, line) => {
    expect(words(handback(over))).toEqual([line])
  })
})

describe('the end of a mute', () => {
  test('lists what is still open', () => {
    const many = Array.from({ length: 7 }, (_, n) => anAlert(String(n), { startedMs }))
    const card: CardView = {
      kind: 'mute_ended',
      mute: aMute({ state: 'ended' }),
      open: many,
      hidden: 9,
      closed: 2,
      oneoffs: [],
    }
    const [lines = '', rest] = words(card)
    expect(lines.split('\n')).toHaveLength(8)
    expect(lines).toMatch(
      /^🔔 The mute of \*web-1\* has ended: notifications are on again\.\nStill open \(7\):\n/,
    )
    expect(lines).toMatch(/\nand 2 more$/)
    expect(rest).toBe(
      `9 alerts came while it was muted, 2 of them have closed again · muted by <@U2> since ${local(startedMs)} — deploying`,
    )
  })

  test.each<[Partial<Mute>, string]>([
    [
      { endedBy: 'healthy' },
      'The mute of *web-1* has ended: nothing was open for 15 min, notifications are on again.',
    ],
    [{ endedBy: 'person', endedByUserId: 'U3' }, '<@U3> unmuted *web-1*: notifications are on again.'],
    [{ endedBy: 'undo' }, '<@U2> undid the mute of *web-1*: notifications are on again.'],
    [
      { endedBy: 'gone' },
      'The mute of *web-1* is over: the monitoring API does not know *web-1* any more, so whether its notifications are on is not known.',
    ],
    [
      { endedBy: 'deadline', subject: null },
      'The mute of the whole account has ended: notifications are on again.',
    ],
  ])('says why: %j', (over, line) => {
    const card: CardView = {
      kind: 'mute_ended',
      mute: aMute({ state: 'ended', ...over }),
      open: [],
      hidden: 1,
      closed: 1,
      oneoffs: [],
    }
    expect(words(card)[0]).toBe(`🔔 ${line}\nNo open alerts.`)
  })

  test('that the API never confirmed says nothing of what it hid, and what may still come', () => {
    const mute = aMute({ state: 'ended', endedBy: 'interrupted' })
    expect(words({ kind: 'mute_ended', mute, open, hidden: 1, closed: 0, oneoffs: [] })).toEqual([
      '🔔 The monitoring API never confirmed the mute of *web-1*, and it is over: notifications are on again. It may still be muted late: the unmute is repeated for 30 min.',
      `Asked for by <@U2>, ${local(startedMs)} — deploying`,
    ])
  })
})
