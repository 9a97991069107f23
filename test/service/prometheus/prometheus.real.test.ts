/** The real programs that other tests lean on: they start, know each other, and come back; also killed while a server is muted. */
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { startService } from '../process.ts'
import { openShop } from './front.ts'
import { lacks, run, tempFolder } from './programs.ts'
import { openAlertmanagers, openNodeExporter, openPrometheus, openVictoriaMetrics } from './real.ts'

const json = async (url: string): Promise<unknown> => (await request(url)).body.json()

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'prometheus-node-exporter'))(
  'a rule fires at both Alertmanagers of a cluster, and one that was killed comes back',
  async (t) => {
    const exporter = await openNodeExporter(t)
    const managers = await openAlertmanagers(t, { count: 2 })
    const prometheus = await openPrometheus(t, {
      jobs: [{ job: 'node', targets: [exporter.url], instance: 'web-1:9100' }],
      alertmanagers: managers.map(({ url }) => url),
    })
    await prometheus.change({ rules: [{ alert: 'Busy', expr: 'node_load1 >= 0' }] })
    const alertsAt = async (url: string | undefined) =>
      (await json(`${url}/api/v2/alerts`)) as { labels: Record<string, string> }[]
    for (const { url } of managers) {
      await expect
        .poll(async () => (await alertsAt(url)).map(({ labels }) => labels))
        .toMatchObject([{ alertname: 'Busy', instance: 'web-1:9100', job: 'node' }])
    }
    const [first] = managers
    await first?.restart()
    await expect.poll(async () => (await alertsAt(first?.url)).length).toBe(1)
  },
)

test.skipIf(lacks('victoria-metrics', 'prometheus-node-exporter'))(
  'VictoriaMetrics scrapes and answers',
  async (t) => {
    const exporter = await openNodeExporter(t)
    const engine = await openVictoriaMetrics(t, { jobs: [{ job: 'node', targets: [exporter.url] }] })
    await expect
      .poll(() => json(`${engine.url}/api/v1/query?query=count(node_load1)`))
      .toMatchObject({ data: { result: [{ value: [expect.any(Number), '1'] }] } })
  },
)

const soon = { timeout: patienceMs, interval: 250 }
const key = 'key-of-the-account'

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'amtool')).for([
  ['a file', true],
  ['no file', false],
] as const)(
  'a mute outlives a kill of the service with %s, as one silence, and ends with the unmute',
  async ([, isKept], t) => {
    const shop = await openShop(t)
    const [manager] = await openAlertmanagers(t)
    const prometheus = await openPrometheus(t, {
      jobs: [{ job: 'shop', targets: [shop.url], instance: 'shop-1:9100' }],
      rules: [{ alert: 'OrdersWaiting', expr: 'orders_waiting > 100' }],
      alertmanagers: [manager?.url ?? ''],
    })
    shop.set('orders_waiting', 120)
    const env = {
      MONITOR_API_KEY: key,
      PROMETHEUS_URL: prometheus.url,
      ALERTMANAGER_URL: manager?.url ?? '',
      ...(isKept ? { MONITOR_FILE: join(tempFolder(t), 'monitor.db') } : {}),
    }
    let service = await startService(env)
    const open = async () => {
      const answer = await fetch(`${service.url}/api/v2/${key}/alerts.json?lifecycle=start`)
      return ((await answer.json()) as { results?: { id: number }[] }).results?.map(({ id }) => id)
    }
    const mute = async (isOn: boolean) => {
      const body = new URLSearchParams({ notifications: String(isOn) })
      return (await fetch(`${service.url}/api/v2/${key}/servers/shop-1`, { method: 'POST', body })).status
    }
    const state = async () =>
      JSON.stringify(await (await fetch(`${service.controlUrl}/control/state`)).json())
    const silences = async () => {
      const said = await run('amtool', [
        '--alertmanager.url',
        manager?.url ?? '',
        '-o',
        'json',
        'silence',
        'query',
      ])
      return (JSON.parse(said) as { createdBy: string }[]).map(({ createdBy }) => createdBy)
    }
    await expect.poll(open, soon).toHaveLength(1)
    const before = await open()
    expect(await mute(false)).toBe(200)
    expect(await silences()).toEqual(['monbot'])
    await service.kill()
    service = await startService(env)
    await expect.poll(open, soon).toEqual(before)
    expect(await state()).toMatch(/"hostname":"shop-1","kind":"prometheus",[^}]*"notifications":false/)
    expect(await silences()).toEqual(['monbot'])
    expect(await mute(true)).toBe(200)
    expect(await silences()).toEqual([])
  },
)
