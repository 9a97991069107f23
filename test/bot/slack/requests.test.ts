/** What people type, press and fill in reaches the router by real Bolt over real sockets, and its answers reach them. */
import { expect, onTestFinished, test } from 'vitest'
import type { RequestIn } from '../../../src/bot/acts/action.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openApp } from '../../../src/bot/slack/app.ts'
import { openDirectory } from '../../../src/bot/slack/directory.ts'
import { openSockets } from '../../../src/bot/slack/lines.ts'
import { viewOfTable } from '../../../src/bot/view/blocks.ts'
import { LostLead } from '../../../src/bot/world/store.ts'
import { World } from '../../../src/bot/world/world.ts'
import type { WorkspaceOptions } from '../../support/slack.ts'
import { postOf } from '../worlds/builders.ts'
import { alerts, ana, openEdge, pass, postCall, sceneOf, section, until } from './edge.ts'

type Handle = (request: RequestIn) => unknown

/** A bot whose router does what the test says; a form's problems are what it answers with. */
async function openBot(handle: Handle = () => undefined, options: WorkspaceOptions = {}) {
  const edge = await openEdge(options)
  const { workspace, clock, reach, slack } = edge
  const world = new World()
  const identity = await slack.identity()
  if ('why' in identity) throw new Error(identity.why)
  world.setFact('slack', identity)
  const taken: RequestIn[] = []
  const heard: string[] = []
  const warned: string[] = []
  const app = openApp({
    config: {
      botToken: new Secret(workspace.botToken),
      appToken: new Secret(workspace.appToken),
      signingSecret: null,
      apiUrl: workspace.apiUrl,
      channel: alerts,
    },
    line: openSockets({ appToken: new Secret(workspace.appToken), reach, clock }),
    reach,
    slack,
    directory: openDirectory(slack, () => world, clock),
    router: {
      take: async (request) => {
        taken.push(request)
        const problems = await handle(request)
        return { problems: (problems ?? null) as Record<string, string> | null }
      },
    },
    scene: () => sceneOf(world, clock.nowMs()),
    clock,
    log: { ...silentLog, warn: (event) => warned.push(event) },
    onHome: (user) => heard.push(`home ${user}`),
    onChannel: (channel, isInvited) => heard.push(`${isInvited ? 'invited to' : 'again in'} ${channel}`),
    onDeleted: (channel, ts) => heard.push(`deleted ${channel} ${ts}`),
  })
  await app.start()
  onTestFinished(() => app.stop())
  const card = async (elements: object[], threadTs: string | null = null) => {
    const blocks = [section('a card'), { type: 'actions', block_id: 'row', elements }]
    const posted = await slack.post(pass, postCall({ blocks: blocks as never, threadTs }))
    if (posted.kind !== 'ok') throw new Error(posted.kind)
    return posted.ts
  }
  const asked = (count = 1) => until('the request', () => taken.length >= count && taken.at(-1))
  return { ...edge, world, taken, asked, heard, warned, card }
}

const says =
  (text: string): Handle =>
  ({ answer }) =>
    answer(pass, { text, blocks: [section(text)] })
const button = (action_id: string, value = 'v') => ({
  type: 'button',
  action_id,
  text: { type: 'plain_text', text: action_id },
  value,
})
const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value })
const input = (block_id: string, element: object) => ({
  type: 'input',
  block_id,
  label: { type: 'plain_text', text: block_id },
  element: { action_id: block_id, ...element },
})
const form = {
  type: 'modal' as const,
  callback_id: 'hand',
  private_metadata: '{"a":"1"}',
  title: { type: 'plain_text' as const, text: 'Hand to' },
  submit: { type: 'plain_text' as const, text: 'Hand' },
  blocks: [
    input('person', { type: 'users_select' }),
    input('end', { type: 'static_select', options: [option('1h'), option('4h')] }),
    { ...input('text', { type: 'plain_text_input' }), optional: true },
  ] as never,
}

