/** A world for what the monitoring API does wrong: the real service over real HTTP, the real client, real SQLite, and a clock by hand. */
import { onTestFinished } from 'vitest'
import { absenceMs } from '../../src/domain/alert/history.ts'
import { openPoll } from '../../src/flow/poll/poll.ts'
import type { Clock } from '../../src/flow/ports/ports.ts'
import { connectMonitor } from '../../src/monitor/client.ts'
import type { Limits } from '../../src/monitor/limits.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { keptJournal } from './journal.ts'
import { memoryStore } from './memory-store.ts'
import { pollEveryMs } from './poll-world.ts'

export const canaryKey = 'canary-key-9b31f7'

/** Everyone's clock; who waits for it moves it. */
function hurriedClock(): Clock & { advance(ms: number): void } {
  let nowMs = Date.UTC(2026, 10, 21, 4)
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { nowMs: () => nowMs, advance, wait: async (ms) => advance(ms) }
}

export async function apiWorld({
  service: over = {},
  limits = {},
  front = async (url) => url,
}: {
  readonly service?: Partial<ServiceOptions>
  /** An attempt is half a second, unless told otherwise. */
  readonly limits?: Partial<Limits>
  /** What stands between the bot and the service: answers its own URL. */
  readonly front?: (serviceUrl: string) => Promise<string>
} = {}) {
  const clock = hurriedClock()
  const service: Service = await openService({
    key: canaryKey,
    sample: false,
    sampleMs: null,
    fleet: false,
    nowMs: clock.nowMs,
    ...over,
  })
  onTestFinished(() => service.close())
  const monitor = connectMonitor({
    baseUrl: await front(service.url),
    apiKey: { reveal: () => canaryKey },
    clock,
    random: () => 0.5,
    limits: { attemptMs: 500, retriesMax: 1, ...limits },
  })
  onTestFinished(() => monitor.close())
  const store = await memoryStore()
  const logger = keptJournal()
  const poll = openPoll(
    { monitor, store, clock, logger },
    {
      lifecycle: 'auto',
      routes: [],
      defaultChannel: 'C1',
      images: 'off',
      absenceMs,
    },
  )
  return {
    clock,
    service,
    monitor,
    store,
    logger,
    /** Lets one interval pass, then polls. */
    tick: () => {
      clock.advance(pollEveryMs)
      return poll()
    },
    poll,
    alertRequests: () => service.requests()['GET /alerts.json'] ?? 0,
  }
}
