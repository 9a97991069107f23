/** Every reply, with what the person reads: a kind without a row does not compile. */
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { aPlannedMute } from '../../support/acting-rows.ts'
import { aMute, local, minuteMs, startedMs } from './card-views.ts'
import { doneRows, silentRows, staleRows } from './done-rows.ts'

export type Row = readonly [reply: Reply, lines: readonly string[], pressable?: string]

export const untilMs = startedMs + 60 * minuteMs
export const until = `until ${local(untilMs)}`

export const receipt = {
  change: {
    kind: 'mute_server',
    servers: [],
    end: { kind: 'default' },
    reason: 'deploying',
    shown: null,
  },
  servers: ['web-1'],
  mode: 'timed',
  untilMs,
  open: 2,
  lastWeek: 14,
  isDefaultEnd: false,
  others: [],
} as const satisfies Extract<Reply, { kind: 'confirm' }>['receipt']

const account = {
  ...receipt,
  change: { kind: 'mute_account', end: { kind: 'default' }, reason: 'moving', shown: null },
  servers: [],
} as const

/** The window of 2026-11-24. */
const tuesday = { startMs: Date.UTC(2026, 10, 24, 1), endMs: Date.UTC(2026, 10, 24, 3) } as const

const noDifference = { left: [], joined: [], isAllClosed: false, isNewlyOpen: false, mutes: [] } as const
const result = { hostname: 'web-1', mute: aMute(), failure: null }
const hides = '(14 last week).'
const words = 'the monitoring API timed out'

