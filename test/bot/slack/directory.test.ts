/** What Slack knows of people: asked once, kept a while, and never trusted too long. */
import { WebClient } from '@slack/web-api'
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { openDirectory } from '../../../src/bot/slack/directory.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { neighbour } from '../../workspace/neighbour.ts'

async function directory() {
  const { workspace } = await neighbour()
  const client = new WebClient(workspace.botToken, {
    slackApiUrl: workspace.apiUrl,
    retryConfig: { retries: 0 },
  })
  const clock = manualClock()
  const calls = (method: string) =>
    workspace.events.since(0).filter(({ event }) => event.type === 'api_call' && event.method === method)
      .length
  const fails = (method: string) =>
    workspace.acts.fault({ method, effect: { kind: 'status', status: 503 }, times: null })
  return { ...openDirectory(client, clock), workspace, clock, calls, fails }
}

const minuteMs = 60_000

test('a zone is asked for once, also by several at once, and again after five minutes', async () => {
  const { zoneOf, calls, clock } = await directory()
  expect(await Promise.all([zoneOf('U0CLEO0001'), zoneOf('U0CLEO0001')])).toEqual([
    'Asia/Tokyo',
    'Asia/Tokyo',
  ])
  expect(calls('users.info')).toBe(1)
  clock.advance(4 * minuteMs)
  await zoneOf('U0CLEO0001')
  expect(calls('users.info')).toBe(1)
  clock.advance(2 * minuteMs)
  await zoneOf('U0CLEO0001')
  expect(calls('users.info')).toBe(2)
})

test('while Slack fails, a zone that was known holds for an hour', async () => {
  const { zoneOf, clock, fails } = await directory()
  await zoneOf('U0ANA00001')
  await fails('users.info')
  clock.advance(50 * minuteMs)
  expect(await zoneOf('U0ANA00001')).toBe('Europe/Lisbon')
  clock.advance(20 * minuteMs)
  await expect(zoneOf('U0ANA00001')).rejects.toThrow('Slack could not look up a person: http_503')
})

test('while Slack fails, nobody is known to be in a group', async () => {
  const { membersOf, clock, fails } = await directory()
  expect([...(await membersOf('S0ONCALL01'))]).toEqual(['U0ANA00001', 'U0CLEO0001'])
  await fails('usergroups.users.list')
  clock.advance(4 * minuteMs)
  expect((await membersOf('S0ONCALL01')).size).toBe(2)
  clock.advance(2 * minuteMs)
  await expect(membersOf('S0ONCALL01')).rejects.toBeInstanceOf(OutsideFailure)
})

test('a group that is not there is a failure with its reason, and is asked for again', async () => {
  const { membersOf, calls } = await directory()
  await expect(membersOf('S0NOBODY')).rejects.toThrow('no_such_subteam')
  await expect(membersOf('S0NOBODY')).rejects.toThrow('no_such_subteam')
  expect(calls('usergroups.users.list')).toBe(2)
})

test('a clock that was set back does not let somebody who left a group act for a day longer', async () => {
  const { membersOf, calls, clock } = await directory()
  await membersOf('S0ONCALL01')
  clock.set(-24 * 60 * minuteMs)
  await membersOf('S0ONCALL01')
  expect(calls('usergroups.users.list')).toBe(2)
})
