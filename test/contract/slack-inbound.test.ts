/** What people do in Slack becomes requests, is acknowledged in time, and is answered to them alone. */

import { expect, test } from 'vitest'
import { inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

test('a command is one request, and its answer is seen by who asked alone', async () => {
  const { workspace, requests, answers } = await inboundTown()
  const typed = {
    user: 'ana',
    channel: '#alerts',
    command: '/mon',
    text: 'mute web-1 2h deploying <2.4> & more',
  }
  expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  await eventually('the answer', () => answers('ana').length > 0)
  expect(requests).toEqual([
    {
      intent: {
        kind: 'mute_server',
        servers: [{ by: 'name', name: 'web-1' }],
        end: { kind: 'for', ms: 7_200_000 },
        reason: 'deploying <2.4> & more',
        shown: null,
      },
      userId: 'U0ANA00001',
      via: 'command',
      keys: [expect.stringMatching(/^trigger:\d+\.\d+\.\S+$/)],
      channel: 'C0ALERTS01',
      card: null,
    },
  ])
  expect(workspace.messages('alerts')).toEqual([])
  expect(answers('ben')).toEqual([])
})

test('a command that nobody can read is answered with what is near it, and never handled', async () => {
  const { workspace, requests, answers } = await inboundTown()
  await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'mtue web-1' })
  await eventually('the answer', () => answers('ana').length > 0)
  expect(answers('ana')[0]).toContain('mute')
  expect(requests).toEqual([])
})

test('everything is acknowledged within three seconds while the handling hangs', async () => {
  const { promise: hanging, resolve } = Promise.withResolvers<null>()
  const { workspace, post, answers } = await inboundTown({
    handle: async () => {
      await hanging
      return { kind: 'cancelled' }
    },
    ports: { cardAt: async () => ({ kind: 'alert', alertIds: ['1'] }) },
  })
  const ts = await post()
  const at = { user: 'ana', channel: '#alerts' } as const
  const told = await Promise.all([
    workspace.acts.command({ ...at, command: '/mon', text: 'status' }),
    workspace.acts.click({ ...at, ts, actionId: 'acknowledge' }),
    workspace.acts.shortcut({ user: 'ana', callbackId: 'mute_server', message: { channel: '#alerts', ts } }),
  ])
  // The workspace tells `operation_timeout` of what is not acknowledged within three seconds.
  expect(told).toEqual([{ ok: true }, { ok: true }, { ok: true }])
  expect(answers('ana')).toEqual([])
  resolve(null)
  await eventually('all three answers', () => answers('ana').length === 3)
})

test('the same envelope twice carries the same key', async () => {
  const { workspace, requests, post } = await inboundTown()
  const ts = await post()
  workspace.acts.redeliver.from({ times: 2, afterMs: 20 })
  await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'status' })
  await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' })
  await eventually('all four', () => requests.length === 4)
  const keys = requests.map((request) => request.keys.join())
  expect(new Set(keys).size).toBe(2)
})

test('an action that nobody knows is acknowledged and logged', async () => {
  const { workspace, requests, post, logger, slack } = await inboundTown()
  const ts = await post()
  const channel = workspace.channel('alerts').id
  const blocks = [
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'from_an_old_version', text: { type: 'plain_text', text: 'x' } },
      ],
    },
  ]
  await fetch(`${workspace.apiUrl}chat.update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.botToken}` },
    body: new URLSearchParams({ channel, ts, blocks: JSON.stringify(blocks), text: 'x' }),
  })
  const clicked = { user: 'ana', channel: '#alerts', ts, actionId: 'from_an_old_version' }
  expect(await workspace.acts.click(clicked)).toEqual({ ok: true })
  expect(requests).toEqual([])
  expect(logger.entries.find(({ event }) => event === 'request:unknown')?.facts).toEqual({
    what: 'block_actions from_an_old_version',
  })
  expect(slack.connection().ready).toBe(true)
})

