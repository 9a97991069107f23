/** Runs the demo's Prometheus, Alertmanager and node_exporter, as Debian packages them. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from './ports.ts'
import { isUp, startProgram, type TownProcess } from './process.ts'

const programs = {
  prometheus: ['prometheus'],
  alertmanager: ['prometheus-alertmanager', 'alertmanager'],
  exporter: ['prometheus-node-exporter', 'node_exporter'],
} as const
type Program = keyof typeof programs

export type RealPrometheus = {
  readonly settings: Readonly<Record<string, string>>
  readonly lines: readonly string[]
  setOrdersWaiting(count: number): void
  readonly parts: readonly TownProcess[]
}

export async function startPrometheus(
  folder: string,
  path: string,
  say: (text: string) => void,
): Promise<RealPrometheus | null> {
  const missing = Object.values(programs).filter((names) => find(names, path) === undefined)
  if (missing.length > 0) {
    const packages = Object.values(programs).map(([name]) => name)
    const lacking = missing.map(([name]) => name).join(', ')
    say(`--prometheus needs ${lacking}, not found here: apt-get install ${packages.join(' ')}`)
    return null
  }
  const words = join(folder, 'textfile')
  mkdirSync(words)
  const urls: Record<Program, string> = { prometheus: '', alertmanager: '', exporter: '' }
  const ports = {
    prometheus: await freePort(9091),
    alertmanager: await freePort(9093),
    exporter: await freePort(9100),
  }
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  file('rules.yml', rules)
  const options: Record<Program, readonly string[]> = {
    exporter: [`--collector.textfile.directory=${words}`],
    alertmanager: [
      `--config.file=${file('alertmanager.yml', 'route: { receiver: none }\nreceivers: [{ name: none }]\n')}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      '--cluster.listen-address=',
    ],
    prometheus: [
      `--config.file=${file('prometheus.yml', config(ports))}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    ],
  }
  const parts = Object.entries(programs).map(([key, names]) => {
    const program = key as Program
    urls[program] = `http://127.0.0.1:${ports[program]}`
    const listen = `--web.listen-address=127.0.0.1:${ports[program]}`
    const part = startProgram(program, find(names, path) ?? '', [listen, ...options[program]], path)
    const ready = `${urls[program]}/${program === 'exporter' ? '' : '-/ready'}`
    return { part, isReady: part.until('is up', () => isUp(ready)) }
  })
  try {
    await Promise.all(parts.map(({ isReady }) => isReady))
  } catch (error) {
    await Promise.all(parts.map(({ part }) => part.stop()))
    throw error
  }
  function setOrdersWaiting(count: number): void {
    // Written beside and renamed, so that the exporter never reads half of it.
    const fresh = file('shop.prom.new', `# TYPE shop_orders_waiting gauge\nshop_orders_waiting ${count}\n`)
    renameSync(fresh, join(words, 'shop.prom'))
  }
  setOrdersWaiting(5)
  return {
    settings: { PROMETHEUS_URL: urls.prometheus, ALERTMANAGER_URL: urls.alertmanager },
    lines: [
      `  Prometheus           ${urls.prometheus}/alerts`,
      `  Alertmanager         ${urls.alertmanager}/   (what you mute is silenced there)`,
    ],
    parts: parts.map(({ part }) => part),
    setOrdersWaiting,
  }
}

function find(candidates: readonly string[], path: string): string | undefined {
  const files = path.split(delimiter).flatMap((folder) => candidates.map((name) => join(folder, name)))
  return files.find((file) => existsSync(file))
}

const config = (ports: Readonly<Record<Program, number>>): string => `
global: { scrape_interval: 2s, evaluation_interval: 2s }
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ["127.0.0.1:${ports.alertmanager}"] }] }] }
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ["127.0.0.1:${ports.exporter}"]
        labels: { instance: "laptop:9100", role: "web", env: "demo" }
`

const rules = `groups:
  - name: demo
    rules:
      - alert: CPUBusy
        expr: 100 * (1 - avg by (instance, role, env) (rate(node_cpu_seconds_total{mode="idle"}[15s]))) > 90
        for: 4s
        labels: { severity: warning }
        annotations: { summary: "CPU of {{ $labels.instance }} is {{ $value | printf \\"%.0f\\" }} % busy" }
      - alert: OrdersWaiting
        expr: shop_orders_waiting > 100
        labels: { severity: critical }
        annotations: { summary: "{{ $value }} orders wait in the shop" }
`
