/** What is the server of an alert, and which silences find it again and none of its neighbours: as tables, for set-ups as they are in life. */
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { openKnown } from '../../../src/service/prometheus/known.ts'
import { openNames } from '../../../src/service/prometheus/names.ts'
import type { Labels, Matcher } from '../../../src/service/prometheus/naming.ts'
import type { NamesSettings } from '../../../src/service/prometheus/settings.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { settings } from './made.ts'

const hours = 60 * 60_000

type World = {
  readonly up?: readonly Labels[]
  /** Pod → kind and name of its owner. */
  readonly pods?: Readonly<Record<string, string>>
  readonly replicaSets?: Readonly<Record<string, string>>
  readonly jobs?: Readonly<Record<string, string>>
  /** What series of kube-state-metrics have beside. */
  readonly objects?: (namespace: string, kind: string, name: string) => Labels
  readonly external?: Labels | null
  readonly names?: Partial<NamesSettings>
}

const honored = (namespace: string, kind: string, name: string): Labels => ({
  job: 'kube-state-metrics',
  namespace,
  [kind]: name,
})

/** As a ServiceMonitor without `honorLabels` has it. */
const exported = (namespace: string, kind: string, name: string): Labels => ({
  job: 'kube-state-metrics',
  namespace: 'monitoring',
  exported_namespace: namespace,
  ...(kind === 'pod' ? { pod: 'ksm-6c9f-x2x2x', exported_pod: name } : { [kind]: name }),
})

/** Names as they are with this Prometheus. What it tells may change. */
async function namesOf(first: World) {
  let nowMs = Date.UTC(2026, 10, 23)
  let world = first
  const ownersIn = (all: Readonly<Record<string, string>> | undefined, kind: string) =>
    Object.entries(all ?? {}).map(([place, owner]) => {
      const [namespace = '', name = ''] = place.split('/')
      const [ownerKind = '', ownerName = ''] = owner.split(' ')
      const about = (world.objects ?? honored)(namespace, kind, name)
      return { ...about, owner_kind: ownerKind, owner_name: ownerName, owner_is_controller: 'true' }
    })
  const asked: string[] = []
  const engine = {
    async query(expression: string) {
      asked.push(expression)
      const metrics = expression.includes('kube_pod_owner')
        ? ownersIn(world.pods, 'pod')
        : expression.includes('kube_replicaset_owner')
          ? ownersIn(world.replicaSets, 'replicaset')
          : expression.includes('kube_job_owner')
            ? ownersIn(world.jobs, 'job_name')
            : (world.up ?? [])
      return metrics.map((metric) => ({ metric: { ...metric }, value: [0, '1'] as [number, string] }))
    },
    externalLabels: async () => world.external ?? null,
  }
  const given = { server: null, reporters: null, isByLabel: false, ...first.names }
  const names = openNames({
    settings: { ...settings, names: given },
    ledger: memoryLedger(),
    nowMs: () => nowMs,
    report() {},
  })
  await names.read(engine)
  return {
    ...names,
    asked,
    async later(ms: number, next: World = {}) {
      nowMs += ms
      world = { ...world, ...next }
      await names.read(engine)
    },
    name: (labels: Labels) => names.of(labels).hostname,
    /** Which of these a mute of the server of the first hides. */
    hides: (first: Labels, ...all: readonly Labels[]) =>
      all.filter((labels) => isMatch(names.matchersOf(names.of(first)), labels)),
  }
}

/** As an Alertmanager does it: anchored, in RE2, and an absent label is an empty one. */
function isMatch(matchers: readonly Matcher[], labels: Labels): boolean {
  return matchers.every(({ name, value, isRegex, isEqual }) => {
    const own = labels[name] ?? ''
    return (isRegex ? RE2JS.compile(`^(?:${value})$`).matches(own) : own === value) === isEqual
  })
}

