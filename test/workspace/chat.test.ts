/** Posts, updates, deletions and ephemeral messages by Slack's rules. */
import { describe, expect, test } from 'vitest'
import { raw, table } from './block-parts.ts'
import { type Fields, neighbour, section } from './neighbour.ts'

const alerts = 'C0ALERTS01'

describe('chat.postMessage', () => {
  test('answers with a timestamp and an echo that is not byte for byte what was sent', async () => {
    const { call, workspace } = await neighbour()
    const posted = await call('chat.postMessage', {
      channel: '#alerts',
      text: '🔴 see https://a.example',
      team_id: 'T1',
    })
    expect(posted).toMatchObject({ ok: true, channel: alerts, ts: expect.stringMatching(/^\d{10}\.\d{6}$/) })
    expect(posted.message).toMatchObject({
      text: ':red_circle: see <https://a.example>',
      bot_id: workspace.botId,
    })
    expect(workspace.messages('alerts')).toHaveLength(1)
  })

  test('never gives the same timestamp twice, though the clock stands still', async () => {
    const { call } = await neighbour()
    const posts = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        call('chat.postMessage', { channel: n % 2 ? '#alerts' : '#db', text: 'x' }),
      ),
    )
    expect(new Set(posts.map(({ ts }) => ts)).size).toBe(20)
  })

  test.each<[string, Fields, string]>([
    ['a channel that is not', { channel: 'C0NOWHERE1', text: 'x' }, 'channel_not_found'],
    ['a channel the bot is not in', { channel: '#random', text: 'x' }, 'not_in_channel'],
    ['an archived channel', { channel: '#old-alerts', text: 'x' }, 'is_archived'],
    ['no channel', { text: 'x' }, 'invalid_arguments'],
    ['no text', { channel: alerts }, 'no_text'],
    ['blank text', { channel: alerts, text: '  ' }, 'no_text'],
    ['no blocks and no text', { channel: alerts, blocks: [] }, 'no_text'],
    ['blocks that are no list', { channel: alerts, blocks: '{}' }, 'invalid_blocks_format'],
    ['blocks that are no JSON', { channel: alerts, blocks: '[{' }, 'invalid_blocks_format'],
    [
      'bad metadata',
      { channel: alerts, text: 'x', metadata: { event_type: 'a b', event_payload: {} } },
      'invalid_metadata_format',
    ],
    [
      'large metadata',
      { channel: alerts, text: 'x', metadata: { event_type: 'a', event_payload: { k: 'x'.repeat(8_192) } } },
      'metadata_too_large',
    ],
    ['a thread that is no timestamp', { channel: alerts, text: 'x', thread_ts: '12' }, 'invalid_thread_ts'],
    [
      'blocks whose text is too long together',
      { channel: alerts, blocks: Array.from({ length: 5 }, () => section('x'.repeat(2_700))) },
      'msg_blocks_too_long',
    ],
  ])('refuses %s', async (_, args, error) => {
    const { call, workspace } = await neighbour()
    expect(await call('chat.postMessage', args)).toMatchObject({ ok: false, error })
    expect(workspace.messages('alerts')).toEqual([])
  })

  test('a reply to a message that is gone stands in the channel itself, and the answer names no thread', async () => {
    const { call, workspace } = await neighbour()
    const gone = { channel: alerts, text: 'x', thread_ts: '1700000000.000100', reply_broadcast: 'true' }
    const posted = await call('chat.postMessage', gone)
    expect(posted).toMatchObject({ ok: true, message: { text: 'x' } })
    expect(posted.message).not.toHaveProperty('thread_ts')
    expect(workspace.messages('alerts')).toMatchObject([{ ts: posted.ts }])
    expect(workspace.messages('alerts')[0]).not.toHaveProperty('subtype')
  })

  test('says where a block is wrong, in both places where the SDK looks', async () => {
    const { call } = await neighbour()
    const refused = await call('chat.postMessage', {
      channel: alerts,
      blocks: [section('a'), section('x'.repeat(3_001))],
    })
    const reasons = Array.isArray(refused.errors) ? refused.errors : []
    expect(refused.error).toBe('invalid_blocks')
    expect(reasons).toContain('must be less than 3001 characters [json-pointer:/blocks/1/text/text]')
    expect(refused.response_metadata).toEqual({ messages: reasons.map((reason) => `[ERROR] ${reason}`) })
  })

  test('refuses a text that no update could bring', async () => {
    const { call } = await neighbour()
    const post = (chars: number) => call('chat.postMessage', { channel: alerts, text: 'x'.repeat(chars) })
    expect((await post(4_000)).ok).toBe(true)
    expect((await post(4_001)).error).toBe('msg_too_long')
  })

  test('opens the direct messages of a person', async () => {
    const { call, workspace } = await neighbour()
    const posted = await call('chat.postMessage', { channel: 'U0ANA00001', text: 'hello' })
    expect(posted.channel).toMatch(/^D0/)
    expect(workspace.messages(String(posted.channel))).toHaveLength(1)
  })

  test('may write where it is not with chat:write.public, and still not read there', async () => {
    const { call } = await neighbour({ scopes: ['chat:write', 'chat:write.public', 'channels:history'] })
    expect((await call('chat.postMessage', { channel: '#random', text: 'x' })).ok).toBe(true)
    expect((await call('conversations.history', { channel: 'C0RANDOM01' })).error).toBe('not_in_channel')
  })

  test('shows nothing of a private channel that the bot is not in', async () => {
    const { call, workspace } = await neighbour()
    await workspace.acts.kick({ channel: '#private-ops', who: 'bot' })
    expect((await call('chat.postMessage', { channel: '#private-ops', text: 'x' })).error).toBe(
      'channel_not_found',
    )
    expect((await call('conversations.info', { channel: 'C0PRIVOPS1' })).error).toBe('channel_not_found')
  })
})

