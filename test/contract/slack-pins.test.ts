/** Pins in the local Slack, by the bot and by people, with Slack's own words for what cannot be. */
import { expect, test } from 'vitest'
import { inboundTown } from '../support/inbound.ts'
import { neighbour } from '../workspace/neighbour.ts'

test('the bot pins a message of a channel, which counts once, and takes the pin away', async () => {
  const { slack, workspace, post } = await inboundTown()
  const at = { channel: workspace.channel('alerts').id, ts: await post() }
  const pinned = () => workspace.messages('alerts').map(({ pinned_to }) => pinned_to)
  await slack.chat.pin(at)
  await slack.chat.pin(at)
  expect(pinned()).toEqual([[at.channel]])
  await workspace.acts.pin({ user: 'ana', ...at, pinned: false })
  expect(pinned()).toEqual([undefined])
  await slack.chat.unpin(at)
  await slack.chat.unpin({ ...at, ts: '1700000000.000001' })
  await expect(slack.chat.pin({ ...at, ts: '1700000000.000001' })).rejects.toMatchObject({
    code: 'message_not_found',
  })
})

test('what cannot be pinned is refused as Slack refuses it', async () => {
  const { call, workspace } = await neighbour()
  const channel = workspace.channel('alerts').id
  const error = async (args: Record<string, string>) => (await call('pins.add', args)).error
  expect(await error({ channel })).toBe('no_item_specified')
  expect(await error({ channel, timestamp: 'now' })).toBe('bad_timestamp')
  expect(await error({ channel: 'C0NONE', timestamp: '1700000000.000001' })).toBe('channel_not_found')
  const random = workspace.channel('random').id
  expect(await error({ channel: random, timestamp: '1700000000.000001' })).toBe('not_in_channel')
  const { ts } = (await call('chat.postMessage', { channel, text: 'hello' })) as unknown as { ts: string }
  expect(await error({ channel, timestamp: ts })).toBeUndefined()
  expect(await error({ channel, timestamp: ts })).toBe('already_pinned')
  expect((await call('pins.remove', { channel, timestamp: ts })).error).toBeUndefined()
  expect((await call('pins.remove', { channel, timestamp: ts })).error).toBe('no_pin')
  const bare = await neighbour({ scopes: ['chat:write'] })
  expect(await bare.call('pins.add', { channel, timestamp: ts })).toMatchObject({
    error: 'missing_scope',
    needed: 'pins:write',
  })
})
