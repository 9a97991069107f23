/** The real engines, as Debian packages them, in temporary folders on free ports; and an exporter whose figures a test sets. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { PrometheusOptions } from '../../../src/service/prometheus/prometheus-source.ts'
import { endWithUs } from '../../support/end-with-us.ts'
import { freePort } from '../../support/free-port.ts'
import { patienceMs } from '../../support/patience.ts'
import type { Labels } from './engines.ts'
import { type Finished, openTown, send, type Town } from './town.ts'

const find = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).find((folder) => existsSync(join(folder, name)))

/** Said loudly: `CI=true` skips nothing. */
export function lacks(...programs: readonly string[]): boolean {
  const missing = programs.filter((name) => find(name) === undefined)
  for (const name of missing) process.stderr.write(`NOT TESTED: there is no ${name} on this machine\n`)
  return missing.length > 0 && process.env.CI !== 'true'
}

export type Program = {
  readonly url: string
  pid(): number | undefined
  kill(): Promise<void>
  start(): Promise<void>
  readonly folder: string
}

/** In a folder of its own; `files` by name, `args` with its port and folder. */
export async function run(
  name: string,
  files: Readonly<Record<string, string>>,
  args: (port: number, folder: string) => readonly string[],
  readyPath = '/-/ready',
  finished: Finished = onTestFinished,
): Promise<Program> {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'monbot-engine-')), await freePort()]
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    let said = ''
    const path = join(find(name) ?? '', name)
    const begun = spawn(path, args(port, folder), { stdio: ['ignore', 'ignore', 'pipe'] })
    child = begun
    endWithUs(begun)
    begun.stderr.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-2000)
    })
    await until(`${name} answers`, async () => {
      if (begun.exitCode !== null) throw new Error(`${name} ended with ${begun.exitCode}: ${said}`)
      return (await send(url + readyPath).catch(() => null))?.status === 200
    })
  }
  finished(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return { url, pid: () => child?.pid, kill, start, folder }
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`it did not come to this: ${what}`)
    await wait(100)
  }
}

/** `set('disk', { host: 'a' }, 97)` shows as `disk{host="a"} 97`; a value of null is not shown. */
export async function openExporter(finished: Finished) {
  const figures = new Map<string, number>()
  const server = createServer((_, response) => {
    response.end([...figures].map(([series, value]) => `${series} ${value}\n`).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  finished(() => void server.close())
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(name: string, labels: Labels, value: number | null) {
      const series = `${name}{${Object.entries(labels).map(([label, text]) => `${label}="${text}"`)}}`
      if (value === null) figures.delete(series)
      else figures.set(series, value)
    },
  }
}

const rules = `groups:
- name: test
  interval: 1s
  rules:
  - { alert: DiskFull, expr: 'disk_used_percent > 90', for: 1s, labels: { severity: critical }, annotations: { summary: 'Disk of {{ $labels.host }}' } }
  - { alert: ReplicaLag, expr: 'lag_seconds > 5', labels: { severity: warning } }
  - { alert: NodeNotReady, expr: 'kube_node_status_ready == 0', for: 10s }
`

/** `objects`: where kube-state-metrics is. */
export const promFile = (
  target: string,
  manager: string,
  external: Labels = {},
  objects: readonly string[] = [],
): string =>
  JSON.stringify({
    global: {
      scrape_interval: '1s',
      scrape_timeout: '1s',
      evaluation_interval: '1s',
      external_labels: external,
    },
    rule_files: ['rules.yml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(manager).host] }] }] },
    scrape_configs: [
      { job_name: 'app', honor_labels: true, static_configs: [{ targets: [target] }] },
      { job_name: 'kube-state-metrics', static_configs: [{ targets: objects }] },
    ],
  })

const usualConfig = `route: { receiver: none }
receivers: [{ name: none }]
inhibit_rules:
- { source_matchers: [alertname=NodeNotReady], target_matchers: [alertname=DiskFull], equal: [cluster] }
`

export function runManager(finished: Finished, config = usualConfig): Promise<Program> {
  const args = (port: number, folder: string) => [
    `--config.file=${folder}/am.yml`,
    `--storage.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]
  return run('prometheus-alertmanager', { 'am.yml': config }, args, '/-/ready', finished)
}

export function runPrometheus(
  finished: Finished,
  target: string,
  manager: string,
  external: Labels = {},
  groups = rules,
): Promise<Program> {
  const files = { 'prometheus.yml': promFile(target, manager, external), 'rules.yml': groups }
  const args = (port: number, folder: string) => [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-lifecycle',
    '--rules.alert.resend-delay=1s',
  ]
  return run('prometheus', files, args, '/-/ready', finished)
}

export { rules }

/** The service in front of them, reading twice a second. `aheadMs`: its clock is so far ahead, to which an engine has been up for longer. */
export function openReal(
  finished: Finished,
  options: Partial<PrometheusOptions>,
  aheadMs = 0,
): Promise<Town> {
  const none = {
    url: null,
    rulers: [],
    alertmanagers: [],
    access: {},
    managerAccess: {},
    reporters: [],
  }
  return openTown(
    { prometheus: { ...none, ...options }, sampleMs: 500, nowMs: () => Date.now() + aheadMs },
    finished,
  )
}