describe('chat.update', () => {
  const metadata = { event_type: 'card', event_payload: { key: 'a' } }

  async function posted(more: Fields = {}) {
    const it = await neighbour()
    const { ts } = await it.call('chat.postMessage', {
      channel: alerts,
      text: 'before',
      blocks: [section('before')],
      metadata,
      ...more,
    })
    const update = (args: Fields): Promise<Fields> => it.call('chat.update', { channel: alerts, ts, ...args })
    return { ...it, ts: String(ts), update, shown: () => it.workspace.messages('alerts')[0] ?? {} }
  }

  test('text alone takes the blocks away and marks the message as edited', async () => {
    const { update, shown } = await posted()
    expect(await update({ text: 'after' })).toMatchObject({ ok: true, text: 'after' })
    expect(shown()).toMatchObject({ text: 'after', metadata, edited: { user: 'U0MONBOT01' } })
    expect(shown()).not.toHaveProperty('blocks')
  })

  test('blocks alone keep the text; with blocks nothing is marked', async () => {
    const { update, shown } = await posted()
    await update({ blocks: [section('after')] })
    expect(shown()).toMatchObject({ text: 'before', blocks: [{ text: { text: 'after' } }], metadata })
    expect(shown()).not.toHaveProperty('edited')
  })

  test('neither keeps both; an empty list takes the blocks away', async () => {
    const { update, shown } = await posted()
    await update({ metadata: { event_type: 'card', event_payload: { key: 'b' } } })
    expect(shown()).toMatchObject({ text: 'before', blocks: [{}], metadata: { event_payload: { key: 'b' } } })
    await update({ blocks: [] })
    expect(shown()).toMatchObject({ text: 'before' })
    expect(shown()).not.toHaveProperty('blocks')
  })

  test('metadata stays until it is cleared', async () => {
    const { update, shown } = await posted()
    await update({ text: 'after' })
    expect(shown()).toMatchObject({ metadata })
    await update({ text: 'after', metadata: {} })
    expect(shown()).not.toHaveProperty('metadata')
  })

  test.each<[string, Fields, string]>([
    ['a text above 4,000 characters', { text: 'x'.repeat(4_001) }, 'msg_too_long'],
    ['nothing at all', {}, 'no_text'],
    ['everything taken away', { text: '', blocks: [] }, 'no_text'],
    ['a block that is wrong', { blocks: [section('')] }, 'invalid_blocks'],
  ])('refuses %s', async (_, args, error) => {
    const { update, shown } = await posted()
    expect((await update(args)).error).toBe(error)
    expect(shown()).toMatchObject({ text: 'before', blocks: [{}] })
  })

  test('knows only its own messages, and not ephemeral ones', async () => {
    const { call, workspace } = await posted()
    const said = await workspace.acts.say({ user: 'ana', channel: '#alerts', text: 'hi' })
    expect((await call('chat.update', { channel: alerts, ts: said.ts, text: 'x' })).error).toBe(
      'cant_update_message',
    )
    expect((await call('chat.delete', { channel: alerts, ts: said.ts })).error).toBe('cant_delete_message')
    const quiet = await call('chat.postEphemeral', { channel: alerts, user: 'U0ANA00001', text: 'psst' })
    expect((await call('chat.update', { channel: alerts, ts: quiet.message_ts, text: 'x' })).error).toBe(
      'message_not_found',
    )
    expect((await call('chat.update', { channel: alerts, ts: '1700000000.000100', text: 'x' })).error).toBe(
      'message_not_found',
    )
  })

  test('is refused in an archived channel', async () => {
    const { update, workspace } = await posted()
    await workspace.acts.archive({ channel: '#alerts' })
    expect((await update({ text: 'after' })).error).toBe('is_inactive')
  })
})

