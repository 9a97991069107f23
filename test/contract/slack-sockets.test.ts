/** Two sockets: one is lost, refreshed or refused, and nothing that people ask is lost with it. */
import { expect, test } from 'vitest'
import { inboundTown } from '../support/inbound.ts'
import { patienceMs } from '../support/patience.ts'

const typed = { user: 'ana', channel: '#alerts', command: '/mon', text: 'status' } as const

async function withTwo() {
  const town = await inboundTown({ secondSocketAfterMs: 50, workspace: { seed: 7 } })
  await expect.poll(() => town.workspace.sockets(), { timeout: patienceMs }).toBe(2)
  await expect.poll(() => town.slack.connection().sockets).toBe(2)
  return town
}

test('one socket is cut: the other takes every command, and soon there are two again', async () => {
  const { workspace, slack, requests } = await withTwo()
  const { sinceMs } = slack.connection()
  await workspace.acts.cut({ which: 'one' })
  for (let count = 0; count < 10; count += 1)
    expect(await workspace.acts.command(typed)).toEqual({ ok: true })
  expect(requests).toHaveLength(10)
  await expect.poll(() => slack.connection().sockets, { timeout: patienceMs }).toBe(2)
  expect(slack.connection()).toEqual({ ready: true, sinceMs, sockets: 2 })
})

test.each(['refresh_requested', 'warning', 'link_disabled'] as const)(
  'a socket that is told to go (%s) leaves no hole',
  async (reason) => {
    const { workspace, slack, requests, logger } = await withTwo()
    await workspace.acts.disconnect({ reason, which: 'one' })
    await expect.poll(() => logger.events()).toContain('socket:lost')
    for (let count = 0; count < 5; count += 1)
      expect(await workspace.acts.command(typed)).toEqual({ ok: true })
    expect(requests).toHaveLength(5)
    expect(slack.connection().ready).toBe(true)
    await expect.poll(() => workspace.sockets(), { timeout: patienceMs }).toBe(2)
  },
)

test('both are lost and the next are refused: the bot is not ready, tries again, and then is', async () => {
  const { workspace, slack, logger } = await withTwo()
  await workspace.acts.socketFault({ kind: 'refuse_upgrade', times: 2 })
  await workspace.acts.cut({ which: 'all' })
  await expect.poll(() => slack.connection()).toMatchObject({ ready: false, sockets: 0 })
  await expect.poll(() => slack.connection().sockets, { timeout: patienceMs }).toBe(2)
  expect(logger.events()).toContain('socket:failed')
})

test('an API that gives no address is asked again, and the first socket stays', async () => {
  const { workspace, slack } = await inboundTown({ secondSocketAfterMs: 200 })
  await workspace.acts.fault({
    method: 'apps.connections.open',
    effect: { kind: 'status', status: 500 },
    times: 1,
  })
  await expect.poll(() => slack.connection().sockets, { timeout: patienceMs }).toBe(2)
})

test('one blip while the first socket is opened does not end the start', async () => {
  const effect = { kind: 'status', status: 500 } as const
  const { slack, logger } = await inboundTown({
    before: (workspace) => workspace.acts.fault({ method: 'apps.connections.open', effect }),
  })
  await expect
    .poll(() => slack.connection(), { timeout: patienceMs })
    .toMatchObject({ ready: true, sockets: 1 })
  expect(logger.events()).toContain('slack:sdk')
})

test('when it stops, no socket is left', async () => {
  const { workspace, slack } = await withTwo()
  await slack.stop()
  await expect.poll(() => workspace.sockets()).toBe(0)
  expect(slack.connection()).toMatchObject({ ready: false, sockets: 0 })
})

test('when it stops, what is being answered is still answered', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<null>()
  const { workspace, slack, answers } = await inboundTown({
    handle: async () => {
      await slow
      return { kind: 'cancelled' }
    },
  })
  await workspace.acts.command(typed)
  const stopping = slack.stop()
  await expect.poll(() => workspace.sockets()).toBe(0)
  resolve(null)
  await stopping
  expect(answers('ana')).toHaveLength(1)
})
