import { describe, expect, test } from 'vitest'
import { viewOf } from '../../../src/bot/view/view.ts'
import type { Alert } from '../../../src/bot/world/types.ts'
import { actOf, alertOf, muteOf } from '../worlds/builders.ts'
import { at, type Records, readable, sceneOf, seen, shownPost } from './seen.ts'

/** `web-1 web-2 …` as alerts of CPU. */
function storm(servers: string, over: Partial<Alert> = {}): Alert[] {
  return servers.split(' ').map((server, index) =>
    alertOf({
      ...{ number: `${server}-${index}`, server, host: server, plugin: 'CPU', metric: 'cpu_busy' },
      ...{ startedMs: at('01:00'), value: 97, ...over },
    }),
  )
}
const seven = 'web-1 web-2 web-3 web-10 cache-1 cache-2 db'
const closed = { closedMs: at('01:02'), closedAfterMs: 45_000, closedBy: 'end' } as const
const list = (alerts: readonly Alert[], data = {}) =>
  shownPost({ id: 'list:1:C0', kind: 'list', data: { of: 'kind', ...data } }, ...alerts)

const rows: readonly [why: string, alerts: readonly Alert[], records: Records, text: string][] = [
  [
    'a storm counts what, where and who',
    [...storm(seven), ...storm('x-1', closed), ...storm('y-1 y-2', { holder: 'UBEN' })],
    {},
    '🔴 *9 × CPU busy* on 9 servers: web 4, cache 2, y 2, db 1\nSince 01:00 · *Nobody is on 7* · 👀 @ben is on 2 · 1 closed\nThey are listed in the thread\n[Acknowledge 7] [Take over] [Mute servers…] [More…]',
  ],
  [
    'what was marked before the first of them',
    [...storm('a', { startedMs: at('00:59') }), ...storm('b')],
    { acts: [actOf({ kind: 'marker', subject: 'deploy', by: 'name:ci', atMs: at('00:55') })] },
    '🔴 *2 × CPU busy* on a and b\nSince 00:59 · *Nobody is on 2*\n4 min after *deploy* by ci · They are listed in the thread\n[Acknowledge 2] [Mute servers…] [More…]',
  ],
  [
    'few servers are named, as people count; all critical',
    storm('web-10 web-9', { severity: 'critical' }),
    {},
    '🚨 *CRITICAL · 2 × CPU busy* on web-9 and web-10\nSince 01:00 · *Nobody is on 2*\nThey are listed in the thread\n[Acknowledge 2] [Mute servers…] [More…]',
  ],
  [
    'some critical; nobody acknowledges for all what one is on',
    [...storm('a b', { holder: 'UANA' }), ...storm('c', { severity: 'critical', holder: 'UANA' })],
    {},
    '🚨 *3 × CPU busy, 1 CRITICAL: c* on a, b and c\nSince 01:00 · 👀 @ana is on all 3\nThey are listed in the thread\n[Take over] [Mute servers…] [More…]',
  ],
  [
    'all muted by one mute: its end stands in place of the select',
    storm('web-1 web-1', { number: '1' })
      .slice(0, 1)
      .concat(storm('web-1', { number: '2' })),
    { mutes: [muteOf({ untilMs: at('02:00') })] },
    '🔴 *2 × CPU busy* on web-1\nSince 01:00 · all muted\n🔕 @ana muted *web-1* until 02:00 — deploying\nThey are listed in the thread\n[Unmute] [Extend 1 h] [More…]',
  ],
  [
    'a mixed list names its kinds',
    [...storm('a b'), ...storm('c', { metric: 'disk_used_percent', plugin: 'Disk /' })],
    {},
    '🔴 *3 alerts* on a, b and c\nCPU busy 2, Disk / used 1\nSince 01:00 · *Nobody is on 3*\nThey are listed in the thread\n[Acknowledge 3] [Mute servers…] [More…]',
  ],
  [
    'one of a storm is left: told as that alert',
    [...storm('a b', closed), ...storm('c')],
    {},
    '🔴 *c* CPU busy *97%* (limit 90%)\nSince 01:00 · *Nobody is on it*\n#c-0\n[Acknowledge] [Mute…] [Chart] [More…]',
  ],
  [
    'all closed, and one was on some',
    [...storm('a b', closed), ...storm('c', { ...closed, closedAfterMs: 90_000, holder: 'UBEN' })],
    {},
    '🟢 *3 × CPU busy* on a, b and c\nAll 3 closed, half within 45 s; @ben was on it',
  ],
  [
    'a length that was not measured is not claimed',
    storm('a b', { ...closed, closedAfterMs: null }),
    {},
    '🟢 *2 × CPU busy* on a and b\nAll 2 closed; nobody was on them',
  ],
  [
    'one is no longer listed: not green',
    [...storm('a', closed), ...storm('b c', { unlistedMs: at('01:01') })],
    {},
    '⚪ *2 × CPU busy* on b and c\nSince 01:00 · ⚪ 2 no longer listed · 1 closed\nThey are listed in the thread\n[Mute servers…] [More…]',
  ],
]

describe('the card of several', () => {
  test.each(rows)('%s', (_, alerts, records, text) => {
    expect(seen(list(alerts), { alerts, ...records })).toBe(text)
  })

  test('of a first poll says that nobody is called', () => {
    const alerts = storm('a b')
    expect(seen(list(alerts, { isFirst: true }), { alerts })).toContain(
      'Open already when monbot started: nobody is called about them',
    )
  })
})

describe('the lines in its thread', () => {
  const lines = (alerts: readonly Alert[]) =>
    viewOf(
      shownPost({ id: 'lines:l:0', kind: 'lines', thread: 'l', data: { page: 0 } }, ...alerts),
      sceneOf({ alerts }),
    )

  test('say how each stands', () => {
    const { details } = alertOf()
    const alerts = [
      ...storm('a', { details: { ...details, links: [{ text: 'Runbook', url: 'https://wiki.example/a' }] } }),
      ...storm('b', { holder: 'UBEN', severity: 'critical' }),
      ...storm('c', closed),
    ]
    expect(readable(lines(alerts).text)).toBe(
      '🔴 a *97%* · #a-0 · Runbook\n🚨 b *97%* · 👀 @ben · #b-0\n🟢 c *97%* · closed after 45 s · #c-0',
    )
  })

  test('keep all names on a page of eighty: links give way', () => {
    const alerts = Array.from({ length: 80 }, (_, n) =>
      alertOf({ number: `${n}`, server: `web-${n}`, url: `https://mon.example/${'a'.repeat(180)}/${n}` }),
    )
    const { blocks } = lines(alerts)
    const text = blocks.map((block) => (block.type === 'section' ? block.text?.text : '')).join('\n')
    expect(text.split('\n')).toHaveLength(80)
    expect(text).toContain('🔴 web-79 *97%* · #79')
  })
})
