/** What it costs to ask the exporters of a fleet: the service as a process of its own, and one server that stands for all of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { addressOf, firstWords, startBeside } from './beside.ts'
import { sized } from './measured.ts'
import { cpuMs, residentMb } from './process-use.ts'

const measuredMs = sized(30_000, 2_000)

/** About a thousand series, as node_exporter shows them: 20 that are kept, and many that are not. */
const exporter = `
const cpus = 8
const page = (s) => [
  '# TYPE node_cpu_seconds_total counter',
  ...Array.from({ length: cpus }, (_, n) => ['idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user'].map(
    (mode, at) => 'node_cpu_seconds_total{cpu="' + n + '",mode="' + mode + '"} ' + (s * (at + 1) / 36).toFixed(2)).join('\\n')),
  'node_load1 0.5', 'node_load5 0.4', 'node_load15 0.3',
  'node_memory_MemTotal_bytes 1.6e+10', 'node_memory_MemAvailable_bytes 8e+09',
  'node_memory_SwapTotal_bytes 1e+09', 'node_memory_SwapFree_bytes 9e+08',
  ...['/', '/data'].flatMap((mount) => ['size 1e+11', 'free 5e+10', 'avail 4e+10'].map((one) =>
    'node_filesystem_' + one.split(' ')[0] + '_bytes{device="/dev/sda",fstype="ext4",mountpoint="' + mount + '"} ' + one.split(' ')[1])),
  'node_network_receive_bytes_total{device="eth0"} ' + s * 1000, 'node_network_transmit_bytes_total{device="eth0"} ' + s * 500,
  'node_procs_running 2', 'node_procs_blocked 0',
  ...Array.from({ length: 900 }, (_, n) => 'node_other_series_total{device="sda",number="' + n + '"} ' + (n * 1.5e3 + s)),
].join('\\n') + '\\n'
const server = require('node:http').createServer((_, answer) => {
  answer.setHeader('content-type', 'text/plain; version=0.0.4')
  answer.end(page(performance.now() / 1000))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

const state = z.object({ results: z.array(z.object({ last_report: z.string().nullable() })) })

/** The share of one core, and the resident MB at the end. Linux only, which tells them of other processes. */
export async function measureScraping(
  hosts: number,
  intervalS: number,
): Promise<{ readonly share: number; readonly residentMb: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scraping-'))
  const fake = startBeside(['-e', exporter])
  const port = await firstWords(fake)
  const target = (_: unknown, n: number) =>
    `    - { url: "http://127.0.0.1:${port}/${n}", server: host-${n} }`
  writeFileSync(
    join(folder, 'fleet.yml'),
    [
      `scrape:`,
      `  interval: ${intervalS}s`,
      `  timeout: ${Math.min(5, intervalS)}s`,
      '  targets:',
      ...Array.from({ length: hosts }, target),
      '',
    ].join('\n'),
  )
  const service = startBeside(['--max-semi-space-size=8', 'src/service/main.ts'], {
    PATH: process.env.PATH,
    PORT: '0',
    MONITOR_API_KEY: 'bench-key',
    MONITOR_CONFIG: join(folder, 'fleet.yml'),
    MONITOR_FILE: join(folder, 'monitor.db'),
  })
  try {
    const url = await addressOf(service)
    const isWhole = async () => {
      const { results } = state.parse(await (await fetch(`${url}/api/v2/bench-key/targets.json`)).json())
      return results.every(({ last_report }) => last_report !== null)
    }
    while (!(await isWhole())) await wait(200)
    const before = cpuMs(service.pid)
    const fromMs = performance.now()
    await wait(measuredMs)
    const share = (cpuMs(service.pid) - before) / (performance.now() - fromMs)
    return { share, residentMb: residentMb(service.pid) }
  } finally {
    service.kill('SIGKILL')
    fake.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
