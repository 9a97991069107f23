/** The pictures of alerts of a real Prometheus: the series of the alert and no other, in the unit of its rule. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { shortNumber } from '../../../src/service/prometheus/picture.ts'
import { alertPage } from '../../../src/service/web/alert-page.ts'
import { patienceMs } from '../../support/patience.ts'
import { exporter, exporterOf } from '../scrape/exporters.ts'
import { openGateway, success } from './gateway.ts'
import { alertOf, openMetricsTown, untilSeries } from './metrics-town.ts'
import { lacks } from './programs.ts'
import { openPrometheus } from './real.ts'

/** The words of a picture, without its clock. */
const wordsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)]
    .map(([, words = '']) => words)
    .filter((words) => !/^\d\d:\d\d/.test(words))
const hasLine = (svg: string): boolean => svg.includes('<circle')
const marker = { notes: 'deployed', atMs: Date.now() - 30_000 }

describe.skipIf(lacks('prometheus'))('the picture of an alert', () => {
  const avail = 'node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.1'
  const lent = 'shop_queue * on (job) group_left (instance) shop_home > 3'
  const labels = { alertname: 'Disk', severity: 'page', cluster: 'eu', instance: 'web-1:9100', job: 'node' }

  test('shows the series with its labels, with the limit of its rule', async (t) => {
    const disk = (mount: string, free: number) =>
      `node_filesystem_avail_bytes{mountpoint="${mount}"} ${free}\nnode_filesystem_size_bytes{mountpoint="${mount}"} 100`
    const shown = [disk('/', 5), disk('/data', 70), 'shop_queue 7', 'node_load1 2'].join('\n')
    const node = await exporterOf(() => `${shown}\n`)
    const home = await exporterOf(() => 'shop_home{instance="web-1:9100",job="node"} 1\n')
    const { url } = await openPrometheus(t, {
      jobs: [
        { job: 'node', targets: [node], instance: 'web-1:9100' },
        { job: 'home', targets: [home], honorLabels: true },
      ],
    })
    await untilSeries(url, 'shop_home', 1)
    await untilSeries(url, 'node_filesystem_avail_bytes', 2)
    const rules = { Disk: avail, Away: 'absent(shop_closed)' }
    const town = openMetricsTown(t, { url, servers: ['web-1'], rules })
    const draw = (given: Record<string, string>, rule: string | null, more = {}) =>
      town.picture(alertOf({ ...labels, ...given }, rule, more), [marker])

    const root = await draw({ mountpoint: '/' }, avail)
    expect(wordsOf(root)).toEqual(['0', '0.05', '0.1', 'web-1 · Disk', 'limit 0.1'])
    expect(hasLine(root)).toBe(true)
    // The other disk is far above the limit, so its chart has another scale.
    expect(wordsOf(await draw({ mountpoint: '/data' }, avail))).toContain('0.6')
    expect(hasLine(await draw({ mountpoint: '/none' }, avail))).toBe(false)
    expect(hasLine(await draw({ mountpoint: '/', instance: 'web-2:9100' }, avail))).toBe(false)
    // Its port was cut off on the way to the Alertmanager.
    expect(wordsOf(await draw({ mountpoint: '/', instance: 'web-1' }, avail))).toEqual(wordsOf(root))
    expect(hasLine(await draw({ mountpoint: '/', instance: 'web-1:9200' }, avail))).toBe(false)

    // An old alert has steps of minutes, and three queries; a Prometheus so young has something at the next whole step.
    const old = { openedMs: Date.now() - 20 * 3_600_000 }
    await expect
      .poll(async () => hasLine(await draw({ mountpoint: '/' }, avail, old)), {
        timeout: patienceMs,
        interval: 500,
      })
      .toBe(true)

    expect(hasLine(await draw({ alertname: 'Lent' }, lent))).toBe(true)
    const ofService = { alertname: 'Away', severity: 'page' }
    const away = alertOf(ofService, 'absent(shop_closed)', { serverName: 'global', plugin: 'Away' })
    expect(hasLine(await town.picture(away, []))).toBe(true)

    const key = { type: 'plugin', source: 'Load Average', metric: 'last_minute' } as const
    const ofMetric = await draw({ alertname: 'Load' }, null, { key, limit: 3 })
    expect(wordsOf(ofMetric)).toContain('web-1 · Load Average · Last minute')
    expect(hasLine(ofMetric)).toBe(true)
    expect(wordsOf(await draw({}, null, { key: null }))).toContain('Event only; no metric')
    expect(wordsOf(await draw({}, 'what [ is'))).toContain('no data: Prometheus cannot be asked')
  }, 300_000)
})

test('a Prometheus that is away or slow does not break the picture', async (t) => {
  const mute = await exporter(() => {})
  for (const url of ['http://127.0.0.1:1', new URL(mute).origin]) {
    const town = openMetricsTown(t, { url, servers: ['web-1'], timeoutMs: 200 })
    const alert = alertOf({ alertname: 'Load', instance: 'web-1:9100' }, 'node_load1 > 4')
    const svg = await town.picture(alert, [marker])
    expect(wordsOf(svg)).toEqual(['web-1 · Load', 'no data: Prometheus cannot be asked'])
    expect(svg).toContain('#7c3aed')
  }
})

test.each([
  ['in part, and says so', { warnings: ['store-1 is away'] }, 'web-1 · Load · in part'],
  ['in part, as a cluster of VictoriaMetrics says it', { isPartial: true }, 'web-1 · Load · in part'],
  [
    'in whole with a remark',
    { infos: ['PromQL info: odd'], warnings: ['PromQL warning: odd'] },
    'web-1 · Load',
  ],
])('an answer %s is drawn', async (_, beside, title) => {
  const gateway = await openGateway({ onTestFinished }, null)
  gateway.answers = (path, _, form) => {
    const from = Number(new URLSearchParams(form).get('start'))
    const metric = { instance: 'web-1:9100' }
    return path.endsWith('query')
      ? success({ resultType: 'vector', result: [] }, beside)
      : success({ resultType: 'matrix', result: [{ metric, values: [[from, '5']] }] }, beside)
  }
  const town = openMetricsTown({ onTestFinished }, { url: gateway.url, servers: ['web-1'] })
  const svg = await town.picture(alertOf({ alertname: 'Load', instance: 'web-1:9100' }, 'node_load1 > 4'), [])
  expect(wordsOf(svg)).toContain(title)
  expect(hasLine(svg)).toBe(true)
})

test('the page of an alert says its value without a unit that is not the one of its rule', () => {
  const key = { type: 'memory', source: '', metric: 'memory_used_percent' } as const
  const parts = { picture: '/p', markers: [], roles: [] }
  const ofRule = alertOf({ alertname: 'Memory', instance: 'web-1:9100' }, 'x < 0.05', { key, value: 0.04 })
  expect(alertPage(ofRule, parts)).toContain('<dd>0.04</dd>')
  const { upstream: _, ...own } = ofRule
  expect(alertPage({ ...own, value: 96 }, parts)).toContain('<dd>96.00%</dd>')
})

test.each([
  [0, '0'],
  [0.95, '0.95'],
  [0.123456, '0.1235'],
  [-5, '-5'],
  [9_999, '9999'],
  [12_345, '12.35k'],
  [536_870_912, '536.9M'],
  [1.5e9, '1.5G'],
  [2e12, '2T'],
])('%d is written as %s beside a chart', (value, expected) => {
  expect(shortNumber(value)).toBe(expected)
})