test('a deleted message is gone; one with replies leaves a tombstone and its thread', async () => {
  const { call, workspace } = await neighbour()
  const parent = await call('chat.postMessage', { channel: alerts, text: 'parent' })
  const reply = await call('chat.postMessage', { channel: alerts, text: 'reply', thread_ts: parent.ts })
  expect((await call('chat.delete', { channel: alerts, ts: parent.ts })).ok).toBe(true)
  expect(workspace.messages('alerts')).toMatchObject([{ subtype: 'tombstone' }, { text: 'reply' }])
  expect((await call('chat.update', { channel: alerts, ts: parent.ts, text: 'x' })).error).toBe(
    'message_not_found',
  )
  expect((await call('chat.delete', { channel: alerts, ts: reply.ts })).ok).toBe(true)
  expect((await call('chat.delete', { channel: alerts, ts: reply.ts })).error).toBe('message_not_found')
})

test('an ephemeral message reaches one person of the channel and stays out of history', async () => {
  const { call, workspace } = await neighbour()
  const sent = await call('chat.postEphemeral', {
    channel: alerts,
    user: 'U0BEN00001',
    text: 'psst',
    metadata: { event_type: 'a', event_payload: {} },
  })
  expect(sent.message_ts).toMatch(/^\d{10}\.\d{6}$/)
  expect(workspace.ephemerals('ben')).toMatchObject([{ text: 'psst', channel: alerts, is_ephemeral: true }])
  expect(workspace.ephemerals('ana')).toEqual([])
  expect(workspace.messages('alerts')).toEqual([])
  await workspace.acts.kick({ channel: '#alerts', who: 'ben' })
  const refused = await call('chat.postEphemeral', { channel: alerts, user: 'U0BEN00001', text: 'psst' })
  expect(refused.error).toBe('user_not_in_channel')
})

test('what cannot be pinned is refused as Slack refuses it', async () => {
  const { call, workspace } = await neighbour()
  const channel = workspace.channel('alerts').id
  const error = async (args: Record<string, string>) => (await call('pins.add', args)).error
  expect(await error({ channel })).toBe('no_item_specified')
  expect(await error({ channel: 'C0NONE', timestamp: '1700000000.000001' })).toBe('channel_not_found')
  const random = workspace.channel('random').id
  expect(await error({ channel: random, timestamp: '1700000000.000001' })).toBe('not_in_channel')
  const { ts } = (await call('chat.postMessage', { channel, text: 'hello' })) as unknown as { ts: string }
  expect(await error({ channel, timestamp: ts })).toBeUndefined()
  expect(await error({ channel, timestamp: ts })).toBe('already_pinned')
  const bare = await neighbour({ scopes: ['chat:write'] })
  expect(await bare.call('pins.add', { channel, timestamp: ts })).toMatchObject({
    error: 'missing_scope',
    needed: 'pins:write',
  })
})

test('a message has one table at most, one for a person alone too', async () => {
  const { call, workspace } = await neighbour()
  const channel = workspace.channel('alerts').id
  const [one] = table([[raw()]])
  expect(await call('chat.postEphemeral', { channel, user: 'U0ANA00001', blocks: [one] })).toMatchObject({
    ok: true,
  })
  expect(await call('chat.postMessage', { channel, blocks: [one, one] })).toMatchObject({
    error: 'invalid_attachments',
    response_metadata: { messages: ['[ERROR] only_one_table_allowed'] },
  })
})

test('attachments stand in for text, stay over an edit without any, and are refused as Slack refuses them', async () => {
  const { call, workspace } = await neighbour()
  const channel = workspace.channel('alerts').id
  const attachments = [{ color: 'danger', title: '[FIRING:1] DiskFull' }]
  const { ts } = await call('chat.postMessage', { channel, attachments })
  expect(workspace.messages('alerts')).toMatchObject([{ attachments }])
  await call('chat.update', { channel, ts, text: 'seen' })
  expect(workspace.messages('alerts')).toMatchObject([{ text: 'seen', attachments }])
  const error = async (some: unknown) =>
    (await call('chat.postMessage', { channel, attachments: some })).error
  expect(await error([])).toBe('no_text')
  expect(await error(['x'])).toBe('invalid_attachments')
  expect(await error(Array(101).fill({ text: 'x' }))).toBe('too_many_attachments')
})
