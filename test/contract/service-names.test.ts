/**
 * Servers of Kubernetes, named by templates in front of a real Prometheus and Alertmanager, used by the bot's own client: names with
 * slashes are muted, deleted, given roles and charted, and kube-state-metrics may restart elsewhere.
 */
import { expect, test, vi } from 'vitest'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import { realClock } from '../../src/shared/clock.ts'
import { openFront } from '../service/prometheus/front.ts'
import { settingsOf } from '../service/prometheus/made.ts'
import { lacks, run } from '../service/prometheus/programs.ts'
import { openAlertmanagers, openPrometheus, type ScrapeJob } from '../service/prometheus/real.ts'
import { exporterOf } from '../service/scrape/exporters.ts'
import { patienceMs } from '../support/patience.ts'

const missing = lacks('prometheus', 'prometheus-alertmanager', 'amtool')
const soon = { timeout: patienceMs }

const owner = 'owner_is_controller="true"'
const pods = {
  'web-7d4b9c-x2x9v': 'owner_kind="ReplicaSet",owner_name="web-7d4b9c"',
  'web-7d4b9c-b4b4b': 'owner_kind="ReplicaSet",owner_name="web-7d4b9c"',
  'web-admin-5f6d9-k8s4p': 'owner_kind="ReplicaSet",owner_name="web-admin-5f6d9"',
}

/** What kube-state-metrics shows of a namespace with two deployments. */
function objects(waiting: readonly string[]): string {
  return [
    ...Object.entries(pods).map(
      ([pod, by]) => `kube_pod_owner{namespace="pay",pod="${pod}",${by},${owner}} 1`,
    ),
    ...['web-7d4b9c web', 'web-admin-5f6d9 web-admin'].map((pair) => {
      const [set, name] = pair.split(' ')
      return `kube_replicaset_owner{namespace="pay",replicaset="${set}",owner_kind="Deployment",owner_name="${name}",${owner}} 1`
    }),
    ...Object.keys(pods).map(
      (pod) => `kube_pod_waiting{namespace="pay",pod="${pod}"} ${waiting.includes(pod) ? 1 : 0}`,
    ),
    'kube_node_ready{node="n1"} 0',
    '',
  ].join('\n')
}

const rules = [
  { alert: 'PodWaits', expr: 'kube_pod_waiting == 1', annotations: { summary: 'a pod waits' } },
  { alert: 'NodeNotReady', expr: 'kube_node_ready == 0' },
]

async function openCluster(t: Parameters<typeof openPrometheus>[0]) {
  let waiting: readonly string[] = ['web-7d4b9c-x2x9v', 'web-admin-5f6d9-k8s4p']
  const exporter = await exporterOf(() => objects(waiting))
  const [manager] = await openAlertmanagers(t)
  if (manager === undefined) throw new Error('one was asked for')
  const jobOf = (instance: string): ScrapeJob => ({
    job: 'kube-state-metrics',
    targets: [exporter],
    instance,
    labels: { namespace: 'monitoring', pod: `ksm-${instance}` },
    honorLabels: true,
  })
  const prometheus = await openPrometheus(t, {
    jobs: [jobOf('10.1.0.7:8080')],
    rules,
    alertmanagers: [manager.url],
    externalLabels: { cluster: 'eu' },
  })
  const at = { prometheus: prometheus.url, alertmanagers: [manager.url] }
  const names = { server: null, reporters: null, isByLabel: false }
  const front = await openFront(t, at, { prometheus: { ...settingsOf(at), names } })
  const monitor = connectMonitor({
    baseUrl: front.service.url,
    apiKey: { reveal: () => 'key-of-the-account' },
    clock: realClock,
    random: () => 0.5,
    limits: { retriesMax: 0 },
  })
  t.onTestFinished(() => monitor.close())
  return {
    front,
    monitor,
    manager,
    prometheus,
    setWaiting: (next: readonly string[]) => {
      waiting = next
    },
    moveTo: (instance: string) => prometheus.change({ jobs: [jobOf(instance)] }),
    hidden: async () => {
      const said = await run('amtool', [
        '--alertmanager.url',
        manager.url,
        'alert',
        'query',
        '--silenced',
        '-o',
        'json',
      ])
      const all = JSON.parse(said) as { labels: Record<string, string>; status: { state: string } }[]
      return all
        .filter(({ status }) => status.state === 'suppressed')
        .map(({ labels }) => labels.pod ?? labels.node)
        .sort()
    },
  }
}

const open = ['NodeNotReady on eu/n1', 'PodWaits on eu/pay/web', 'PodWaits on eu/pay/web-admin']

test.skipIf(missing)(
  'a server with slashes in its name is muted, charted, given a role and deleted by the bot',
  async (t) => {
    const { front, monitor, setWaiting, hidden } = await openCluster(t)
    await expect.poll(front.open, soon).toEqual(open)

    await monitor.setServerNotifications('eu/pay/web', false)
    await expect.poll(hidden, soon).toEqual(['web-7d4b9c-x2x9v'])
    // The next pod of the deployment is muted before anybody has read of it, and the neighbour is not.
    setWaiting(['web-7d4b9c-b4b4b', 'web-admin-5f6d9-k8s4p'])
    await expect.poll(hidden, soon).toEqual(['web-7d4b9c-b4b4b'])
    await monitor.setServerNotifications('eu/pay/web', true)
    await expect.poll(hidden, soon).toEqual([])

    expect(await monitor.addRoles('eu/pay/web', ['shop'])).toContain('eu/pay/web')
    expect((await monitor.roles()).roles.get('shop')).toEqual(['eu/pay/web'])
    const charted = async () => {
      const { series } = await monitor.metrics({
        type: 'plugin',
        source: 'PodWaits',
        metric: 'PodWaits',
        server: 'eu/pay/web',
        duration: '5 hours',
      } as never)
      return series.map(({ label }) => label)
    }
    await expect.poll(charted, soon).toEqual(['eu/pay/web'])

    expect(await monitor.deleteServer('eu/pay/web')).toContain('was deleted')
    expect(await front.open()).not.toContain('PodWaits on eu/pay/web')
    for (const name of ['..', '.', '']) {
      await expect(monitor.deleteServer(name)).rejects.toThrow(/must not be empty/)
    }
    await expect(monitor.setServerNotifications('eu/../..', false)).rejects.toThrow(
      /no server is called "eu\/..\/.."/,
    )
  },
)

test.skipIf(missing)(
  'kube-state-metrics that restarts elsewhere makes no other server, and no alert close',
  async (t) => {
    const { front, moveTo } = await openCluster(t)
    await expect.poll(front.open, soon).toEqual(open)
    const before = await front.alerts('start')
    await moveTo('10.1.0.99:8080')
    const seen = new Set<string>()
    await vi.waitFor(
      async () => {
        seen.add(JSON.stringify(await front.open()))
        const labels = (await front.alerts('start')).map((one) => one.labels?.instance)
        expect(new Set(labels)).toEqual(new Set(['10.1.0.99:8080']))
      },
      { timeout: patienceMs, interval: 200 },
    )
    expect([...seen]).toEqual([JSON.stringify(open)])
    const after = await front.alerts('start')
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
    expect(await front.alerts('end')).toEqual([])
    expect(front.service.state()).toBeDefined()
  },
)
