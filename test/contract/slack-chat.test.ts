/** The bot's own Slack adapter against the local workspace: what it says is what people see there, and faults are told apart. */
import { describe, expect, test } from 'vitest'
import type { CardView } from '../../src/bot/domain/card/kinds.ts'
import type { HistorySearch } from '../../src/bot/flow/ports/ports.ts'
import { type AlertView, view } from '../bot/slack/card-views.ts'
import { anAlert } from '../support/delivery-world.ts'
import { inboundTown } from '../support/inbound.ts'
import { patienceMs } from '../support/patience.ts'

async function town(setting: Parameters<typeof inboundTown>[0] = {}) {
  const { workspace, slack } = await inboundTown(setting)
  return { workspace, slack, chat: slack.chat, channel: workspace.channel('alerts').id }
}

function card(over: Partial<AlertView> = {}): CardView {
  return view({}, over)
}

const sinceMs = () => Date.now() - 60_000

test('a card says no day for what is of the hours around its post, and says it for the rest, in an edit too', async () => {
  const { workspace, chat, channel } = await town()
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: false }
  const startedMs = Date.now() - 60_000
  const shown = () => JSON.stringify(workspace.messages('alerts').at(-1)?.blocks)
  const posted = await chat.post(to, card({ alert: anAlert('1', { startedMs, firstSeenMs: startedMs + 1 }) }))
  if (posted.kind !== 'shown') throw new Error('it was posted')
  expect(shown()).toContain(`<!date^${Math.floor(startedMs / 1000)}^{time}|`)
  const ackedMs = startedMs + 30 * 3_600_000
  const acked = anAlert('1', { startedMs, firstSeenMs: startedMs + 1, ackedBy: 'U1', ackedMs })
  await chat.update({ channel, ts: posted.ts, key: to.key, plain: false }, card({ alert: acked }))
  expect(shown()).toContain(`<!date^${Math.floor(startedMs / 1000)}^{time}|`)
  expect(shown()).toContain(`<!date^${Math.floor(ackedMs / 1000)}^{date_short_pretty} {time}|`)
})

test('a card is posted, found by its key, updated, and a copy of it removed', async () => {
  const { workspace, chat, channel } = await town()
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: false }
  const first = await chat.post(to, card())
  const copy = await chat.post(to, card())
  if (first.kind !== 'shown' || copy.kind !== 'shown') throw new Error('both were posted')
  expect(await chat.find({ channel, threadTs: null, key: 'alert:1:C1', sinceMs: sinceMs() })).toEqual([
    first.ts,
    copy.ts,
  ])
  expect(await chat.find({ channel, threadTs: null, key: 'alert:2:C1', sinceMs: sinceMs() })).toEqual([])
  await chat.remove({ channel, ts: copy.ts })
  await chat.remove({ channel, ts: copy.ts })
  const closed = card({
    alert: anAlert('1', { state: 'closed', closedMs: Date.UTC(2026, 10, 21, 3, 12, 0), closedBy: 'absence' }),
  })
  expect(await chat.update({ channel, ts: first.ts, key: 'alert:1:C1', plain: false }, closed)).toEqual({
    kind: 'shown',
    ts: first.ts,
  })
  const [message, ...others] = workspace.messages(channel)
  expect(others).toEqual([])
  expect(message).toMatchObject({
    text: expect.stringContaining('closed after about 12 min'),
    metadata: { event_payload: { card: 'alert:1:C1' } },
  })
  expect(await chat.find({ channel, threadTs: null, key: 'alert:1:C1', sinceMs: sinceMs() })).toEqual([
    first.ts,
  ])
})

test('replies stand in their thread and are found there', async () => {
  const { chat, channel } = await town()
  const recent = await chat.post({ channel, threadTs: null, key: 'summary:1', plain: false }, card())
  if (recent.kind !== 'shown') throw new Error('it was posted')
  const reply = await chat.post(
    { channel, threadTs: recent.ts, key: 'summary:1/1', plain: false },
    { kind: 'page', alerts: [anAlert('1')], page: 1, pages: 2, mention: null },
  )
  if (reply.kind !== 'shown') throw new Error('it was posted')
  expect(await chat.find({ channel, threadTs: recent.ts, key: 'summary:1/1', sinceMs: sinceMs() })).toEqual([
    reply.ts,
  ])
  expect(await chat.find({ channel, threadTs: null, key: 'summary:1/1', sinceMs: sinceMs() })).toEqual([])
})

