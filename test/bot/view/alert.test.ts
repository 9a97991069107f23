import { describe, expect, test } from 'vitest'
import { viewOf } from '../../../src/bot/view/view.ts'
import type { Alert } from '../../../src/bot/world/types.ts'
import { actOf, alertOf as anAlert, muteOf, postOf } from '../worlds/builders.ts'
import { at, nowMs, type Records, sceneOf, seen, shownPost } from './seen.ts'

const alertOf = (over: Partial<Alert> = {}) =>
  anAlert({
    number: '1125899906848398',
    server: 'web-2',
    host: 'web-2',
    plugin: 'CPU',
    metric: 'cpu_busy_percent',
    title: 'CPU busy met or exceeded 90.00%, increasing to 97.20%',
    value: 97.2,
    startedMs: at('01:00'),
    ...over,
  })
const plain = { labels: {}, description: null, links: [], severity: null, trouble: null, triggerId: null }
const details = { ...plain, units: null, limit: null, side: null, canMute: false } as const
const closed = { closedMs: at('01:24'), closedAfterMs: 24 * 60_000, closedBy: 'end', holder: 'UBEN' } as const

const buttons = '[Acknowledge] [Mute…] [Chart] [More…]'
const rows: readonly [why: string, alert: Alert, records: Records, text: string][] = [
  [
    'open, nobody is on it',
    alertOf(),
    {},
    `🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00 · *Nobody is on it*\n#8398\n${buttons}`,
  ],
  [
    'critical, with roles',
    alertOf({ severity: 'critical' }),
    { facts: { roles: { atMs: 0, servers: { app: ['web-2'], db: ['db-1'], web: ['web-2'] } } } },
    `🚨 *CRITICAL · web-2* CPU busy *97%* (limit 90%)\nSince 01:00 · *Nobody is on it*\napp, web · #8398\n${buttons}`,
  ],
  [
    'somebody is on it',
    alertOf({ holder: 'UBEN', severity: 'info' }),
    {},
    '🔵 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00 · 👀 @ben is on it\n#8398\n[Take over] [Hand back] [Mute…] [Chart] [More…]',
  ],
  [
    'muted by its server: no call to take it, and its end in place of the select',
    alertOf(),
    { mutes: [muteOf({ subject: 'server:web-2', name: 'web-2', untilMs: at('02:06') })] },
    '🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00\n🔕 @ana muted *web-2* until 02:06 — deploying\n#8398\n[Acknowledge] [Unmute] [Extend 1 h] [Chart] [More…]',
  ],
  [
    'the whole account is muted: its end is named as what it is',
    alertOf(),
    { mutes: [muteOf({ subject: 'account', name: 'everything', untilMs: at('02:06') })] },
    '🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00\n🔕 @ana muted *everything* until 02:06 — deploying\n#8398\n[Acknowledge] [Unmute everything] [Extend 1 h] [Chart] [More…]',
  ],
  [
    'silenced elsewhere: nothing of ours to end',
    alertOf({
      mutedBy: [{ kind: 'silence', id: 's1', by: 'cleo', untilMs: at('02:00'), why: 'upgrade', ours: false }],
    }),
    {},
    `🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00\n🔕 Silenced in the monitoring by cleo until 02:00 — upgrade\n#8398\n${buttons}`,
  ],
  [
    'the policy ignores it now',
    alertOf(),
    { policy: { ignore: [{ server: ['web-*'] }] } },
    `🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00\n⚪ The policy file ignores it: nobody is called\n#8398\n${buttons}`,
  ],
  [
    'no longer listed: never green, and a person may say that it closed',
    alertOf({ unlistedMs: at('01:05') }),
    {},
    '⚪ *web-2* CPU busy *97%* (limit 90%) · no longer listed since 01:05; probably closed\n#8398\n[Acknowledge] [Mute…] [Chart] [It closed] [More…]',
  ],
  [
    'older than the monitoring lists: nobody knows',
    alertOf({ startedMs: at('01:05') - 30 * 86_400_000, unlistedMs: at('01:05') }),
    {},
    '⚪ *web-2* CPU busy *97%* (limit 90%) · over 30 days old, no longer reported\n#8398\n[Acknowledge] [Mute…] [Chart] [It closed] [More…]',
  ],
  ['closed', alertOf(closed), {}, '🟢 web-2 CPU busy · closed 01:24 after 24 min · @ben'],
  [
    'closed, and nobody measured how long it was open',
    alertOf({ ...closed, closedAfterMs: null, holder: null }),
    {},
    '🟢 web-2 CPU busy · closed 01:24',
  ],
  [
    'closed by a person',
    alertOf({ ...closed, closedBy: 'UANA', closedAfterMs: null }),
    {},
    '🟢 web-2 CPU busy · closed 01:24 by @ana · @ben',
  ],
  [
    'came back',
    alertOf({ reopened: 2, reopenedFromMs: at('00:55') }),
    {},
    `🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00 · *Nobody is on it*\nreopened twice in 5 min · #8398\n${buttons}`,
  ],
  [
    'a heartbeat tells since when there is silence, not seconds',
    alertOf({
      severity: 'critical',
      server: 'cache-1',
      metric: 'seconds_since_report',
      plugin: 'Heartbeat',
      value: 60,
      title: '',
    }),
    {},
    `🚨 *CRITICAL · cache-1* has sent no data since 00:59\nSince 01:00 · *Nobody is on it*\n#8398\n${buttons}`,
  ],
  [
    'a one-off is told once, without buttons',
    alertOf({ isOneoff: true, metric: null, plugin: 'Backup', title: 'finished', value: null }),
    {},
    'ℹ️ *web-2* Backup: finished\n01:00\n#8398',
  ],
  [
    'a rule of Prometheus: its title says more, its label tells which, its runbook is linked',
    alertOf({
      plugin: 'KubePodCrash',
      metric: 'KubePodCrash',
      title: 'Pod restarts again and again',
      value: null,
      details: {
        ...details,
        labels: { cluster: 'eu', pod: 'pay-1' },
        description: 'See the logs',
        links: [{ text: 'Runbook', url: 'https://wiki.example/crash' }],
      },
    }),
    {
      policy: {
        showLabels: ['pod', 'job'],
        links: [{ match: {}, text: 'Graph', url: 'https://g.example/?h={server}&p={metric}' }],
      },
    },
    `🔴 *web-2* KubePodCrash — Pod restarts again and again\nSince 01:00 · *Nobody is on it*\nSee the logs\ncluster=eu, pod=pay-1 · Runbook · Graph · #8398\n${buttons}`,
  ],
]

