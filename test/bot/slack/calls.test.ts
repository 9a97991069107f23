/** Slack's Web API as the port, over the strict workspace: what is there afterwards, and what a failure leaves open. */
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/bot/config/settings.ts'
import { openSlack } from '../../../src/bot/slack/calls.ts'
import { keyHash } from '../../../src/bot/slack/look.ts'
import { usualPeople } from '../../../src/workspace/state/people.ts'
import { alerts, ana, openEdge, pass, png, postCall, section } from './edge.ts'

const key = keyHash('alert:1')

describe('a post', () => {
  test('stands with its blocks and its key as a digest, and says where', async () => {
    const { slack, messages } = await openEdge()
    const outcome = await slack.post(pass, postCall({ blocks: [section('*CPU busy*')] }))
    const [message] = messages()
    expect(outcome).toEqual({ kind: 'ok', ts: message?.ts, channelId: alerts, threadTs: null })
    expect(message).toMatchObject({
      blocks: [{ type: 'section' }],
      metadata: { event_type: 'monbot', event_payload: { key } },
    })
  })

  test('in a thread stands there, and in the channel too where it is aloud', async () => {
    const { slack, messages } = await openEdge()
    const card = await slack.post(pass, postCall())
    const threadTs = card.kind === 'ok' ? card.ts : ''
    const reply = await slack.post(pass, postCall({ threadTs, isBroadcast: true }))
    expect(reply).toMatchObject({ kind: 'ok', threadTs })
    expect(messages()[1]).toMatchObject({ thread_ts: threadTs, subtype: 'thread_broadcast' })
  })

  test('in the thread of a message that is gone says that it stands in no thread', async () => {
    const { slack } = await openEdge()
    const reply = await slack.post(pass, postCall({ threadTs: '1700000000.000100' }))
    expect(reply).toMatchObject({ kind: 'ok', threadTs: null })
  })

  test.each([
    ['reset', { kind: 'reset' }, 'unclear', 0],
    ['commit, then a reset', { kind: 'commit_then_reset' }, 'unclear', 1],
    ['commit, then 503', { kind: 'commit_then_status', status: 503 }, 'unclear', 1],
    ['half an answer', { kind: 'truncate' }, 'unclear', 1],
    ['a page', { kind: 'html' }, 'unclear', 0],
    ['429', { kind: 'ratelimited', retryAfterSeconds: 7 }, 'limited', 0],
    ['429 for a day', { kind: 'ratelimited', retryAfterSeconds: 86_400 }, 'limited', 0],
    ['a refusal', { kind: 'error', error: 'not_in_channel' }, 'channel', 0],
  ] as const)('%s (%j): is %s, sent once, and %i stand', async (_what, effect, kind, standing) => {
    const { workspace, slack, messages } = await openEdge()
    await workspace.acts.fault({ method: 'chat.postMessage', effect })
    const outcome = await slack.post(pass, postCall())
    expect(outcome.kind).toBe(kind)
    expect(messages()).toHaveLength(standing)
    if (outcome.kind === 'limited') expect([7_000, 600_000]).toContain(outcome.afterMs)
  })

  test('that hangs ends in its own time, and is unclear', async () => {
    const { workspace, slack } = await openEdge({}, 50)
    await workspace.acts.fault({ method: 'chat.postMessage', effect: { kind: 'hang' } })
    expect(await slack.post(pass, postCall())).toMatchObject({ kind: 'unclear', why: 'timed out' })
  })

  test('to nobody there was certainly not sent', async () => {
    const { reach, clock } = await openEdge()
    const refused: typeof fetch = () =>
      Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
      )
    const away = openSlack(new Secret('xoxb-1'), { ...reach, fetch: refused }, clock)
    expect(await away.post(pass, postCall())).toEqual({ kind: 'later', why: 'ECONNREFUSED' })
  })

  test('to a person stands in their direct messages, with and without the scope to open them', async () => {
    const { slack } = await openEdge()
    const outcome = await slack.post(pass, postCall({ channel: ana }))
    expect(outcome).toMatchObject({ kind: 'ok', channelId: expect.stringMatching(/^D/) })
    const look = await slack.look(ana, null, 0)
    expect(look).toMatchObject({ kind: 'read', messages: [{ key }] })
    if (look.kind !== 'read') return
    // Only so named can it be edited.
    const place = { channelId: look.channelId, ts: look.messages[0]?.ts ?? '' }
    expect(await slack.update(pass, { ...place, text: 'edited', blocks: [] })).toMatchObject({ kind: 'ok' })
    const less = await openEdge({ scopes: ['chat:write'] })
    expect(await less.slack.post(pass, postCall({ channel: ana }))).toMatchObject({ kind: 'ok' })
  })
})