test('a reminder is broadcast in its thread, and found there', async () => {
  const { workspace, chat, channel } = await town()
  const recent = await chat.post({ channel, threadTs: null, key: 'alert:1:C1', plain: false }, card())
  if (recent.kind !== 'shown') throw new Error('it was posted')
  const reply = await chat.post(
    { channel, threadTs: recent.ts, key: 'reminder:1:C1', plain: false },
    {
      kind: 'notice',
      topic: 'unacknowledged',
      stamp: { cardId: 'reminder:1:C1', version: 1 },
      alerts: [anAlert('1')],
      isOfList: false,
      mention: null,
      above: null,
    },
  )
  if (reply.kind !== 'shown') throw new Error('it was posted')
  expect(workspace.messages(channel)).toMatchObject([
    {},
    { ts: reply.ts, subtype: 'thread_broadcast', thread_ts: recent.ts },
  ])
  const where = { channel, threadTs: recent.ts, key: 'reminder:1:C1', sinceMs: sinceMs() }
  expect(await chat.find(where)).toEqual([reply.ts])
})

test('each part of a history after the first waits until it may be read', async () => {
  const { workspace, chat, channel } = await town()
  const to = { channel, threadTs: null, key: 'alert:1:C1' }
  const first = await chat.post({ ...to, plain: true }, card())
  for (let n = 0; n < 450; n += 1) await workspace.acts.say({ user: 'ana', channel, text: `noise ${n}` })
  const calls: string[] = []
  const stopListening = workspace.events.listen(({ event }) => {
    if (event.type === 'api_call') calls.push(event.method)
  })
  const found = await chat.find({ ...to, sinceMs: sinceMs() }, async () => {
    calls.push('in its turn')
  })
  stopListening()
  expect(first).toEqual({ kind: 'shown', ts: found[0] })
  const part = 'conversations.history'
  expect(calls).toEqual([part, 'in its turn', part, 'in its turn', part])
})

test('of a history that comes by 15 messages, once a minute, a search that is refused goes on where it stopped', async () => {
  const clock = { nowMs: Date.now() }
  const { workspace, chat, channel } = await town({
    workspace: { isDistributed: true, nowMs: () => clock.nowMs, limits: { tier1: 1 } },
  })
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: true }
  const posted = await chat.post(to, card())
  for (let n = 0; n < 40; n += 1) await workspace.acts.say({ user: 'ana', channel, text: `noise ${n}` })
  const search = { cursor: '', found: [] }
  const where = { ...to, sinceMs: clock.nowMs - 60_000 }
  const answers: unknown[] = []
  for (let minute = 0; minute < 3; minute += 1) {
    answers.push(await chat.find(where, async () => {}, search).catch(({ code }: { code: string }) => code))
    clock.nowMs += 60_000
  }
  expect(posted.kind).toBe('shown')
  expect(answers).toEqual(['ratelimited', 'ratelimited', [posted.kind === 'shown' && posted.ts]])
})

test.each([
  ['invalid_limit', 1],
  ['invalid_cursor', 1],
])('a history that is refused with %s is asked for otherwise, and read whole', async (error, times) => {
  const { workspace, chat, channel } = await town()
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: true }
  const posted = await chat.post(to, card())
  await workspace.acts.fault({ method: 'conversations.history', times, effect: { kind: 'error', error } })
  const search: HistorySearch = { cursor: error === 'invalid_cursor' ? 'bmV4dDoxLjE=' : '', found: [] }
  const found = await chat.find({ ...to, sinceMs: sinceMs() }, async () => {}, search)
  expect(found).toEqual([posted.kind === 'shown' && posted.ts])
  // What Slack did not take is not asked for again when the search goes on.
  expect(search.limit).toBe(error === 'invalid_limit' ? 15 : undefined)
})

