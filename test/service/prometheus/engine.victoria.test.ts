/** The real VictoriaMetrics with its vmalert, in place of a Prometheus: what its alerts say is what they say of that. */
import { expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { patienceMs } from '../../support/patience.ts'
import { clusterTargets } from './cluster-hosts.ts'
import { clusterRules } from './cluster-rules.ts'
import { jobsOf, rulesGiven } from './cluster-town.ts'
import { type Listed, openFront } from './front.ts'
import { lacks } from './programs.ts'
import { openAlertmanagers, openVictoriaMetrics, openVmalert } from './real.ts'

const soon = { timeout: patienceMs, interval: 500 }
const names = [
  'KubeDaemonSetNotScheduled',
  'KubeNodeNotReady',
  'KubePersistentVolumeFillingUp',
  'NodeFilesystemAlmostOutOfSpace',
  'NodeMemoryHighUtilization',
  'BlackboxProbeFailed',
]
const targets = ['kube-state-metrics', 'kubelet-node-1', 'node-exporter-1', 'blackbox']

test.skipIf(lacks('victoria-metrics', 'vmalert', 'prometheus-alertmanager'))(
  'alerts of vmalert have value, unit, limit and later readings, and are over when it says so',
  async (t) => {
    const [manager] = await openAlertmanagers(t)
    let isCalm = false
    const cluster = clusterTargets(Date.now())
      .filter(({ name }) => targets.includes(name))
      .map((target) => {
        const said = target.text
        return { ...target, text: said === null ? null : (ms: number) => (isCalm ? 'calm 1' : said(ms)) }
      })
    const rulesUrl = `http://127.0.0.1:${await freePort()}`
    const engine = await openVictoriaMetrics(t, { jobs: await jobsOf(cluster), rulesUrl })
    const expected = clusterRules.filter(({ name }) => names.includes(name))
    await openVmalert(t, {
      url: rulesUrl,
      datasource: engine.url,
      notifier: manager?.url ?? '',
      rules: rulesGiven(expected),
      externalLabels: { cluster: 'prod' },
    })
    const front = await openFront(t, { prometheus: engine.url, alertmanagers: [manager?.url ?? ''] })
    type Told = Listed & { readonly metric_name: string }
    const open = async () => (await front.alerts('start')) as readonly Told[]
    const lines = async () =>
      [...new Set((await open()).map((one) => `${one.title} ${one.metric_value}`))].sort()
    const wanted = expected.map(({ title, value }) => `${title} ${value}`)
    await expect.poll(lines, soon).toEqual(expect.arrayContaining(wanted))

    for (const { title, value, units, metric } of expected) {
      const one = (await open()).find((alert) => alert.title === title && alert.metric_value === value)
      expect(one?.metric_name).toBe(metric)
      const asked = new URLSearchParams({
        metric_type: 'plugin',
        metric_source_name: one?.plugin_name ?? '',
        metric_name: metric,
        duration: '5 hours',
        alert: String(one?.id),
      })
      const { body } = await front.ask(`/metrics.json?${asked}`)
      const [block] = body.metrics as readonly { units: string; points: readonly number[][] }[]
      expect([title, block?.units, block?.points.at(-1)?.[2]]).toEqual([title, units, value])
    }

    isCalm = true
    await expect.poll(lines, soon).toEqual([])
    expect((await front.alerts('end')).length).toBeGreaterThanOrEqual(expected.length)
  },
)
