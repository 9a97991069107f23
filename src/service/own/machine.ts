/** This machine, measured by `systeminformation`. */
import { cpus, loadavg } from 'node:os'
import si from 'systeminformation'
import { keyFor } from '../metrics.ts'
import type { MetricKey, MetricType } from '../source.ts'

type Sample = { readonly key: MetricKey; readonly value: number }

const megabyte = 1024 * 1024
const withinMs = 2000
const disksMax = 8

/** What a machine lacks (no swap, no disks in a container), or does not tell in time, is left out. */
export async function sampleMachine(): Promise<readonly Sample[]> {
  const parts = await Promise.all([load(), memory(), disks(), network()].map(inTime))
  const own = sample('process', 'monitor', 'process_memory', process.memoryUsage.rss() / megabyte)
  return [...parts.flat(), own].filter(({ value }) => Number.isFinite(value))
}

function inTime(part: Promise<Sample[]>): Promise<Sample[]> {
  const late = new Promise<Sample[]>((resolve) => setTimeout(() => resolve([]), withinMs).unref())
  return Promise.race([part.catch(() => []), late])
}

async function load(): Promise<Sample[]> {
  const { currentLoad, currentLoadUser, currentLoadSystem } = await si.currentLoad()
  const [one = Number.NaN] = process.platform === 'win32' ? [] : loadavg()
  return [
    sample('cpu', '', 'cpu_busy', currentLoad),
    sample('cpu', '', 'cpu_user', currentLoadUser),
    sample('cpu', '', 'cpu_system', currentLoadSystem),
    sample('plugin', 'Load Average', 'last_minute', one),
    sample('plugin', 'Load Average', 'last_minute_per_core', one / Math.max(1, cpus().length)),
  ]
}

async function memory(): Promise<Sample[]> {
  const { total, available, swaptotal, swapused } = await si.mem()
  return [
    sample('memory', '', 'memory_used_percent', (1 - available / total) * 100),
    sample('memory', '', 'memory_used', (total - available) / megabyte),
    sample('memory', '', 'swap_used_percent', (swapused / swaptotal) * 100),
  ]
}

async function disks(): Promise<Sample[]> {
  const found = (await si.fsSize()).filter(({ size, rw }) => size > 0 && rw !== false)
  // In a container one disk has many mounts; `/` is its best known name.
  const byDevice = new Map(
    found.sort((a, b) => b.mount.length - a.mount.length).map((disk) => [disk.fs, disk]),
  )
  return [...byDevice.values()]
    .slice(0, disksMax)
    .flatMap(({ mount, use, available }) => [
      sample('disk', mount, 'disk_used_percent', use),
      sample('disk', mount, 'disk_free', available / megabyte),
    ])
}

async function network(): Promise<Sample[]> {
  // The first sample has nothing to compare with: null, though its type says number.
  const moving = (await si.networkStats()).filter(({ rx_sec, tx_sec }) => rx_sec !== null && tx_sec !== null)
  return moving.flatMap(({ iface, rx_sec, tx_sec }) => [
    sample('network', iface, 'network_in', rx_sec / 1024),
    sample('network', iface, 'network_out', tx_sec / 1024),
  ])
}

function sample(type: MetricType, source: string, metric: string, value: number): Sample {
  return { key: keyFor(type, source, metric), value }
}
