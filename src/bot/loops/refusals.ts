/**
 * How fast Slack may be called, and what it refuses until a person acts. One new message a second and channel, and one bucket of edits for
 * the workspace, of which a little is kept for what a person just did; a method that Slack limits rests for as long as Slack says
 * (docs/slack.md#rate-limits). A token or channel that is refused is noted, nothing goes there, and now and then it is asked about.
 */
import { minute, second } from '../clock.ts'
import { isMember } from '../decide/standing.ts'
import type { Log } from '../log.ts'
import type { ChannelState, Outcome, SlackPort } from '../slack/port.ts'
import type { Scene } from '../view/view.ts'
import type { World } from '../world/world.ts'
import { type Calls, soonest } from './loop.ts'

type Parts = {
  readonly slack: Pick<SlackPort, 'identity' | 'channel'>
  readonly scene: () => Scene
  readonly log: Log
}

export type Refusals = ReturnType<typeof openRefusals>

export const askAgainMs = 30 * second
const shutForMs = minute

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
        if ('name' in state && refusalOf(state) === null) reopenChannel(world, channel)
        else shutChannel(scene(), channel, why, log)
      })
    }
  }

  return {
    /** What an answer says of more than its own post. */
    note(channel: string, outcome: Outcome): void {
      const now = scene()
      if (outcome.kind === 'channel' && !isMember(channel)) shutChannel(now, channel, outcome.why, log)
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

/** Nothing goes there until it is asked about again. */
export function shutChannel({ world, nowMs }: Scene, channel: string, why: string, log: Log): void {
  const known = world.fact('shut')?.[channel]
  if (known === undefined) log.warn('channel:shut', { channel, why })
  const shut = { sinceMs: known?.sinceMs ?? nowMs, why, nextMs: nowMs + shutForMs }
  world.setFact('shut', { ...world.fact('shut'), [channel]: shut })
}

export function reopenChannel(world: World, channel: string): void {
  const { [channel]: _, ...others } = world.fact('shut') ?? {}
  world.setFact('shut', others)
}

const postEveryMs = second
/** A call that hangs must not keep its channel silent. */
const postsUnderWayMax = 3
/** `chat.update` takes 50 a minute: a full bucket and a minute's refill together stay below. */
const editsInBucket = 8
const editsPerMinute = 42
const editsForPeople = 3

export type Buckets = ReturnType<typeof openBuckets>

export function openBuckets(startMs: number) {
  const lanes = new Map<string, { nextMs: number; underWay: number }>()
  let edits = editsInBucket
  let filledMs = startMs
  let postsRestMs = 0
  let editsRestMs = 0

  function laneOf(channel: string) {
    const lane = lanes.get(channel) ?? { nextMs: 0, underWay: 0 }
    lanes.set(channel, lane)
    return lane
  }

  function fill(nowMs: number): void {
    edits = Math.min(editsInBucket, edits + ((nowMs - filledMs) * editsPerMinute) / minute)
    filledMs = nowMs
  }

  return {
    /** When a new message may go to the channel; null while too many of its calls are under way. */
    postAtMs(channel: string): number | null {
      const lane = laneOf(channel)
      return lane.underWay >= postsUnderWayMax ? null : Math.max(lane.nextMs, postsRestMs)
    },
    takePost(channel: string, nowMs: number): void {
      laneOf(channel).nextMs = nowMs + postEveryMs
    },
    /** A call to the channel begins; the answer is called when it ends. */
    beginPost(channel: string): () => void {
      const lane = laneOf(channel)
      lane.underWay += 1
      return () => {
        lane.underWay -= 1
      }
    },
    /** When an edit may go. */
    editAtMs(isOfPerson: boolean, nowMs: number): number {
      fill(nowMs)
      const missing = 1 + (isOfPerson ? 0 : editsForPeople) - edits
      return Math.max(nowMs + Math.ceil((Math.max(missing, 0) * minute) / editsPerMinute), editsRestMs)
    },
    takeEdit(nowMs: number): void {
      fill(nowMs)
      edits -= 1
    },
    restPosts(untilMs: number): void {
      postsRestMs = Math.max(postsRestMs, untilMs)
    },
    restEdits(untilMs: number): void {
      editsRestMs = Math.max(editsRestMs, untilMs)
    },
  }
}
