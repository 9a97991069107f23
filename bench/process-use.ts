/** What a process of this machine has used so far, as Linux has it under `/proc`; 0 once it has ended. */
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** Resident memory in MB. */
export function residentMb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1024
}

/** Time on a processor in milliseconds, user and system together. */
export function cpuMs(pid: number | undefined): number {
  // The second field is the program's name in brackets, with whatever spaces it has; 14 and 15 are the two times.
  const fields = read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1_000) / ticksPerSecond
}

function read(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