test('the bot pins a message of a channel, which counts once, and takes the pin away', async () => {
  const { slack, workspace, post } = await inboundTown()
  const at = { channel: workspace.channel('alerts').id, ts: await post() }
  const pinned = () => workspace.messages('alerts').map(({ pinned_to }) => pinned_to)
  await slack.chat.pin(at)
  await slack.chat.pin(at)
  expect(pinned()).toEqual([[at.channel]])
  await workspace.acts.pin({ user: 'ana', ...at, pinned: false })
  expect(pinned()).toEqual([undefined])
  await slack.chat.unpin(at)
  await slack.chat.unpin({ ...at, ts: '1700000000.000001' })
  await expect(slack.chat.pin({ ...at, ts: '1700000000.000001' })).rejects.toMatchObject({
    code: 'message_not_found',
  })
})

test('a picture is uploaded, refused until Slack has taken it in, and then shown', async () => {
  // Long enough for a busy machine to be there before it is taken in.
  const { workspace, chat, channel } = await town({ workspace: { fileReadyMs: 8_000 } })
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const fileId = await chat.upload(png, 'alert-1.png')
  const view = card({ picture: { fileId, attempts: 0 } })
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: false }
  expect(await chat.post(to, view)).toMatchObject({
    kind: 'image_refused',
    why: expect.stringContaining('invalid slack file'),
  })
  expect(workspace.messages(channel)).toEqual([])
  await expect.poll(async () => (await chat.post(to, view)).kind, { timeout: patienceMs }).toBe('shown')
})

test('a plain card is text alone, and an update to it takes the blocks away', async () => {
  const { workspace, chat, channel } = await town()
  const posted = await chat.post({ channel, threadTs: null, key: 'k', plain: false }, card())
  if (posted.kind !== 'shown') throw new Error('it was posted')
  await chat.update({ channel, ts: posted.ts, key: 'k', plain: true }, card())
  const [message] = workspace.messages(channel)
  expect(message?.blocks ?? []).toEqual([])
  expect(message?.text).toContain('web-1 Load Average')
})

describe('what goes wrong with a post', () => {
  const table: [string, Record<string, unknown>, string, number][] = [
    ['429', { kind: 'ratelimited', retryAfterSeconds: 7 }, 'later', 0],
    ['HTML', { kind: 'html' }, 'unknown', 0],
    ['503', { kind: 'status', status: 503 }, 'unknown', 0],
    ['reset before', { kind: 'reset' }, 'unknown', 0],
    ['taken, then reset', { kind: 'commit_then_reset' }, 'unknown', 1],
    ['taken, then 500', { kind: 'commit_then_status', status: 500 }, 'unknown', 1],
    ['cut answer', { kind: 'truncate' }, 'unknown', 1],
    ['fatal_error', { kind: 'error', error: 'fatal_error' }, 'unknown', 0],
    ['is_archived', { kind: 'error', error: 'is_archived' }, 'channel_unavailable', 0],
  ]
  test.each(table)('%s', async (_, effect, kind, standing) => {
    const { workspace, chat, channel } = await town()
    await workspace.acts.fault.from({ method: 'chat.postMessage', effect })
    const to = { channel, threadTs: null, key: 'alert:1:C1', plain: false }
    expect((await chat.post(to, card())).kind).toBe(kind)
    expect(workspace.messages(channel)).toHaveLength(standing)
    expect(await chat.find({ channel, threadTs: null, key: 'alert:1:C1', sinceMs: sinceMs() })).toHaveLength(
      standing,
    )
  })
})

