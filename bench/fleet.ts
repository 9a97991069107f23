/**
 * Measures what a year of a real fleet costs: `npm run bench:fleet`, or `node bench/fleet.ts [hosts] [series of each]`, 100 hosts
 * and 20 series without. `--short` sees that it still measures. The year is filled in through the store's own packing, with a clock by hand; then a fresh process opens
 * the file, measures on for two hours of the same clock, and answers. Then the whole service asks as many exporters for half a minute at two intervals.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chunkMs, chunkStartMs, widths, withBuckets } from '../src/service/metrics/chunk.ts'
import { fleetOf } from '../src/service/metrics/fleet.ts'
import { openGenerated } from '../src/service/metrics/generated.ts'
import { generate } from '../src/service/metrics/generator.ts'
import { type MetricKey, textOf } from '../src/service/metrics/metric-key.ts'
import { answerMetrics, type Duration, durations } from '../src/service/metrics/metrics-query.ts'
import { openOverlays } from '../src/service/metrics/overlays.ts'
import { openReadings } from '../src/service/metrics/readings.ts'
import { openSeries } from '../src/service/metrics/series.ts'
import type { Ledger } from '../src/service/store/ledger.ts'
import { openRegistry } from '../src/service/store/registry.ts'
import { openSqliteLedger } from '../src/service/store/sqlite-ledger.ts'
import { counted, measured, sized } from './measured.ts'
import { measureScraping } from './scraping.ts'

const yearMs = 365 * 24 * 60 * 60_000
const minuteMs = 60_000
const intervalMs = 15_000
const endMs = Date.UTC(2026, 10, 1, 12)
const lastMs = 2 * 60 * minuteMs

const { positionals: words } = parseArgs({ options: { short: { type: 'boolean' } }, allowPositionals: true })
const hosts = measured('hosts', Number(words[0] ?? sized(100, 4)))
const seriesOfEach = measured('series of each', Number(words[1] ?? sized(20, 2)))
const names = fleetOf(Math.max(hosts, hosts * 2), 1)
  .map(({ hostname }) => hostname)
  .filter((hostname) => hostname.startsWith('web-'))
// A half of them is web-*, as many as a wildcard may mean.
const hostnames = Array.from({ length: hosts }, (_, at) => (at < hosts / 2 ? (names[at] ?? '') : `db-${at}`))
const keys: MetricKey[] = Array.from({ length: seriesOfEach }, (_, at) =>
  at === 0
    ? { type: 'cpu', source: '', metric: 'cpu_busy' }
    : { type: 'plugin', source: 'Bench', metric: `metric_${at}` },
)
const madeUp = (at: number, atMs: number): number => generate(at, { base: 40, swing: 30 }, atMs)

function open(file: string): Ledger {
  return openSqliteLedger(file, {
    onLost: (failure) => {
      throw failure
    },
    report: () => {},
  })
}

/** The same chunks as a year of samples would have made. */
function fill(ledger: Ledger): void {
  const registry = openRegistry(ledger)
  for (const [nth, hostname] of hostnames.entries()) {
    ledger.together(() => {
      registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [])
      for (const [at, key] of keys.entries()) {
        const id = ledger.archive.addSeries(hostname, textOf(key))
        for (const { stepMs, ageMaxMs } of widths) {
          const fromMs = endMs - Math.min(yearMs, ageMaxMs)
          for (let startMs = chunkStartMs(stepMs, fromMs); startMs < endMs; startMs += chunkMs(stepMs)) {
            const buckets = []
            for (let atMs = startMs; atMs < Math.min(endMs, startMs + chunkMs(stepMs)); atMs += stepMs) {
              const mean = madeUp(nth * 1_000 + at, atMs)
              if (atMs >= fromMs)
                buckets.push({ atMs, min: mean - 1, mean, max: mean + 1, count: stepMs / intervalMs })
            }
            ledger.archive.putChunk(id, stepMs, { atMs: startMs, body: withBuckets(null, stepMs, buckets) })
          }
        }
      }
    })
  }
}

type Row = readonly [what: string, measured: string, goal: string]

const megabytes = (bytes: number): string => `${(measured('bytes', bytes) / 1024 ** 2).toFixed(0)} MB`
const ms = (value: number): string => `${measured('time', value).toFixed(0)} ms`

