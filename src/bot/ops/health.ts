/** Whether the bot works, as `/readyz`, the heartbeat and the metrics say it: from the world, the connections, and a moment. */
import type { Dispatcher } from 'undici'
import { call } from '../call.ts'
import { minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { isAudible, standingPost } from '../decide/standing.ts'
import type { Log } from '../log.ts'
import type { Connection } from '../slack/lines.ts'
import type { Scene } from '../view/view.ts'

/** What does not work, since when, and why in words. */
export type Trouble = {
  readonly part: 'memory' | 'slack' | 'poll' | 'cards'
  readonly sinceMs: number
  readonly why: string
}
export type Health = { readonly isReady: boolean; readonly troubles: readonly Trouble[] }

/** So long an alert may wait for Slack, one poll after the other may fail, and the database may take: then it is said. */
const unheardMaxMs = 2 * minute
const failingMaxMs = 2 * minute
const awayMaxMs = 5 * second

export type Known = {
  readonly scene: Scene
  readonly connection: Connection
  readonly awaySinceMs: number | null
  readonly startedMs: number
}

export function healthOf({ scene, connection, awaySinceMs, startedMs }: Known): Health {
  const { world, nowMs } = scene
  const troubles: Trouble[] = []
  const note = (part: Trouble['part'], sinceMs: number, why: string) => troubles.push({ part, sinceMs, why })
  if (awaySinceMs !== null && nowMs - awaySinceMs > awayMaxMs)
    note('memory', awaySinceMs, 'the database does not answer')
  if (!connection.isReady) note('slack', connection.sinceMs, connection.why ?? 'Slack is not connected')
  const refused = world.fact('tokenRefused') ?? null
  if (refused !== null) note('slack', startedMs, refused)
  const shut = world.fact('shut')?.[scene.defaultChannel]
  if (shut !== undefined)
    note('slack', shut.sinceMs, `the default channel ${scene.defaultChannel} takes no messages: ${shut.why}`)
  const failing = world.fact('failing') ?? null
  // One poll that failed is none; an outage that people were told of is one.
  if (failing !== null && (failing.toldMs !== null || nowMs - failing.sinceMs > failingMaxMs))
    note('poll', failing.sinceMs, failing.why)
  else if (world.fact('polled') === undefined) note('poll', startedMs, 'the monitoring has not been read yet')
  const unheardMs = unheardSinceMs(scene)
  if (unheardMs !== null && nowMs - unheardMs > unheardMaxMs)
    note('cards', unheardMs, 'an open alert has no message in Slack')
  return { isReady: troubles.length === 0, troubles }
}

/** Since when the oldest audible alert has been without a living message; null where each has one. */
export function unheardSinceMs(scene: Scene): number | null {
  let oldestMs: number | null = null
  for (const alert of scene.world.open.values()) {
    // One that was hidden is waited for from the moment on at which it can be heard.
    const sinceMs = Math.max(alert.firstSeenMs, alert.round?.fromMs ?? 0)
    if (oldestMs !== null && sinceMs >= oldestMs) continue
    if (standingPost(scene, alert)?.state === 'live' || !isAudible(scene, alert)) continue
    oldestMs = sinceMs
  }
  return oldestMs
}

export const heartbeatEveryMs = minute

/**
 * Tells a service outside that the bot is well, or `/fail`. A failure is logged, without the address, which is a secret; the next one
 * comes in a minute.
 */
export async function beat(
  address: Secret,
  isWell: boolean,
  dispatcher: Dispatcher,
  log: Log,
): Promise<void> {
  try {
    const { status } = await call(dispatcher, isWell ? address.reveal() : failing(address.reveal()))
    if (status >= 400) log.warn('heartbeat:refused', { status })
  } catch (error) {
    log.warn('heartbeat:failed', { why: String(error) })
  }
}

/** As Healthchecks takes it. */
function failing(address: string): string {
  const url = new URL(address)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
  return url.href
}
