/** The metrics of hosts by way of a real Prometheus and a real VictoriaMetrics: the same as the service reads from the exporter itself. */
import { describe, expect, test } from 'vitest'
import type { MetricKey } from '../../../src/service/metrics/metric-key.ts'
import { patienceMs } from '../../support/patience.ts'
import { metricsOf } from '../records.ts'
import { configOf, exporterOf, openFleetTown, targetOf } from '../scrape/exporters.ts'
import { openMetricsTown, untilSeries } from './metrics-town.ts'
import { type Ending, lacks, type Running } from './programs.ts'
import { openNodeExporter, openPrometheus, openVictoriaMetrics, type ScrapeJob } from './real.ts'

const key = (type: MetricKey['type'], source: string, metric: string): MetricKey => ({ type, source, metric })
const load = (metric: string): MetricKey => key('plugin', 'Load Average', metric)

// Read a few seconds apart, while other tests start browsers and towns: so much may change in between.
const realMetrics: readonly (readonly [key: MetricKey, by: number])[] = [
  [load('last_minute'), 5],
  [load('last_five_minutes'), 2],
  [load('last_fifteen_minutes'), 2],
  [load('last_minute_per_core'), 3],
  [key('memory', '', 'memory_used_percent'), 8],
  [key('memory', '', 'memory_used'), 3_000],
  [key('disk', '/', 'disk_used_percent'), 2],
  [key('disk', '/', 'disk_free'), 2_000],
]

/** Counters that grow steadily with the real time, so that whoever looks whenever sees the same rates. */
function steadyText(): string {
  const seconds = Date.now() / 1_000 - 1_790_000_000
  const cpu = (mode: string, share: number) =>
    [0, 1].map((at) => `node_cpu_seconds_total{cpu="${at}",mode="${mode}"} ${seconds * share}`)
  return [
    '# TYPE node_cpu_seconds_total counter',
    ...cpu('idle', 0.55),
    ...cpu('user', 0.25),
    ...cpu('system', 0.15),
    ...cpu('iowait', 0.05),
    '# TYPE node_disk_io_time_seconds_total counter',
    `node_disk_io_time_seconds_total{device="sda"} ${seconds * 0.3}`,
    '# TYPE node_network_receive_bytes_total counter',
    `node_network_receive_bytes_total{device="eth0"} ${seconds * 20_480}`,
    `node_network_receive_bytes_total{device="lo"} ${seconds * 20_480}`,
    '# TYPE node_network_transmit_bytes_total counter',
    `node_network_transmit_bytes_total{device="eth0"} ${seconds * 10_240}`,
    'node_load1 3\nnode_procs_running 2\nnode_procs_blocked 1',
    'node_memory_MemTotal_bytes 1048576000\nnode_memory_MemFree_bytes 104857600',
    'node_memory_Buffers_bytes 104857600\nnode_memory_Cached_bytes 52428800',
    'node_memory_SwapTotal_bytes 1000\nnode_memory_SwapFree_bytes 250',
    ...[
      ['/data', 'ext4', 0],
      ['/run', 'tmpfs', 0],
      ['/cd', 'ext4', 1],
    ].flatMap(([mount, type, readonly]) => {
      const labels = `{device="${mount}",fstype="${type}",mountpoint="${mount}"}`
      return [
        `node_filesystem_size_bytes${labels} 104857600`,
        `node_filesystem_free_bytes${labels} 52428800`,
        `node_filesystem_avail_bytes${labels} 41943040`,
        `node_filesystem_readonly${labels} ${readonly}`,
      ]
    }),
    '# TYPE shop_sold counter',
    `shop_sold{shop="a"} ${seconds * 3}`,
    `shop_sold{shop="b"} ${seconds * 4}`,
    'shop_open{shop="a"} 2\nshop_open{shop="b"} 5\nshop_odd NaN\n',
  ].join('\n')
}

