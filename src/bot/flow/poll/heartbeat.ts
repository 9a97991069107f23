/** Sends heartbeats, so that somebody outside notices when monbot itself dies. */
import { remainingMs } from '../../domain/base/set-clock.ts'
import { attempt } from '../attempt.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Beat, Clock, Heartbeat, Logger } from '../ports/ports.ts'

/** How often it is checked whether a heartbeat is due. */
const lookEveryMs = 5_000
const beatEveryMs = 60_000

export type HeartbeatPorts = {
  readonly heartbeat: Heartbeat
  readonly clock: Clock
  readonly logger: Logger
  /** When the API was last read, if everything works now (`/readyz`); null otherwise. */
  readonly goodMs: () => number | null
  /** Since when the API cannot be read, or no card can be posted; null if both can. */
  readonly failedSinceMs: () => number | null
}

/**
 * Sends `alive` after each successful poll, at most once a minute; `failed` once for each outage, and each time no card could be
 * posted for two minutes. In any other trouble it sends nothing, and the monitor outside raises an alarm after its grace period.
 */
export function openHeartbeat(ports: HeartbeatPorts): Job {
  const { heartbeat, clock, logger, goodMs, failedSinceMs } = ports
  let notBeforeMs = 0
  let lastGoodMs: number | null = null
  let failedMs: number | null = null
  let last: Beat | null = null
  let isSilent = false

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const sinceMs = failedSinceMs()
    if (sinceMs !== null) {
      if (failedMs !== sinceMs && isTurn('failed', nowMs) && (await send('failed', nowMs))) failedMs = sinceMs
      return lookEveryMs
    }
    const good = goodMs()
    if (good === null || good === lastGoodMs || !isTurn('alive', nowMs)) return lookEveryMs
    if (await send('alive', nowMs)) lastGoodMs = good
    return lookEveryMs
  }

  /** Has the state changed? Then it is reported at once. */
  function isTurn(kind: Beat, nowMs: number): boolean {
    return kind !== last || remainingMs(notBeforeMs, nowMs, beatEveryMs) === 0
  }

  async function send(kind: Beat, nowMs: number): Promise<boolean> {
    notBeforeMs = nowMs + beatEveryMs
    last = kind
    const sent = await attempt(() => heartbeat.send(kind))
    if (sent.ok === isSilent) {
      if (sent.ok) logger.info('heartbeat:heard')
      else logger.warn('heartbeat:unheard', { why: sent.failure.message })
    }
    isSilent = !sent.ok
    return sent.ok
  }

  return openWatch('heartbeat', { clock, logger }, round)
}
