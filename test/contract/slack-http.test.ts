/** HTTP mode between the local workspace and the bot: all that Socket Mode does, and requests that are not Slack's do nothing. */
import { expect, test } from 'vitest'
import { formReply, inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

const typed = { user: 'ana', channel: '#alerts', command: '/mon', text: 'status' } as const

const faults = [
  { kind: 'forged_signature' },
  { kind: 'no_signature' },
  { kind: 'shifted_timestamp', seconds: -400 },
  { kind: 'shifted_timestamp', seconds: 400 },
] as const

test('a command, a button, a form, suggestions and the Home tab all come in, and the URL proves itself', async () => {
  const opened: string[] = []
  const { workspace, requests, answers, post, slack } = await inboundTown({
    http: true,
    handle: async ({ intent }) =>
      intent.kind === 'open_form' ? formReply({ name: 'add_note' }) : { kind: 'cancelled' },
    ports: {
      onHome: async (userId) => {
        opened.push(userId)
      },
    },
  })
  expect(await workspace.acts.requestUrl({})).toEqual({ ok: true })
  expect(await workspace.acts.sslCheck({})).toEqual({ ok: true })
  expect(slack.connection()).toMatchObject({ ready: true, sockets: 0 })
  expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  await eventually('the answer', () => answers('ana').length === 1)

  const ts = await post()
  await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'more', choice: 'add_note' })
  const modal = await eventually('the form', () => workspace.modals('ana')[0])
  const send = (text: string) =>
    workspace.acts.submit({ user: 'ana', viewId: String(modal.id), values: { text: { text } } })
  expect(await send(' ')).toMatchObject({ response_action: 'errors' })
  expect(await send('restarted')).toEqual({ ok: true })
  expect(workspace.modals('ana')).toEqual([])
  expect(requests.map(({ intent }) => intent.kind)).toEqual(['status', 'open_form', 'add_note'])

  await workspace.acts.home({ user: 'ana' })
  await eventually('the Home tab', () => opened.length > 0)
})

test('a request that is badly signed, or of another time, or comes twice has no effect of its own', async () => {
  const { workspace, requests, logger } = await inboundTown({ http: true })
  for (const fault of faults) {
    await workspace.acts.requestFault.from(fault)
    expect((await workspace.acts.command(typed)).ok).toBe(false)
  }
  expect(requests).toEqual([])
  expect(logger.entries.filter(({ event }) => event === 'request:refused')).toHaveLength(faults.length)

  await workspace.acts.redeliver.from({ times: 1, afterMs: 0 })
  expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  await workspace.acts.command({ ...typed, text: 'mutes' })
  expect(requests.map(({ intent }) => intent.kind)).toEqual(['status', 'mutes'])
})

test('a command is acknowledged in time while the handling hangs', async () => {
  const { workspace, slack } = await inboundTown({ http: true, handle: () => new Promise(() => {}) })
  expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  expect(slack.connection().ready).toBe(true)
})
