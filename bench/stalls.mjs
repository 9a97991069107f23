/**
 * Loaded into a process before its own code: on SIGUSR2 it says for how long others had to wait for one turn of its event loop at the
 * longest, in time on a processor, so that a busy machine does not count; and begins anew.
 */
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
let lastMs = cpuMs()
let longestMs = 0
setInterval(() => {
  const nowMs = cpuMs()
  longestMs = Math.max(longestMs, nowMs - lastMs)
  lastMs = nowMs
}, 5).unref()
process.on('SIGUSR2', () => {
  process.stdout.write(`{"msg":"bench:stall","ms":${Math.round(longestMs)}}\n`)
  longestMs = 0
})
