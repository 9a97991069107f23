/**
 * A strict Slack in memory. Its history lags, its answers get lost though the call was made or not, calls come late, limits are kept to,
 * and a message of another app may carry our key. `faults` decides how a call ends; without it all goes well.
 */
import type { Clock } from '../../../src/bot/clock.ts'
import { keyHash } from '../../../src/bot/slack/look.ts'
import type { Message as Content, Outcome, SlackPort } from '../../../src/bot/slack/port.ts'

export type FakeMessage = {
  readonly ts: string
  readonly channel: string
  readonly key: string | null
  readonly threadTs: string | null
  readonly isBroadcast: boolean
  readonly isOurs: boolean
  readonly atMs: number
  /** When the call began that made it. */
  readonly calledMs: number
  /** When history shows it. */
  readonly listedMs: number
  text: string
  blocks: string
  isDeleted: boolean
  edits: number
}

export type FakeChannel = { isMember: boolean; isArchived: boolean; isReadOnly: boolean }

export type Fault = {
  /** done: all is well · lost: done, and never answered · dropped: not done, and never answered · late: done so much later */
  readonly kind: 'done' | 'lost' | 'dropped' | 'late' | 'limited' | 'later' | 'content'
  readonly takesMs: number
  readonly lateMs?: number
}
export type Method = 'post' | 'update' | 'delete' | 'look'

const editsPerMinute = 50
const textMax = 4000
const twinMs = 55_000

