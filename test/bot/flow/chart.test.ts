/** Charts of the real service's metrics: the right metric is found, cropped and annotated. */
import { beforeEach, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { subjectWords } from '../../../src/bot/domain/alert/subject-words.ts'
import type { SeriesChart } from '../../../src/bot/domain/chart/chart.ts'
import { aroundAlert } from '../../../src/bot/domain/chart/window.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { type Charts, openCharts } from '../../../src/bot/flow/chart.ts'
import { connectMonitor } from '../../../src/bot/monitor/client.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { openTown, startMs } from '../../service/open-service.ts'
import { aMute, anEntry } from '../../support/acting-rows.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

const minuteMs = 60_000
const zone = 'Etc/UTC'

let charts: Charts
let store: OpenStore
let drawn: SeriesChart[]

beforeEach(async () => {
  const { service } = await openTown({ fleet: true })
  const clock = manualClock(startMs)
  store = await memoryStore()
  drawn = []
  const draw = {
    series: async (chart: SeriesChart) => {
      drawn.push(chart)
      return new Uint8Array([1])
    },
    bars: async () => new Uint8Array(),
  }
  const key = service.keys[0] ?? ''
  const monitor = connectMonitor({
    baseUrl: service.url,
    apiKey: { reveal: () => key },
    clock,
    random: () => 0.5,
  })
  charts = openCharts({ monitor, store, clock, draw, logger: keptJournal() })
})

function onWeb1(over: Partial<Alert>): Alert {
  const startedMs = startMs - 30 * minuteMs
  return anAlert('7', { hostname: 'web-1', serverName: 'web-1', startedMs, ...over })
}

test.each([
  ['CPU', 'cpu_busy', '%'],
  ['Memory', 'memory_used', 'MB'],
  ['Disk /', 'disk_used_percent', '%'],
  ['Network eth0', 'network_in', 'KB/s'],
  ['Process nginx', 'process_memory', 'MB'],
  ['Load Average', 'last_minute', ''],
  ['Signups', 'signups', ''],
])('an alert of %s is drawn from the metric %s', async (plugin, metric, units) => {
  const alert = onWeb1({ plugin, metric })
  const drawing = await charts.ofAlert(alert, aroundAlert(alert, startMs), zone)
  expect(drawing?.alt).toMatch(
    new RegExp(`^${subjectWords(alert)} on web-1, 2026-03-01 10:30 to 2026-03-01 12:00 UTC: .* last `),
  )
  expect(drawn[0]).toMatchObject({ units, fromMs: startMs - 90 * minuteMs, toMs: startMs })
  expect(drawn[0]?.timesMs.length).toBeGreaterThan(80)
  expect(drawn[0]?.spans).toEqual([{ kind: 'open', fromMs: alert.startedMs, toMs: startMs, label: 'alert' }])
})

test('a person names a metric of a server, and of one that no alert ever told of', async () => {
  for (const metric of ['cpu_busy', 'disk_free', 'last_minute', 'jobs_waiting']) {
    const server = metric === 'jobs_waiting' ? 'worker-1' : 'web-1'
    if (metric === 'last_minute') {
      await store.commit(opening([onWeb1({ metric })], 'C1', startMs))
    }
    const drawing = await charts.ofMetric({ server, metric, ms: 60 * minuteMs, zone })
    expect(drawing, metric).toMatchObject({ kind: 'drawn', drawing: { png: new Uint8Array([1]) } })
  }
  expect(drawn.map(({ title }) => title)).toContain('Load Average: last minute on web-1')
  expect(drawn.every(({ fromMs, toMs }) => toMs - fromMs === 60 * minuteMs)).toBe(true)
})

test('a chart that was asked for had neither limit nor the times of its alerts, and its words not all of its numbers', async () => {
  const open = onWeb1({ metric: 'last_minute', title: 'Last minute met or exceeded 3.00' })
  const closed = {
    ...onWeb1({ metric: 'last_minute', startedMs: startMs - 100 * minuteMs }),
    ...{ alertId: '8', state: 'closed' as const, closedMs: startMs - 50 * minuteMs },
  }
  const others = [
    { ...onWeb1({ plugin: 'CPU', metric: 'cpu_busy' }), alertId: '9' },
    { ...onWeb1({ metric: 'last_minute' }), alertId: '10', hostname: 'web-2' },
    { ...closed, alertId: '11', closedMs: startMs - 61 * minuteMs },
  ]
  await store.commit(opening([open, closed, ...others], 'C1', startMs))
  const said = await charts.ofMetric({ server: 'web-1', metric: 'last_minute', ms: 60 * minuteMs, zone })
  expect(drawn[0]?.limits).toEqual([{ value: 3, side: 'high' }])
  expect(drawn[0]?.spans.toSorted((a, b) => a.fromMs - b.fromMs)).toEqual([
    { kind: 'open', fromMs: startMs - 60 * minuteMs, toMs: startMs - 50 * minuteMs, label: 'alert' },
    { kind: 'open', fromMs: startMs - 30 * minuteMs, toMs: startMs, label: 'alert' },
  ])
  expect(said.kind === 'drawn' && said.drawing?.alt).toMatch(
    /^Load Average: last minute on web-1, 2026-03-01 11:00 to 2026-03-01 12:00 UTC: from [\d.]+ to [\d.]+, last [\d.]+ at 1[12]:\d\d: limit 3: alert 11:30 to 12:00: alert 11:00 to 11:10$/,
  )
})

test.each(['CPU busy', 'cpu BUSY', 'cpu_busy', 'Last minute', 'load average last minute', 'Load Average'])(
  'people may call a metric %s',
  async (metric) => {
    await store.commit(opening([onWeb1({ metric: 'last_minute' })], 'C1', startMs))
    const said = await charts.ofMetric({ server: 'web-1', metric, ms: 60 * minuteMs, zone })
    const words = /cpu/i.test(metric) ? 'CPU busy' : 'Load Average: last minute'
    expect(said).toMatchObject({ kind: 'drawn', metric: words, drawing: { png: new Uint8Array([1]) } })
  },
)

test('a name that fits several metrics is answered with them, and each of those names one', async () => {
  const disks = ['Disk /', 'Disk /data'].map((plugin, at) => ({
    ...onWeb1({ plugin, metric: 'disk_used_percent' }),
    alertId: `${at}`,
  }))
  await store.commit(opening(disks, 'C1', startMs))
  const ask = { server: 'web-1', ms: 60 * minuteMs, zone }
  const several = await charts.ofMetric({ ...ask, metric: 'Disk used percent' })
  expect(several).toMatchObject({
    kind: 'several',
    metrics: [{ plugin: 'Disk /data' }, { plugin: 'Disk /' }],
  })
  expect(await charts.ofMetric({ ...ask, metric: 'Disk /: used' })).toMatchObject({
    kind: 'drawn',
    metric: 'Disk /: used',
  })
})

test('the metrics of a server are those of its alerts, then those of the triggers, each once', async () => {
  await store.commit(opening([onWeb1({ metric: 'last_minute' })], 'C1', startMs))
  const known = await charts.metricsOf('web-1')
  expect(known[0]).toEqual({ plugin: 'Load Average', metric: 'last_minute' })
  expect(known).toContainEqual({ plugin: '', metric: 'cpu_busy' })
  expect(new Set(known.map(({ metric }) => metric)).size).toBe(known.length)
})

test.each([
  ['cpu_bussy', 'cpu_busy'],
  ['CPU bsuy', 'CPU busy'],
])('%s, which the API does not know, is answered with %s', async (metric, similar) => {
  expect(await charts.ofMetric({ server: 'web-1', metric, ms: minuteMs, zone })).toEqual({
    kind: 'unknown',
    similar: [similar],
  })
})

test('the limit of its trigger, the mutes of its server and the markers that concern it are on the chart', async () => {
  const alert = onWeb1({ plugin: 'CPU', metric: 'cpu_busy', title: 'CPU busy met or exceeded 90.00%' })
  const mute = aMute('m1', { startedMs: startMs - 10 * minuteMs, untilMs: startMs + 60 * minuteMs })
  const marker = anEntry('a1', {
    act: 'add_marker',
    atMs: startMs - 20 * minuteMs,
    hostname: null,
    detail: { text: 'deploy 4711' },
  })
  const others = [
    aMute('m2', { subject: 'web-2', startedMs: startMs - 10 * minuteMs }),
    aMute('m3', { subject: null, startedMs: startMs - 10 * minuteMs }),
  ]
  const roles = ['web-1', 'web-2'].map((hostname, at) =>
    anEntry(`r${at}`, {
      act: 'add_roles',
      atMs: startMs - 5 * minuteMs,
      hostname,
      detail: { roles: [hostname] },
    }),
  )
  const noise = Array.from({ length: 60 }, (_, at) => anEntry(`n${at}`, { atMs: startMs - minuteMs }))
  await store.commit({
    ...emptyPlan(startMs),
    mutes: [mute, ...others].map((one) => ({ mute: one, was: null })),
    audit: [marker, ...roles, ...noise],
  })
  await charts.ofAlert(alert, aroundAlert(alert, startMs), zone)
  expect(drawn[0]?.limits).toEqual([{ value: 90, side: 'high' }])
  expect(drawn[0]?.marks).toEqual([
    { atMs: marker.atMs, label: 'deploy 4711' },
    { atMs: mute.startedMs, label: 'muted: deploying' },
    { atMs: startMs - 5 * minuteMs, label: 'added to web-1' },
  ])
  expect(drawn[0]?.line).toBe('highest')
  expect(drawn[0]?.spans.slice(1)).toEqual([
    { kind: 'mute', fromMs: mute.startedMs, toMs: startMs, label: 'muted' },
  ])
})

test('an alert without a metric, and one of a server that is gone, have no chart', async () => {
  const window = { fromMs: startMs - minuteMs, toMs: startMs }
  expect(await charts.ofAlert(onWeb1({ metric: null }), window, zone)).toBeNull()
  expect(
    await charts.ofAlert(onWeb1({ hostname: 'gone-1', plugin: 'CPU', metric: 'cpu_busy' }), window, zone),
  ).toBeNull()
})
