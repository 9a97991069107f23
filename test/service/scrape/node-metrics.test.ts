/** What an exporter's series become in the API: the table of metrics, counters and resets, and what is absent. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openExpositionParser } from '../../../src/service/scrape/exposition.ts'
import { metricsMax } from '../../../src/service/scrape/node-metrics.ts'
import { cpu, intervalMs, open, read, readTwo } from './read-metrics.ts'

test('a counter of bytes below its predecessor has started anew, and its value is its increase', () => {
  const bytes = (all: number): string => `node_network_receive_bytes_total{device="eth0"} ${all}\n`
  expect(readTwo(bytes(1e12), bytes(15 * 1_024))).toEqual({ 'network eth0 network_in': 1 })
})

test('a disk whose counter was set back by a moment was told to be busy all the time', () => {
  const io = (seconds: number): string => `node_disk_io_time_seconds_total{device="vda"} ${seconds}\n`
  expect(readTwo(io(20), io(19.99))).toEqual({})
})

test('counters below nothing, and beyond all numbers, are no rates', () => {
  const all = (value: string): string => `# TYPE shop_a counter\nshop_a ${value}\n`
  expect(readTwo(all('-5'), all('-3'))).toEqual({})
  expect(readTwo(all('-1e308'), all('1e308'))).toEqual({})
  expect(readTwo(all('0'), all('1e309'))).toEqual({})
})

test('load, and for each core', () => {
  const text = `${cpu(1, 1, 1)}node_load1 3\nnode_load5 2\nnode_load15 1\n`
  expect(read(open(), text, 0)).toEqual({
    'plugin Load Average last_minute': 3,
    'plugin Load Average last_five_minutes': 2,
    'plugin Load Average last_fifteen_minutes': 1,
    'plugin Load Average last_minute_per_core': 1.5,
  })
  expect(read(open(), 'node_load1 3\n', 0)).toEqual({ 'plugin Load Average last_minute': 3 })
})

const mb = 1_048_576
const memory = (fields: Readonly<Record<string, number>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `node_memory_${name}_bytes ${value * mb}\n`)
    .join('')

test.each([
  [
    { MemTotal: 1_000, MemAvailable: 250, MemFree: 10 },
    { used_percent: 75, used: 750 },
  ],
  [
    { MemTotal: 1_000, MemFree: 100, Buffers: 50, Cached: 100, SReclaimable: 50 },
    { used_percent: 70, used: 700 },
  ],
  [
    { MemTotal: 1_000, MemFree: 100, Buffers: 50, Cached: 100 },
    { used_percent: 75, used: 750 },
  ],
  [{ MemTotal: 1_000, MemFree: 100 }, {}],
  [{ MemAvailable: 100 }, {}],
  [{ MemTotal: 0, MemAvailable: 0 }, {}],
])('memory %o', (fields, expected) => {
  const all = Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [`memory memory_${name}`, value]),
  )
  expect(read(open(), memory({ ...fields, Other: 1 }), 0)).toEqual(all)
})

test('swap, and nothing where there is none', () => {
  expect(read(open(), memory({ SwapTotal: 100, SwapFree: 25 }), 0)).toEqual({
    'memory swap_used_percent': 75,
  })
  expect(read(open(), memory({ SwapTotal: 0, SwapFree: 0 }), 0)).toEqual({})
})

function disk(labels: string, fields: Readonly<Record<string, number>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `node_filesystem_${name}{${labels}} ${value}\n`)
    .join('')
}

test('a disk as df sees it: what is reserved for root is neither used nor available', () => {
  const text = disk('device="/dev/sda",fstype="ext4",mountpoint="/"', {
    size_bytes: 1_000 * mb,
    free_bytes: 500 * mb,
    avail_bytes: 450 * mb,
    readonly: 0,
  })
  const found = read(open(), text, 0)
  expect(found['disk / disk_used_percent']).toBeCloseTo((500 / 950) * 100)
  expect(found['disk / disk_free']).toBe(450)
})

test('file systems that are no disks are not shown', () => {
  const size = { size_bytes: 100 * mb, avail_bytes: 50 * mb }
  const text = ['tmpfs', 'squashfs', 'overlay', 'ramfs', 'iso9660']
    .map((fstype) => disk(`device="d",fstype="${fstype}",mountpoint="/${fstype}"`, size))
    .concat(disk('device="d",fstype="ext4",mountpoint="/ro"', { ...size, readonly: 1 }))
    .concat(disk('device="d",fstype="nfs",mountpoint="/away"', { ...size, device_error: 1 }))
    .concat(disk('device="d",fstype="xfs",mountpoint="/data"', size))
  expect(read(open(), text.join(''), 0)).toEqual({
    'disk /data disk_used_percent': 50,
    'disk /data disk_free': 50,
  })
})

test('a disk with a name that nobody could ask for is not shown', () => {
  const size = { size_bytes: 100 * mb, avail_bytes: 50 * mb }
  expect(
    read(open(), disk(`mountpoint="/${'x'.repeat(300)}"`, size) + disk('mountpoint=""', size), 0),
  ).toEqual({})
})

test('disks and networks by how fast their counters grow', () => {
  const text = (seconds: number): string => `node_disk_io_time_seconds_total{device="vda"} ${seconds * 0.5}
${['eth0', 'lo', 'veth1a2b', 'docker0', 'br-1a2b', 'bridge0']
  .map(
    (device) => `node_network_receive_bytes_total{device="${device}"} ${seconds * 2_048}
node_network_transmit_bytes_total{device="${device}"} ${seconds * 1_024}
`,
  )
  .join('')}`
  expect(readTwo(text(0), text(15))).toEqual({
    'disk vda disk_busy': 50,
    'network eth0 network_in': 2,
    'network eth0 network_out': 1,
    'network bridge0 network_in': 2,
    'network bridge0 network_out': 1,
  })
})

test('processes that run and wait, or else all of them', () => {
  expect(read(open(), 'node_procs_running 3\nnode_procs_blocked 1\n', 0)).toEqual({
    'process all process_count': 4,
  })
  expect(read(open(), 'node_processes_pids 120\n', 0)).toEqual({ 'process all process_count': 120 })
})

test('custom metrics that differ in labels only are added up, counters as rates', () => {
  const first =
    '# TYPE shop_waiting gauge\nshop_waiting{q="a"} 1\nshop_waiting{q="b"} 2\nshop_orders_total{k="a"} 10\n'
  const second = `${first.replace('} 10', '} 40')}shop_orders_total{k="new"} 900\nother 1\n`
  expect(readTwo(first, second)).toEqual({
    'custom_metric shop_waiting shop_waiting': 3,
    'custom_metric shop_orders_total shop_orders_total': 2,
  })
})

test('a sum of which a part is not known is not known', () => {
  expect(
    read(open(), 'shop_a{q="a"} 1\nshop_a{q="b"} NaN\nshop_b{q="a"} 1\nshop_b{q="b"} x\nshop_c 1\n', 0),
  ).toEqual({
    'custom_metric shop_c shop_c': 1,
  })
})

test('NaN and infinities are no values', () => {
  const text = `node_load1 NaN\nnode_load5 +Inf\nshop_a -Inf\n${memory({ MemTotal: 100 })}node_memory_MemAvailable_bytes NaN\n`
  expect(read(open(), text, 0)).toEqual({})
})

test('a series that is shown twice counts once', () => {
  expect(read(open(), 'shop_a{q="a"} 1\nshop_a{q="a"} 5\n', 0)).toEqual({ 'custom_metric shop_a shop_a': 1 })
})

test('a server keeps so many metrics, its own before the custom ones, and says how many there were more', () => {
  const metrics = open()
  const parser = openExpositionParser('text', metrics.wanted)
  for (let at = 0; at < 300; at += 1) parser.push(`shop_${at} 1\n`)
  parser.push('node_load1 1\n')
  const { samples, leftOut } = metrics.map(parser.end(), 0)
  expect([samples.length, leftOut.length]).toEqual([metricsMax, 301 - metricsMax])
  expect(samples[0]?.key.metric).toBe('last_minute')
})

test('exporters of other systems show what they have: nothing is made up', () => {
  const windows =
    'windows_cpu_time_total{core="0,0",mode="idle"} 5\nwindows_os_physical_memory_free_bytes 1\n'
  expect(readTwo(windows, windows)).toEqual({})
})

test('a real node_exporter fills the whole table', () => {
  const text = readFileSync(new URL('node-exporter.txt', import.meta.url), 'utf8')
  const later = text.replace(/^(node_cpu_seconds_total\{.*mode="idle"\} )(\S+)$/gm, (_, series, seconds) => {
    return `${series}${Number(seconds) + intervalMs / 1_000}`
  })
  const found = readTwo(text, later)
  expect(Object.keys(found).toSorted()).toEqual([
    'cpu cpu_busy',
    'cpu cpu_iowait',
    'cpu cpu_system',
    'cpu cpu_user',
    'disk / disk_free',
    'disk / disk_used_percent',
    'disk vda disk_busy',
    'disk zram0 disk_busy',
    'memory memory_used',
    'memory memory_used_percent',
    'network eth0 network_in',
    'network eth0 network_out',
    'network ifb0 network_in',
    'network ifb0 network_out',
    'network ifb1 network_in',
    'network ifb1 network_out',
    'plugin Load Average last_fifteen_minutes',
    'plugin Load Average last_five_minutes',
    'plugin Load Average last_minute',
    'plugin Load Average last_minute_per_core',
    'process all process_count',
  ])
  expect(found['memory memory_used_percent']).toBeCloseTo((1 - 22_691_917_824 / 25_276_510_208) * 100, 5)
})