test('a command is told with who, where and what, and its answer is seen by the asker alone', async () => {
  const { workspace, asked } = await openBot(says('2 open'))
  await workspace.acts.command({
    user: 'ana',
    channel: '#private-ops',
    command: '/mon',
    text: 'alerts <1> & 2',
  })
  const { ask, asked: what } = await asked()
  expect(what).toEqual({ kind: 'command', text: 'alerts &lt;1&gt; &amp; 2' })
  const channel = workspace.channel('private-ops').id
  expect(ask).toMatchObject({
    person: { id: ana, zone: 'Europe/Lisbon' },
    channel,
    threadTs: null,
    via: 'command',
  })
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: '2 open', blocks: [{ type: 'section' }] }])
  expect(workspace.ephemerals('ben')).toEqual([])
})

test('an answer whose response_url fails comes as an ephemeral message', async () => {
  const { workspace } = await openBot(says('2 open'))
  await workspace.acts.fault({ method: 'response_url', effect: { kind: 'status', status: 404 } })
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'alerts' })
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: '2 open' }])
})

test('where Slack refuses tables, an answer comes as its text', async () => {
  const { workspace } = await openBot(({ answer }) =>
    answer(
      pass,
      viewOfTable(['*1 server*'], ['web-1'], (name) => `• ${name}`, [['Server', (name) => name]], []),
    ),
  )
  await workspace.acts.fault({ method: 'response_url', effect: { kind: 'status', status: 404 } })
  const effect = { kind: 'error', error: 'invalid_blocks' } as const
  await workspace.acts.fault({ method: 'chat.postEphemeral', effect })
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'alerts' })
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: '*1 server*\n• web-1' }])
  expect(workspace.ephemerals('ana')[0]).not.toHaveProperty('blocks')
})

test('a press is told with its value or option, and the message it was pressed on', async () => {
  const { workspace, world, card, asked, taken } = await openBot()
  const groups = [{ label: { type: 'plain_text', text: 'Server' }, options: [option('server 1h')] }]
  const ts = await card([
    button('acknowledge', 'x'),
    { type: 'static_select', action_id: 'mute', option_groups: groups },
  ])
  world.put('posts', postOf({ id: 'alert:1:C', channel: alerts, channelId: alerts, ts, state: 'live' }))
  await workspace.acts.click({ user: 'ben', channel: alerts, ts, actionId: 'acknowledge' })
  expect((await asked()).asked).toEqual({
    kind: 'press',
    press: { actionId: 'acknowledge', value: 'x', option: null, post: 'alert:1:C' },
  })
  expect(taken[0]?.ask).toMatchObject({
    person: { id: 'U0BEN00001' },
    channel: alerts,
    via: 'button',
    threadTs: null,
  })
  await workspace.acts.click({ user: 'ben', channel: alerts, ts, actionId: 'mute', choice: 'server 1h' })
  expect((await asked(2)).asked).toMatchObject({ press: { actionId: 'mute', option: 'server 1h' } })
  expect(new Set(taken.map(({ ask }) => ask.key)).size).toBe(2)
})

test('the answer to a press in a thread stands in the thread', async () => {
  const { workspace, card } = await openBot(says('done'))
  const parent = await card([button('acknowledge')])
  const ts = await card([button('take_over')], parent)
  await workspace.acts.click({ user: 'ana', channel: alerts, ts, actionId: 'take_over' })
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'done', thread_ts: parent }])
})

test('a form opens at once, tells its fields, and is answered where it was opened', async () => {
  const { workspace, asked } = await openBot(({ asked: { kind }, open, answer }) =>
    kind === 'form' ? answer(pass, { text: 'handed', blocks: [] }) : open(form).then(() => undefined),
  )
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'hand' })
  const view = await until('the form', () => workspace.modals('ana')[0])
  const values = { person: { person: 'U0BEN00001' }, end: { end: '4h' } }
  await workspace.acts.submit({ user: 'ana', viewId: String(view.id), values })
  expect((await asked(2)).asked).toEqual({
    kind: 'form',
    form: {
      callbackId: 'hand',
      metadata: '{"a":"1"}',
      values: new Map([
        ['person', ['U0BEN00001']],
        ['end', ['4h']],
        ['text', []],
      ]),
    },
  })
  expect(workspace.modals('ana')).toEqual([])
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'handed' }])
})

test('a form stays open with its problems', async () => {
  const { workspace } = await openBot(({ asked: { kind }, open }) =>
    kind === 'form' ? { person: "I'm an app" } : open(form).then(() => undefined),
  )
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'hand' })
  const view = await until('the form', () => workspace.modals('ana')[0])
  const values = { person: { person: 'U0BEN00001' }, end: { end: '4h' } }
  expect(await workspace.acts.submit({ user: 'ana', viewId: String(view.id), values })).toMatchObject({
    response_action: 'errors',
    errors: { person: "I'm an app" },
  })
  expect(workspace.modals('ana')).toHaveLength(1)
})

