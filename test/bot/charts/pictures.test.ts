/** The picture of an alert: what the API is asked for, what is drawn of it, and what is shown where there is too little to draw. */
import { expect, test } from 'vitest'
import { ApiFailure, type MetricQuery, type Series } from '../../../src/bot/api/port.ts'
import type { Chart } from '../../../src/bot/charts/chart.ts'
import { picturesOf } from '../../../src/bot/charts/pictures.ts'
import { silentLog } from '../../../src/bot/log.ts'
import type { Alert } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { sceneOf } from '../slack/edge.ts'
import { alertOf } from '../worlds/builders.ts'
import { handClock } from '../worlds/hand-clock.ts'

const minute = 60_000
const clock = handClock()
const startedMs = clock.nowMs() - 30 * minute

function seriesOf(points: number): Series {
  const atMs = (at: number) => clock.nowMs() - at * minute
  const all = Array.from({ length: points }, (_, at) => ({
    atMs: atMs(points - at),
    min: 1,
    mean: 2,
    max: 3,
  }))
  return { label: 'web-1', units: '%', points: all }
}

function open(answer: (query: MetricQuery) => readonly Series[], over: Partial<Alert> = {}) {
  const world = new World()
  const alert = alertOf({ startedMs, plugin: 'Disk /data', metric: 'disk_used_percent', ...over })
  world.put('alerts', alert)
  const asked: MetricQuery[] = []
  const drawn: Chart[] = []
  const uploaded: string[] = []
  const pictures = picturesOf({
    monitor: {
      metrics: async (query) => {
        asked.push(query)
        return answer(query)
      },
      picture: async (url) => Buffer.from(`sparkline of ${url}`),
    },
    slack: {
      upload: async (bytes) => {
        uploaded.push(Buffer.from(bytes).toString())
        return { kind: 'ok', file: 'F1' }
      },
    },
    draw: async (chart) => {
      drawn.push(chart)
      return Buffer.from('chart')
    },
    clock,
    log: silentLog,
    scene: () => sceneOf(world, clock.nowMs(), { timezone: 'Europe/Lisbon' }),
  })
  const make = (signal = new AbortController().signal) => pictures.make({ key: 'k', alert: alert.id }, signal)
  return { pictures, asked, drawn, uploaded, make }
}

test("shows the alert's own series with its limit, while it is open", async () => {
  const { asked, drawn, uploaded, make } = open(() => [seriesOf(60)])
  expect(await make()).toEqual({ file: 'F1', key: 'k' })
  expect(asked).toMatchObject([{ type: 'disk', source: '/data', server: 'web-1', alertNumber: '8398' }])
  expect(drawn).toMatchObject([
    {
      units: '%',
      limit: 90,
      line: 'max',
      zone: 'Europe/Lisbon',
      band: { fromMs: startedMs, untilMs: clock.nowMs() },
    },
  ])
  expect(uploaded).toEqual(['chart'])
})

test('the next likely type and source is asked for where the API knows no such metric', async () => {
  const { asked, make } = open(({ type }) => {
    if (type === 'disk') throw new ApiFailure('missing', 'no such metric')
    return type === 'plugin' ? [] : [seriesOf(60)]
  })
  expect(await make()).not.toBeNull()
  expect(asked.map(({ type, source }) => [type, source])).toEqual([
    ['disk', '/data'],
    ['plugin', 'Disk /data'],
    ['custom_metric', 'disk_used_percent'],
  ])
})

test('below five points it is the little picture of the API, and without one there is none', async () => {
  const few = open(() => [seriesOf(4)], { sparklineUrl: 'https://mon.example/s.png' })
  await few.make()
  expect([few.drawn, few.uploaded]).toEqual([[], ['sparkline of https://mon.example/s.png']])
  expect(await open(() => [seriesOf(4)], { sparklineUrl: null }).make()).toBeNull()
})

test.each([
  ['the API is away', 'unclear'],
  ['the key is refused', 'key'],
] as const)('where %s there is none, and nothing throws', async (_why, kind) => {
  const { asked, make } = open(() => {
    throw new ApiFailure(kind, 'no answer')
  })
  expect(await make()).toBeNull()
  expect(asked).toHaveLength(1)
})

test('what nobody waits for any more is not uploaded', async () => {
  const { uploaded, make } = open(() => [seriesOf(60)])
  expect(await make(AbortSignal.abort())).toBeNull()
  expect(uploaded).toEqual([])
})

test('a chart that somebody asked for is of servers, a role and an environment', async () => {
  const { pictures, asked } = open(() => [seriesOf(60)])
  const servers = ['web-1', 'role=db', 'env=prod']
  const metric = { metricName: 'cpu_busy', metricType: 'cpu', source: null, title: 'CPU' }
  const scene = sceneOf(new World(), clock.nowMs())
  await pictures.draw({ ...metric, servers, durationMs: 60 * minute }, scene)
  expect(asked).toMatchObject([
    { server: 'web-1', role: null },
    { server: null, role: 'db' },
    { role: null, environment: 'prod' },
  ])
  const few = open(() => [seriesOf(1)])
  await expect(few.pictures.draw({ ...metric, servers, durationMs: minute }, scene)).rejects.toThrow(
    'too few points',
  )
})
