/** Faults at Slack that end by the clock, so that a rate limit of thirty seconds needs nobody who comes back to end it. */
import { afterEach, expect, test } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'

let workspace: Workspace
let nowMs = 1_800_000_000_000
afterEach(() => workspace.close())

const post = async (): Promise<number> => {
  const answer = await fetch(`${workspace.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.botToken}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ channel: workspace.channel('alerts').id, text: 'hello' }),
  })
  await answer.body?.cancel()
  return answer.status
}

test('a rate limit of 30 seconds is over after 30 seconds, and says so', async () => {
  workspace = await openWorkspace({ nowMs: () => nowMs, limits: 'off' })
  await workspace.acts.fault({
    method: 'chat.postMessage',
    times: null,
    seconds: 30,
    effect: { kind: 'ratelimited', retryAfterSeconds: 10 },
  })
  expect(await post()).toBe(429)
  nowMs += 29_000
  expect(await post()).toBe(429)
  nowMs += 1_000
  await expect.poll(post).toBe(200)
  expect(workspace.events.since(0).map(({ event }) => event.type)).toContain('fault_cleared')
})

test('a fault that was used up before its time ends without a word', async () => {
  workspace = await openWorkspace({ nowMs: () => nowMs, limits: 'off' })
  const effect = { kind: 'ratelimited', retryAfterSeconds: 1 } as const
  await workspace.acts.fault({ method: 'chat.postMessage', seconds: 30, effect })
  await workspace.acts.fault({ method: 'chat.update', times: null, seconds: 31, effect })
  expect(await post()).toBe(429)
  expect(await post()).toBe(200)
  nowMs += 31_000
  const cleared = () => workspace.events.since(0).filter(({ event }) => event.type === 'fault_cleared').length
  await expect.poll(cleared).toBeGreaterThan(0)
  expect(cleared()).toBe(1)
})
