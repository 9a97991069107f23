/** A world for a misbehaving API: the bot's own wiring and client against the real service over HTTP, with a manual clock. */
import { onTestFinished } from 'vitest'
import { connectMonitor } from '../../src/bot/monitor/client.ts'
import type { Limits } from '../../src/bot/monitor/repeat.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { openBotInMemory } from './bot-in-memory.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { pollEveryMs } from './poll-world.ts'

export const canaryKey = 'canary-key-9b31f7'

/** The clock of all programs, which moves as soon as somebody waits for it. */
function hurriedClock(): ManualClock {
  const clock = manualClock()
  return { ...clock, wait: async (ms) => clock.advance(ms) }
}

export async function apiWorld({
  service: over = {},
  limits = {},
  front = async (url) => url,
}: {
  readonly service?: Partial<ServiceOptions>
  /** An attempt is half a second, unless told otherwise. */
  readonly limits?: Partial<Limits>
  /** A proxy between the bot and the service; returns its own URL. */
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
  // Not started: it polls when a test says so, and nothing else goes on.
  const bot = await openBotInMemory({ monitor, chat: forgetfulChat({ nowMs: clock.nowMs }), clock })
  const { store, logger, schedule } = bot
  const poll = async () => {
    const failure = await schedule.poll()
    if (failure !== null) throw failure
  }
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