/** What a process that begins with a full file does. */
async function live(file: string): Promise<Row[]> {
  const startedMs = performance.now()
  const ledger = open(file)
  const registry = openRegistry(ledger)
  const series = openSeries(ledger)
  const startMs = performance.now() - startedMs
  let nowMs = endMs
  const generated = openGenerated(ledger, openOverlays(ledger), 1)
  const readings = openReadings({
    ...{ registry, series, generated },
    nowMs: () => nowMs,
    freshMsOf: () => 3 * intervalMs,
    lastReportMs: { scraped: () => nowMs, pushed: () => null },
  })

  let longestMs = 0
  const before = process.cpuUsage()
  for (; nowMs < endMs + lastMs; nowMs += intervalMs) {
    const fromMs = performance.now()
    ledger.together(() => {
      for (const [nth, hostname] of hostnames.entries()) {
        for (const [at, key] of keys.entries())
          series.add(hostname, key, nowMs, madeUp(nth * 1_000 + at, nowMs))
      }
    })
    series.write(nowMs)
    longestMs = Math.max(longestMs, performance.now() - fromMs)
  }
  const used = process.cpuUsage(before)
  const share = (used.user + used.system) / 1_000 / lastMs

  async function ask(server: string, duration: Duration): Promise<number> {
    const fromMs = performance.now()
    const key = keys[0]
    if (key === undefined) throw new Error('there is no series')
    const answer = await answerMetrics(
      { key, server, environment: null, role: null, duration, display: 'range' },
      { registry, readings, nowMs },
    )
    const text = JSON.stringify(answer)
    if (answer.timestamps.length < 200 || text.includes('null')) throw new Error(`${duration} is not whole`)
    return performance.now() - fromMs
  }
  const names = Object.keys(durations).filter((name): name is Duration => Object.hasOwn(durations, name))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const answers: Row[] = []
  for (const duration of names) {
    const one = await ask(hostnames[0] ?? '', duration)
    const many = await ask('web-*', duration)
    answers.push([
      `${duration}: one server, web-* of ${Math.ceil(hosts / 2)}`,
      `${ms(one)}, ${ms(many)}`,
      '150 ms',
    ])
  }
  const wideMs = await ask('*', '1 year')
  delay.disable()
  const rss = process.memoryUsage.rss()
  ledger.close()
  return [
    ['start with the full file', ms(startMs), '1,000 ms'],
    ['resident memory after two hours and all questions', megabytes(rss), '200 MB'],
    [`CPU share of keeping, at ${intervalMs / 1_000} s`, `${(share * 100).toFixed(2)} %`, ''],
    ['longest round of keeping', ms(longestMs), ''],
    ...answers,
    [`1 year: * of ${hosts}`, ms(wideMs), ''],
    [
      'longest that others waited meanwhile',
      `${counted('waiting', delay.max / 1e6).toFixed(0)} ms`,
      '100 ms',
    ],
  ]
}

function say(rows: readonly Row[]): void {
  for (const row of rows) process.stdout.write(`| ${row.join(' | ')} |\n`)
}

const file = words[2]
if (file !== undefined) say(await live(file))
else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'))
  try {
    const made = join(folder, 'state.db')
    const ledger = open(made)
    fill(ledger)
    ledger.close()
    process.stdout.write(`| ${hosts} hosts, ${seriesOfEach} series each | measured | goal |\n|---|---|---|\n`)
    say([['on disk after a year', megabytes(statSync(made).size), '250 MB']])
    const { status } = spawnSync(
      process.execPath,
      ['--max-semi-space-size=8', fileURLToPath(import.meta.url), String(hosts), String(seriesOfEach), made],
      {
        stdio: 'inherit',
      },
    )
    if (status !== 0) throw new Error(`what opens the full file ended with ${status}`)
    for (const intervalS of sized([15, 1], [1])) {
      const { share, residentMb } = await measureScraping(hosts, intervalS)
      say([
        [
          `CPU share of a core of the whole service, asked every ${intervalS} s`,
          `${(measured('CPU of the service', share) * 100).toFixed(1)} %`,
          '',
        ],
        [
          `its resident memory, every ${intervalS} s`,
          `${measured('memory', residentMb).toFixed(0)} MB`,
          intervalS === 15 ? '200 MB' : '',
        ],
      ])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
