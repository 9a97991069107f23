/** Runs the demo's Prometheus, Alertmanager and node_exporter, as Debian packages them. */
import { accessSync, constants, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from './ports.ts'
import { startProgram, type TownProcess } from './process.ts'

const packages = 'prometheus prometheus-alertmanager prometheus-node-exporter'
/** By the package's name, and by the project's. */
const names = {
  prometheus: ['prometheus'],
  alertmanager: ['prometheus-alertmanager', 'alertmanager'],
  exporter: ['prometheus-node-exporter', 'node_exporter'],
} as const

export type RealPrometheus = {
  readonly prometheusUrl: string
  readonly alertmanagerUrl: string
  /** Sets the number of waiting orders that an application reports: more than 100 open an alert. */
  setOrdersWaiting(count: number): void
  readonly parts: readonly TownProcess[]
}

/** Starts the three; null, after a sentence, if one is not installed. */
export async function startPrometheus(
  folder: string,
  path: string,
  isUp: (url: string) => Promise<boolean>,
  say: (text: string) => void,
): Promise<RealPrometheus | null> {
  const found = {
    prometheus: find(names.prometheus, path),
    alertmanager: find(names.alertmanager, path),
    exporter: find(names.exporter, path),
  }
  if (found.prometheus === null || found.alertmanager === null || found.exporter === null) {
    const missing = Object.entries(found).flatMap(([name, file]) =>
      file === null ? [names[name as keyof typeof names][0]] : [],
    )
    say(`--prometheus needs ${missing.join(', ')}, not found here: apt-get install ${packages}`)
    return null
  }
  const ports = {
    prometheus: await freePort(9091),
    alertmanager: await freePort(9093),
    exporter: await freePort(9100),
  }
  const words = join(folder, 'textfile')
  mkdirSync(words)
  writeFileSync(join(folder, 'prometheus.yml'), prometheusFile(ports))
  writeFileSync(join(folder, 'rules.yml'), rulesFile)
  writeFileSync(join(folder, 'alertmanager.yml'), 'route: { receiver: none }\nreceivers: [{ name: none }]\n')
  const on = (port: number): string => `--web.listen-address=127.0.0.1:${port}`
  const prometheusUrl = `http://127.0.0.1:${ports.prometheus}`
  const alertmanagerUrl = `http://127.0.0.1:${ports.alertmanager}`
  const env = { PATH: path }
  const started = [
    {
      part: startProgram(
        'node_exporter',
        found.exporter,
        [on(ports.exporter), `--collector.textfile.directory=${words}`],
        env,
      ),
      url: `http://127.0.0.1:${ports.exporter}/`,
    },
    {
      part: startProgram(
        'Alertmanager',
        found.alertmanager,
        [
          on(ports.alertmanager),
          `--config.file=${join(folder, 'alertmanager.yml')}`,
          `--storage.path=${join(folder, 'alertmanager')}`,
          '--cluster.listen-address=',
        ],
        env,
      ),
      url: `${alertmanagerUrl}/-/ready`,
    },
    {
      part: startProgram(
        'Prometheus',
        found.prometheus,
        [
          on(ports.prometheus),
          `--config.file=${join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${join(folder, 'prometheus')}`,
        ],
        env,
      ),
      url: `${prometheusUrl}/-/ready`,
    },
  ]
  const parts = started.map(({ part }) => part)
  try {
    await Promise.all(started.map(({ part, url }) => part.until('is up', () => isUp(url))))
  } catch (error) {
    await Promise.all(parts.map((part) => part.stop()))
    throw error
  }
  function setOrdersWaiting(count: number): void {
    // Written beside and renamed, so that the exporter never reads half of it.
    const file = join(words, 'shop.prom')
    writeFileSync(`${file}.new`, `# TYPE shop_orders_waiting gauge\nshop_orders_waiting ${count}\n`)
    renameSync(`${file}.new`, file)
  }

  setOrdersWaiting(5)
  return { prometheusUrl, alertmanagerUrl, parts, setOrdersWaiting }
}

function find(candidates: readonly string[], path: string): string | null {
  for (const name of candidates) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {
        // Outside this folder.
      }
    }
  }
  return null
}

function prometheusFile(ports: { readonly alertmanager: number; readonly exporter: number }): string {
  return `global: { scrape_interval: 2s, evaluation_interval: 2s }
rule_files: [rules.yml]
alerting: { alertmanagers: [{ static_configs: [{ targets: ["127.0.0.1:${ports.alertmanager}"] }] }] }
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ["127.0.0.1:${ports.exporter}"]
        labels: { instance: "laptop:9100", role: "web", env: "demo" }
`
}

const rulesFile = `groups:
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
      - alert: InstanceDown
        expr: up == 0
        for: 10s
        labels: { severity: critical }
        annotations: { summary: "{{ $labels.instance }} cannot be scraped" }
`
