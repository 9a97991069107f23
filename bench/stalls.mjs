/** Loaded into a process before its own code: on SIGUSR2 it says how long its event loop stood still at the longest, and begins anew. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.on('SIGUSR2', () => {
  process.stdout.write(`{"msg":"bench:stall","ms":${Math.round(delay.max / 1e6)}}\n`)
  delay.reset()
})