export function fakeSlack(clock: Clock) {
  const messages: FakeMessage[] = []
  const channels = new Map<string, FakeChannel>()
  const files = new Set<string>()
  const pinned: string[] = []
  const calls: { readonly method: Method; readonly atMs: number }[] = []
  /** What a real Slack would have refused: each is a defect. */
  const wrongs: string[] = []
  /** Calls and questions about channels that take nothing, by channel. */
  const vain: string[] = []
  const editTimes: number[] = []
  let count = 0
  const state = {
    /** Texts that it takes in no form. */
    refused: /^$/,
    faults: (_: Method): Fault => ({ kind: 'done', takesMs: 100 }),
    lagMs: () => 0,
    drawsMs: () => 300,
    isTokenRefused: false,
  }

  function channelOf(id: string): FakeChannel {
    const there = channels.get(id) ?? { isMember: true, isArchived: false, isReadOnly: false }
    channels.set(id, there)
    return there
  }

  function standing(channel: string, ts: string | null): FakeMessage | undefined {
    return messages.find((one) => one.ts === ts && one.channel === channel && !one.isDeleted)
  }

  function refusal(channel: string): Outcome | null {
    const { isMember, isArchived, isReadOnly } = channelOf(channel)
    if (isArchived || !isMember || isReadOnly) vain.push(channel)
    if (state.isTokenRefused) return { kind: 'token', why: 'invalid_auth' }
    if (isArchived) return { kind: 'channel', why: 'is_archived', isArchived }
    if (!isMember) return { kind: 'channel', why: 'not_in_channel', isArchived }
    if (isReadOnly) return { kind: 'channel', why: 'restricted_action', isArchived }
    return null
  }

  function check({ text, blocks }: Content): void {
    if (text === '' || text.length > textMax) wrongs.push(`a text of ${text.length} characters`)
    if (blocks.length > 50) wrongs.push(`a message of ${blocks.length} blocks`)
    const ids = blocks.flatMap(({ block_id: id }) => id ?? [])
    if (new Set(ids).size !== ids.length) wrongs.push(`two blocks with one id: ${ids.join(', ')}`)
    for (const [, file = ''] of JSON.stringify(blocks).matchAll(/"slack_file":\{"id":"([^"]*)"/g)) {
      if (!files.has(file)) wrongs.push(`a file that was never uploaded: ${file}`)
    }
  }

  function faultOf(method: Method): Fault {
    calls.push({ method, atMs: clock.nowMs() })
    return state.faults(method)
  }

  /** Runs a call as the fault says: its effect and its answer are two moments. */
  async function call(method: Method, work: () => Outcome, content?: Content): Promise<Outcome> {
    const fault = faultOf(method)
    await clock.wait(fault.takesMs / 2)
    if (fault.kind === 'limited') return { kind: 'limited', afterMs: 5000 }
    if (fault.kind === 'later') return { kind: 'later', why: 'connection refused' }
    const { blocks = [], text = ' ' } = content ?? {}
    if (state.refused.test(text)) return { kind: 'content', why: 'msg_blocks_too_long' }
    // Text alone is always taken.
    if (fault.kind === 'content')
      return blocks.length > 0 ? { kind: 'content', why: 'invalid_blocks' } : work()
    if (fault.kind === 'late') void clock.wait(fault.lateMs ?? 0).then(work)
    const outcome = fault.kind === 'done' || fault.kind === 'lost' ? work() : null
    await clock.wait(fault.takesMs / 2)
    return fault.kind === 'done' && outcome !== null ? outcome : { kind: 'unclear', why: 'no answer' }
  }

  function write(channel: string, content: Content, fields: Partial<FakeMessage>): FakeMessage {
    count += 1
    const nowMs = clock.nowMs()
    const message = {
      ts: `${Math.floor(nowMs / 1000)}.${String(count % 1_000_000).padStart(6, '0')}`,
      channel,
      key: null,
      threadTs: null,
      isBroadcast: false,
      isOurs: true,
      atMs: nowMs,
      calledMs: nowMs,
      listedMs: nowMs + state.lagMs(),
      text: content.text,
      blocks: JSON.stringify(content.blocks),
      isDeleted: false,
      edits: 0,
      ...fields,
    }
    messages.push(message)
    return message
  }

  const ok = (message: FakeMessage): Outcome => ({
    kind: 'ok',
    ts: message.ts,
    channelId: message.channel,
    threadTs: message.threadTs,
  })

  const port: Partial<SlackPort> = {
    post: (_pass, asked) => {
      const calledMs = clock.nowMs()
      const key = keyHash(asked.key)
      return call(
        'post',
        () => {
          const channel = asked.channel.replace(/^[UW]/, 'D')
          const refused = refusal(channel)
          if (refused !== null) return refused
          check(asked)
          const twin = messages.find((one) => one.key === key && one.isOurs && !one.isDeleted)
          // One that may be there is looked for first, for a minute.
          if (twin !== undefined && Math.abs(calledMs - twin.calledMs) < twinMs)
            wrongs.push(`${asked.key} was sent twice at once`)
          // A reply to a message that is gone stands in the channel.
          const threadTs = standing(channel, asked.threadTs)?.ts ?? null
          return ok(write(channel, asked, { key, threadTs, calledMs, isBroadcast: asked.isBroadcast }))
        },
        asked,
      )
    },
    update: (_pass, asked) =>
      call(
        'update',
        () => {
          const refused = refusal(asked.channelId)
          if (refused !== null) return refused
          const nowMs = clock.nowMs()
          if (editTimes.filter((atMs) => atMs > nowMs - 60_000).length >= editsPerMinute)
            return { kind: 'limited', afterMs: 10_000 }
          editTimes.push(nowMs)
          check(asked)
          const message = standing(asked.channelId, asked.ts)
          if (message === undefined) return { kind: 'gone' }
          if (!message.isOurs) wrongs.push(`another app's message was edited: ${message.text}`)
          Object.assign(message, { text: asked.text, blocks: JSON.stringify(asked.blocks) })
          message.edits += 1
          return ok(message)
        },
        asked,
      ),
    delete: (_pass, channel, ts) =>
      call('delete', () => {
        const refused = refusal(channel)
        if (refused !== null) return refused
        const message = standing(channel, ts)
        if (message === undefined) return { kind: 'gone' }
        if (!message.isOurs) wrongs.push(`another app's message was deleted: ${message.text}`)
        message.isDeleted = true
        return ok(message)
      }),
    look: async (channel, threadTs, fromMs) => {
      const fault = faultOf('look')
      await clock.wait(fault.takesMs)
      if (fault.kind !== 'done') return { kind: 'unreadable', why: 'no answer', isShut: false }
      if (!channelOf(channel).isMember) return { kind: 'unreadable', why: 'not_in_channel', isShut: true }
      const isIn = (one: FakeMessage) => one.threadTs === null || one.isBroadcast || one.threadTs === threadTs
      const nowMs = clock.nowMs()
      const seen = messages.filter(
        (one) =>
          one.channel === channel && one.isOurs && !one.isDeleted && one.listedMs <= nowMs && isIn(one),
      )
      return { kind: 'read', channelId: channel, messages: seen.filter(({ atMs }) => atMs >= fromMs) }
    },
    upload: async () => {
      const file = `F${files.size + 1}`
      files.add(file)
      return { kind: 'ok', file }
    },
    share: (_pass, file, channel, threadTs) =>
      call(
        'post',
        () => refusal(channel) ?? ok(write(channel, { text: file.title, blocks: [] }, { threadTs })),
      ),
    pin: async (_pass, channelId, ts) => {
      pinned.push(ts)
      return { kind: 'ok', ts, channelId, threadTs: null }
    },
    identity: async () => {
      if (state.isTokenRefused) return { why: 'invalid_auth', isToken: true }
      return { teamUrl: 'https://acme.slack.com/', teamId: 'T1', botId: 'B1', botUserId: 'UBOT' }
    },
    channel: async (id) => {
      await clock.wait(100)
      const { isMember, isArchived } = channelOf(id)
      vain.push(id)
      return { isMember, isArchived, name: id }
    },
  }

  return {
    port: port as SlackPort,
    messages,
    files,
    calls,
    pinned,
    wrongs,
    vain,
    state,
    channelOf,
    /** A picture that is drawn and uploaded; now and then it is late, or none. */
    async draw(key: string): Promise<{ file: string; key: string } | null> {
      const takesMs = state.drawsMs()
      await clock.wait(takesMs)
      if (takesMs % 7 === 0) return null
      const file = `F${files.size + 1}`
      files.add(file)
      return { file, key }
    },
    /** What stands, replies too. */
    standing: (channel?: string) =>
      messages.filter((one) => !one.isDeleted && (channel === undefined || one.channel === channel)),
    /** Another app writes a message with the key of one of ours. */
    forge: (channel: string, key: string | null) =>
      write(channel, { text: 'not ours', blocks: [] }, { key, isOurs: false }),
  }
}