test('a mention in a thread is a command there', async () => {
  const { workspace, card, asked } = await openBot(says('done'))
  const ts = await card([button('acknowledge')])
  await workspace.acts.say({
    user: 'ana',
    channel: alerts,
    text: `<@${workspace.botUserId}> mute 1h`,
    threadTs: ts,
  })
  const { ask, asked: what } = await asked()
  expect(what).toEqual({ kind: 'command', text: 'mute 1h' })
  expect(ask).toMatchObject({ via: 'mention', threadTs: ts, triggerId: null })
  await until('the answer', () => workspace.ephemerals('ana').length > 0)
  expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'done', thread_ts: ts }])
})

test('a direct message is a command, answered there', async () => {
  const { workspace, asked, slack } = await openBot(says('2 open'))
  const posted = await slack.post(pass, postCall({ channel: ana }))
  const channel = posted.kind === 'ok' ? posted.channelId : ''
  await workspace.acts.say({ user: 'ana', channel, text: 'alerts' })
  expect((await asked()).ask).toMatchObject({ via: 'message', channel })
  await until('the answer', () => workspace.messages(channel).length === 3)
  expect(workspace.messages(channel)[2]).toMatchObject({ text: '2 open' })
})

test('Home, invitations and channels that are opened again are told', async () => {
  const { workspace, heard } = await openBot()
  await workspace.acts.home({ user: 'ana' })
  await workspace.acts.invite({ channel: '#random', who: 'bot' })
  await workspace.acts.invite({ channel: '#random', who: 'ben' })
  await workspace.acts.archive({ channel: '#random', archived: true })
  await workspace.acts.archive({ channel: '#random', archived: false })
  const { id } = workspace.channel('random')
  await until('all of them', () => heard.length >= 3)
  expect(heard).toEqual([`home ${ana}`, `invited to ${id}`, `again in ${id}`])
})

test.each([
  ['of another organization may not act', { teamId: 'T0OTHER001', enterpriseId: null }, ['ana'], 1],
  ['of the same Grid may', { teamId: 'T0OTHER001', enterpriseId: 'E0GRID0001' }, ['gil', 'ana'], 0],
])('somebody %s', async (_who, home, askers, warnings) => {
  const users = [{ name: 'ana' }, { name: 'gil' }]
  const options = { enterpriseId: 'E0GRID0001', users, homes: { gil: home } }
  const { workspace, card, taken, warned } = await openBot(undefined, options)
  const at = { channel: alerts, ts: await card([button('acknowledge')]), actionId: 'acknowledge' }
  await workspace.acts.say({ user: 'gil', channel: 'alerts', text: 'hello' })
  // Nobody acknowledges what a stranger does; what ana does after it is taken all the same.
  void workspace.acts.click({ user: 'gil', ...at })
  await workspace.acts.click({ user: 'ana', ...at })
  await until('what ana did', () => taken.some(({ ask }) => ask.person.name === 'ana'))
  expect(taken.map(({ ask }) => ask.person.name)).toEqual(askers)
  expect(warned).toHaveLength(warnings)
})

test('a lead that was lost meanwhile answers nothing, and breaks nothing', async () => {
  const { workspace, asked, taken } = await openBot(() => {
    throw new LostLead('another one leads')
  })
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'alerts' })
  await workspace.acts.command({ user: 'ana', channel: alerts, command: '/mon', text: 'alerts' })
  await asked(2)
  expect(taken).toHaveLength(2)
  expect(workspace.ephemerals('ana')).toEqual([])
})

test('of a card that somebody deletes it hears, and of nothing else that is written there', async () => {
  const { slack, heard, card, taken, workspace } = await openBot()
  const ts = await card([button('acknowledge')])
  await workspace.acts.say({ user: ana, channel: 'alerts', text: 'what is this?' })
  await slack.delete(pass, alerts, ts)
  await until('the deletion', () => heard.length > 0)
  expect([heard, taken]).toEqual([[`deleted ${alerts} ${ts}`], []])
})
