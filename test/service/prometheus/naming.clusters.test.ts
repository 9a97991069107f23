/** Several Prometheuses tell one Alertmanager: of two clusters with the same names, or two that see the same. */
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { exporterOf } from '../scrape/exporters.ts'
import { openNamed } from './cluster-town.ts'
import type { Front, Listed } from './front.ts'
import { type Ending, lacks } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const soon = { timeout: patienceMs, interval: 500 }
const rules = [
  {
    alert: 'NodeLoad',
    expr: 'node_load1 > 4',
    labels: { severity: 'warning' },
    annotations: { summary: '{{ $labels.instance }} has load {{ $value }}' },
  },
]

type Told = Listed & { readonly trouble?: string; readonly labels?: Readonly<Record<string, string>> }

/** A cluster of one node, whose load may be set. */
async function openCluster(
  t: Ending,
  manager: string,
  externalLabels: Readonly<Record<string, string>>,
  load: number,
) {
  const shown = { load }
  const node = await exporterOf(() => `node_load1 ${shown.load}\n`)
  const prometheus = await openPrometheus(t, {
    jobs: [{ job: 'node-exporter', targets: [node], instance: 'node-1:9100' }],
    alertmanagers: [manager],
    externalLabels,
    rules,
  })
  return { ...prometheus, shown }
}

const told = (front: Front, lifecycle: 'start' | 'end' | 'all' = 'start') =>
  front.alerts(lifecycle) as Promise<readonly Told[]>

const lines = async (front: Front) =>
  (await told(front, 'all'))
    .map((one) => `${one.server_hostname} ${one.lifecycle} ${one.title} ${one.metric_value}`)
    .sort()

/** How many of the alerts of each cluster the Alertmanager suppresses. */
async function suppressedAt(manager: string): Promise<readonly string[]> {
  const { body } = await request(`${manager}/api/v2/alerts?active=false`)
  const alerts = (await body.json()) as readonly { labels: Record<string, string> }[]
  return alerts.map(({ labels }) => labels.cluster ?? '')
}

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'two clusters with the same names of nodes are never mixed',
  async (t) => {
    const [manager] = await openAlertmanagers(t)
    const managers = [manager?.url ?? '']
    const eu = await openCluster(t, managers[0] ?? '', { cluster: 'eu' }, 5)
    await openCluster(t, managers[0] ?? '', { cluster: 'us' }, 7)
    const front = await openNamed(t, { prometheus: eu.url, alertmanagers: managers })
    // What the other cluster compares is not known here.
    await expect
      .poll(() => lines(front), soon)
      .toEqual(['eu/node-1 start node-1:9100 has load 5 5', 'us/node-1 start node-1:9100 has load 7 null'])
    const [one, other] = await told(front)
    expect(one?.trouble).toMatch(/^\w{32}$/)
    expect(one?.trouble).not.toBe(other?.trouble)

    const { status } = await front.ask(`/servers/${encodeURIComponent('eu/node-1')}`, {
      notifications: 'false',
    })
    expect(status).toBe(200)
    await expect.poll(() => suppressedAt(managers[0] ?? ''), soon).toEqual(['eu'])
    expect((await told(front)).length).toBe(2)

    // The one here is over, and the same of the other cluster goes on; then the reverse.
    eu.shown.load = 1
    await expect
      .poll(() => lines(front), soon)
      .toEqual(['eu/node-1 end node-1:9100 has load 5 5', 'us/node-1 start node-1:9100 has load 7 null'])
    eu.shown.load = 6
    await expect.poll(async () => (await told(front)).length, soon).toBe(2)
    expect(
      (await told(front)).find((alert) => alert.server_hostname === 'us/node-1')?.metric_value,
    ).toBeNull()
  },
)

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'two Prometheuses that see the same tell one alert, open for as long as either has it',
  async (t) => {
    const [manager] = await openAlertmanagers(t)
    const managers = [manager?.url ?? '']
    const replica = (name: string) => ({ cluster: 'eu', prometheus_replica: name })
    const a = await openCluster(t, managers[0] ?? '', replica('prometheus-a'), 5)
    const b = await openCluster(t, managers[0] ?? '', replica('prometheus-b'), 5)
    const front = await openNamed(t, { prometheus: a.url, alertmanagers: managers })
    const both = async () => {
      const { body } = await request(`${managers[0]}/api/v2/alerts`)
      const alerts = (await body.json()) as readonly { labels: Record<string, string> }[]
      return alerts.map(({ labels }) => labels.prometheus_replica).sort()
    }
    const seen: string[][] = []
    const watched = async () => {
      const now = await lines(front)
      if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now)
    }
    /** Looks at every reading on the way, and at some more after it. */
    const until = async (replicas: readonly string[]) => {
      let readings = 0
      await vi.waitUntil(
        async () => {
          await watched()
          readings = JSON.stringify(await both()) === JSON.stringify(replicas) ? readings + 1 : 0
          return readings > 5
        },
        { timeout: patienceMs, interval: 1_000 },
      )
    }
    await expect.poll(() => lines(front), soon).toEqual(['eu/node-1 start node-1:9100 has load 5 5'])
    await until(['prometheus-a', 'prometheus-b'])
    b.shown.load = 1
    await until(['prometheus-a'])
    b.shown.load = 5
    await until(['prometheus-a', 'prometheus-b'])
    a.shown.load = 1
    await until(['prometheus-b'])
    // That it is over for one proves nothing of the other: see `alerts.told.test.ts` for the end.
    expect(seen).toEqual([['eu/node-1 start node-1:9100 has load 5 5']])
  },
)