test('a probe tells what a post would meet, and an odd answer says nothing of posts', async () => {
  const { workspace, chat, channel } = await town()
  expect(await chat.probe(channel)).toBeNull()
  await workspace.acts.archive({ channel: '#alerts' })
  expect(await chat.probe(channel)).toEqual({ kind: 'channel_unavailable', why: 'is_archived' })
  await workspace.acts.archive({ channel: '#alerts', archived: false })
  expect(await chat.probe('C0NOWHERE')).toEqual({ kind: 'channel_unavailable', why: 'channel_not_found' })
  const errors = [
    ['missing_scope', null],
    ['not_in_channel', 'channel_unavailable'],
    ['internal_error', 'unknown'],
    ['made_up', 'unlisted'],
  ] as const
  for (const [error, kind] of errors) {
    await workspace.acts.fault({ method: 'conversations.info', effect: { kind: 'error', error }, times: 1 })
    expect((await chat.probe(channel))?.kind ?? null).toBe(kind)
  }
  const limited = { kind: 'ratelimited', retryAfterSeconds: 7 } as const
  await workspace.acts.fault({ method: 'conversations.info', effect: limited, times: 1 })
  expect(await chat.probe(channel)).toMatchObject({ kind: 'later', retryAfterMs: 7_000 })
  await workspace.acts.revoke({ token: 'bot' })
  expect(await chat.probe(channel)).toEqual({ kind: 'no_token', why: 'token_revoked' })
  expect(workspace.messages(channel)).toEqual([])
})

test('a thread that was deleted or locked is no closed channel', async () => {
  const { workspace, chat, channel } = await town()
  const post = (threadTs: string | null) =>
    chat.post({ channel, threadTs, key: 'alert:1:C1', plain: false }, card())
  const posted = await post(null)
  if (posted.kind !== 'shown') throw new Error('it was posted')
  await chat.remove({ channel, ts: posted.ts })
  expect(await post(posted.ts)).toEqual({ kind: 'gone', why: 'thread_gone' })
  expect(workspace.messages(channel)).toEqual([])
  const why = 'restricted_action_thread_locked'
  await workspace.acts.fault({ method: 'chat.postMessage', effect: { kind: 'error', error: why }, times: 2 })
  expect(await post(posted.ts)).toEqual({ kind: 'no_thread', why })
  expect((await post(null)).kind).toBe('channel_unavailable')
})

test('a reply that Slack posted in the channel, its thread being gone, stayed there if it could not be deleted at once', async () => {
  const { workspace, chat, channel } = await town()
  const to = { channel, key: 'note:1', plain: false }
  const root = await chat.post({ ...to, threadTs: null, key: 'alert:1:C1' }, card())
  if (root.kind !== 'shown') throw new Error('it was posted')
  await chat.remove({ channel, ts: root.ts })
  await workspace.acts.fault({ method: 'chat.delete', effect: { kind: 'status', status: 503 }, times: 1 })
  const page: CardView = { kind: 'page', alerts: [anAlert('1')], page: 1, pages: 2, mention: null }
  expect(await chat.post({ ...to, threadTs: root.ts }, page)).toMatchObject({ kind: 'unknown' })
  expect(workspace.messages(channel)).toHaveLength(1)
  expect(await chat.find({ channel, threadTs: root.ts, key: to.key, sinceMs: sinceMs() })).toEqual([])
  expect(workspace.messages(channel)).toEqual([])
})

test('a picture that Slack Connect forbids in a channel is no matter of the card', async () => {
  const { workspace, chat, channel } = await town()
  const error = 'slack_connect_file_link_sharing_blocked'
  await workspace.acts.refuseImages({ times: 1, error })
  const view = card({ picture: { fileId: 'F0PICTURE01', attempts: 0 } })
  const to = { channel, threadTs: null, key: 'alert:1:C1', plain: false }
  expect(await chat.post(to, view)).toEqual({ kind: 'image_refused', why: error, isFinal: true })
})

test('the socket is lost, refreshed and refused, and comes back', async () => {
  const { workspace, slack } = await town()
  await expect.poll(() => slack.connection().ready).toBe(true)
  await workspace.acts.cut({ which: 'all' })
  await expect.poll(() => slack.connection().ready, { timeout: patienceMs }).toBe(false)
  await expect.poll(() => slack.connection().ready, { timeout: patienceMs }).toBe(true)
  expect(workspace.sockets()).toBe(1)
})