describe('the card of an alert', () => {
  test.each(rows)('%s', (_, alert, records, text) => {
    expect(seen(shownPost({}, alert), { alerts: [alert], ...records })).toBe(text)
  })

  test('tells what came back last, how often this week, what was noted, and which marker came before', () => {
    const before = alertOf({ number: '7', startedMs: at('00:10'), closedMs: at('00:20') })
    const alert = alertOf()
    const card = shownPost({ mention: '<!subteam^S1>' }, before, alert)
    const note = postOf({ id: 'line:n', kind: 'line', thread: card.id, data: { act: 'n' } })
    const acts = [
      actOf({ id: 'n', kind: 'note', by: 'UBEN', alert: alert.id, data: { text: 'rotating logs' } }),
      actOf({ id: 'm', kind: 'marker', atMs: at('00:56'), subject: 'deploy 1.2.3', data: { name: 'Ana' } }),
      actOf({ id: 'o', kind: 'marker', atMs: at('00:50'), by: 'somebody', subject: 'flag on' }),
      actOf({ id: 'p', kind: 'marker', atMs: at('00:29'), subject: 'too early' }),
      actOf({ id: 'q', kind: 'marker', atMs: at('01:01'), subject: 'too late' }),
    ]
    expect(seen(card, { alerts: [before, alert], posts: [note], acts })).toBe(
      `🔴 *web-2* CPU busy *97%* (limit 90%)\nSince 01:00 · *Nobody is on it* · @team\n2nd this week · “rotating logs” (@ben) · 4 min after *deploy 1.2.3* by Ana · 10 min after *flag on* · #8398\n${buttons}`,
    )
  })

  test('shows a picture that says its facts to whoever cannot see it', () => {
    const alert = alertOf()
    const post = shownPost({ picture: { file: 'F01234567', key: 'k' } }, alert)
    const image = viewOf(post, sceneOf({ alerts: [alert] })).blocks.find(({ type }) => type === 'image')
    expect(image).toMatchObject({
      slack_file: { id: 'F01234567' },
      alt_text: 'Chart of CPU busy on web-2: 97%, limit 90%',
    })
    expect(viewOf({ ...post, noPicture: true }, sceneOf({ alerts: [alert] })).blocks).not.toContainEqual(
      image,
    )
  })

  test('is the same an hour later, as nothing happened', () => {
    const alert = alertOf()
    const later = sceneOf({ alerts: [alert], scene: { nowMs: nowMs + 3_600_000 } })
    expect(viewOf(shownPost({}, alert), later)).toEqual(
      viewOf(shownPost({}, alert), sceneOf({ alerts: [alert] })),
    )
  })

  test('has a new block id for each rendering, for Slack keeps what was chosen in an old one', () => {
    const alert = alertOf()
    const idOf = (shown: Alert) =>
      viewOf(shownPost({}, shown), sceneOf({ alerts: [shown] })).blocks.find(({ type }) => type === 'actions')
        ?.block_id
    expect(idOf(alert)).toMatch(/^act:1125899906848398:/)
    expect(idOf({ ...alert, value: 98 })).not.toBe(idOf(alert))
  })

  test('offers mutes and other things in groups', () => {
    const alert = alertOf()
    const policy = { investigate: { url: 'https://i.example/x', secret: null } }
    const { blocks } = viewOf(shownPost({}, alert), sceneOf({ alerts: [alert], policy }))
    const elements = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
    const groups = elements.flatMap((element) =>
      element.type === 'static_select'
        ? (element.option_groups ?? []).map(({ label, options }) => [
            label.text,
            ...options.map((one) => one.text.text),
          ])
        : [],
    )
    expect(groups).toEqual([
      ['Server web-2', '30 min', '1 h', '4 h', "Until it's fine"],
      ['This alert, in Slack only', '1 h', '1 day'],
      ['Other', 'Custom…', 'Whole account…'],
      ['This alert', 'Hand to…', 'Snooze 1 h', 'Snooze 4 h', 'Add note…', 'Timeline', 'Investigate'],
      ['Monitoring', 'Add roles…', 'Drop marker…'],
    ])
  })
})
