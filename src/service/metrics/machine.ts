/** This machine, measured: CPU, memory, disks, network, load, and the memory of this process. */
import { readFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import si from 'systeminformation'
import type { MetricKey } from './metric-key.ts'

export type Sample = { readonly key: MetricKey; readonly value: number }

/** Containers may show many mounts and interfaces; charts of the first few are enough. */
const disksMax = 8
const interfacesMax = 4

/** A hanging sampler (a dead network disk) must not block the others forever. */
const sampleMs = 5_000

const megabyte = 1024 * 1024

/** Returns what could be measured within five seconds; the rest is left out. */
export async function sampleMachine(): Promise<readonly Sample[]> {
  const parts = await Promise.all([load(), memory(), disks(), network()].map(withinTime))
  return [...parts.flat(), ...ownProcess()].filter(({ value }) => Number.isFinite(value))
}

function withinTime(part: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly Sample[]>()
  const timer = setTimeout(() => resolve([]), sampleMs).unref()
  // A machine that lacks one of these (no swap, no disks in a container) still shows the others.
  const known = part.catch((): readonly Sample[] => [])
  return Promise.race([known, late]).finally(() => clearTimeout(timer))
}

async function load(): Promise<readonly Sample[]> {
  const { currentLoad, currentLoadUser, currentLoadSystem } = await si.currentLoad()
  return [
    sample('cpu', '', 'cpu_busy', currentLoad),
    sample('cpu', '', 'cpu_user', currentLoadUser),
    sample('cpu', '', 'cpu_system', currentLoadSystem),
    ...loadAverages(),
  ]
}

/** The system's load average; Windows has none and reports 0. */
function loadAverages(): readonly Sample[] {
  if (process.platform === 'win32') return []
  const source = 'Load Average'
  const [minute = Number.NaN, five = Number.NaN, fifteen = Number.NaN] = loadavg()
  return [
    sample('plugin', source, 'last_minute', minute),
    sample('plugin', source, 'last_five_minutes', five),
    sample('plugin', source, 'last_fifteen_minutes', fifteen),
    sample('plugin', source, 'last_minute_per_core', minute / Math.max(1, cpus().length)),
  ]
}

async function memory(): Promise<readonly Sample[]> {
  const { total: all, available, swaptotal, swapused } = await si.mem()
  // Version 1 of control groups reports a meaningless number if there is no limit.
  const own = await containerMemory()
  const isLimited = own !== null && own.limitBytes < all
  const [total, used] = isLimited ? [own.limitBytes, own.usedBytes] : [all, all - available]
  return [
    sample('memory', '', 'memory_used_percent', (used / total) * 100),
    sample('memory', '', 'memory_used', used / megabyte),
    ...(swaptotal > 0 ? [sample('memory', '', 'swap_used_percent', (swapused / swaptotal) * 100)] : []),
  ]
}

async function disks(): Promise<readonly Sample[]> {
  const found = (await si.fsSize()).filter(({ size, rw }) => size > 0 && rw !== false)
  // In a container the same disk appears once per mount; `/` is its best-known name.
  const byDevice = new Map(found.toReversed().map((disk) => [disk.fs, disk]))
  for (const disk of found.filter(({ mount }) => mount === '/')) byDevice.set(disk.fs, disk)
  return [...byDevice.values()]
    .slice(0, disksMax)
    .flatMap(({ mount, use, available }) => [
      sample('disk', mount, 'disk_used_percent', use),
      sample('disk', mount, 'disk_free', available / megabyte),
    ])
}

async function network(): Promise<readonly Sample[]> {
  const found = (await si.networkStats()).slice(0, interfacesMax)
  // The first sample has nothing to compare with, and is null though its type says number.
  return found.flatMap(({ iface, rx_sec, tx_sec }) =>
    rx_sec === null || tx_sec === null
      ? []
      : [
          sample('network', iface, 'network_in', rx_sec / 1024),
          sample('network', iface, 'network_out', tx_sec / 1024),
        ],
  )
}

function ownProcess(): readonly Sample[] {
  return [sample('process', 'monitor', 'process_memory', process.memoryUsage.rss() / megabyte)]
}

function sample(type: MetricKey['type'], source: string, metric: string, value: number): Sample {
  return { key: { type, source, metric }, value }
}

export type ContainerMemory = { readonly limitBytes: number; readonly usedBytes: number }

/** The files of the kernel's control groups, version 2 and 1 (docs.kernel.org/admin-guide/cgroup-v2.html, "Memory"). */
const versions = [
  { limit: 'memory.max', used: 'memory.current', stat: 'memory.stat', cache: 'inactive_file' },
  {
    limit: 'memory/memory.limit_in_bytes',
    used: 'memory/memory.usage_in_bytes',
    stat: 'memory/memory.stat',
    cache: 'total_inactive_file',
  },
] as const

/** Null if there is no limit, or it is not shown. Inactive file cache can be freed at any time, and does not count. */
export async function containerMemory(folder = '/sys/fs/cgroup'): Promise<ContainerMemory | null> {
  for (const { limit, used, stat, cache } of versions) {
    const [limitBytes, usageBytes] = [wholeOf(await read(folder, limit)), wholeOf(await read(folder, used))]
    if (limitBytes === null || usageBytes === null) continue
    const cached = new RegExp(`^${cache} (\\d+)$`, 'm').exec(await read(folder, stat))?.[1]
    return { limitBytes, usedBytes: Math.max(0, usageBytes - Number(cached ?? 0)) }
  }
  return null
}

function read(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8').catch(() => '')
}

/** `max` means no limit. */
function wholeOf(text: string): number | null {
  return /^\d+\s*$/.test(text) ? Number(text) : null
}
