/** HTTP mode between the local workspace and the bot: requests that are Slack's, and those that are not, which do nothing. */
import { expect, test } from 'vitest'
import { inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

const typed = { user: 'ana', channel: '#alerts', command: '/mon', text: 'status' } as const

const faults = [
  { kind: 'forged_signature' },
  { kind: 'no_signature' },
  { kind: 'shifted_timestamp', seconds: -400 },
  { kind: 'shifted_timestamp', seconds: 400 },
] as const

test('the URL proves itself, and a command comes in', async () => {
  const { workspace, answers, slack } = await inboundTown({ http: true })
  expect(await workspace.acts.requestUrl({})).toEqual({ ok: true })
  expect(await workspace.acts.sslCheck({})).toEqual({ ok: true })
  expect(slack.connection()).toMatchObject({ ready: true, sockets: 0 })
  expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  await eventually('the answer', () => answers('ana').length === 1)
})

test('a request that is badly signed, or of another time, or comes twice has no effect of its own', async () => {
  const { workspace, requests, logger } = await inboundTown({ http: true })
  for (const fault of faults) {
    await workspace.acts.requestFault.from(fault)
    expect((await workspace.acts.command(typed)).ok).toBe(false)
  }
  expect(requests).toEqual([])
  expect(logger.entries.filter(({ event }) => event === 'request:refused')).toHaveLength(1)

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
