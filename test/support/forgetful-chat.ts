/**
 * A Slack for tests of the outbox that does with each call what a test or chance says: it may accept a post and lose the answer,
 * refuse it, accept it late, or show its history late. Its final content is what people would see.
 */

import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { CardView } from '../../src/bot/domain/card/kinds.ts'
import type { Outcome } from '../../src/bot/domain/delivery/delivery.ts'
import type { HomeView } from '../../src/bot/domain/request/answer.ts'
import type { Chat } from '../../src/bot/flow/ports/ports.ts'

export type Fate =
  | 'ok'
  | 'taken_answer_lost'
  | 'taken_late'
  | 'lost'
  | 'refused_for_now'
  | 'rate_limited'
  | 'image_refused'
  | 'image_forbidden'
  | 'bad_payload'
  | 'channel_unavailable'

export type Message = {
  readonly ts: string
  readonly channel: string
  readonly key: string
  readonly threadTs: string | null
  view: CardView
  plain: boolean
  /** Not in the history before this time. */
  readonly visibleMs: number
}

export type ForgetfulChat = Chat & {
  readonly messages: Message[]
  /** Times of posts by channel. */
  readonly postTimes: { channel: string; atMs: number }[]
  readonly updateTimes: number[]
  uploads: number
  /** What each person's Home tab shows. */
  readonly homes: Map<string, HomeView | null>
  /** Files that people have access to. */
  readonly sharedIds: ReadonlySet<string>
  /** The `ts` of what is pinned. */
  readonly pinned: Set<string>
}

export function forgetfulChat(options: {
  nowMs: () => number
  fateOf?: (call: 'post' | 'update' | 'find', channel: string) => Fate
  historyLagMs?: () => number
  /** How long after the call a post that is taken late appears. */
  lateMs?: () => number
  /** Does an edit give access to the file that it shows? Null: the bot may not look. */
  editsShare?: boolean | null
}): ForgetfulChat {
  const { nowMs, fateOf = () => 'ok', historyLagMs = () => 0, lateMs = () => 5_000 } = options
  const { editsShare = true } = options
  const sharedIds = new Set<string>()
  const messages: Message[] = []
  const postTimes: { channel: string; atMs: number }[] = []
  const updateTimes: number[] = []
  let count = 0

  const failing = {
    lost: { kind: 'unknown', why: 'time_out' },
    refused_for_now: { kind: 'later', why: 'ECONNREFUSED', retryAfterMs: null },
    rate_limited: { kind: 'later', why: 'ratelimited', retryAfterMs: 7_000 },
    image_refused: { kind: 'image_refused', why: 'downloading image failed' },
    image_forbidden: { kind: 'image_refused', why: 'slack_connect_file_link_sharing_blocked', isFinal: true },
    bad_payload: { kind: 'bad_payload', why: 'invalid_blocks' },
    channel_unavailable: { kind: 'channel_unavailable', why: 'is_archived' },
  } as const satisfies Partial<Record<Fate, Outcome>>

  return {
    messages,
    postTimes,
    updateTimes,
    uploads: 0,
    homes: new Map(),
    pinned: new Set(),
    direct: async (userId) => `D${userId.slice(1)}`,
    post: async ({ channel, threadTs, key, plain }, view) => {
      const fate = fateOf('post', channel)
      postTimes.push({ channel, atMs: nowMs() })
      if (fate !== 'ok' && fate !== 'taken_answer_lost' && fate !== 'taken_late') return failing[fate]
      count += 1
      const delayMs = fate === 'taken_late' ? lateMs() : 0
      const ts = `${Math.floor((nowMs() + delayMs) / 1000)}.${String(count).padStart(6, '0')}`
      const visibleMs = nowMs() + delayMs + historyLagMs()
      messages.push({ ts, channel, key, threadTs, view, plain, visibleMs })
      for (const fileId of filesOn(view)) sharedIds.add(fileId)
      return fate === 'ok' ? { kind: 'shown', ts } : { kind: 'unknown', why: 'time_out' }
    },
    update: async ({ channel, ts, plain }, view) => {
      updateTimes.push(nowMs())
      const fate = fateOf('update', channel)
      const message = messages.find((one) => one.ts === ts && one.channel === channel)
      if (!message) return { kind: 'gone', why: 'message_not_found' }
      if (fate !== 'ok' && fate !== 'taken_answer_lost' && fate !== 'taken_late') return failing[fate]
      message.view = view
      if (editsShare === true) for (const fileId of filesOn(view)) sharedIds.add(fileId)
      message.plain = plain
      return fate === 'ok' ? { kind: 'shown', ts } : { kind: 'unknown', why: 'time_out' }
    },
    find: async ({ channel, key, threadTs, sinceMs }) => {
      if (fateOf('find', channel) !== 'ok') throw new OutsideFailure('unreachable', 'Slack could not be read')
      return messages
        .filter((one) => one.channel === channel && one.key === key && one.threadTs === threadTs)
        .filter((one) => one.visibleMs <= nowMs() && Number(one.ts) * 1000 >= sinceMs)
        .map((one) => one.ts)
        .sort()
    },
    probe: async () => null,
    remove: async ({ channel, ts }) => {
      const at = messages.findIndex((one) => one.ts === ts && one.channel === channel)
      if (at >= 0) messages.splice(at, 1)
    },
    pin: async function (this: ForgetfulChat, { ts }) {
      this.pinned.add(ts)
    },
    unpin: async function (this: ForgetfulChat, { ts }) {
      this.pinned.delete(ts)
    },
    attach: async function (this: ForgetfulChat, file) {
      this.uploads += 1
      const name = 'kind' in file ? 'timeline.md' : file.name
      const bytes = 'kind' in file ? 1 : file.bytes.length
      return {
        fileId: `F${this.uploads}`,
        permalink: `https://slack.test/files/U0/F${this.uploads}`,
        name,
        bytes,
      }
    },
    isTakenIn: async () => true,
    upload: async function (this: ForgetfulChat) {
      this.uploads += 1
      return `F${this.uploads}`
    },
    isShared: async (fileId) => (editsShare === null ? null : sharedIds.has(fileId)),
    sharedIds,
    permalink: async ({ channel, ts }) => `https://slack.example/archives/${channel}/p${ts.replace('.', '')}`,
    publishHome: async function (this: ForgetfulChat, userId, view) {
      this.homes.set(userId, view)
    },
  }
}

function filesOn(view: CardView): readonly string[] {
  if (view.kind === 'picture') return [view.fileId]
  return 'picture' in view && view.picture !== null ? [view.picture.fileId] : []
}

/** The state of the alert that a message shows; undefined for other cards. */
export function stateOf({ view }: Message): string | undefined {
  return view.kind === 'alert' ? view.alert.state : undefined
}