const steady: readonly (readonly [key: MetricKey, expected: number])[] = [
  [key('cpu', '', 'cpu_busy'), 45],
  [key('cpu', '', 'cpu_user'), 25],
  [key('cpu', '', 'cpu_system'), 15],
  [key('cpu', '', 'cpu_iowait'), 5],
  [load('last_minute'), 3],
  [load('last_minute_per_core'), 1.5],
  [key('memory', '', 'memory_used_percent'), 75],
  [key('memory', '', 'memory_used'), 750],
  [key('memory', '', 'swap_used_percent'), 75],
  [key('disk', '/data', 'disk_used_percent'), (50 / 90) * 100],
  [key('disk', '/data', 'disk_free'), 40],
  [key('disk', 'sda', 'disk_busy'), 30],
  [key('network', 'eth0', 'network_in'), 20],
  [key('network', 'eth0', 'network_out'), 10],
  [key('process', 'all', 'process_count'), 3],
  [key('custom_metric', 'shop_open', 'shop_open'), 7],
]

const isRate = ({ type, metric }: MetricKey): boolean => type === 'network' || metric === 'disk_busy'

const absent: readonly MetricKey[] = [
  load('last_five_minutes'),
  key('disk', '/run', 'disk_used_percent'),
  key('disk', '/cd', 'disk_used_percent'),
  key('disk', '/nowhere"}', 'disk_free'),
  key('network', 'lo', 'network_in'),
  key('process', 'nginx', 'process_count'),
  key('plugin', 'Nginx', 'last_minute'),
  key('cpu', '', 'cpu_steal'),
  key('custom_metric', 'shop_closed', 'shop_closed'),
  key('custom_metric', 'shop_odd', 'shop_odd'),
]

const engines: readonly (readonly [
  name: string,
  program: 'prometheus' | 'victoria-metrics',
  open: (t: Ending, given: { jobs: readonly ScrapeJob[] }) => Promise<Running>,
])[] = [
  ['Prometheus', 'prometheus', openPrometheus],
  ['VictoriaMetrics', 'victoria-metrics', openVictoriaMetrics],
]

describe.each(engines)('%s', (_, program, open) => {
  test.skipIf(lacks(program, 'prometheus-node-exporter'))(
    'says of a real host what its exporter says',
    async (t) => {
      const exporter = await openNodeExporter(t)
      const { url } = await open(t, {
        jobs: [{ job: 'node', targets: [exporter.url], instance: 'web-1:9100' }],
      })
      const town = openMetricsTown(t, { url, servers: ['web-1'] })
      await untilSeries(url, 'node_load1', 1)
      const scraping = await openFleetTown(configOf([targetOf('web-1', `${exporter.url}/metrics`)]))
      await scraping.service.tick()
      for (const [metric, by] of realMetrics) {
        const { metrics } = await metricsOf(scraping, {
          metric_type: metric.type,
          metric_source_name: metric.source,
          metric_name: metric.metric,
        })
        const expected = metrics[0]?.points.at(-1)?.[1] ?? Number.NaN
        const [min, mean, max] = (await town.last(metric))['web-1'] ?? []
        expect(Math.abs((mean ?? Number.NaN) - expected), metric.metric).toBeLessThanOrEqual(by)
        expect(min).toBeLessThanOrEqual(mean ?? Number.NaN)
        expect(max).toBeGreaterThanOrEqual(mean ?? Number.NaN)
      }
    },
  )

  test.skipIf(lacks(program))(
    'says each metric in its own unit, and what is not there is absent',
    async (t) => {
      const exporter = await exporterOf(steadyText)
      const { url } = await open(t, { jobs: [{ job: 'node', targets: [exporter], instance: 'web-1:9100' }] })
      const town = openMetricsTown(t, { url, servers: ['web-1'] })
      await untilSeries(url, 'irate(shop_sold[1m])', 2)
      for (const duration of ['5 hours', '1 week', '1 year'] as const) {
        for (const [metric, expected] of steady) {
          // Only a share of a whole is known where most of a step was before the first scrape.
          if (duration !== '5 hours' && isRate(metric)) continue
          const off = async () => {
            const { 'web-1': point = [] } = await town.last(metric, { duration })
            expect(point, metric.metric).toHaveLength(3)
            return Math.max(...point.map((value) => Math.abs((value ?? Number.NaN) - expected)))
          }
          // A scrape that came late on a busy machine bends a rate until the next ones have come.
          const what = { timeout: patienceMs, message: `${metric.metric} of ${duration}` }
          await t.expect.poll(off, what).toBeLessThan(Math.max(0.01, expected * 0.05))
        }
      }
      for (const metric of absent) {
        await expect(town.ask(metric), JSON.stringify(metric)).rejects.toMatchObject({ status: 404 })
      }
    },
  )
})
