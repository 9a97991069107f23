/** History, threads, and what the bot may see of channels and people. */
import { describe, expect, test } from 'vitest'
import { type Fields, fieldsOf, neighbour } from './neighbour.ts'

const channel = 'C0ALERTS01'
const textsOf = (page: Fields): unknown[] =>
  (Array.isArray(page.messages) ? page.messages : []).map((one) => fieldsOf(one).text)
const cursorOf = (page: Fields): string => String(fieldsOf(page.response_metadata ?? {}).next_cursor ?? '')

async function talked(count: number) {
  const it = await neighbour()
  const stamps: string[] = []
  for (let n = 1; n <= count; n += 1) {
    it.clock.nowMs += 1_000
    const metadata = { event_type: 'card', event_payload: { n } }
    stamps.push(String((await it.call('chat.postMessage', { channel, text: `m${n}`, metadata })).ts))
  }
  const at = (n: number): string => stamps[n - 1] ?? ''
  return { ...it, at, history: (args: Fields = {}) => it.call('conversations.history', { channel, ...args }) }
}

describe('conversations.history', () => {
  test('is newest first, in pages whose cursors survive what changes meanwhile', async () => {
    const { history, call, at } = await talked(5)
    const first = await history({ limit: '2' })
    expect(textsOf(first)).toEqual(['m5', 'm4'])
    expect(first.has_more).toBe(true)
    await call('chat.postMessage', { channel, text: 'new' })
    await call('chat.delete', { channel, ts: at(4) })
    const second = await history({ limit: '2', cursor: cursorOf(first) })
    expect(textsOf(second)).toEqual(['m3', 'm2'])
    const third = await history({ limit: '2', cursor: cursorOf(second) })
    expect(textsOf(third)).toEqual(['m1'])
    expect(third.has_more).toBe(false)
  })

  test('begins after the oldest that is wanted', async () => {
    const { history, at } = await talked(5)
    expect(textsOf(await history({ oldest: at(3) }))).toEqual(['m5', 'm4'])
    expect((await history({ oldest: 'yesterday' })).error).toBe('invalid_ts_oldest')
    expect((await history({ latest: at(3) })).error).toBe('invalid_arguments')
  })

  test('gives a hundred by default, 999 at most, and knows its own cursors only', async () => {
    const { history } = await talked(101)
    expect(textsOf(await history())).toHaveLength(100)
    expect(textsOf(await history({ limit: '999' }))).toHaveLength(101)
    expect((await history({ limit: '1000' })).error).toBe('invalid_limit')
    expect((await history({ cursor: 'abc' })).error).toBe('invalid_cursor')
  })

  test('shows metadata only to who asks for it', async () => {
    const { history } = await talked(1)
    expect(JSON.stringify(await history())).not.toContain('event_payload')
    expect((await history({ include_all_metadata: 'true' })).messages).toMatchObject([
      { metadata: { event_type: 'card', event_payload: { n: 1 } } },
    ])
  })

  test('holds no replies; the thread holds them all', async () => {
    const { history, call, at } = await talked(2)
    await call('chat.postMessage', { channel, text: 'first', thread_ts: at(1) })
    await call('chat.postMessage', { channel, text: 'second', thread_ts: at(1) })
    expect(textsOf(await history())).toEqual(['m2', 'm1'])
    expect((await history()).messages).toMatchObject([{}, { reply_count: 2, thread_ts: at(1) }])
    const thread = await call('conversations.replies', { channel, ts: at(1), include_all_metadata: true })
    expect(textsOf(thread)).toEqual(['m1', 'first', 'second'])
    const paged = await call('conversations.replies', { channel, ts: at(1), limit: '1' })
    expect(textsOf(paged)).toEqual(['m1', 'first'])
    const rest = await call('conversations.replies', {
      channel,
      ts: at(1),
      limit: '1',
      cursor: cursorOf(paged),
    })
    expect(textsOf(rest)).toEqual(['m1', 'second'])
    expect((await call('conversations.replies', { channel, ts: '1700000000.000100' })).error).toBe(
      'thread_not_found',
    )
  })

  test('holds a reply that was broadcast, under what it replies to; without a thread nothing is broadcast', async () => {
    const { history, call, at } = await talked(1)
    const reply = { channel, text: 'loud', thread_ts: at(1), reply_broadcast: true }
    expect(await call('chat.postMessage', reply)).toMatchObject({ ok: true })
    await call('chat.postMessage', { channel, text: 'quiet', thread_ts: at(1), reply_broadcast: 'false' })
    await call('chat.postMessage', { channel, text: 'plain', reply_broadcast: true })
    const shown = await history()
    expect(textsOf(shown)).toEqual(['plain', 'loud', 'm1'])
    const broadcast = { subtype: 'thread_broadcast', thread_ts: at(1), root: { text: 'm1' } }
    expect(shown.messages).toMatchObject([{}, broadcast, {}])
    expect(shown.messages).not.toMatchObject([{ subtype: 'thread_broadcast' }, {}, {}])
    const thread = await call('conversations.replies', { channel, ts: at(1) })
    expect(textsOf(thread)).toEqual(['m1', 'loud', 'quiet'])
    expect(thread.messages).toMatchObject([{ reply_count: 2 }, broadcast, {}])
  })

  test('is for members, with the scope for this kind of channel', async () => {
    const { history } = await talked(1)
    expect((await history({ channel: 'C0RANDOM01' })).error).toBe('not_in_channel')
    expect((await history({ channel: 'C0NOWHERE1' })).error).toBe('channel_not_found')
    const narrow = await neighbour({ scopes: ['channels:history', 'chat:write'] })
    expect(await narrow.call('conversations.history', { channel: 'C0PRIVOPS1' })).toMatchObject({
      error: 'missing_scope',
      needed: 'groups:history',
      provided: 'channels:history,chat:write',
    })
  })
})

describe('conversations and people', () => {
  test('a channel says whether the bot is in, and whether it is archived', async () => {
    const { call } = await neighbour()
    expect(await call('conversations.info', { channel })).toMatchObject({
      channel: { id: channel, name: 'alerts', is_member: true, is_archived: false },
    })
    expect(await call('conversations.info', { channel: 'C0RANDOM01' })).toMatchObject({
      channel: { is_member: false },
    })
    expect(await call('conversations.info', { channel: 'C0OLDALERT' })).toMatchObject({
      channel: { is_archived: true },
    })
  })

  test('people have names, time zones and groups', async () => {
    const { call } = await neighbour()
    expect(await call('users.info', { user: 'U0ANA00001' })).toMatchObject({
      user: { name: 'ana', tz: 'Europe/Lisbon', is_bot: false },
    })
    expect((await call('users.info', { user: 'U0NOBODY01' })).error).toBe('user_not_found')
    expect((await call('usergroups.users.list', { usergroup: 'S0ONCALL01' })).users).toEqual([
      'U0ANA00001',
      'U0CLEO0001',
    ])
    expect((await call('usergroups.users.list', { usergroup: 'S0NOBODY01' })).error).toBe('no_such_subteam')
  })
})