const ksm = { job: 'kube-state-metrics', instance: '10.1.0.7:8080' }
const ksmTarget = { ...ksm, namespace: 'monitoring', pod: 'ksm-6c9f-x2x2x', container: 'ksm', service: 'ksm' }
const nodeTarget = {
  job: 'node-exporter',
  instance: '10.0.0.4:9100',
  namespace: 'monitoring',
  pod: 'node-exporter-k8s2p',
  endpoint: 'http',
}
const cluster: World = {
  up: [
    ksmTarget,
    nodeTarget,
    { job: 'blackbox', instance: 'https://shop.example/health' },
    { job: 'postgres-exporter', instance: '10.1.0.9:9187', namespace: 'db', pod: 'pgx-7d4-k8s4p' },
    { job: 'kubelet', instance: '10.0.0.4:10250', node: 'n1', namespace: 'kube-system' },
    { job: 'web', instance: '10.1.0.11:8080', namespace: 'pay', pod: 'web-7d4b9c-x2x9v' },
  ],
  pods: {
    'pay/web-7d4b9c-x2x9v': 'ReplicaSet web-7d4b9c',
    'pay/web-admin-5f6d9-b4b4b': 'ReplicaSet web-admin-5f6d9',
    'pay/db-0': 'StatefulSet db',
    'pay/db-2-0': 'StatefulSet db-2',
    'pay/agent-x2x9v': 'DaemonSet agent',
    'pay/backup-28912340-k8s4p': 'Job backup-28912340',
    'pay/once-k8s4p': 'Job once',
    'pay/alone': '<none> <none>',
    'kube-system/etcd-n1': 'Node n1',
    'monitoring/ksm-6c9f-x2x2x': 'ReplicaSet ksm-6c9f',
    'monitoring/node-exporter-k8s2p': 'DaemonSet node-exporter',
    'db/pg-1': 'Cluster pg',
  },
  replicaSets: {
    'pay/web-7d4b9c': 'Deployment web',
    'pay/web-admin-5f6d9': 'Deployment web-admin',
    'monitoring/ksm-6c9f': 'Deployment ksm',
  },
  jobs: { 'pay/backup-28912340': 'CronJob backup', 'pay/once': '<none> <none>' },
}

test.each<[string, Labels, string]>([
  ['a deployment', { ...ksm, namespace: 'pay', deployment: 'web' }, 'pay/web'],
  ['a pod of a deployment', { ...ksm, namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }, 'pay/web'],
  ['a pod without the job', { namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }, 'pay/web'],
  ['a pod of a StatefulSet', { namespace: 'pay', pod: 'db-0' }, 'pay/db'],
  ['a pod of a DaemonSet', { namespace: 'pay', pod: 'agent-x2x9v' }, 'pay/agent'],
  ['a pod of a CronJob', { namespace: 'pay', pod: 'backup-28912340-k8s4p' }, 'pay/backup'],
  ['a job of a CronJob', { ...ksm, namespace: 'pay', job_name: 'backup-28912340' }, 'pay/backup'],
  ['a job alone', { ...ksm, namespace: 'pay', job_name: 'once' }, 'pay/once'],
  ['a pod that nothing owns', { namespace: 'pay', pod: 'alone' }, 'pay/alone'],
  ['a pod that nobody knows', { namespace: 'pay', pod: 'new-k8s4p' }, 'pay/new-k8s4p'],
  [
    'a static pod',
    { job: 'kube-etcd', instance: '10.0.0.1:2379', namespace: 'kube-system', pod: 'etcd-n1' },
    'kube-system/etcd-n1',
  ],
  ['a pod of an operator', { namespace: 'db', pod: 'pg-1' }, 'db/pg'],
  ['a volume', { ...ksm, namespace: 'pay', persistentvolumeclaim: 'data-db-0' }, 'pay/data-db-0'],
  ['a node by kube-state-metrics', { ...ksm, node: 'n1' }, 'n1'],
  ['a node by kube-state-metrics with its target', { ...ksmTarget, node: 'n1' }, 'n1'],
  ['kube-state-metrics itself', ksmTarget, 'kube-state-metrics'],
  [
    'kube-state-metrics, summed up',
    { job: ksm.job, namespace: 'monitoring', service: 'ksm' },
    'kube-state-metrics',
  ],
  [
    'a deployment in the namespace of kube-state-metrics',
    { ...ksm, namespace: 'monitoring', deployment: 'ksm' },
    'monitoring/ksm',
  ],
  ['a host by node_exporter', nodeTarget, '10.0.0.4'],
  ['a host without Kubernetes', { job: 'node', instance: 'web-1:9100' }, 'web-1'],
  ['a host whose port was removed', { ...nodeTarget, instance: '10.0.0.4' }, '10.0.0.4'],
  [
    'a probed address',
    { job: 'blackbox', instance: 'https://shop.example/health' },
    'https://shop.example/health',
  ],
  [
    'a database by its exporter',
    { job: 'postgres-exporter', instance: '10.1.0.9:9187', namespace: 'db', pod: 'pgx-7d4-k8s4p' },
    '10.1.0.9',
  ],
  [
    'a container by cAdvisor',
    { job: 'kubelet', instance: '10.0.0.4:10250', node: 'n1', namespace: 'pay', pod: 'web-7d4b9c-x2x9v' },
    'pay/web',
  ],
  ['a kubelet', { job: 'kubelet', instance: '10.0.0.4:10250', node: 'n1' }, 'n1'],
  ['a namespace', { namespace: 'pay' }, 'pay'],
  ['a job', { job: 'kubelet' }, 'kubelet'],
  ['nothing', { alertname: 'Watchdog' }, 'global'],
  ['an empty label', { namespace: 'pay', pod: '', node: 'n1' }, 'n1'],
  ['too long a name', { namespace: 'pay', pod: 'x'.repeat(260), node: 'n1' }, 'n1'],
])('the server of %s', async (_, labels, hostname) => {
  const { name } = await namesOf(cluster)
  expect(name(labels)).toBe(hostname)
})

