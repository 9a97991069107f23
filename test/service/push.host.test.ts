/** OpenTelemetry's host metrics, in both of its spellings, are the metrics of an exporter. */
import { expect, test } from 'vitest'
import { openTown, startMs } from './open-service.ts'
import { counter, exportOf, gauge, host, lastOf, push } from './pushes.ts'

const megabyte = 1024 * 1024

const spellings = {
  "the Collector's hostmetrics": {
    state: 'state',
    mode: 'state',
    cpu: 'cpu',
    device: 'device',
    direction: 'direction',
    mountpoint: 'mountpoint',
    type: 'type',
    fsMode: 'mode',
    waiting: 'wait',
    processes: 'system.processes.count',
    status: 'status',
  },
  'the semantic conventions': {
    state: 'system.memory.state',
    mode: 'cpu.mode',
    cpu: 'cpu.logical_number',
    device: 'network.interface.name',
    direction: 'network.io.direction',
    mountpoint: 'system.filesystem.mountpoint',
    type: 'system.filesystem.type',
    fsMode: 'system.filesystem.mode',
    waiting: 'iowait',
    processes: 'system.process.count',
    status: 'process.state',
  },
} as const

test.each(Object.entries(spellings))(
  'host metrics in the words of %s are the metrics of an exporter',
  async (_, words) => {
    const town = await openTown()
    const isOld = words.state === 'state'
    const fsState = isOld ? 'state' : 'system.filesystem.state'
    const swapState = isOld ? 'state' : 'system.paging.state'
    const disk = { [words.mountpoint]: '/', [words.type]: 'ext4', [words.fsMode]: 'rw' }
    const look = (atMs: number, seconds: number) =>
      push(
        town,
        exportOf(
          host,
          counter(
            'system.cpu.time',
            ...['0', '1'].flatMap((cpu) => [
              { labels: { [words.cpu]: cpu, [words.mode]: 'idle' }, value: seconds * 0.2, atMs },
              { labels: { [words.cpu]: cpu, [words.mode]: 'user' }, value: seconds * 0.5, atMs },
              { labels: { [words.cpu]: cpu, [words.mode]: 'system' }, value: seconds * 0.2, atMs },
              { labels: { [words.cpu]: cpu, [words.mode]: words.waiting }, value: seconds * 0.1, atMs },
            ]),
          ),
          gauge('system.cpu.load_average.1m', { value: 3, atMs }),
          gauge('system.cpu.load_average.5m', { value: 2, atMs }),
          gauge('system.cpu.load_average.15m', { value: 1, atMs }),
          gauge(
            'system.memory.usage',
            { labels: { [words.state]: 'used' }, value: 600 * megabyte, atMs },
            { labels: { [words.state]: 'free' }, value: 100 * megabyte, atMs },
            { labels: { [words.state]: 'buffered' }, value: 50 * megabyte, atMs },
            { labels: { [words.state]: 'cached' }, value: 250 * megabyte, atMs },
            { labels: { [words.state]: 'slab_reclaimable' }, value: 40 * megabyte, atMs },
          ),
          gauge(
            'system.paging.usage',
            { labels: { [swapState]: 'used' }, value: 25 * megabyte, atMs },
            { labels: { [swapState]: 'free' }, value: 75 * megabyte, atMs },
          ),
          gauge(
            'system.filesystem.usage',
            { labels: { ...disk, [fsState]: 'used' }, value: 80 * megabyte, atMs },
            { labels: { ...disk, [fsState]: 'free' }, value: 20 * megabyte, atMs },
            { labels: { ...disk, [fsState]: 'reserved' }, value: 5 * megabyte, atMs },
          ),
          counter('system.disk.io_time', {
            labels: { [isOld ? 'device' : 'system.device']: 'sda' },
            value: seconds * 0.3,
            atMs,
          }),
          counter(
            'system.network.io',
            {
              labels: { [words.device]: 'eth0', [words.direction]: 'receive' },
              value: seconds * 2_048,
              atMs,
            },
            {
              labels: { [words.device]: 'eth0', [words.direction]: 'transmit' },
              value: seconds * 1_024,
              atMs,
            },
            { labels: { [words.device]: 'lo', [words.direction]: 'transmit' }, value: seconds * 1_024, atMs },
          ),
          gauge(
            words.processes,
            { labels: { [words.status]: 'running' }, value: 3, atMs },
            { labels: { [words.status]: 'blocked' }, value: 1, atMs },
            { labels: { [words.status]: 'sleeping' }, value: 90, atMs },
          ),
          gauge('system.uptime', { value: 1, atMs }),
        ),
      )
    expect((await look(startMs, 1_000)).body).toEqual({})
    town.clock.pass(60_000)
    expect(await look(startMs + 60_000, 1_060)).toMatchObject({ status: 200, body: {} })

    const expected: readonly (readonly [type: string, source: string, metric: string, value: number])[] = [
      ['cpu', '', 'cpu_busy', 80],
      ['cpu', '', 'cpu_user', 50],
      ['cpu', '', 'cpu_system', 20],
      ['cpu', '', 'cpu_iowait', 10],
      ['plugin', 'Load Average', 'last_minute', 3],
      ['plugin', 'Load Average', 'last_five_minutes', 2],
      ['plugin', 'Load Average', 'last_fifteen_minutes', 1],
      ['plugin', 'Load Average', 'last_minute_per_core', 1.5],
      ['memory', '', 'memory_used_percent', 60],
      ['memory', '', 'memory_used', 600],
      ['memory', '', 'swap_used_percent', 25],
      ['disk', '/', 'disk_used_percent', 80],
      ['disk', '/', 'disk_free', 20],
      ['disk', 'sda', 'disk_busy', 30],
      ['network', 'eth0', 'network_in', 2],
      ['network', 'eth0', 'network_out', 1],
      ['process', 'all', 'process_count', 4],
    ]
    const found = await Promise.all(
      expected.map(async ([type, source, metric]) => {
        const query = new URLSearchParams({
          metric_type: type,
          metric_source_name: source,
          metric_name: metric,
        })
        return [type, source, metric, await lastOf(town, String(query))]
      }),
    )
    expect(found).toEqual(expected)
    const absent = [
      'metric_type=network&metric_source_name=lo&metric_name=network_out',
      'metric_type=custom_metric&metric_source_name=system.uptime&metric_name=system.uptime',
    ]
    for (const query of absent) expect((await town.api(`/metrics.json?${query}`)).status).toBe(404)
  },
)
