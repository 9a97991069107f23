/**
 * One process that stands by, leads, and is deposed, as a process of its own: `node lease-process.ts URL NAME SPEED`. Its time runs
 * SPEED times as fast. On its standard output it says each moment (epoch milliseconds) at which it found itself trusted.
 */
import type { SteadyClock } from '../../src/bot/flow/ports/ports.ts'
import { openLease } from '../../src/bot/store/postgres/lease.ts'
import { openLeaseRows } from '../../src/bot/store/postgres/lease-rows.ts'
import { openPostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { realClock } from '../../src/shared/clock.ts'

const [url = '', name = '', speed = ''] = process.argv.slice(2)
const times = Number(speed)
const clock: SteadyClock = {
  nowMs: () => realClock.nowMs() * times,
  steadyMs: () => realClock.steadyMs() * times,
  wait: (ms, signal) => realClock.wait(ms / times, signal),
}
const say = (event: string) => void process.stdout.write(`${event}\n`)
const lease = openLease({
  rows: openLeaseRows(openPostgresPool(url, { clock: realClock, connections: 1 })),
  holder: name,
  name,
  url: '',
  clock,
  logger: { debug: say, info: say, warn: say, error: say },
  reachesSlack: () => true,
  onDeposed: () => process.exit(75),
  onForgotten: () => undefined,
})
const stopping = new AbortController()
process.on('SIGTERM', async () => {
  stopping.abort()
  clearInterval(acting)
  await lease.release()
  process.exit(0)
})
const acting = setInterval(() => {
  const atMs = Date.now()
  if (lease.isTrusted()) say(`trusted ${atMs}`)
}, 5)
await lease.lead(stopping.signal)