test.each<[string, Labels, string]>([
  ['a deployment', { ...ksmTarget, exported_namespace: 'pay', deployment: 'web' }, 'pay/web'],
  ['a pod', { ...ksmTarget, exported_namespace: 'pay', exported_pod: 'web-7d4b9c-x2x9v' }, 'pay/web'],
  ['a quota', { ...ksmTarget, exported_namespace: 'pay', resourcequota: 'q' }, 'pay'],
  ['a node', { ...ksmTarget, node: 'n1' }, 'n1'],
  ['a job', { ...ksmTarget, exported_namespace: 'pay', job_name: 'backup-28912340' }, 'pay/backup'],
  [
    'a pod of its own namespace',
    { ...ksmTarget, exported_namespace: 'monitoring', exported_pod: 'node-exporter-k8s2p' },
    'monitoring/node-exporter',
  ],
])('without honorLabels, the server of %s', async (_, labels, hostname) => {
  const { name } = await namesOf({ ...cluster, objects: exported })
  expect(name(labels)).toBe(hostname)
  // Its target is gone, and another one took its place.
  const { name: nameOther } = await namesOf({
    ...cluster,
    up: [{ ...ksmTarget, instance: '10.1.0.99:8080', pod: 'kube-state-metrics-6c9f-b4b4b' }],
    objects: exported,
  })
  const before = { ...labels, ...('pod' in labels ? { pod: 'kube-state-metrics-6c9f-x2x2x' } : {}) }
  expect(nameOther(before)).toBe(hostname)
})

test('a mute of a workload hides the pods to come, and no neighbour whose name begins alike', async () => {
  const { hides } = await namesOf(cluster)
  const at = (pod: string, more: Labels = {}): Labels => ({ alertname: 'A', namespace: 'pay', pod, ...more })
  const own = [at('web-7d4b9c-x2x9v'), at('web-7d4b9c-zzzzz', ksm), at('web-5c9f8d7b6-b2c4d')]
  const others = [
    at('web-admin-5f6d9-b4b4b'),
    at('web-7d4b9c-x2x9'),
    at('webs-7d4b9c-x2x9v'),
    at('web'),
    at('web-0'),
    at('web-7d4b9c-x2x9v', { namespace: 'shop' }),
    at('web-7d4b9c-x2x9v', { cluster: 'eu' }),
    { alertname: 'A', namespace: 'pay' },
  ]
  expect(hides(at('web-7d4b9c-x2x9v'), ...own, ...others)).toEqual(own)
})

test.each([
  ['db-0', ['db-0', 'db-1', 'db-12'], ['db-2-0', 'db-', 'db', 'db-x', 'db-0-1']],
  ['agent-x2x9v', ['agent-x2x9v', 'agent-b4b4b'], ['agent-0', 'agent-aaaaa', 'agent-x2x9v-b4b4b']],
  [
    'backup-28912340-k8s4p',
    ['backup-28912345-b4b4b', 'backup-28912340-3-b4b4b'],
    ['backup-k8s4p', 'backup-2891-k8s4p'],
  ],
  ['once-k8s4p', ['once-b4b4b', 'once-0-b4b4b'], ['once-more-b4b4b', 'once']],
  ['etcd-n1', [], ['etcd-n2']],
  ['pg-1', ['pg-1'], ['pg-2', 'pgx-7d4-k8s4p']],
])('a mute of the workload of %s hides %j and not %j', async (pod, own, others) => {
  const { hides, name } = await namesOf(cluster)
  const place = Object.keys(cluster.pods ?? {}).find((one) => one.endsWith(`/${pod}`)) ?? ''
  const at = (name: string): Labels => ({ namespace: place.split('/')[0] ?? '', pod: name })
  expect(name(at(pod))).not.toBe('')
  expect(hides(at(pod), ...own.map(at), ...others.map(at))).toEqual(own.map(at))
})

