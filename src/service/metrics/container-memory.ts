/** A container's memory limit, which the machine's own figures do not show. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

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
