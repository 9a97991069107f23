/**
 * The life of the process: it waits for the lead, lives as long as it has it, closes, and waits again, until somebody stops it. A bot on
 * a file leads at once; on a Postgres others may lead meanwhile, and this one stands by.
 */
import { wayOutOf } from './call.ts'
import type { Clock } from './clock.ts'
import type { Policy } from './config/policy.ts'
import type { Config } from './config/settings.ts'
import type { Log } from './log.ts'
import { openStore } from './ops/main.ts'
import { metricsText } from './ops/metrics.ts'
import { type HealthServer, openHealthServer } from './ops/server.ts'
import { type Life, openLife } from './wire.ts'
import type { Wait } from './world/store.ts'

const nothing = { requests: 0, failedRounds: 0, refusedRows: 0, lateEdits: 0 }

export type ProcessParts = {
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly readFile: (path: string) => string
  /** Has a service in this process look at its engines now. */
  tick(): Promise<void>
}

export function openProcess(config: Config, firstPolicy: Policy, parts: ProcessParts) {
  const { clock, log } = parts
  const stopping = new AbortController()
  const way = wayOutOf(config, parts.readFile)
  const store = openStore(config.database, clock)
  let policy = firstPolicy
  let life: Life | null = null
  let waiting: Wait | null = null
  let server: HealthServer | null = null
  let finished: Promise<void> | null = null
  const { promise: isStopped, resolve: stopped } = Promise.withResolvers<void>()

  function onWait(wait: Wait): void {
    const isNews = JSON.stringify(wait) !== JSON.stringify(waiting)
    waiting = wait
    if (isNews && 'away' in wait) log.warn('memory:away', { why: wait.away })
    if (isNews && 'leader' in wait) log.info('app:stands_by', { leader: wait.leader })
  }

  async function lead(): Promise<void> {
    while (!stopping.signal.aborted) {
      const lease = await store.lead(config.replicaName, stopping.signal, onWait)
      if (lease === null) return
      waiting = null
      log.info('app:leads', { name: config.replicaName })
      const isLost = lease.lost.then(() => log.warn('lease:lost'))
      life = await openLife({ config, policy, store, lease, way, ...parts })
      await Promise.race([isLost, isStopped])
      const over = life
      life = null
      await over.close()
      await lease.free()
    }
  }

  /** Whoever pushes may reach one that stands by, and is to try again. */
  async function wake(): Promise<boolean> {
    if (life === null) return false
    await parts.tick()
    life.wake()
    return true
  }

  async function run(): Promise<void> {
    server = await openHealthServer({
      host: config.host,
      port: config.port,
      basePath: config.basePath,
      version: parts.version,
      state: () => ({ health: life?.health() ?? null, waiting }),
      metrics: () => life?.metrics() ?? metricsText(parts.version, null, nothing),
      onBroken: (error) => log.error('page:failed', { error: String(error) }),
      wake: { token: config.wakeToken, now: wake },
      heard: (door, request) =>
        life?.doors[door](request) ?? Promise.resolve(new Response(null, { status: 503 })),
      events: (request, response) =>
        life === null ? response.writeHead(503).end() : life.events(request, response),
    })
    log.info('app:started', { port: server.port })
    try {
      await lead()
    } finally {
      await store.close()
      await server.close()
    }
  }

  return {
    /** Resolves once it was stopped; throws what keeps it from starting. */
    run: () => {
      finished = run()
      return finished
    },
    /** From the next round on. */
    usePolicy(next: Policy) {
      policy = next
      life?.usePolicy(next)
    },
    async stop() {
      stopping.abort()
      stopped()
      await finished?.catch(() => {})
    },
  }
}
