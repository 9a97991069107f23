import { describe, expect, test } from 'vitest'
import { viewOf } from '../../../src/bot/view/view.ts'
import type { Act, Mute, Post } from '../../../src/bot/world/types.ts'
import { actOf, alertOf, muteOf, postOf } from '../worlds/builders.ts'
import { at, nowMs, type Records, sceneOf, seen, shownPost } from './seen.ts'

const said = (over: Partial<Post> = {}) =>
  postOf({ id: 'said:act-1:C0', kind: 'said', createdMs: nowMs, data: { act: 'act-1' }, ...over })
const web = (over: Partial<Mute> = {}) =>
  muteOf({ fromMs: nowMs, untilMs: at('02:06'), isConfirmed: true, ...over })
const silent = "This goes for the monitoring's own mail and pager too"
const day = 24 * 3_600_000
const open = alertOf({ number: '1', startedMs: at('01:00') })
const past = alertOf({ number: '2', startedMs: nowMs - 2 * day, closedMs: nowMs - day })
const later = [
  alertOf({ number: '3', startedMs: at('01:10'), closedMs: at('01:20') }),
  alertOf({ number: '4', startedMs: at('01:15') }),
]
const ended = (by: string, over: Partial<Mute> = {}) => web({ ended: { atMs: at('01:30'), by }, ...over })
const scene = { nowMs: at('03:00') }
const tuesday = { days: [2], atMinutes: 120, lengthMs: 7_200_000, zone: 'Europe/Berlin' }
const planned = (over: Partial<Mute> = {}) =>
  web({ fromMs: at('22:00'), untilMs: at('23:00'), maxUntilMs: at('23:59'), isConfirmed: false, ...over })

const life: readonly [why: string, mutes: readonly Mute[], records: Records, text: string][] = [
  [
    'begins: what it hides, and who else hears nothing',
    [web()],
    { alerts: [open, past] },
    `🔕 @ana muted *web-1* until 02:06 — deploying\nHides 1 open alert; 2 came in the last 7 days. ${silent}\n[Unmute] [Extend 1 h]`,
  ],
  [
    'the monitoring has not answered: said once, and nothing in green',
    [web({ isConfirmed: false, reason: '' })],
    {},
    `🔕 @ana muted *web-1* until 02:06\nHides no open alerts. ${silent}\nThe monitoring hasn't confirmed the mute of *web-1* yet\n[Unmute] [Extend 1 h]`,
  ],
  [
    'of one alert on the plain API: in Slack only, so nothing to confirm',
    [web({ subject: 'alert:x', name: 'CPU busy on web-1', isConfirmed: false, untilFine: true })],
    {},
    "🔕 @ana muted *CPU busy on web-1* until it's been fine for 15 min — deploying\nHides no open alerts. In Slack only: the monitoring still notifies others\n[Unmute] [Extend 1 h]",
  ],
  [
    'until somebody ends it; as long as the policy allows',
    [
      web({ untilMs: null }),
      web({ id: 'm2', subject: 'server:web-2', name: 'web-2', maxUntilMs: at('02:06') }),
    ],
    {},
    `🔕 @ana muted *web-1* until someone unmutes it (at most until 01-01 00:00) — deploying\nHides no open alerts. ${silent}\n🔕 @ana muted *web-2* until 02:06 (maximum) — deploying\nHides no open alerts. ${silent}\n[Unmute] [Extend 1 h]`,
  ],
  [
    'extended',
    [web({ untilMs: at('03:06'), extendedBy: 'UBEN' })],
    {},
    `🔕 @ana muted *web-1* until 03:06 — deploying (extended by @ben)\nHides no open alerts. ${silent}\n[Unmute] [Extend 1 h]`,
  ],
  [
    'its time is up: what came, and what is still open',
    [ended('time')],
    { alerts: later, scene },
    '🔔 *web-1* was muted 01:06 – 01:30 by @ana — deploying\n2 alerts came; 1 was still open',
  ],
  [
    'somebody ended it',
    [ended('UBEN')],
    { scene },
    '🔔 *web-1* was muted 01:06 – 01:30 by @ana — deploying (@ben unmuted it)\nNo alerts came',
  ],
  [
    'the API never took it: never said to be over',
    [ended('time', { isConfirmed: false })],
    { scene },
    '🔔 The mute of *web-1* was never confirmed and has ended',
  ],
  [
    'refused',
    [web({ ended: { atMs: at('01:07'), by: 'refused', why: 'no such server' } })],
    { scene },
    "⚠️ Couldn't mute *web-1*: no such server. Alerts are shown again",
  ],
  [
    'the API does not say that it is on again',
    [ended('time')],
    {
      scene,
      switches: [
        {
          id: 'server:web-1',
          told: 'unknown',
          telling: 'on',
          tries: 5,
          dueMs: 0,
          repeatsMs: [],
          missingMs: null,
        },
      ],
    },
    "🔔 *web-1* was muted 01:06 – 01:30 by @ana — deploying\nNo alerts came\n⚠️ Couldn't confirm *web-1* is unmuted. Retrying",
  ],
  [
    'several at once, one of them ended early: one message',
    [
      web(),
      web({ id: 'm2', subject: 'server:web-2', name: 'web-2', ended: { atMs: at('01:06'), by: 'UBEN' } }),
    ],
    { scene: { nowMs: at('01:20') } },
    `🔕 @ana muted *web-1* until 02:06 — deploying\nHides no open alerts. ${silent}\n🔔 *web-2* won't be muted (@ben unmuted it)\n[Unmute] [Extend 1 h]`,
  ],
  [
    'planned, once',
    [planned()],
    {},
    '🗓️ @ana planned to mute *web-1* 11-23 22:00 – 11-23 23:00 — deploying\n[Cancel the plan]',
  ],
  [
    'planned again and again',
    [planned({ every: tuesday, plan: 'p' })],
    {},
    '🗓️ @ana planned to mute *web-1* every Tuesday 02:00–04:00 (Europe/Berlin) — deploying; next 11-23 22:00 – 11-23 23:00\n[Skip once] [Cancel the plan]',
  ],
  [
    'in the time that was skipped nothing is muted',
    [planned({ fromMs: at('01:00'), untilMs: at('01:30'), every: tuesday, isSkipped: true })],
    {},
    '🗓️ @ana planned to mute *web-1* every Tuesday 02:00–04:00 (Europe/Berlin) — deploying; skipped 01:00 – 01:30\n[Cancel the plan]',
  ],
  [
    'by the policy file: skipped here, and no more',
    [planned({ every: { ...tuesday, days: [1, 2, 3, 4, 5] }, plan: 'p', policyEntry: 'e', by: 'policy' })],
    {},
    '🗓️ The policy file planned to mute *web-1* every weekday 02:00–04:00 (Europe/Berlin) — deploying; next 11-23 22:00 – 11-23 23:00\n[Skip once]',
  ],
  [
    'of a plan the window of now tells, not the one before',
    [ended('time', { plan: 'p', every: tuesday }), planned({ id: 'm2', plan: 'p', every: tuesday })],
    { scene },
    '🗓️ @ana planned to mute *web-1* every Tuesday 02:00–04:00 (Europe/Berlin) — deploying; next 11-23 22:00 – 11-23 23:00\n[Skip once] [Cancel the plan]',
  ],
]

