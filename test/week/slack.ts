/**
 * The Slack of the week: takes what it is told within Slack's own limits, remembers of each message no more than what must
 * be checked, and notes every promise that is broken.
 */
import type { CardView } from '../../src/bot/domain/card/kinds.ts'
import type { Outcome } from '../../src/bot/domain/delivery/delivery.ts'
import type { Chat, Clock } from '../../src/bot/flow/ports/ports.ts'
import type { Chance } from '../kills/chance.ts'

/** One post a second and channel, and about fifty updates a minute in all (docs/slack.md#rate-limits). */
const postEveryMs = 1_000
const updatesAMinuteMax = 50
const minuteMs = 60_000
const answersAfterMs = 80
const retryAfterMs = 7_000

type Message = {
  readonly channel: string
  readonly ts: string
  readonly threadTs: string | null
  /** The version that its buttons carry; null where it has none. */
  version: number | null
  view: CardView['kind']
  /** Of an alert's card. */
  state: string | null
}

export type Faults = {
  /** Shares of all calls: taken with the answer lost, and refused for now. */
  readonly lostShare: number
  readonly refusedShare: number
}

export type WeekSlack = Chat & {
  readonly posts: () => number
  readonly updates: () => number
  readonly homes: () => number
  /** What was broken so far, in sentences. */
  readonly breaches: readonly string[]
  messageOf(key: string): Pick<Message, 'channel' | 'view' | 'state'> | null
  /** Forgets messages whose cards are forgotten as well. */
  keepOnly(keys: ReadonlySet<string>): void
  held(): number
}

export function weekSlack(clock: Clock, chance: Chance, faults: Faults): WeekSlack {
  const byKey = new Map<string, Message>()
  const keyOfTs = new Map<string, string>()
  const lastPostMs = new Map<string, number>()
  const breaches: string[] = []
  let updateTimes: number[] = []
  let posts = 0
  let updates = 0
  let uploads = 0
  let homes = 0
  let lastTs = 0

  const broken = (what: string) => void breaches.push(`${new Date(clock.nowMs()).toISOString()} ${what}`)

  function show(message: Message, view: CardView, key: string): void {
    const version = 'stamp' in view ? view.stamp.version : null
    if (version !== null && message.version !== null && version < message.version) {
      broken(`ORDER: ${key} shows version ${version} after ${message.version}`)
    }
    message.version = version
    message.view = view.kind
    message.state = view.kind === 'alert' ? view.alert.state : null
  }

  /** What happens to the next call: null is nothing unusual. */
  function fate(): Extract<Outcome, { kind: 'unknown' | 'later' }> | null {
    const lot = chance.next()
    if (lot < faults.lostShare) return { kind: 'unknown', why: 'time_out' }
    if (lot < faults.lostShare + faults.refusedShare) {
      return { kind: 'later', why: 'ratelimited', retryAfterMs }
    }
    return null
  }

  return {
    posts: () => posts,
    updates: () => updates,
    homes: () => homes,
    breaches,
    post: async ({ channel, threadTs, key }, view) => {
      const nowMs = clock.nowMs()
      if (nowMs - (lastPostMs.get(channel) ?? 0) < postEveryMs) broken(`PACE: ${key} is posted too early`)
      lastPostMs.set(channel, nowMs)
      if (byKey.has(key)) broken(`TWICE: ${key} is posted again`)
      if (threadTs !== null && !keyOfTs.has(threadTs)) broken(`PLACE: ${key} is posted in no thread`)
      await clock.wait(answersAfterMs)
      const came = fate()
      if (came?.kind === 'later') return came
      posts += 1
      lastTs += 1
      const ts = `${Math.floor(clock.nowMs() / 1_000)}.${String(lastTs % 1_000_000).padStart(6, '0')}`
      const message: Message = { channel, ts, threadTs, version: null, view: view.kind, state: null }
      show(message, view, key)
      byKey.set(key, message)
      keyOfTs.set(ts, key)
      return came ?? { kind: 'shown', ts }
    },
    update: async ({ ts, key }, view) => {
      const nowMs = clock.nowMs()
      updateTimes = [...updateTimes.filter((atMs) => atMs > nowMs - minuteMs), nowMs]
      if (updateTimes.length > updatesAMinuteMax) broken(`PACE: ${updateTimes.length} updates in a minute`)
      await clock.wait(answersAfterMs)
      const message = byKey.get(key)
      if (message === undefined || message.ts !== ts) {
        broken(`PLACE: ${key} is updated where it is not`)
        return { kind: 'gone', why: 'message_not_found' }
      }
      const came = fate()
      if (came?.kind === 'later') return came
      updates += 1
      show(message, view, key)
      return came ?? { kind: 'shown', ts }
    },
    find: async ({ key }) => {
      await clock.wait(answersAfterMs)
      const message = byKey.get(key)
      return message === undefined ? [] : [message.ts]
    },
    probe: async () => null,
    pin: async () => undefined,
    unpin: async () => undefined,
    remove: async ({ ts }) => {
      const key = keyOfTs.get(ts)
      keyOfTs.delete(ts)
      if (key !== undefined) byKey.delete(key)
      broken(`TWICE: a copy of ${key} is deleted`)
    },
    isShared: async () => true,
    direct: async (userId) => `D${userId.slice(1)}`,
    attach: async () => {
      throw new Error('nobody asks for a file in this week')
    },
    isTakenIn: async () => true,
    upload: async () => {
      await clock.wait(answersAfterMs)
      uploads += 1
      return `F${uploads}`
    },
    permalink: async ({ channel, ts }) => `https://slack.example/archives/${channel}/p${ts.replace('.', '')}`,
    publishHome: async () => {
      homes += 1
    },
    messageOf: (key) => byKey.get(key) ?? null,
    keepOnly: (keys) => {
      for (const [key, { ts }] of byKey) {
        if (keys.has(key)) continue
        byKey.delete(key)
        keyOfTs.delete(ts)
      }
    },
    held: () => byKey.size,
  }
}
