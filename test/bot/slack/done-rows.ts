/** What the person reads whose change was made, or who pressed a card that had changed: an action without a row does not compile. */
import type { Done, Reply } from '../../../src/bot/domain/request/reply.ts'
import { aPlannedMute } from '../../support/acting-rows.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aMute, anEntry, local, minuteMs, startedMs } from './card-views.ts'

type Row = readonly [reply: Extract<Reply, { kind: 'done' }>, lines: readonly string[], pressable?: string]

/** Nobody else had any. */
const alone = { others: 0, owners: [], mine: 0 } as const

/** The window of 2026-11-24. */
const tuesday = { startMs: Date.UTC(2026, 10, 24, 1), endMs: Date.UTC(2026, 10, 24, 3) } as const

export const doneRows: Readonly<Record<Done['act'], readonly Row[]>> = {
  add_roles: [
    [
      {
        kind: 'done',
        act: 'add_roles',
        server: 'web-1',
        roles: ['db', 'wbe', 'web'],
        created: ['wbe'],
        already: ['web'],
      },
      [
        '🏷️ Added roles db, wbe to *web-1*.',
        'New role wbe: check the spelling; roles can only be removed in the monitoring service.',
        'It already had role web.',
      ],
    ],
    [
      { kind: 'done', act: 'add_roles', server: 'web-1', roles: ['web'], created: [], already: ['web'] },
      ['🏷️ *web-1* already has role web. Nothing changed.'],
    ],
  ],
  add_marker: [[{ kind: 'done', act: 'add_marker', text: 'deploy 12' }, ['📍 Marker dropped: deploy 12']]],
  acknowledge: [
    [
      { kind: 'done', act: 'acknowledge', alert: anAlert('1') },
      ['👀 You acknowledged Load Average on *web-1*.'],
    ],
  ],
  take_over: [
    [
      { kind: 'done', act: 'take_over', alerts: [anAlert('1')], owner: 'U2' },
      ['👀 You have Load Average on *web-1* now, and <@U2> was told.'],
    ],
    [
      { kind: 'done', act: 'take_over', alerts: [anAlert('1'), anAlert('2')], owner: null },
      ['👀 You have 2 alerts now.'],
    ],
    [
      { kind: 'done', act: 'take_over', alerts: [anAlert('1')], owner: 'Ben <!here> (in the pager)' },
      ['👀 You have Load Average on *web-1* now, instead of Ben &lt;!here&gt; (in the pager).'],
    ],
    [{ kind: 'done', act: 'take_over', alerts: [], owner: 'U1' }, ["👀 It's already yours."]],
  ],
  hand_to: [
    [
      { kind: 'done', act: 'hand_to', alerts: [anAlert('1')], owner: 'U1', to: 'U2' },
      [
        '👋 <@U2> has Load Average on *web-1* now, and gets a direct message. Nobody else is reminded or called.',
      ],
    ],
    [
      { kind: 'done', act: 'hand_to', alerts: [anAlert('1'), anAlert('2')], owner: null, to: 'U2' },
      ['👋 <@U2> has 2 alerts now, and gets a direct message. Nobody else is reminded or called.'],
    ],
    [{ kind: 'done', act: 'hand_to', alerts: [], owner: 'U2', to: 'U2' }, ['👀 <@U2> has it already.']],
  ],
  unacknowledge: [
    [
      { kind: 'done', act: 'unacknowledge', alerts: [anAlert('1')], owner: 'U1' },
      ['↩️ Load Average on *web-1* is handed back: nobody is on it now, and reminders start again.'],
    ],
    [
      { kind: 'done', act: 'unacknowledge', alerts: [anAlert('1'), anAlert('2')], owner: null },
      ['↩️ 2 alerts are handed back: nobody is on them now, and reminders start again.'],
    ],
  ],
  still_on_it: [
    [
      { kind: 'done', act: 'still_on_it', alerts: [anAlert('1')], owner: 'U1' },
      ['👀 Everyone sees that you are still on it.'],
    ],
  ],
  acknowledge_all: [
    [
      { kind: 'done', act: 'acknowledge_all', count: 28, others: 2, owners: ['U2'], mine: 0, later: 0 },
      ['👀 You acknowledged 28 alerts. <@U2> already had 2.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 1, ...alone, later: 0 },
      ['👀 You acknowledged 1 alert.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, others: 199, owners: ['U2'], mine: 0, later: 0 },
      ['👀 <@U2> acknowledged all 199.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, others: 3, owners: ['U2', 'U3'], mine: 2, later: 0 },
      ['👀 <@U2>, <@U3> acknowledged 3 alerts, you 2.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, ...alone, mine: 5, later: 0 },
      ['👀 All 5 are already yours.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 5, ...alone, later: 1 },
      ['👀 You acknowledged 5 alerts.', '1 newer alert is unacknowledged: press again to include it.'],
    ],
    [
      { kind: 'done', act: 'acknowledge_all', count: 0, ...alone, later: 2 },
      [
        '👀 What you saw is acknowledged or closed.',
        '2 newer alerts are unacknowledged: press again to include them.',
      ],
    ],
  ],
  add_note: [
    [
      { kind: 'done', act: 'add_note', alert: anAlert('1'), text: 'looking', isTold: true },
      ['📝 Note added to the thread of Load Average on *web-1*.'],
    ],
  ],
  post_timeline: [
    [
      { kind: 'done', act: 'post_timeline', alert: anAlert('1') },
      ['📄 The timeline of Load Average on *web-1* comes in the thread, for everybody.'],
    ],
    [
      { kind: 'done', act: 'post_timeline', alert: null },
      ['📄 The timeline of these alerts comes in the thread, for everybody.'],
    ],
  ],
  rate_alert: [
    [
      { kind: 'done', act: 'rate_alert', verdict: 'noise', rules: ['Disk', '<!here>'] },
      [
        '👎 Noted as noise: Disk, &lt;!here&gt;. Press the other button to change your mind; `/mon report` counts both.',
      ],
    ],
    [
      { kind: 'done', act: 'rate_alert', verdict: 'useful', rules: ['Disk'], isTheirs: true },
      ['👍 You had said so already.'],
    ],
  ],
  set_no_data: [
    [
      { kind: 'done', act: 'set_no_data', server: 'web-1', group: 'DBA' },
      ['📨 `DBA` is now notified when *web-1* sends no data.'],
    ],
  ],
  plan_mute: [
    [
      { kind: 'done', act: 'plan_mute', planned: aPlannedMute('p1'), window: tuesday },
      [
        `🗓️ Planned: \`web-?\` will be muted from ${local(tuesday.startMs)} to ${local(tuesday.endMs)} — patch day`,
        'It comes again every Tue 02:00–04:00 (Europe/Berlin), until it is cancelled.',
      ],
      '[Skip once] [Cancel the plan]',
    ],
    [
      {
        kind: 'done',
        act: 'plan_mute',
        planned: aPlannedMute('p1', { doneMs: tuesday.startMs - 1 }),
        window: tuesday,
      },
      [
        `🗓️ Planned: \`web-?\` is muted at once, in its window from ${local(tuesday.startMs)} to ${local(tuesday.endMs)} — patch day`,
        'It comes again every Tue 02:00–04:00 (Europe/Berlin), until it is cancelled.',
      ],
      '[Skip once] [Cancel the plan]',
    ],
    [
      {
        kind: 'done',
        act: 'plan_mute',
        planned: aPlannedMute('p1', {
          what: { of: 'account' },
          rule: { is: 'once', ...tuesday },
          reason: '',
        }),
        window: tuesday,
        isAlready: true,
      },
      [
        `🗓️ Planned already: the whole account will be muted from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}`,
      ],
      '[Cancel the plan]',
    ],
  ],
  skip_planned: [
    [
      { kind: 'done', act: 'skip_planned', planned: aPlannedMute('p1'), skipped: tuesday, window: null },
      [`⏭️ Skipped: \`web-?\` is not muted from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}.`],
    ],
    [
      { kind: 'done', act: 'skip_planned', planned: aPlannedMute('p1'), skipped: tuesday, window: tuesday },
      [
        `⏭️ Skipped: \`web-?\` is not muted from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}.`,
        `The next one is from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}.`,
      ],
    ],
  ],
  cancel_planned: [
    [
      { kind: 'done', act: 'cancel_planned', planned: aPlannedMute('p1') },
      ['🗓️ Cancelled: `web-?` is no longer to be muted. A mute that has begun goes on to its end.'],
    ],
  ],
  end_silence: [
    [
      { kind: 'done', act: 'end_silence', by: '<@U1>', hides: 3 },
      [
        '🔔 The silence by &lt;@U1&gt; has ended.',
        'What it hid and nothing else hides is shown in a few minutes, if it is still open.',
      ],
    ],
    [{ kind: 'done', act: 'end_silence', by: null, hides: 0 }, ['🔔 The silence has ended.']],
  ],
  delete_server: [
    [{ kind: 'done', act: 'delete_server', server: 'web-1' }, ['🗑️ Deleted the server *web-1*.']],
  ],
  delete_metrics: [
    [{ kind: 'done', act: 'delete_metrics', names: ['a', 'b'] }, ['🗑️ Deleted 2 custom metrics: a, b.']],
  ],
}

const until = `until ${local(startedMs + 60 * minuteMs)}`
const nowMs = startedMs + 90_000
const closed = anAlert('1', { state: 'closed', closedMs: nowMs - 12_000, closedBy: 'record' })

export const staleRows: readonly (readonly [
  Extract<Reply, { kind: 'stale' }>,
  readonly string[],
  string?,
])[] = [
  [
    { kind: 'stale', nowMs, changed: { what: 'closed', alert: closed } },
    ['🟢 Load Average on *web-1* just closed.'],
  ],
  [
    {
      kind: 'stale',
      nowMs: nowMs + 2 * minuteMs,
      changed: { what: 'closed', alert: { ...closed, closedBy: 'absence' } },
    },
    ['🟢 Load Average on *web-1* closed about 2 min ago.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'closed', alert: anAlert('1', { state: 'unreported' }) } },
    ['⚪ Load Average on *web-1* is no longer reported as open.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 30, closedMs: nowMs - 12_000 } },
    ['🟢 All 30 alerts on this card just closed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 1, closedMs: nowMs - 12_000 } },
    ['🟢 The alert on this card just closed.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'all_closed', count: 30, closedMs: null } },
    ['⚪ No alert on this card is listed as open any more.'],
  ],
  [
    {
      kind: 'stale',
      nowMs,
      changed: { what: 'acknowledged', alert: anAlert('1', { ackedBy: 'U2', ackedMs: nowMs - 9_000 }) },
    },
    ['👀 <@U2> just acknowledged this.'],
    '[Take over]',
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unacknowledged', alert: anAlert('1') } },
    ['👀 Load Average on *web-1* is unacknowledged.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'silence_over', by: null } },
    ['🔔 That silence is over. What it hid is shown in a few minutes.'],
  ],
  [
    {
      kind: 'stale',
      nowMs,
      changed: { what: 'silence_over', by: anEntry({ act: 'end_silence', userId: 'U2', atMs: nowMs }) },
    },
    ['🔔 <@U2> just ended that silence.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'muted', mute: aMute() } },
    [`🔕 *web-1* is already muted by <@U2> ${until} — deploying`],
    '[Unmute web-1]',
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unmuted', server: 'web-1', by: anEntry({ userId: 'U3' }) } },
    ['🔔 <@U3> unmuted *web-1* 1 min ago.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'unmuted', server: 'web-1', by: null } },
    ['🔔 *web-1* is unmuted.'],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'extended', mute: aMute(), by: anEntry({ userId: 'U3' }) } },
    [`🔕 <@U3> changed the mute of *web-1* 1 min ago: it goes on ${until}.`],
  ],
  [
    { kind: 'stale', nowMs, changed: { what: 'extended', mute: aMute(), by: null } },
    [`🔕 Somebody changed the mute of *web-1*: it goes on ${until}.`],
  ],
]

const silenced = { accountMuted: { untilMs: startedMs + 60 * minuteMs } } as const

/** A server's own mute is over while the whole account is muted. */
export const silentRows = {
  unmuted: [
    [
      { kind: 'unmuted', server: 'web-1', isSure: true, ...silenced },
      [`🔔 *web-1* is unmuted: it stays silent, as the whole account is muted ${until}.`],
    ],
    [
      {
        kind: 'unmuted',
        server: null,
        isSure: true,
        several: { servers: ['web-1', 'web-2'], left: ['web-3'] },
        ...silenced,
      },
      [
        '🔔 Unmuted 2 servers: web-1, web-2.',
        `They stay silent, as the whole account is muted ${until}.`,
        'Not muted: web-3.',
      ],
    ],
  ],
  undone: [
    [
      { kind: 'undone', server: 'web-1', restored: null, isSure: true, accountMuted: { untilMs: null } },
      ['↩️ Undone: *web-1* is unmuted.', 'It stays silent, as the whole account is muted.'],
    ],
    [
      {
        kind: 'undone',
        server: null,
        restored: null,
        isSure: true,
        several: { servers: ['web-1', 'web-2'], left: ['web-3'] },
        ...silenced,
      },
      [
        '↩️ Undone: 2 mutes taken back: web-1, web-2.',
        `They stay silent, as the whole account is muted ${until}.`,
        'Not undone, because they were changed meanwhile: web-3.',
      ],
    ],
  ],
} as const satisfies Record<'unmuted' | 'undone', readonly (readonly [Reply, readonly string[]])[]>
