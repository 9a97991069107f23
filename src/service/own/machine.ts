/** This machine, measured by `systeminformation` and, in a container, by its control group. */
import { readFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import si from 'systeminformation'
import type { MetricKey } from '../source.ts'

export type Sample = { readonly key: MetricKey; readonly value: number }

const megabyte = 1024 * 1024
const withinMs = 2000
const disksMax = 8

/** What a machine lacks (no swap, no disks in a container), or does not tell in time, is left out. */
export async function sampleMachine(): Promise<readonly Sample[]> {
  const parts = await Promise.all([load(), memory(), disks(), network()].map(inTime))
  return [
    ...parts.flat(),
    sample('process', 'monitor', 'process_memory', process.memoryUsage.rss() / megabyte),
  ].filter(({ value }) => Number.isFinite(value))
}

function inTime(part: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
  let timer: NodeJS.Timeout
  const late = new Promise<readonly Sample[]>((resolve) => {
    timer = setTimeout(() => resolve([]), withinMs)
  })
  return Promise.race([part.catch((): readonly Sample[] => []), late]).finally(() => clearTimeout(timer))
}

async function load(): Promise<readonly Sample[]> {
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

async function memory(): Promise<readonly Sample[]> {
  const { total, available, swaptotal, swapused } = await si.mem()
  // A container's own limit, control groups version 2 (docs.kernel.org/admin-guide/cgroup-v2.html, "Memory").
  const [limit, usage] = await Promise.all(['memory.max', 'memory.current'].map(groupNumber))
  const isLimited = limit !== undefined && usage !== undefined && limit < total
  const [all, used] = isLimited ? [limit, usage] : [total, total - available]
  return [
    sample('memory', '', 'memory_used_percent', (used / all) * 100),
    sample('memory', '', 'memory_used', used / megabyte),
    ...(swaptotal > 0 ? [sample('memory', '', 'swap_used_percent', (swapused / swaptotal) * 100)] : []),
  ]
}

async function groupNumber(file: string): Promise<number | undefined> {
  const text = await readFile(`/sys/fs/cgroup/${file}`, 'utf8').catch(() => '')
  return /^\d+\s*$/.test(text) ? Number(text) : undefined
}

async function disks(): Promise<readonly Sample[]> {
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

async function network(): Promise<readonly Sample[]> {
  // The first sample has nothing to compare with: null, though its type says number.
  return (await si.networkStats())
    .filter(({ rx_sec, tx_sec }) => rx_sec !== null && tx_sec !== null)
    .flatMap(({ iface, rx_sec, tx_sec }) => [
      sample('network', iface, 'network_in', rx_sec / 1024),
      sample('network', iface, 'network_out', tx_sec / 1024),
    ])
}

function sample(type: MetricKey['type'], source: string, metric: string, value: number): Sample {
  return { key: { type, source, metric }, value }
}
