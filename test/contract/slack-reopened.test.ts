/** Slack tells when a channel takes cards again, and only then. */
import { expect, test } from 'vitest'
import { inboundTown } from '../support/inbound.ts'

async function town() {
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
  const { acts, reopened, logger } = await town()
  await acts.archive({ channel })
  await acts.archive({ channel, archived: false })
  await expect.poll(() => reopened).toEqual([id])
  expect(logger.events()).toContain('channel:reopened')
})

test('the bot was put out of a channel, and is invited again; others who come and go are no news', async () => {
  const { acts, reopened } = await town()
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
