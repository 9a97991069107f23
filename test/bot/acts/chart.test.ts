/** `/mon chart`: which metric of which servers is drawn, and where the picture goes. */
import { describe, expect, test } from 'vitest'
import type { Reads } from '../../../src/bot/acts/action.ts'
import { chart } from '../../../src/bot/acts/chart.ts'
import { ApiFailure, type MetricQuery } from '../../../src/bot/api/port.ts'
import { buttonValueOf } from '../../../src/bot/view/blocks.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import { postOf } from '../worlds/builders.ts'
import { alert, answerTo, contextOf, nowMs, offered, sceneOf, told, worldOf } from './records.ts'

const series = [{ label: 'web-2', units: '%', points: [{ atMs: nowMs, min: 1, mean: 2, max: 3 }] }]
const known = [
  'cpu cpu_busy null web-2',
  'disk disk_used_percent /data1 db-1',
  'disk disk_used_percent / db-1',
  'cpu cpu_busy null role=web',
  'custom_metric orders orders shop-1',
]

/** An API that has points of what is listed in `known`, and knows nothing else. */
function monitorWith(asked: MetricQuery[]): Reads['monitor'] {
  return {
    ...contextOf(sceneOf(worldOf())).reads.monitor,
    triggers: async () => [
      { id: '1', condition: '', metric: 'mem_used', maxValue: 1, lowValue: null, durationS: 60 },
    ],
    metrics: async (query) => {
      asked.push(query)
      const where = query.role === null ? query.server : `role=${query.role}`
      if (known.includes(`${query.type} ${query.name} ${query.source} ${where}`)) return series
      throw new ApiFailure('missing', 'no such metric')
    },
  }
}

function fleet(): Scene {
  const disk = { plugin: 'Disk /data1', metric: 'disk_used_percent', host: 'db-1', server: 'Main DB' }
  return sceneOf(worldOf({ alerts: [alert('101'), alert('102', disk)] }))
}

async function ask(words: string, scene = fleet(), ask = {}) {
  const asked: MetricQuery[] = []
  const context = contextOf(scene, { monitor: monitorWith(asked) })
  const reply = await answerTo(chart, words, { ...context, ask: { ...context.ask, ...ask } })
  const [effect] = [...scene.world.effects.values()]
  for (const { id } of scene.world.effects.values()) scene.world.patch('effects', id, { state: 'done' })
  return { reply, text: told(reply, scene), offers: offered(reply), effect, asked }
}

describe('what is drawn', () => {
  test.each([
    ['web-2 CPU busy 2d', 'cpu cpu_busy null web-2', 48, 'words, and a duration'],
    ['web-2 cpu_busy', 'cpu cpu_busy null web-2', 5, 'a key; five hours'],
    [
      '"Main DB" disk used 90 m',
      'disk disk_used_percent /data1 db-1',
      1.5,
      "a display name is the API's hostname",
    ],
    [
      'db-1 disk:/ disk_used_percent 2 weeks',
      'disk disk_used_percent / db-1',
      336,
      'type and source written out',
    ],
    ['role=web cpu_busy 1d', 'cpu cpu_busy null role=web', 24, 'servers of a role'],
    ['shop-1 orders 1h', 'custom_metric orders orders shop-1', 1, 'of a server without alerts, by guesses'],
  ])('%s', async (words, wanted, hours, _why) => {
    const { effect } = await ask(words)
    const wish = effect?.data.chart
    expect([
      `${wish?.metricType} ${wish?.metricName} ${wish?.source} ${wish?.servers}`,
      (wish?.durationMs ?? 0) / 3_600_000,
    ]).toEqual([wanted, hours])
  })
})

test("The next larger of the API's durations is asked for", async () => {
  const { asked } = await ask('web-2 cpu_busy 30h')
  expect(asked.map(({ duration }) => duration)).toEqual(['1 week'])
})

test('Of several servers those are drawn that have the metric', async () => {
  const { effect } = await ask('web-2,mail-7 cpu_busy')
  expect(effect?.data.chart?.servers).toEqual(['web-2'])
})

describe('what is not drawn', () => {
  test.each([
    ['', 'Which server? For example `/mon chart web-2 CPU busy 2d`', []],
    ['web-2', 'Which metric? CPU busy, mem used', ['chart web-2 CPU cpu_busy', 'chart web-2 mem_used']],
    [
      'web-2 cpu_bsy 2d',
      'The monitoring has no data of `cpu_bsy` on `web-2`. Did you mean cpu_busy, CPU busy?',
      ['chart web-2 cpu_busy 2d', 'chart web-2 CPU busy 2d'],
    ],
    ['web-2 mem_used', 'The monitoring has no data of `mem used` on `web-2`.', []],
    ['web-9 cpu_busy', 'No server `web-9`. Did you mean web-2?', ['chart web-2 cpu_busy']],
    ['mail cpu_busy', 'No such server. Search: `/mon roles`.', []],
    ['web-2 cpu_busy 5m', 'A chart shows 10 minutes to 365 days.', []],
  ])('%s', async (words, text, offers) => {
    const answer = await ask(words)
    expect([answer.text, answer.offers, answer.effect]).toEqual([text, offers, undefined])
  })
})

test('A failure of the API is told, and nothing is wanted', async () => {
  const scene = fleet()
  const monitor = {
    ...monitorWith([]),
    metrics: async () => Promise.reject(new ApiFailure('unclear', 'timed out')),
  }
  const reply = await answerTo(chart, 'web-2 cpu_busy', contextOf(scene, { monitor }))
  expect([told(reply, scene), scene.world.effects.size]).toEqual(["Couldn't read the metric: timed out.", 0])
})

describe('where it goes', () => {
  test("to the asker's direct messages, which surely shows it", async () => {
    const { text, effect } = await ask('web-2 cpu_busy')
    expect([text, effect?.data.file, effect?.data.to]).toEqual([
      'I sent you the chart of CPU busy on web-2 (5 h)',
      'chart',
      'U1',
    ])
  })

  test('into the thread in which it was asked', async () => {
    const { text, effect } = await ask('web-2 cpu_busy', fleet(), { threadPost: 'alert:1:C1' })
    expect([text, effect?.data.post, effect?.data.to]).toEqual([
      'I put into the thread the chart of CPU busy on web-2 (5 h)',
      'alert:1:C1',
      undefined,
    ])
  })

  test.each(['press', 'command'])("an alert's own into its card's thread, once: %s", async (how) => {
    const scene = fleet()
    const [one] = [...scene.world.alerts.values()]
    const id = one?.id ?? ''
    const shows = [{ alert: id, isQuiet: false, atMs: nowMs }]
    scene.world.put('posts', postOf({ id: 'card', state: 'live', ts: '1.1', shows }))
    const press = { actionId: 'chart', value: buttonValueOf({ alert: id }), option: null, post: 'card' }
    for (const _ of [1, 2]) {
      if (how === 'press') await chart.presses?.chart?.(press, contextOf(scene))
      else await chart.command?.('#101', contextOf(scene))
    }
    const charts = [...scene.world.posts.values()].filter(({ kind }) => kind === 'chart')
    expect(charts.map(({ thread, channel }) => [thread, channel])).toEqual([['card', 'C0']])
  })
})
