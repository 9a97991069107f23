/** What reports is started anew under another address and another name: nothing of what it reports about has changed. */
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { stateMetrics } from './cluster-hosts.ts'
import { clusterRules } from './cluster-rules.ts'
import { jobsOf, openNamed, rulesGiven } from './cluster-town.ts'
import type { Listed } from './front.ts'
import { lacks } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const pods = { before: 'ksm-6d5f-abcde', after: 'ksm-6d5f-zzzzz' }
const soon = { timeout: patienceMs, interval: 500 }

/** What kube-state-metrics says alone; some of its labels are its own. */
const names = [
  'KubePodCrashLooping',
  'KubePodNotReady',
  'KubeDeploymentReplicasMismatch',
  'KubeJobFailed',
  'KubeQuotaAlmostFull',
  'KubePersistentVolumeErrors',
  'KubernetesCronjobSuspended',
  'KubeNodeNotReady',
]

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'kube-state-metrics restarts elsewhere: no alert changes its server or its trouble, closes or opens',
  async (t) => {
    const startSeconds = Math.floor(Date.now() / 1_000)
    const jobs = (pod: string, address: string) => jobsOf([stateMetrics(pod, address, startSeconds)])
    const [manager] = await openAlertmanagers(t)
    const rules = clusterRules.filter(({ name }) => names.includes(name))
    const prometheus = await openPrometheus(t, {
      jobs: await jobs(pods.before, '10.244.1.5:8080'),
      alertmanagers: [manager?.url ?? ''],
      externalLabels: { cluster: 'prod' },
      // They are pending for a while under the new labels, as in life.
      rules: rulesGiven(rules, '4s'),
    })
    const front = await openNamed(t, { prometheus: prometheus.url, alertmanagers: [manager?.url ?? ''] })

    const told = async () => {
      const all = (await front.alerts('all')) as readonly (Listed & { readonly trouble?: string })[]
      return all
        .map(
          ({ id, plugin_name, server_hostname, lifecycle, trouble }) =>
            `${plugin_name} on ${server_hostname} ${id} ${lifecycle} ${trouble}`,
        )
        .sort()
    }
    /** Of what looks back for minutes, both are there for that long. */
    const isMoved = async () => {
      const { body } = await request(`${manager?.url}/api/v2/alerts?active=true`)
      const alerts = (await body.json()) as readonly { labels: Record<string, string> }[]
      const of = (pod: string) => alerts.filter(({ labels }) => labels.pod === pod)
      const old = of(pods.before).filter(({ labels }) => labels.alertname !== 'KubePodCrashLooping')
      return old.length === 0 && of(pods.after).length > 0
    }
    const open = async () => new Set((await front.alerts('start')).map((one) => one.plugin_name))
    await expect.poll(open, soon).toEqual(new Set(names))
    await expect.poll(async () => (await told()).length, soon).toBe(rules.length + 2)
    const before = await told()
    expect(before.filter((line) => line.includes('undefined'))).toEqual([])
    expect(before.filter((line) => /ksm|10\.244/.test(line))).toEqual([])

    await prometheus.change({ jobs: await jobs(pods.after, '10.244.7.7:8080') })
    const different: string[] = []
    let readings = 0
    await vi.waitUntil(
      async () => {
        const now = await told()
        different.push(...now.filter((line) => !before.includes(line)))
        different.push(...before.filter((line) => !now.includes(line)).map((line) => `no ${line}`))
        // Each of them is another reading; some more after all have come.
        if (await isMoved()) readings += 1
        return readings > 8
      },
      { timeout: patienceMs, interval: 1_000 },
    )
    expect(different).toEqual([])

    // And they end once, as any other does.
    await prometheus.change({ rules: [] })
    await prometheus.change({
      rules: rulesGiven(rules.map((rule) => ({ ...rule, expression: 'vector(0) > 1' }))),
    })
    await expect.poll(async () => [...(await open())], soon).toEqual([])
    expect((await told()).map((line) => line.replace(' end ', ' start '))).toEqual(before)
  },
)
