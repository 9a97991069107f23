/** The real programs that other tests lean on: they start, know each other, and come back. */
import { request } from 'undici'
import { expect, test } from 'vitest'
import { lacks } from './programs.ts'
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
