import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import { viewOfBlocks } from '../../../src/bot/view/blocks.ts'
import { homeView } from '../../../src/bot/view/board.ts'
import { rowLine, rowsOf } from '../../../src/bot/view/rows.ts'
import type { Alert } from '../../../src/bot/world/types.ts'
import { alertOf, muteOf, postOf } from '../worlds/builders.ts'
import { at, nowMs, type Records, readable, sceneOf, seen, seenOfView, shownPost } from './seen.ts'

const board = postOf({ id: 'board:C0', kind: 'board', channel: 'C0' })
const cpu = (name: string, over: Partial<Alert> = {}) =>
  alertOf({
    ...{ number: name, server: name, host: name, plugin: 'CPU', title: '', startedMs: at('01:00') },
    ...over,
  })
const account = muteOf({ subject: 'account', name: 'everything', untilMs: at('01:11') })
const failing = { sinceMs: at('01:00'), count: 3, why: 'timed out', toldMs: nowMs }
const last = 'Last good poll 11-23 01:06'
const shift = { fromMs: at('00:00'), untilMs: at('08:00'), person: 'UANA', name: 'Ana' }

const rows: readonly [why: string, records: Records, text: string][] = [
  ['all is well, and only then green', {}, `🟢 *No open alerts*\n${last}`],
  [
    'everything is muted: that comes first, and nothing is green',
    { mutes: [account] },
    `🔕 @ana muted *everything* until 11-23 01:11 — deploying\n*No open alerts*\n${last}`,
  ],
  [
    'the monitoring is away: what is known may be wrong',
    { facts: { failing } },
    `⚠️ *Monitoring has been down since 11-23 01:00*: timed out\n*No open alerts*\n${last}`,
  ],
  [
    'never read',
    { facts: { polled: undefined as never } },
    "⚪ *The monitoring hasn't been read yet*\n*No open alerts*\nLast good poll: none yet",
  ],
  [
    'alerts, what nobody is on first; then mutes and who is on call',
    {
      alerts: [cpu('a', { holder: 'UBEN' }), cpu('b'), cpu('c', { severity: 'critical' })],
      mutes: [muteOf({ subject: 'server:x', name: 'x', untilMs: at('02:00') })],
      facts: { oncall: { atMs: 0, unread: 0, why: null, shifts: [shift] } },
    },
    [
      '🚨 *3 open alerts, 1 critical* · nobody is on 2',
      '🚨 *CRITICAL* c CPU busy *97%* · since 11-23 01:00 · *nobody is on it* · #c',
      '🔴 b CPU busy *97%* · since 11-23 01:00 · *nobody is on it* · #b',
      '🔴 a CPU busy *97%* · since 11-23 01:00 · 👀 @ben · #a',
      '🔕 @ana muted *x* until 11-23 02:00 — deploying',
      '📟 @ana is on call until 11-23 08:00',
      last,
    ].join('\n'),
  ],
  [
    'all muted is not all well',
    { alerts: [cpu('web-1')], mutes: [muteOf()] },
    `🔕 *1 open alert* · all muted\n🔴 web-1 CPU busy *97%* · since 11-23 01:00 · 🔕 muted · #web-1\n🔕 @ana muted *web-1* until someone unmutes it (at most until 01-01 00:00) — deploying\n${last}`,
  ],
  [
    'what is open elsewhere keeps this one from being green; what the policy ignores stands nowhere',
    {
      alerts: [cpu('db-1'), cpu('x')],
      policy: {
        routes: [{ match: { server: ['db-*'] }, channel: 'C1', mention: null }],
        ignore: [{ server: ['x'] }],
      },
    },
    `*No open alerts here*\n${last} · 1 open in other channels`,
  ],
  [
    'channels that refuse, the pager, a refused token, records that cannot be read',
    {
      facts: {
        tokenRefused: 'token_revoked',
        // Of these no route names the second one.
        shut: {
          C0: { sinceMs: at('01:00'), why: 'not_in_channel', nextMs: 0 },
          C9: { sinceMs: at('01:00'), why: 'is_archived', nextMs: 0 },
        },
        pagerFailing: { sinceMs: at('01:00'), why: 'returned HTTP 503' },
        polled: { atMs: nowMs, unreadable: 2 },
      },
    },
    [
      '⚠️ Slack refuses the bot: token_revoked. Reinstall the app and check its token',
      '⚠️ <#C0> has refused messages since 11-23 01:00: not_in_channel',
      '⚠️ The pager has failed since 11-23 01:00: returned HTTP 503',
      "⚠️ 2 records of the monitoring couldn't be read",
      '*No open alerts*',
      last,
    ].join('\n'),
  ],
]