export const replies: Readonly<Record<Exclude<Reply['kind'], 'refused'>, readonly Row[]>> = {
  form: [],
  repeat: [],
  answer: [],
  muted: [
    [
      {
        kind: 'muted',
        results: [
          { hostname: 'web-1', mute: null, failure: 'no answer within 10 s', left: 'doubtful' },
          { hostname: 'web-2', mute: null, failure: 'no such server' },
        ],
        receipt: { ...receipt, servers: ['web-1', 'web-2'] },
      },
      [
        '⚠️ May be muted (1):',
        '• web-1: No answer within 10 s.',
        'monbot switches their notifications back on until the API confirms it.',
        '⚠️ Not muted (1):',
        '• web-2: No such server.',
      ],
    ],
    [
      {
        kind: 'muted',
        results: [{ ...result, mute: aMute({ confirmation: 'waiting' }) }],
        receipt,
      },
      [
        `🔕 *web-1* is muted in Slack ${until} — deploying`,
        'The monitoring API has not confirmed it yet; still trying.',
        `Hides 2 open alerts ${hides}`,
      ],
      '[Undo (within 1 min)]',
    ],
    [
      { kind: 'muted', results: [result], receipt },
      [`🔕 *web-1* is muted ${until} — deploying`, `Hides 2 open alerts ${hides}`],
      '[Undo (within 1 min)]',
    ],
    [
      {
        kind: 'muted',
        results: [{ ...result, mute: aMute({ reason: '' }) }],
        receipt: { ...receipt, isDefaultEnd: true, open: 0, lastWeek: 0 },
      },
      [
        `🔕 *web-1* is muted ${until}`,
        'Hides no open alerts (none last week).',
        'No duration given, so 1 h. For another: `/mon mute web-1 4h`',
      ],
      '[Undo (within 1 min)]',
    ],
    [
      {
        kind: 'muted',
        results: [
          result,
          { hostname: 'web-2', mute: aMute({ subject: 'web-2' }), failure: null },
          { hostname: 'web-3', mute: null, failure: 'the monitoring API returned HTTP 503' },
        ],
        receipt: { ...receipt, servers: ['web-1', 'web-2', 'web-3'], open: 1 },
      },
      [
        `🔕 *2 servers* are muted ${until} — deploying`,
        'web-1, web-2',
        'Hides 1 open alert (14 last week).',
        '⚠️ Not muted (1):',
        '• web-3: The monitoring API returned HTTP 503.',
      ],
      '[Undo all (within 1 min)]',
    ],
    [
      { kind: 'muted', results: [{ hostname: 'web-1', mute: null, failure: 'no such server' }], receipt },
      ['⚠️ Nothing was muted.', '• web-1: No such server.'],
    ],
  ],
  account_muted: [
    [
      { kind: 'account_muted', mute: aMute({ subject: null }), receipt: account },
      [
        `🔕 *The whole account is muted* ${until} — deploying`,
        `Hides 2 open alerts ${hides}`,
        'Individually muted servers stay muted.',
      ],
      '[Undo (within 1 min)]',
    ],
  ],
  confirm_silence: [
    [
      {
        kind: 'confirm_silence',
        silence: {
          id: 's1',
          by: 'ben',
          untilMs: startedMs + 60 * minuteMs,
          why: 'new disks',
          isOurs: false,
          matchers: ['namespace="pay"', 'pod=~"web-.+"'],
          hides: 3,
        },
        pendingId: 'p1',
        isChanged: false,
      },
      [
        `*End this silence?* Silenced at the Alertmanager by ben ${until}: new disks`,
        'Hides 3 open alerts: they notify again, at the Alertmanager as well.',
        '`namespace="pay"`',
        '`pod=∼"web-.+"`',
      ],
      '[End the silence] [Cancel]',
    ],
    [
      {
        kind: 'confirm_silence',
        silence: { id: 's1', by: null, untilMs: null, why: null, isOurs: true, matchers: [], hides: 0 },
        pendingId: 'p1',
        isChanged: true,
      },
      [
        '⚠️ Changed since you were asked. Nothing was ended.',
        '*End this silence?* Muted',
        'Hides no open alerts.',
      ],
      '[End the silence] [Cancel]',
    ],
  ],
  confirm_planned: [
    [
      {
        kind: 'confirm_planned',
        planned: aPlannedMute('p1'),
        window: tuesday,
        servers: ['web-1', 'web-2'],
        open: 1,
        pendingId: 'p1',
      },
      [
        '*Plan this mute?* `web-?` — patch day',
        `Muted every Tue 02:00–04:00 (Europe/Berlin), next from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}, until you cancel it.`,
        'Now that is 2 servers: web-1, web-2. Names are looked up again when it begins.',
        'It would hide 1 alert that is open now.',
      ],
      '[Plan it] [Cancel]',
    ],
    [
      {
        kind: 'confirm_planned',
        planned: aPlannedMute('p1', { doneMs: tuesday.startMs + 1 }),
        window: tuesday,
        servers: ['web-1'],
        open: 0,
        pendingId: 'p1',
      },
      [
        '*Plan this mute?* `web-?` — patch day',
        `Muted every Tue 02:00–04:00 (Europe/Berlin), now from ${local(tuesday.startMs)} to ${local(tuesday.endMs)}, until you cancel it.`,
        'It would hide nothing that is open now.',
      ],
      '[Plan it] [Cancel]',
    ],
  ],
  confirm_roles: [
    [
      {
        kind: 'confirm_roles',
        server: 'db-1',
        odd: [{ role: 'db-primry', similar: 'db-primary' }],
        pendingId: 'p1',
        instead: { pendingId: 'p2', roles: ['db-primary'] },
      },
      [
        'There is no role `db-primry`. Did you mean `db-primary`?',
        'Nothing was added to *db-1* yet. Roles can only be removed in the monitoring service.',
      ],
      '[Add db-primary] [Create db-primry] [Cancel]',
    ],
    [
      { kind: 'confirm_roles', server: 'db-1', odd: [{ role: 'my role', similar: null }], pendingId: 'p1' },
      [
        '`my role` would be a new role with an unusual name.',
        'Nothing was added to *db-1* yet. Roles can only be removed in the monitoring service.',
      ],
      '[Create my role] [Cancel]',
    ],
  ],
  confirm: [
    [
      {
        kind: 'confirm',
        pendingId: 'p1',
        receipt: { ...receipt, servers: ['web-1', 'web-2'], isDefaultEnd: true },
      },
      [
        `*Mute 2 servers ${until}?* — deploying`,
        'web-1, web-2',
        `Hides 2 open alerts ${hides}`,
        'No duration given, so this is the default.',
      ],
      '[Mute 2 servers] [Cancel]',
    ],
    [
      { kind: 'confirm', pendingId: 'p1', receipt, difference: { ...noDifference, isNewlyOpen: true } },
      [
        '⚠️ Changed since you were asked: 2 alerts are open by now. Nothing was muted.',
        `*Mute web-1 ${until}?* — deploying`,
        `Hides 2 open alerts ${hides}`,
      ],
      '[Mute it] [Cancel]',
    ],
    [
      { kind: 'confirm', pendingId: 'p1', receipt: { ...receipt, mode: 'open', untilMs: null } },
      ['*Mute web-1 until somebody unmutes it?* — deploying', `Hides 2 open alerts ${hides}`],
      '[Mute it] [Cancel]',
    ],
    [
      { kind: 'confirm', pendingId: 'p1', receipt: account },
      [`*Mute the whole account ${until}?* — moving`, `Hides 2 open alerts ${hides}`],
      '[Mute the account] [Cancel]',
    ],
  ],
  unmuted: [
    ...silentRows.unmuted,
    [
      { kind: 'unmuted', server: 'web-1', isSure: true },
      ['🔔 *web-1* is unmuted: notifications are on again.'],
    ],
    [
      { kind: 'unmuted', server: null, isSure: true, wasMuted: false },
      ['🔔 The whole account is not muted. Notifications are on.'],
    ],
    [
      { kind: 'unmuted', server: null, isSure: true },
      ['🔔 The whole account is unmuted. Individually muted servers stay muted.'],
    ],
    [
      { kind: 'unmuted', server: 'web-1', isSure: false },
      ['🔔 Unmuting *web-1*.', "Couldn't confirm it yet; still trying."],
    ],
  ],
  extended: [[{ kind: 'extended', mute: aMute() }, [`🔕 The mute of *web-1* goes on ${until}.`]]],
  undone: [
    ...silentRows.undone,
    [{ kind: 'undone', server: 'web-1', restored: null, isSure: true }, ['↩️ Undone: *web-1* is unmuted.']],
    [
      { kind: 'undone', server: 'web-1', restored: aMute(), isSure: true },
      [`↩️ Undone: *web-1* is muted as before, ${until}.`],
    ],
    [
      { kind: 'undone', server: null, restored: null, isSure: false },
      ['↩️ Undoing: the whole account is being unmuted.', "Couldn't confirm it yet; still trying."],
    ],
    [
      {
        kind: 'undone',
        server: null,
        restored: null,
        isSure: true,
        several: { servers: ['web-1', 'web-2'], left: ['web-3'] },
      },
      [
        '↩️ Undone: 2 mutes taken back: web-1, web-2.',
        'Not undone, because they were changed meanwhile: web-3.',
      ],
    ],
  ],
  done: Object.values(doneRows).flat(),
  cancelled: [[{ kind: 'cancelled' }, ['Cancelled. Nothing changed.']]],
  stale: staleRows,
  failed: [
    [
      { kind: 'failed', doing: 'mute_server', words: 'no answer', isUnknown: false, pendingId: 'p1' },
      [
        '⚠️ Could not mute the server. No answer.',
        'Nothing changed: try again in a minute. `/mon status` shows what is wrong.',
      ],
      '[Try again]',
    ],
    [
      { kind: 'failed', doing: 'mute_server', words: 'the API key was refused', isUnknown: false },
      [
        '⚠️ Could not mute the server. The API key was refused.',
        'Nothing changed: try again in a minute. `/mon status` shows what is wrong.',
      ],
    ],
    [
      { kind: 'failed', doing: 'mute_server', words, isUnknown: true, server: 'web-1' },
      [
        "⚠️ Couldn't confirm the mute of *web-1*.",
        'The monitoring API timed out.',
        'Taking it back, and retrying that for 30 min in case it is muted late. An earlier mute stays as it was.',
      ],
    ],
    [
      {
        kind: 'failed',
        doing: 'triggers',
        words: 'the monitoring API returned HTTP 503',
        isUnknown: false,
      },
      ['⚠️ Could not read the triggers. The monitoring API returned HTTP 503.', 'Try again in a minute.'],
    ],
  ],
  away: [
    [
      { kind: 'away', mayBeDone: false },
      ['⚠️ monbot cannot reach its memory; nothing was changed.', 'Try again in a moment.'],
    ],
    [
      { kind: 'away', mayBeDone: true },
      [
        '⚠️ monbot cannot reach its memory; it may have been done.',
        'Look at the card, or at `/mon status`, before you try again.',
      ],
    ],
  ],
  broken: [
    [
      { kind: 'broken', errorId: 'e-7f3a', mayBeDone: false },
      [
        '⚠️ An error in monbot stopped this.',
        'If you report it, give this id; the log has the details: `e-7f3a`',
      ],
    ],
    [
      { kind: 'broken', errorId: 'e-7f3a', mayBeDone: true },
      [
        '⚠️ An error in monbot stopped this.',
        'Part of it may have been done: look at the card, or at `/mon status`, before you try again.',
        'If you report it, give this id; the log has the details: `e-7f3a`',
      ],
    ],
    [
      { kind: 'broken', errorId: 'e-7f3a', mayBeDone: true, isDatabaseError: true },
      [
        '⚠️ monbot cannot read or write its database, and stops.',
        'Tell whoever runs monbot; its log says why and what to fix, under `e-7f3a`. Ask again once it is back.',
        'Part of it may have been done. A mute that was not written down is taken back; the rest shows `/mon status`.',
      ],
    ],
  ],
}
