/** Who speaks to the bot, by a mention or in a direct message, is answered once; nobody else is, and no bot. */
import { expect, test } from 'vitest'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import { inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

const help: Reply = { kind: 'answer', answer: { kind: 'help', topic: null } }

type Town = Awaited<ReturnType<typeof inboundTown>>

/** Opening the app's home opens the direct messages too. */
async function directOf(town: Town, person: string): Promise<string> {
  await town.workspace.acts.home({ user: person, tab: 'messages' })
  const known = await fetch(`${town.workspace.url}control/state?user=${person}`)
  const { channels } = (await known.json()) as { channels: { id: string; kind: string; members: string[] }[] }
  const { id } = town.workspace.person(person)
  return channels.find(({ kind, members }) => kind === 'im' && members.includes(id))?.id ?? ''
}

test.each([
  ['help', { kind: 'help', topic: null }],
  ['', { kind: 'help', topic: null }],
  ['what is going on here?', { kind: 'help', topic: null }],
  ['status', { kind: 'status' }],
  [', /mon status', { kind: 'status' }],
  ['mute web-1 1h', { kind: 'mute_server', servers: [{ by: 'name', name: 'web-1' }] }],
])(
  'a mention with "%s" is the command, and is answered to who wrote it alone, in its thread',
  async (said, intent) => {
    const town = await inboundTown({ handle: async () => help })
    const { workspace, requests, answers } = town
    const at = { user: 'ana', channel: '#alerts' } as const
    await workspace.acts.say({ ...at, text: 'web-1 is slow' })
    const ts = String(workspace.messages('alerts')[0]?.ts)
    await workspace.acts.say({ ...at, text: `<@${workspace.botUserId}> ${said}`, threadTs: ts })
    await eventually('the answer', () => answers('ana').length > 0)
    expect(requests).toMatchObject([{ intent, userId: workspace.person('ana').id, via: 'command' }])
    expect(workspace.ephemerals('ana')[0]).toMatchObject({ thread_ts: ts })
    expect(answers('ben')).toEqual([])
  },
)

test('a mistyped command is answered with what is near it, and one that needs a form with how to type it', async () => {
  const { workspace, requests, answers } = await inboundTown()
  const say = (text: string) =>
    workspace.acts.say({ user: 'ana', channel: '#alerts', text: `<@${workspace.botUserId}> ${text}` })
  await say('mtue web-1')
  await eventually('the first answer', () => answers('ana').length === 1)
  await say('server delete web-1')
  await eventually('the second answer', () => answers('ana').length === 2)
  expect(answers('ana')[0]).toContain('/mon mute')
  expect(answers('ana')[1]).toContain('/mon server delete web-1')
  expect(requests).toEqual([])
})

test('a direct message is answered there, and the answers of the bot, which it hears too, are not', async () => {
  const town = await inboundTown({ handle: async () => help })
  const { workspace, requests } = town
  const channel = await directOf(town, 'ana')
  await workspace.acts.say({ user: 'ana', channel, text: 'help' })
  await eventually('the answer', () => workspace.messages(channel).length === 2)
  const heard = () =>
    workspace.events.since(0).filter(({ event }) => event.type === 'event_acked' && event.event === 'message')
  await eventually('the bot to hear both', () => heard().length === 2)
  await workspace.acts.say({ user: 'ana', channel, text: 'status' })
  await eventually('the second answer', () => workspace.messages(channel).length === 4)
  await eventually('the bot to hear all four', () => heard().length === 4)
  // Nothing is muted or announced from a place that only one person sees.
  expect(requests).toMatchObject([
    { intent: { kind: 'help' }, channel: null },
    { intent: { kind: 'status' }, channel: null },
  ])
  expect(workspace.messages(channel).map(({ user }) => user)).toEqual([
    workspace.person('ana').id,
    workspace.botUserId,
    workspace.person('ana').id,
    workspace.botUserId,
  ])
})

test('what people say to each other is not heard, and a mention in a channel without the bot neither', async () => {
  const { workspace, requests } = await inboundTown()
  const at = { user: 'ana' } as const
  await workspace.acts.say({ ...at, channel: '#alerts', text: 'status' })
  await workspace.acts.say({ ...at, channel: '#random', text: `<@${workspace.botUserId}> status` })
  await workspace.acts.say({ ...at, channel: '#alerts', text: `<@${workspace.botUserId}> mutes` })
  await eventually('the one request', () => requests.length > 0)
  expect(requests).toMatchObject([{ intent: { kind: 'mutes' } }])
})

test('an event that Slack sends again is answered once', async () => {
  const { workspace, requests, answers } = await inboundTown({ http: true, handle: async () => help })
  await workspace.acts.redeliver.from({ times: 1, afterMs: 0 })
  await workspace.acts.say({ user: 'ana', channel: '#alerts', text: `<@${workspace.botUserId}> help` })
  const answered = () => workspace.events.since(0).filter(({ event }) => event.type === 'request_answered')
  await eventually('every repeat to be answered', () => answered().length >= 2)
  await eventually('the answer', () => answers('ana').length > 0)
  expect(requests).toHaveLength(1)
  expect(answers('ana')).toHaveLength(1)
})

test('without the scopes nothing is heard, and all else works', async () => {
  const scopes = ['chat:write', 'commands', 'channels:read', 'channels:history']
  const town = await inboundTown({ workspace: { scopes } })
  const { workspace, requests } = town
  const channel = await directOf(town, 'ana')
  await workspace.acts.say({ user: 'ana', channel, text: 'status' })
  await workspace.acts.say({ user: 'ana', channel: '#alerts', text: `<@${workspace.botUserId}> status` })
  await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'mutes' })
  await eventually('the command', () => requests.length > 0)
  expect(requests).toMatchObject([{ intent: { kind: 'mutes' } }])
  expect(
    workspace.events
      .since(0)
      .some(({ event }) => event.type === 'event_sent' && event.event !== 'app_home_opened'),
  ).toBe(false)
})

test('a tab for messages that is read-only takes none', async () => {
  const town = await inboundTown({ workspace: { isMessagesTabOpen: false } })
  const channel = await directOf(town, 'ana')
  expect(await town.workspace.acts.say({ user: 'ana', channel, text: 'help' })).toMatchObject({
    ok: false,
    error: 'restricted_action',
  })
})