test('where a pattern would find the pod of another workload, the pods are listed instead', async () => {
  const town = await namesOf({
    ...cluster,
    pods: { ...cluster.pods, 'pay/web-bcd-x2x9v': 'DaemonSet web-bcd' },
  })
  const own = { namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }
  const neighbour = { namespace: 'pay', pod: 'web-bcd-x2x9v' }
  expect(town.hides(own, own, neighbour)).toEqual([own])
  expect(town.hides(neighbour, own, neighbour)).toEqual([neighbour])
})

test("a mute of a host does not hide what its exporters' pods, or others, have", async () => {
  const { hides } = await namesOf(cluster)
  const host = { alertname: 'A', ...nodeTarget }
  const restarted = { ...host, pod: 'node-exporter-b4b4b' }
  const ofPod = { alertname: 'A', namespace: 'monitoring', pod: 'node-exporter-k8s2p' }
  const ofGpu = { ...host, namespace: 'ml', pod: 'train-k8s4p' }
  expect(hides(host, host, restarted, ofPod, ofGpu)).toEqual([host, restarted])
  // And the pod of the exporter is not all of the hosts.
  expect(hides(ofPod, host, restarted, ofPod, { ...ofPod, ...ksm })).toEqual([ofPod, { ...ofPod, ...ksm }])
})

test('a mute of a node or a namespace leaves its pods alone', async () => {
  const { hides } = await namesOf(cluster)
  const node = { ...ksmTarget, node: 'n1' }
  const pod = { ...ksm, namespace: 'pay', pod: 'web-7d4b9c-x2x9v', node: 'n1' }
  const kubelet = { job: 'kubelet', node: 'n1', instance: '10.0.0.4:10250' }
  expect(hides(node, node, { ...node, pod: 'ksm-6c9f-b4b4b' }, pod, { ...node, node: 'n2' })).toEqual([
    node,
    { ...node, pod: 'ksm-6c9f-b4b4b' },
  ])
  expect(hides(kubelet, kubelet, pod)).toEqual([kubelet])
  expect(hides({ namespace: 'pay' }, { namespace: 'pay' }, pod, { namespace: 'pay', node: 'n1' })).toEqual([
    { namespace: 'pay' },
  ])
})

test('without honorLabels, a mute of a workload does not hide others in the namespace of kube-state-metrics', async () => {
  const { hides, name } = await namesOf({ ...cluster, objects: exported })
  const own = { namespace: 'monitoring', pod: 'ksm-6c9f-x2x2x' }
  const others = [
    { ...ksmTarget, exported_namespace: 'pay', exported_pod: 'web-7d4b9c-x2x9v' },
    { ...ksmTarget, node: 'n1' },
  ]
  expect(name(own)).toBe('monitoring/ksm')
  expect(hides(own, own, ...others)).toEqual([own])
  const [web = {}, node = {}] = others
  expect(hides(node, ...others, own)).toEqual([node])
  expect(hides(web, ...others, own, { ...web, exported_namespace: 'shop' })).toEqual([web])
})

test("two clusters' hosts are two servers, and a mute of one never silences the other", async () => {
  const {
    name,
    hides,
    cluster: own,
  } = await namesOf({ ...cluster, external: { cluster: 'eu', replica: 'a' } })
  const eu = { alertname: 'A', job: 'node', instance: 'node-1:9100', cluster: 'eu' }
  const us = { ...eu, cluster: 'us' }
  const { cluster: _, ...none } = eu
  expect([own(), name(eu), name(us), name(none)]).toEqual(['eu', 'eu/node-1', 'us/node-1', 'eu/node-1'])
  expect(hides(eu, eu, us, none)).toEqual([eu])
  expect(hides(none, eu, us, none)).toEqual([eu])
  expect(name({ cluster: 'us' })).toBe('us/global')
  // Owners are those of the own cluster.
  const pod = { namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }
  expect([name({ ...pod, cluster: 'eu' }), name({ ...pod, cluster: 'us' })]).toEqual([
    'eu/pay/web',
    'us/pay/web-7d4b9c-x2x9v',
  ])
  // An exporter of a cluster that this Prometheus does not see is no server either.
  expect(name({ ...nodeTarget, cluster: 'us' })).toBe('us/10.0.0.4')
})