test('an update as plain text takes the blocks away and keeps the key; of a message that is gone it says so', async () => {
  const { slack, messages } = await openEdge()
  const posted = await slack.post(pass, postCall({ blocks: [section('*CPU busy*')] }))
  const at = { channelId: alerts, ts: posted.kind === 'ok' ? posted.ts : '' }
  expect(await slack.update(pass, { ...at, text: 'closed', blocks: [] })).toMatchObject({ kind: 'ok' })
  expect(messages()[0]).toMatchObject({ text: 'closed', metadata: { event_payload: { key } } })
  expect(messages()[0]).not.toHaveProperty('blocks')
  expect(await slack.delete(pass, alerts, at.ts)).toMatchObject({ kind: 'ok' })
  expect(await slack.update(pass, { ...at, text: 'closed', blocks: [] })).toEqual({ kind: 'gone' })
})

describe('a look', () => {
  test('finds what was posted though no answer came, once the history shows it', async () => {
    const { workspace, slack, clock } = await openEdge()
    await workspace.acts.historyLag({ lagMs: 5_000 })
    await workspace.acts.fault({ method: 'chat.postMessage', effect: { kind: 'commit_then_reset' } })
    const fromMs = clock.nowMs() - 60_000
    await slack.post(pass, postCall())
    expect(await slack.look(alerts, null, fromMs)).toEqual({ kind: 'read', channelId: alerts, messages: [] })
    await clock.runFor(6_000)
    expect(await slack.look(alerts, null, fromMs)).toMatchObject({ messages: [{ key, threadTs: null }] })
  })

  test('of a thread that is gone reads the channel, where Slack put the reply', async () => {
    const { slack } = await openEdge()
    await slack.post(pass, postCall({ threadTs: '1700000000.000100' }))
    expect(await slack.look(alerts, '1700000000.000100', 0)).toMatchObject({ messages: [{ key }] })
  })

  test.each([
    ['C0RANDOM01', { kind: 'error', error: 'not_in_channel' }, true],
    [alerts, { kind: 'ratelimited', retryAfterSeconds: 7 }, false],
    [alerts, { kind: 'error', error: 'internal_error' }, false],
  ] as const)('of %s after %j is unreadable, and shut: %s', async (channel, effect, isShut) => {
    const { workspace, slack } = await openEdge()
    await workspace.acts.fault({ method: 'conversations.history', effect })
    expect(await slack.look(channel, null, 0)).toMatchObject({ kind: 'unreadable', isShut })
  })

  const history = (answers: object[]) => async (url: string | URL | Request) => {
    const isAuth = String(url).endsWith('auth.test')
    return Response.json(isAuth ? { ok: true, bot_id: 'B0OURS', team_id: 'T0' } : answers.shift())
  }
  const said = (ts: string, bot_id: string, event_type = 'monbot') => ({
    ts,
    bot_id,
    metadata: { event_type, event_payload: { key } },
  })
  const more = { response_metadata: { next_cursor: 'next' } }

  test('reads all pages, and takes no message of another app for ours though it carries our key', async () => {
    const { reach, clock } = await openEdge()
    const answers = [
      { ok: true, messages: [said('3.0', 'B0OTHER'), said('2.0', 'B0OURS', 'other')], ...more },
      { ok: true, messages: [said('1.0', 'B0OURS')] },
    ]
    const slack = openSlack(new Secret('xoxb-1'), { ...reach, fetch: history(answers) }, clock)
    expect(await slack.look(alerts, null, 0)).toEqual({
      kind: 'read',
      channelId: alerts,
      messages: [
        { ts: '2.0', key: null, threadTs: null },
        { ts: '1.0', key, threadTs: null },
      ],
    })
  })

  test('of which one page failed proves nothing', async () => {
    const { reach, clock } = await openEdge()
    const answers = [
      { ok: true, messages: [], ...more },
      { ok: false, error: 'invalid_cursor' },
    ]
    const slack = openSlack(new Secret('xoxb-1'), { ...reach, fetch: history(answers) }, clock)
    expect(await slack.look(alerts, null, 0)).toMatchObject({ kind: 'unreadable', isShut: false })
  })
})