describe('the board', () => {
  test.each(rows)('%s', (_, records, text) => {
    expect(seen(board, records)).toBe(text)
  })

  test('is not edited by a poll a few seconds later', () => {
    const polled = { atMs: nowMs + 15_000, unreadable: 0 }
    expect(seen(board, { facts: { polled } })).toBe(seen(board))
  })

  test('has a storm in one row, and counts what does not fit', () => {
    const storm = Array.from({ length: 40 }, (_, n) => cpu(`web-${n}`))
    const single = Array.from({ length: 20 }, (_, n) => cpu(`db-${n}`, { startedMs: at('00:30') }))
    const list = shownPost({ id: 'list:1:C0', kind: 'list', data: { of: 'kind' } }, ...storm)
    const lines = seen(board, { alerts: [...storm, ...single], posts: [list] }).split('\n')
    expect(lines[1]).toBe('🔴 *40 × CPU busy* on 40 servers: web 40 · Since 11-23 01:00 · *Nobody is on 40*')
    expect(lines.at(-2)).toBe('and 6 more: `/mon alerts`')
  })
})

test('an alert with a card of its own is a row of its own, though a list shows it too', () => {
  const alerts = [cpu('a'), cpu('b'), cpu('c')]
  const list = shownPost({ id: 'list:1:C0', kind: 'list' }, ...alerts)
  const card = shownPost({ id: 'alert:c' }, cpu('c'))
  const scene = sceneOf({ alerts, posts: [list, card] })
  const counts = rowsOf(alerts, scene).map((row) => row.alerts.length)
  expect(counts.sort()).toEqual([1, 2])
})

test('a closed row says its end', () => {
  const alert = cpu('a', { closedMs: at('01:05'), closedAfterMs: 300_000, closedBy: 'end' })
  const line = rowsOf([alert], sceneOf()).map((row) => rowLine(row, sceneOf({ alerts: [alert] })))
  expect(line.map(readable)).toEqual(['🟢 a CPU busy *97%* · closed 11-23 01:05 after 5 min · #a'])
})

describe('Home', () => {
  const homeOf = (records: Records) =>
    seenOfView(viewOfBlocks(homeView('UBEN', sceneOf(records)).blocks as KnownBlock[]))

  test('shows yours first, and what nobody is on with a button', () => {
    const alerts = [cpu('a', { holder: 'UBEN' }), cpu('b'), cpu('c', { holder: 'UANA' })]
    expect(
      homeOf({
        alerts,
        mutes: [muteOf({ isConfirmed: true, subject: 'server:x', name: 'x', untilMs: at('02:00') })],
      }),
    ).toBe(
      [
        '🔴 *3 open alerts* · nobody is on 1',
        '*Your open alerts*',
        '🔴 a CPU busy *97%* · since 11-23 01:00 · 👀 @ben · #a',
        '*Other open alerts*',
        '🔴 b CPU busy *97%* · since 11-23 01:00 · *nobody is on it* · #b',
        '🔴 c CPU busy *97%* · since 11-23 01:00 · 👀 @ana · #c',
        '*Mutes*',
        '🔕 @ana muted *x* until 11-23 02:00 — deploying',
        `${last} · monbot-1`,
        '[Acknowledge] [Unmute] [Extend 1 h]',
      ].join('\n'),
    )
  })

  test('begins with the worst truth', () => {
    expect(homeOf({ mutes: [account] }).split('\n')[0]).toBe(
      '🔕 @ana muted *everything* until 11-23 01:11 — deploying',
    )
  })
})
