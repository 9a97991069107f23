/**
 * What a big Prometheus costs the service: `npm run bench:prometheus` measures one poll of a bot over 5,000 firing alerts, 300 rules
 * and 2,000 servers, as processor time of the service's own process, and counts what the engine is asked while five bots poll.
 * Engine and Alertmanager are stand-ins that answer from memory, so that only the service is measured.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../src/demo/ports.ts'
import { counted, isShort, measured, sized } from './measured.ts'
import { cpuMs, residentMb } from './process-use.ts'

const alerts = sized(5_000, 120)
const rules = sized(300, 10)
const servers = sized(2_000, 40)
const polls = sized(10, 2)
const bots = sized(5, 2)
const busyMs = sized(10_000, 5_000)
const pollGoalMs = 500
const pageSize = 50
const key = 'bench-key-000004'

const labelsOf = (at: number) => ({
  alertname: `Alert${at % rules}`,
  instance: `web-${at % servers}:9100`,
  job: 'node',
  role: ['web', 'db', 'cache'][at % 3] ?? 'web',
  mountpoint: `/data/${at}`,
  severity: 'critical',
})
const startsAt = '2026-01-01T00:00:00.000Z'
const annotations = {
  summary: 'Something is above what it should be, and has been for a while',
  runbook: 'https://example.com/a',
}

const firing = Array.from({ length: alerts }, (_, at) => at)
const answers: Record<string, object> = {
  '/api/v1/rules': {
    status: 'success',
    data: {
      groups: [
        {
          rules: Array.from({ length: rules }, (_, at) => ({
            name: `Alert${at}`,
            query: `100 * (1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[5m]))) > ${at}`,
            duration: 60,
            labels: { severity: 'critical' },
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
  '/api/v1/query': {
    status: 'success',
    data: {
      resultType: 'vector',
      result: Array.from({ length: servers }, (_, at) => ({
        metric: { __name__: 'up', instance: `web-${at}:9100`, job: 'node' },
        value: [1, '1'],
      })),
    },
  },
  '/api/v2/alerts': firing.map((at) => ({
    labels: labelsOf(at),
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
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    asked.push(path)
    request.resume()
    response.setHeader('content-type', 'application/json').end(texts.get(path) ?? '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server }
}

const engineAsked: string[] = []
const managerAsked: string[] = []
const [engine, manager, port] = await Promise.all([
  openStandIn(engineAsked),
  openStandIn(managerAsked),
  freePort(0),
])
const service = spawn(process.execPath, ['--max-semi-space-size=8', 'src/service/main.ts'], {
  cwd: new URL('..', import.meta.url).pathname,
  env: {
    PATH: process.env.PATH,
    PORT: String(port),
    MONITOR_API_KEY: key,
    PROMETHEUS_URL: engine.url,
    ALERTMANAGER_URL: manager.url,
  },
  stdio: ['ignore', 'ignore', 'inherit'],
})
const pid = service.pid ?? 0
const url = `http://127.0.0.1:${port}/api/v2/${key}/alerts.json`
while (
  !(await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await wait(100)

/** What the bot reads at each poll: everything that is open, and the newest page of all. */
async function poll(): Promise<number> {
  let count = 0
  for (let offset = 0; ; offset += pageSize) {
    const answer = await fetch(`${url}?lifecycle=start&offset=${offset}`)
    const { results } = (await answer.json()) as { results: unknown[] }
    count += results.length
    if (results.length < pageSize) break
  }
  await (await fetch(url)).json()
  return count
}

const rows: [string, string][] = []
await poll()
const idleFromMs = cpuMs(pid)
const idleForMs = sized(10_000, 5_000)
await wait(idleForMs)
const idleMs = ((cpuMs(pid) - idleFromMs) * 1_000) / idleForMs
const took: number[] = []
for (let at = 0; at < polls; at += 1) {
  // The reading of before is too old by then.
  await wait(2_100)
  const fromMs = cpuMs(pid)
  const count = await poll()
  took.push(cpuMs(pid) - fromMs)
  if (count !== alerts) throw new Error(`expected ${alerts} alerts; came ${count}`)
}
took.sort((a, b) => a - b)
rows.push([
  'one poll over 5,000 alerts, the reading of engine and Alertmanager in it: median, at most',
  `${took[polls >> 1]} ms, ${took.at(-1)} ms`,
])
rows.push(['a second in which nobody asks', `${idleMs.toFixed(0)} ms`])
engineAsked.length = 0
managerAsked.length = 0
const fromMs = performance.now()
await Promise.all(
  Array.from({ length: bots }, async () => {
    while (performance.now() - fromMs < busyMs) await poll()
  }),
)
const seconds = (performance.now() - fromMs) / 1_000
rows.push([
  `requests a second to the engine while ${bots} bots poll without a pause`,
  (engineAsked.length / seconds).toFixed(2),
])
rows.push(['to the Alertmanager', (managerAsked.length / seconds).toFixed(2)])
rows.push(['resident memory', `${residentMb(pid).toFixed(0)} MB`])
process.stdout.write(
  ['| | measured |', '|---|---:|', ...rows.map(([figure, value]) => `| ${figure} | ${value} |`), ''].join(
    '\n',
  ),
)
service.kill('SIGTERM')
engine.server.close()
manager.server.close()
engine.server.closeAllConnections()
manager.server.closeAllConnections()
const pollMs = sized(measured, counted)('a poll', took[polls >> 1])
measured('requests to the engine', engineAsked.length)
measured('requests to the Alertmanager', managerAsked.length)
if (!isShort && (pollMs > pollGoalMs || engineAsked.length / seconds > 1)) {
  process.stderr.write(
    `expected a poll of at most ${pollGoalMs} ms and at most one request a second to the engine\n`,
  )
  process.exitCode = 1
}