test('in front of engines with series of many clusters, owners and targets are those of each', async () => {
  const up = ['eu', 'us'].flatMap((one) =>
    (cluster.up ?? []).map((labels): Labels => ({ ...labels, cluster: one })),
  )
  const { name } = await namesOf({
    ...cluster,
    up,
    objects: (...of) => ({ ...honored(...of), cluster: 'us' }),
  })
  const pod = { namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }
  expect([name({ ...pod, cluster: 'us' }), name({ ...pod, cluster: 'eu' })]).toEqual([
    'us/pay/web',
    'eu/pay/web-7d4b9c-x2x9v',
  ])
  expect(name({ ...ksmTarget, cluster: 'eu', node: 'n1' })).toBe('eu/n1')
})

test('a server may be named otherwise for some jobs', async () => {
  const { name, hides } = await namesOf({
    ...cluster,
    names: { server: [{ jobs: 'postgres*', templates: ['{server}', '{datname}@{namespace}'] }] },
  })
  const at = (server: string): Labels => ({ job: 'postgres-exporter', server, instance: '10.1.0.9:9187' })
  expect([name(at('pg-1:5432')), name({ job: 'node', instance: 'web-1:9100' })]).toEqual(['pg-1', 'web-1'])
  expect(name({ job: 'postgres-exporter', namespace: 'x', datname: 'shop' })).toBe('shop@x')
  expect(name({ job: 'postgres-exporter', namespace: 'x' })).toBe('global')
  expect(hides(at('pg-1:5432'), at('pg-1:5432'), at('pg-1'), at('pg-10:5432'), at('pg-2:5432'))).toEqual([
    at('pg-1:5432'),
    at('pg-1'),
  ])
})

test('owners and targets are remembered while kube-state-metrics is away, for a day', async () => {
  const town = await namesOf(cluster)
  const pod = { namespace: 'pay', pod: 'web-7d4b9c-x2x9v' }
  await town.later(hours, { up: [], pods: {}, replicaSets: {}, jobs: {} })
  expect([town.name(pod), town.name(nodeTarget), town.name(ksmTarget)]).toEqual([
    'pay/web',
    '10.0.0.4',
    'kube-state-metrics',
  ])
  await town.later(25 * hours)
  expect(town.name(pod)).toBe('pay/web-7d4b9c-x2x9v')
  expect(town.of(pod).isLonePod).toBe(true)
})

test('a ReplicaSet is asked for once, and a deployment is guessed from its name where nobody tells', async () => {
  const { replicaSets: _, ...silent } = cluster
  const town = await namesOf(cluster)
  await town.later(1_000)
  expect(town.asked.filter((one) => one.includes('replicaset'))).toHaveLength(1)
  const guessing = await namesOf(silent)
  expect(guessing.name({ namespace: 'pay', pod: 'web-7d4b9c-x2x9v' })).toBe('pay/web')
})

test('an engine that knows no owners is asked for them and for nothing else', async () => {
  const town = await namesOf({ up: [] })
  expect(town.asked).toHaveLength(2)
  expect(town.of({ namespace: 'pay', pod: 'web-1' })).toMatchObject({
    hostname: 'pay/web-1',
    isLonePod: true,
  })
})

test('5,000 pods are taken up, and 5,000 alerts named, in a moment', () => {
  const known = openKnown({ isReporter: () => false, nowMs: Date.now })
  const pods = Array.from({ length: 5_000 }, (_, at) => ({
    job: 'kube-state-metrics',
    namespace: 'pay',
    pod: `app${at}-7d4b9c8f6-x2x9v`,
    owner_kind: 'ReplicaSet',
    owner_name: `app${at}-7d4b9c8f6`,
    owner_is_controller: 'true',
  }))
  const begunMs = performance.now()
  known.take({ up: [], owners: { pods, replicaSets: [], jobs: [] }, cluster: '' })
  expect(known.podsOf('', 'pay', { kind: 'Deployment', name: 'app7' })).toContain('app7-')
  expect(performance.now() - begunMs).toBeLessThan(2_000)
})
