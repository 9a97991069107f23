/**
 * A reading of 5,000 firing alerts of 15 labels, 300 rules and 2,000 targets. The service is in this process; the engines are in one of
 * their own (`engines`), which also pages through what the service lists, as a bot does every two seconds. Prints figures as JSON.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openService } from '../src/service/service.ts'

const counts = { alerts: 5000, rules: 300, targets: 2000, readings: 15 }
const [startedAt, key] = [new Date(Date.now() - 3_600_000).toISOString(), 'key-of-the-bench']

if (process.argv[2] === 'engines') await serveEngines()
else await measure()

async function measure(): Promise<void> {
  const engines = fork(import.meta.filename, ['engines'], { execArgv: [] })
  const url = new URL(String(await said(engines)))
  const prometheus = { url, rulers: [], alertmanagers: [url], access: {}, managerAccess: {}, reporters: [] }
  const service = await openService({ prometheus, key, sampleMs: null })
  const figures: { wallMs: number; cpuMs: number; mb: number }[] = []
  for (let n = 0; n < counts.readings; n += 1) {
    const [fromMs, cpu] = [performance.now(), process.cpuUsage()]
    await service.tick()
    const { user, system } = process.cpuUsage(cpu)
    const wallMs = performance.now() - fromMs
    engines.send(`${service.url}/api/v2/${key}/alerts.json?lifecycle=start`)
    const listed = await said(engines)
    if (listed !== counts.alerts) throw new Error(`${counts.alerts} alerts fire, ${listed} are listed`)
    const mb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
    figures.push({ wallMs, cpuMs: (user + system) / 1000, mb })
  }
  process.stdout.write(JSON.stringify(figures))
  engines.kill()
  await service.close()
}

async function said(engines: ChildProcess): Promise<unknown> {
  const [message] = await once(engines, 'message')
  return message
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
  const active = {
    annotations,
    startsAt: startedAt,
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  }
  const up = all.slice(0, counts.targets).map((metric) => ({ metric, value: [0, '1'] }))
  const answers: Record<string, object> = {
    '/api/v1/rules': { data: { groups: [{ rules }] } },
    '/api/v1/status/runtimeinfo': { data: { startTime: startedAt } },
    '/api/v1/query': { data: { result: up } },
    '/api/v1/query_range': { data: { result: [] } },
    '/api/v2/alerts': all.map((labels, n) => ({ labels, fingerprint: `${n}`, ...active })),
    '/api/v2/status': { uptime: startedAt },
    '/api/v2/silences': [],
  }
  const texts = new Map(Object.entries(answers).map(([path, answer]) => [path, JSON.stringify(answer)]))
  const server = createServer(({ url = '' }, response) => response.end(texts.get(url.replace(/\?.*/, ''))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  process.on('message', async (list) => {
    let listed = 0
    for (let offset = 0; offset < counts.alerts; offset += 50) {
      const answer = await fetch(`${list}&offset=${offset}`)
      listed += ((await answer.json()) as { results: object[] }).results.length
    }
    process.send?.(listed)
  })
}

/** 15 of them. */
function labelsOf(n: number): Record<string, string> {
  const pod = n % counts.targets
  const named = { alertname: `Rule${n % counts.rules}`, namespace: `shop-${pod % 40}`, container: 'web' }
  const target = {
    instance: `10.0.0.${pod % 250}:8080`,
    job: `web-${pod % 60}`,
    service: `web-${pod}`,
    endpoint: 'http',
  }
  const place = { region: 'eu-west-1', zone: 'eu-west-1a', env: 'production', team: `team-${pod % 12}` }
  const told = {
    severity: n % 3 ? 'warning' : 'critical',
    code: `50${Math.floor(n / counts.targets)}`,
    version: '1.18.3',
  }
  return { ...named, ...target, ...place, ...told, pod: `web-${pod}-7c9d8b6f5-x2x4z` }
}