test('a shortcut on a card opens the form of its newest alert, on another message it says why not', async () => {
  const { workspace, requests, answers, post } = await inboundTown({
    ports: {
      cardAt: async (_, ts) => (ts === cardTs ? { kind: 'alert', alertIds: ['1', '2'] } : null),
    },
  })
  const cardTs = await post()
  const on = (ts: string) =>
    workspace.acts.shortcut({ user: 'ana', callbackId: 'add_note', message: { channel: '#alerts', ts } })
  await on(cardTs)
  await eventually('the request', () => requests.length === 1)
  expect(requests[0]).toMatchObject({
    intent: { kind: 'open_form', form: 'add_note', alertId: '2', given: null },
    via: 'shortcut',
  })

  const reply = await workspace.acts.say({
    user: 'ben',
    channel: '#alerts',
    text: 'looking',
    threadTs: cardTs,
  })
  await on(String(reply.ts))
  await eventually('a reply belongs to the card above it', () => requests.length === 2)

  const other = await workspace.acts.say({ user: 'ben', channel: '#alerts', text: 'lunch?' })
  await on(String(other.ts))
  await eventually('the refusal', () => answers('ana').at(-1)?.includes('only on the card of one alert'))
  expect(requests).toHaveLength(2)
})

test('who opens the Home tab is told of, and the messages tab is not', async () => {
  const seen: string[] = []
  const { workspace, slack } = await inboundTown({
    ports: {
      onHome: async (userId) => {
        seen.push(userId)
        const health = {
          nowMs: 0,
          lastPollMs: null,
          failing: null,
          coverage: { open: 'complete', past: 'complete' } as const,
          slack: { ready: true, sinceMs: 0, sockets: 1 },
          troubles: [],
          unexpectedErrors: [],
        }
        await slack.chat.publishHome(userId, { open: [], mutes: [], health })
      },
    },
  })
  await workspace.acts.home({ user: 'ben', tab: 'messages' })
  await workspace.acts.home({ user: 'ana' })
  await eventually('her Home', () => workspace.home('ana'))
  expect(seen).toEqual(['U0ANA00001'])
})

test('a card gives its link', async () => {
  const { slack, workspace, post } = await inboundTown()
  const channel = workspace.channel('alerts').id
  const ts = await post()
  expect(await slack.chat.permalink({ channel, ts })).toContain(`p${ts.replace('.', '')}`)
  await expect(slack.chat.permalink({ channel, ts: '1700000000.000100' })).rejects.toThrow(
    'Slack could not give a link to a message: message_not_found',
  )
})

/** Notes the channels that take cards again: Slack tells of those, and only of those. */
async function reopening() {
  const reopened: string[] = []
  const it = await inboundTown({
    ports: {
      onReopened: async (channel) => {
        reopened.push(channel)
      },
    },
  })
  return { acts: it.workspace.acts, reopened, logger: it.logger }
}

test.each([
  ['#alerts', 'C0ALERTS01'],
  ['#private-ops', 'C0PRIVOPS1'],
])('%s was archived, and is unarchived', async (channel, id) => {
  const { acts, reopened, logger } = await reopening()
  await acts.archive({ channel })
  await acts.archive({ channel, archived: false })
  await expect.poll(() => reopened).toEqual([id])
  expect(logger.events()).toContain('channel:reopened')
})

test('the bot was put out of a channel, and is invited again; others who come and go are no news', async () => {
  const { acts, reopened } = await reopening()
  await acts.kick({ channel: '#db', who: 'bot' })
  await acts.kick({ channel: '#db', who: 'ben' })
  await acts.invite({ channel: '#db', who: 'ben' })
  await acts.invite({ channel: '#db', who: 'bot' })
  await expect.poll(() => reopened).toEqual(['C0DB000001'])
})

test('a channel that cannot be noted as open again ends nothing', async () => {
  const { workspace, logger } = await inboundTown({
    ports: { onReopened: () => Promise.reject(new Error('the disk is full')) },
  })
  await workspace.acts.archive({ channel: '#alerts', archived: false })
  await expect.poll(() => logger.events()).toContain('request:broken')
  expect(
    await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'status' }),
  ).toEqual({ ok: true })
})
