/**
 * Readings of 5,000 firing alerts of 15 labels, 300 rules and 2,000 targets, as JSON. The service is in this process; the engines are in
 * one of their own, which also pages through what the service lists, as a bot does.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openService } from '../src/service/service.ts'

const counts = { alerts: 5000, rules: 300, targets: 2000, readings: 15 }
const startedAt = new Date(Date.now() - 3_600_000).toISOString()

if (process.argv[2] === 'engines') await serveEngines()
else await measure()

async function measure(): Promise<void> {
  const engines = fork(import.meta.filename, ['engines'], { execArgv: [] })
  const [address] = await once(engines, 'message')
  const url = new URL(address)
  const prometheus = { url, rulers: [], alertmanagers: [url], access: {}, managerAccess: {}, reporters: [] }
  const service = await openService({ prometheus, key: 'key', sampleMs: null })
  const figures: { wallMs: number; cpuMs: number; mb: number }[] = []
  for (let n = 0; n < counts.readings; n += 1) {
    const [fromMs, cpu] = [performance.now(), process.cpuUsage()]
    await service.tick()
    const { user, system } = process.cpuUsage(cpu)
    const wallMs = performance.now() - fromMs
    engines.send(`${service.url}/api/v2/key/alerts.json?lifecycle=start`)
    const [listed] = await once(engines, 'message')
    if (listed !== counts.alerts) throw new Error(`${counts.alerts} alerts fire, ${listed} are listed`)
    figures.push({ wallMs, cpuMs: (user + system) / 1000, mb: process.memoryUsage.rss() / 1024 / 1024 })
  }
  process.stdout.write(JSON.stringify(figures))
  engines.kill()
  await service.close()
}

async function serveEngines(): Promise<void> {
  const all = Array.from({ length: counts.alerts }, (_, n) => labelsOf(n))
  const annotations = { summary: 'Too many requests fail', runbook_url: 'https://runbooks.example/requests' }
  const firing = { annotations, state: 'firing', activeAt: startedAt, value: '9' }
  const rules = Array.from({ length: counts.rules }, (_, rule) => ({
    ...{ type: 'alerting', name: `Rule${rule}`, health: 'ok', duration: 60, lastEvaluation: startedAt },
    query: `sum by (namespace, pod) (rate(requests_failed_total{rule="${rule}"}[5m])) > ${rule}`,
    alerts: all.filter((_one, n) => n % counts.rules === rule).map((labels) => ({ labels, ...firing })),
  }))
  const status = { state: 'active', silencedBy: [], inhibitedBy: [] }
  const listed = { annotations, startsAt: startedAt, status }
  const answers: Record<string, object> = {
    '/api/v1/rules': { data: { groups: [{ rules }] } },
    '/api/v1/status/runtimeinfo': { data: { startTime: startedAt } },
    '/api/v1/query': {
      data: { result: all.slice(0, counts.targets).map((metric) => ({ metric, value: [0, '1'] })) },
    },
    '/api/v1/query_range': { data: { result: [] } },
    '/api/v2/alerts': all.map((labels, n) => ({ labels, fingerprint: `${n}`, ...listed })),
    '/api/v2/status': { uptime: startedAt },
    '/api/v2/silences': [],
  }
  const texts = new Map(Object.entries(answers).map(([path, answer]) => [path, JSON.stringify(answer)]))
  const server = createServer(({ url = '' }, response) => response.end(texts.get(url.replace(/\?.*/, ''))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  process.on('message', async (list) => {
    const pages = Array.from({ length: counts.alerts / 50 }, (_, n) => `${list}&offset=${50 * n}`)
    let count = 0
    for (const page of pages)
      count += (JSON.parse(await (await fetch(page)).text()).results as object[]).length
    process.send?.(count)
  })
}

/** No two are equal, as no two pairs of rule and pod are. */
function labelsOf(n: number): Record<string, string> {
  const [rule, pod] = [n % counts.rules, n % counts.targets]
  const own = { alertname: `Rule${rule}`, namespace: `shop-${pod % 40}`, pod: `web-${pod}-7c9d8b6f5-x2x4z` }
  const more = Array.from({ length: 12 }, (_, at) => [`label_${at}`, `value-${(n * (at + 1)) % 97}`])
  return { ...own, ...Object.fromEntries(more) }
}