describe('a picture', () => {
  const image = (file: string) => [{ type: 'image', slack_file: { id: file }, alt_text: 'CPU busy' }] as const
  const fileOf = (uploaded: object) => ('file' in uploaded ? String(uploaded.file) : '')

  test('can be shown once its upload resolves, though Slack takes it in later', async () => {
    const { slack, clock, messages } = await openEdge({ fileReadyMs: 2_000 })
    const beganMs = clock.nowMs()
    const file = fileOf(await slack.upload(png, 'cpu.png', 'CPU busy'))
    expect(clock.nowMs() - beganMs).toBeGreaterThanOrEqual(2_000)
    expect(await slack.post(pass, postCall({ blocks: image(file) }))).toMatchObject({ kind: 'ok' })
    expect(messages()).toHaveLength(1)
  })

  test('without the scope to ask for it is given some time', async () => {
    const scopes = ['chat:write', 'files:write']
    const { slack } = await openEdge({ fileReadyMs: 2_000, scopes })
    const file = fileOf(await slack.upload(png, 'cpu.png', 'CPU busy'))
    expect(await slack.post(pass, postCall({ blocks: image(file) }))).toMatchObject({ kind: 'ok' })
  })

  test('that Slack does not know is refused as one, and the card may go without', async () => {
    const { slack } = await openEdge()
    expect(await slack.post(pass, postCall({ blocks: image('F0NOBODY01') }))).toMatchObject({
      kind: 'picture',
    })
  })

  test.each([
    ['files.getUploadURLExternal', { kind: 'error', error: 'file_uploads_disabled' }, 'refused'],
    ['upload', { kind: 'hang' }, 'later'],
    ['upload', { kind: 'status', status: 500 }, 'later'],
    ['files.completeUploadExternal', { kind: 'reset' }, 'later'],
  ] as const)('%s goes wrong with %j: %s', async (method, effect, kind) => {
    const { workspace, slack } = await openEdge({}, effect.kind === 'hang' ? 50 : undefined)
    await workspace.acts.fault({ method, effect })
    expect(await slack.upload(png, 'cpu.png', 'CPU busy')).toMatchObject({ kind })
  })
})

test('a file is brought into a thread by its address', async () => {
  const { slack, messages } = await openEdge()
  const card = await slack.post(pass, postCall())
  const threadTs = card.kind === 'ok' ? card.ts : ''
  const file = { bytes: Buffer.from('a,b\n'), name: 'report.csv', title: 'Report <1>' }
  expect(await slack.share(pass, file, alerts, threadTs)).toMatchObject({ kind: 'ok', threadTs })
  expect(messages()[1]).toMatchObject({ files: [{ name: 'report.csv' }] })
})

test('a board is pinned once, and without the scope for it nothing else rests', async () => {
  const { slack } = await openEdge()
  const posted = await slack.post(pass, postCall())
  const ts = posted.kind === 'ok' ? posted.ts : ''
  expect(await slack.pin(pass, alerts, ts)).toMatchObject({ kind: 'ok' })
  expect(await slack.pin(pass, alerts, ts)).toMatchObject({ kind: 'ok' })
  const less = await openEdge({ scopes: ['chat:write'] })
  expect(await less.slack.pin(pass, alerts, ts)).toMatchObject({ kind: 'content' })
})

test('the bot knows who it is, and that its token was taken away', async () => {
  const { workspace, slack } = await openEdge({ enterpriseId: 'E0GRID0001' })
  await workspace.acts.revoke({ token: 'bot' })
  expect(await slack.identity()).toEqual({ why: 'token_revoked', isToken: true })
  await workspace.acts.revoke({ token: 'bot', revoked: false })
  expect(await slack.identity()).toMatchObject({ botId: workspace.botId, enterpriseId: 'E0GRID0001' })
})

test('a form is not opened by a trigger that is none, and says why', async () => {
  const { slack } = await openEdge()
  const title = { type: 'plain_text', text: 'Mute' } as const
  const view = { type: 'modal' as const, title, blocks: [section('x')] }
  expect(await slack.openView('1.2.abc', view)).toMatchObject({ why: expect.stringContaining('trigger_id') })
})

test('people, channels and groups as Slack tells of them; null where it does not', async () => {
  const users = [...usualPeople, { id: 'U0EVA00001', name: 'eva', tz: 'Mars/Olympus' }]
  const { workspace, slack } = await openEdge({ users })
  expect(await slack.person('U0EVA00001')).toMatchObject({ zone: 'Etc/UTC' })
  expect(await slack.people()).toContainEqual(
    expect.objectContaining({ id: ana, name: 'ana', realName: 'Ana Costa', email: 'ana@example.com' }),
  )
  expect(await slack.personByEmail('ben@example.com')).toBe('U0BEN00001')
  expect(await slack.personByEmail('nobody@example.com')).toBeNull()
  expect(await slack.groupMembers('S0ONCALL01')).toEqual([ana, 'U0CLEO0001'])
  expect(await slack.groupMembers('S0NOBODY01')).toBeNull()
  expect(await slack.channel(alerts)).toEqual({ isMember: true, isArchived: false, name: 'alerts' })
  await workspace.acts.fault({ method: 'users.info', effect: { kind: 'status', status: 500 } })
  expect(await slack.person(ana)).toBeNull()
})
