import { describe, expect, test } from 'vitest'
import type { Alert, Post } from '../../../src/bot/world/types.ts'
import { alertOf, muteOf, postOf } from '../worlds/builders.ts'
import { at, nowMs, type Records, seen, shownPost } from './seen.ts'

const cpu = (over: Partial<Alert> = {}) =>
  alertOf({
    plugin: 'CPU',
    title: '',
    startedMs: at('00:50'),
    round: { count: 1, fromMs: at('00:50') },
    ...over,
  })
const ended = { closedMs: at('01:05'), closedAfterMs: 15 * 60_000, closedBy: 'end' } as const
const card = shownPost({}, cpu())
const remind = (over: Partial<Post> = {}) =>
  shownPost({ id: 'remind:x', kind: 'remind', thread: card.id, data: { about: card.id }, ...over }, cpu())
const aloud = (why: 'critical' | 'reopened' | 'snoozed') =>
  shownPost({ id: 'aloud:x', kind: 'aloud', thread: card.id, mention: '<!subteam^S1>', data: { why } }, cpu())
const forgotten = shownPost(
  { id: `forgotten:${card.id}:${at('00:00')}`, kind: 'forgotten', thread: card.id },
  cpu(),
)
const outage = (untilMs: number | null) =>
  postOf({ id: 'outage:1:C0', kind: 'outage', createdMs: nowMs, data: { sinceMs: at('01:00'), untilMs } })
const failing = { sinceMs: at('01:00'), count: 3, why: 'timed out', toldMs: nowMs }
const others = [
  alertOf({ number: '2', startedMs: at('01:02') }),
  alertOf({ number: '3', startedMs: at('01:03'), closedMs: at('01:04') }),
]

const rows: readonly [why: string, post: Post, alerts: readonly Alert[], records: Records, text: string][] = [
  [
    'a reminder',
    remind(),
    [cpu()],
    {},
    '⏰ Nobody has been on *CPU busy* on web-1 since 00:50\n[Acknowledge]',
  ],
  [
    'a critical one, elsewhere: it calls, and leads to the card',
    remind({ thread: null, mention: '<!subteam^S1>' }),
    [cpu({ severity: 'critical' })],
    {
      facts: {
        slack: { teamUrl: 'https://t.slack.com/', teamId: 'T', botId: 'B', botUserId: 'U' },
      },
    },
    '⏰ *CRITICAL:* nobody has been on *CPU busy* on web-1 since 00:50 · @team · card\n[Acknowledge]',
  ],
  ['is over: closed', remind(), [cpu(ended)], {}, '🟢 Closed after 15 min: *CPU busy* on web-1'],
  ['is over: taken', remind(), [cpu({ holder: 'UBEN' })], {}, '👀 @ben is on it: *CPU busy* on web-1'],
  ['is over: muted', remind(), [cpu()], { mutes: [muteOf()] }, '🔕 Muted now: *CPU busy* on web-1'],
  [
    'says since when, though it was taken, muted or worse meanwhile',
    remind(),
    [cpu({ rounds: 2, round: { count: 2, fromMs: at('01:17') } })],
    {},
    '⏰ Nobody has been on *CPU busy* on web-1 since 01:17\n[Acknowledge]',
  ],
  [
    'became critical',
    aloud('critical'),
    [cpu({ severity: 'critical' })],
    {},
    '🚨 *CRITICAL · web-1* CPU busy *97%* (limit 90%) · became critical · @team\n[Acknowledge]',
  ],
  ['and is no longer', aloud('critical'), [cpu()], {}, "🔴 It isn't critical now"],
  [
    'came back and stayed',
    aloud('reopened'),
    [cpu()],
    {},
    '🔴 *web-1* CPU busy *97%* (limit 90%) · opened again and stayed open, since 00:50 · @team\n[Acknowledge]',
  ],
  [
    'its snooze is over',
    aloud('snoozed'),
    [cpu({ snooze: { by: 'UBEN', untilMs: at('01:00') } })],
    {},
    "🔴 *web-1* CPU busy *97%* (limit 90%) · @ben's snooze is over, and nobody is on it · @team\n[Acknowledge]",
  ],
  ['and is taken', aloud('snoozed'), [cpu({ holder: 'UANA' })], {}, '👀 @ana is on it: *CPU busy* on web-1'],
  [
    'and closed',
    aloud('reopened'),
    [cpu({ ...ended, closedAfterMs: null })],
    {},
    '🟢 Closed: *CPU busy* on web-1',
  ],
  [
    'forgotten',
    forgotten,
    [cpu({ holder: 'UBEN', heldMs: at('00:00') })],
    {},
    "👀 @ben, are you still on *CPU busy* on web-1? You've been on it since 00:00\n[I'm on it] [Hand back]",
  ],
  [
    'answered',
    forgotten,
    [cpu({ holder: 'UBEN', heldMs: nowMs })],
    {},
    '👀 @ben is still on it: *CPU busy* on web-1',
  ],
  ['handed back', forgotten, [cpu()], {}, '👐 Handed back: *CPU busy* on web-1'],
  [
    'an outage',
    outage(null),
    [cpu(), ...others],
    { facts: { failing } },
    '⚠️ *Monitoring has been down since 01:00*: timed out\n1 alert was open then; cards may be out of date',
  ],
  [
    'and its end',
    outage(at('01:06')),
    [cpu(), ...others],
    {},
    '✅ Monitoring is back after 6 min\nMeanwhile 2 alerts opened; 1 is still open',
  ],
]

describe('what is said aloud, and edited once it is over', () => {
  test.each(rows)('%s', (_, post, alerts, records, text) => {
    expect(seen(post, { posts: [card], alerts, ...records })).toBe(text)
  })

  test('a reminder of several counts who is left', () => {
    const alerts = [cpu(), cpu({ number: '2', server: 'web-2' }), cpu({ number: '3', holder: 'UBEN' })]
    const post = shownPost(
      { id: 'remind:y', kind: 'remind', thread: 'list:1:C0', data: { about: 'list:1:C0' } },
      ...alerts,
    )
    const list = shownPost({ id: 'list:1:C0', kind: 'list' }, ...alerts)
    expect(seen(post, { posts: [list], alerts })).toBe(
      '⏰ Nobody has been on *2 × CPU busy* on web-1 and web-2 since 00:50\n[Acknowledge 2]',
    )
  })
})
