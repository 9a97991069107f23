/** What Slack refuses until a person acts, the token or a channel: it is noted, nothing goes there, and now and then it is asked about. */
import { minute, second } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ChannelState, Outcome, SlackPort } from '../slack/port.ts'
import type { Scene } from '../view/scene.ts'
import type { World } from '../world/world.ts'
import { type Calls, soonest } from './loop.ts'
import { isPerson } from './settle.ts'

type Parts = {
  readonly slack: Pick<SlackPort, 'identity' | 'channel'>
  readonly scene: () => Scene
  readonly log: Log
}

export type Refusals = ReturnType<typeof openRefusals>

export const askAgainMs = 30 * second
const shutMinMs = minute
const shutMaxMs = 30 * minute

export function openRefusals({ slack, scene, log }: Parts) {
  let tokenDueMs = 0

  function askToken(calls: Calls, { world, nowMs }: Scene): void {
    if (nowMs < tokenDueMs || calls.has('token')) return
    tokenDueMs = nowMs + askAgainMs
    calls.start('token', async () => {
      const identity = await slack.identity()
      if (!('why' in identity)) world.setFact('tokenRefused', null)
    })
  }

  function askChannels(calls: Calls, { world, nowMs }: Scene): void {
    for (const [channel, { nextMs, why }] of Object.entries(world.fact('shut') ?? {})) {
      const name = `shut ${channel}`
      if (soonest(nextMs, nowMs) > nowMs || calls.has(name)) continue
      calls.start(name, async () => {
        const state = await slack.channel(channel)
        const isOpen = !('why' in state) && refusalOf(state) === null
        if (isOpen) reopenChannel(world, channel)
        else shutChannel(scene(), channel, why, log)
      })
    }
  }

  return {
    /** What an answer says of more than its own post. */
    note(channel: string, outcome: Outcome): void {
      const now = scene()
      if (outcome.kind === 'channel' && !isPerson(channel)) shutChannel(now, channel, outcome.why, log)
      if (outcome.kind !== 'token') return
      log.error('slack:token_refused', { why: outcome.why })
      now.world.setFact('tokenRefused', outcome.why)
      tokenDueMs = now.nowMs + askAgainMs
    },
    /** Asks whether what was refused is taken again. */
    ask(calls: Calls, now: Scene): void {
      if (isTokenRefused(now)) askToken(calls, now)
      else askChannels(calls, now)
    },
  }
}

/** Asks about one that has refused nothing yet, and shuts it where it surely takes nothing. */
export async function askChannel({ slack, scene, log }: Parts, channel: string): Promise<void> {
  const why = refusalOf(await slack.channel(channel))
  if (why !== null) shutChannel(scene(), channel, why, log)
}

/** Why it surely takes nothing, as Slack would call it; null where it may. */
function refusalOf(state: ChannelState): string | null {
  if ('why' in state) return state.why === 'channel_not_found' ? state.why : null
  if (state.isArchived) return 'is_archived'
  return state.isMember ? null : 'not_in_channel'
}

export function isTokenRefused({ world }: Scene): boolean {
  return (world.fact('tokenRefused') ?? null) !== null
}

/** It rests, the longer the longer it has been so. */
export function shutChannel({ world, nowMs }: Scene, channel: string, why: string, log: Log): void {
  const known = world.fact('shut')?.[channel]
  if (known === undefined) log.warn('channel:shut', { channel, why })
  const sinceMs = known?.sinceMs ?? nowMs
  const waitMs = Math.min(Math.max(nowMs - sinceMs, shutMinMs), shutMaxMs)
  world.setFact('shut', { ...world.fact('shut'), [channel]: { sinceMs, why, nextMs: nowMs + waitMs } })
}

export function reopenChannel(world: World, channel: string): void {
  const { [channel]: _, ...others } = world.fact('shut') ?? {}
  world.setFact('shut', others)
}