const sentences: readonly [why: string, act: Partial<Act>, text: string][] = [
  [
    'a marker',
    { kind: 'marker', data: { text: 'deploy 1.2' }, outcome: 'done' },
    '📍 @ana dropped a marker: deploy 1.2',
  ],
  [
    'not confirmed yet',
    { kind: 'delete_server', subject: 'web-1' },
    "🗑️ @ana deleted the server *web-1* (the monitoring hasn't confirmed it yet)",
  ],
  [
    'never confirmed',
    { kind: 'delete_metric', outcome: 'unknown', subject: '2 metrics', data: { names: ['b2', 'b10', 'b1'] } },
    '🗑️ @ana deleted *b1, b2 and b10* (never confirmed)',
  ],
  [
    'failed',
    { kind: 'add_roles', outcome: 'failed', data: { roles: ['web'], why: 'timed out' } },
    "⚠️ Couldn't add roles to *web-1*: timed out",
  ],
  [
    'roles',
    { kind: 'add_roles', outcome: 'done', data: { roles: ['web', 'db'] } },
    '🏷️ @ana added roles to *web-1*: *web* and *db*',
  ],
  [
    'refused',
    { kind: 'delete_server', outcome: 'refused' },
    "⚠️ @ana isn't allowed to delete the server *web-1*",
  ],
]

describe('what was said', () => {
  test.each(life)('a mute: %s', (_, mutes, records, text) => {
    const acts = [actOf(), ...(records.acts ?? [])]
    expect(seen(said(), { ...records, mutes, acts })).toBe(text)
  })

  test.each(sentences)('%s', (_, act, text) => {
    expect(seen(said(), { acts: [actOf(act)] })).toBe(text)
  })

  test('in the thread of a card, the card is "it"; a message that Slack refused is told', () => {
    const card = shownPost({}, open)
    const line = said({ id: 'line:act-1:x', kind: 'line', thread: card.id })
    const hand = {
      kind: 'hand',
      outcome: 'done',
      data: { to: 'UBEN', text: 'yours', why: 'no such person' },
    } as const
    expect(seen(line, { posts: [card], acts: [actOf(hand)] })).toBe(
      "👀 @ana handed it to @ben — yours\n⚠️ Couldn't DM @ben: no such person. Please tell them",
    )
  })

  test('names who is meant where nobody in Slack is known by it, and mentions nobody', () => {
    const act = actOf({
      kind: 'take_over',
      by: 'pager:Ana <!channel>',
      outcome: 'done',
      data: { from: 'name:Ben' },
    })
    expect(seen(said(), { acts: [act] })).toBe('👀 Ana &lt;!channel&gt; took over *web-1* from Ben')
  })

  test('the direct message of a hand-over leads to the card and can be answered by who still has it', () => {
    const alert = alertOf({ startedMs: at('01:00'), holder: 'UBEN', title: '' })
    const card = shownPost({}, alert)
    const facts = {
      slack: { teamUrl: 'https://t.slack.com/', teamId: 'T', botId: 'B', botUserId: 'U' },
    }
    const act = actOf({ kind: 'hand', alert: alert.id, data: { to: 'UBEN', text: 'db restarts' } })
    const post = said({ id: 'dm:act-1', kind: 'dm', channel: 'UBEN' })
    const records = { posts: [card], alerts: [alert], acts: [act], facts }
    expect(seen(post, records)).toBe(
      '👀 @ana handed you *cpu busy* on web-1 — db restarts\n🔴 web-1 cpu busy *97%* · since 01:00 · 👀 @ben · #8398\nOpen the card\n[Hand back]',
    )
    expect(viewOf(post, sceneOf({ ...records, posts: [card, post] })).text).toContain(
      'https://t.slack.com/archives/C0/p15',
    )
    const taken = { ...records, alerts: [{ ...alert, holder: 'UANA' }] }
    expect(seen(post, taken)).not.toContain('[Hand back]')
  })
})
