/**
 * A service in front of a Prometheus and an Alertmanager that answer from memory, so that only the service is measured: alerts of a
 * Kubernetes cluster with 15 labels each, its pods, and who owns them.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { addressOf, startBeside } from './beside.ts'
import { sized } from './measured.ts'

export const alerts = sized(5_000, 120)
export const rules = sized(300, 10)
/** Pods, each of which is a target. */
export const pods = sized(2_000, 40)
const podsOfWorkload = 5
const key = 'bench-key-000004'
const startsAt = '2026-01-01T00:00:00.000Z'

const workload = (pod: number) => `shop-${Math.floor(pod / podsOfWorkload)}`
const namespace = (pod: number) => `team-${Math.floor(pod / podsOfWorkload) % 40}`
const podName = (pod: number) => `${workload(pod)}-7d4b9c6f5d-${pod.toString(36).padStart(5, 'x')}`

const targetOf = (pod: number) => ({
  job: 'shop',
  instance: `10.1.${pod >> 8}.${pod & 255}:8080`,
  namespace: namespace(pod),
  pod: podName(pod),
  container: 'shop',
  service: workload(pod),
  endpoint: 'http',
  node: `node-${pod % 50}`,
})

/** Twelve labels: the engine does not show those that it gives its alerts on their way. */
const labelsOf = (at: number) => ({
  alertname: `Alert${at % rules}`,
  ...targetOf(at % pods),
  volume: `/data/${at}`,
  severity: 'critical',
  team: 'shop',
})
const externalLabels = {
  cluster: 'prod-eu-1',
  prometheus: 'monitoring/k8s',
  prometheus_replica: 'prometheus-k8s-0',
}
const annotations = {
  summary: 'Something is above what it should be, and has been for a while',
  description:
    'What it is, why that matters to whom, and what those who are woken by it may want to look at first.',
  runbook_url: 'https://example.com/runbooks/something',
}

const firing = Array.from({ length: alerts }, (_, at) => at)
const everyPod = Array.from({ length: pods }, (_, pod) => pod)

const vectorOf = (series: readonly object[]): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: series.map((metric) => ({ metric, value: [1, '1'] })) },
  })

const ownerOf = (kind: string, name: string) => ({
  owner_kind: kind,
  owner_name: name,
  owner_is_controller: 'true',
})

/** By what the query reads. */
const vectors: readonly (readonly [reads: string, answer: string])[] = [
  [
    'kube_pod_owner',
    vectorOf(
      everyPod.map((pod) => ({
        namespace: namespace(pod),
        pod: podName(pod),
        ...ownerOf('ReplicaSet', `${workload(pod)}-7d4b9c6f5d`),
      })),
    ),
  ],
  [
    'kube_replicaset_owner',
    vectorOf(
      everyPod
        .filter((pod) => pod % podsOfWorkload === 0)
        .map((pod) => ({
          namespace: namespace(pod),
          replicaset: `${workload(pod)}-7d4b9c6f5d`,
          ...ownerOf('Deployment', workload(pod)),
        })),
    ),
  ],
  ['kube_job_owner', vectorOf([])],
  ['up', vectorOf(everyPod.map((pod) => ({ __name__: 'up', ...targetOf(pod) })))],
]

const answers: Readonly<Record<string, object>> = {
  '/api/v1/status/config': {
    status: 'success',
    data: { yaml: `global:\n  external_labels: ${JSON.stringify(externalLabels)}\n` },
  },
  '/api/v1/rules': {
    status: 'success',
    data: {
      groups: [
        {
          rules: Array.from({ length: rules }, (_, at) => ({
            name: `Alert${at}`,
            query: `100 * (1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[5m]))) > ${at}`,
            duration: 60,
            labels: { severity: 'critical', team: 'shop' },
            annotations,
            health: 'ok',
            lastEvaluation: startsAt,
            type: 'alerting',
            alerts: firing
              .filter((one) => one % rules === at)
              .map((one) => ({
                labels: labelsOf(one),
                annotations,
                state: 'firing',
                activeAt: startsAt,
                value: '9.7e+01',
              })),
          })),
        },
      ],
    },
  },
  '/api/v2/alerts': firing.map((at) => ({
    labels: { ...labelsOf(at), ...externalLabels },
    annotations,
    fingerprint: `f${at}`,
    startsAt,
    endsAt: '2099-01-01T00:00:00.000Z',
    updatedAt: startsAt,
    generatorURL: 'http://prometheus/graph?g0.expr=up',
    receivers: [{ name: 'x' }],
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  })),
  '/api/v2/silences': [],
  '/api/v2/status': { uptime: startsAt },
}
const texts = new Map(Object.entries(answers).map(([path, answer]) => [path, JSON.stringify(answer)]))

async function openStandIn(asked: string[]): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split('?')
    asked.push(path)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const query = new URLSearchParams(`${search}&${Buffer.concat(parts)}`).get('query') ?? ''
    const vector =
      path === '/api/v1/query' ? vectors.find(([reads]) => query.includes(reads))?.[1] : undefined
    response.setHeader('content-type', 'application/json').end(vector ?? texts.get(path) ?? '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server }
}

export type BigTown = {
  /** Of the service. */
  readonly url: string
  readonly key: string
  /** Of its process. */
  readonly pid: number
  /** Paths, in order; may be emptied. */
  readonly engineAsked: string[]
  readonly managerAsked: string[]
  close(): void
}

/** Resolves once the service answers. */
export async function openBigTown(): Promise<BigTown> {
  const engineAsked: string[] = []
  const managerAsked: string[] = []
  const [engine, manager] = await Promise.all([openStandIn(engineAsked), openStandIn(managerAsked)])
  const service = startBeside(['--max-semi-space-size=8', 'src/service/main.ts'], {
    PATH: process.env.PATH,
    PORT: '0',
    MONITOR_API_KEY: key,
    PROMETHEUS_URL: engine.url,
    ALERTMANAGER_URL: manager.url,
  })
  const url = await addressOf(service)
  return {
    url,
    key,
    pid: service.pid ?? 0,
    engineAsked,
    managerAsked,
    close() {
      service.kill('SIGTERM')
      for (const { server } of [engine, manager]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
