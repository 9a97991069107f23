/** What a piece of work costs this thread, in milliseconds of its processor: what else the machine does is no part of it. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
