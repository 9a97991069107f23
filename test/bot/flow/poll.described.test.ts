/** What an alert's author wrote about it: on its card, whole in the thread where the card has no room, and edited rarely. */
import { describe, expect, test } from 'vitest'
import { someDetails } from '../../support/delivery-world.ts'
import { cards, polledWorld, states } from '../../support/poll-world.ts'

const sentence = 'The volume of the database is nearly full, which stops all writes. '
const long = someDetails({ description: sentence.repeat(4) })
const short = someDetails({ description: sentence })

describe('in the thread', () => {
  test('stands the whole of a long one, once, and no word of a short one', async () => {
    const world = await polledWorld()
    const [first, second] = [world.service.open({ details: long }), world.service.open({ details: short })]
    await world.tick()
    expect((await world.said()).toSorted()).toEqual(
      [`post ${first} open`, `post ${second} open`, 'post description'].toSorted(),
    )
    world.service.close(first)
    world.service.close(second)
    expect((await world.saidAfter(2)).toSorted()).toEqual([
      `update ${first} closed`,
      `update ${second} closed`,
    ])
  })

  test('it comes after its card, and not without one', async () => {
    const world = await polledWorld()
    const alertId = world.service.open({ details: long })
    await world.tick()
    const { store, clock } = world
    const card = await store.nextJob('C1', clock.nowMs() + 60_000, ['post', 'update'])
    expect(card?.cardId).toBe(`alert:${alertId}:C1`)
    await store.settle(`alert:${alertId}:C1`, { state: 'shown', ts: '1.1', shown: 1 })
    const [reply, ...none] = await cards({ store, clock })
    expect(none).toEqual([])
    expect(reply).toMatchObject({ parentTs: '1.1', view: { topic: 'description', alert: { alertId } } })
  })

  test('nothing stands of what was over before anybody was told, or of what is on a list', async () => {
    const world = await polledWorld()
    const passed = world.service.open({ details: long })
    world.service.close(passed)
    expect(await world.saidAfter(2)).toEqual([`post ${passed} closed`])
    for (let n = 0; n < 5; n += 1) world.service.open({ details: long })
    expect(await world.saidAfter(1)).toEqual(['post storm 5', 'post page 5'])
  })

  test('what waits for its card goes with it into a storm', async () => {
    const world = await polledWorld()
    for (let n = 0; n < 2; n += 1) world.service.open({ metric: 'm', details: long })
    await world.tick()
    for (let n = 0; n < 4; n += 1) world.service.open({ metric: 'm', details: long })
    expect(await world.saidAfter(1)).toEqual(['post storm 6', 'post page 6'])
  })
})

describe('a description', () => {
  const at = (words: string) => ({ details: someDetails({ description: words }) })

  test.each([
    [
      'that has another value',
      '/data is 91.2 % full, since 3m.',
      '/data is 97 % full, since 1h 2m 3s.',
      false,
    ],
    ['that grew to its limit', `${sentence.repeat(4)}91.2 %`, `${sentence.repeat(4)}100 % of it, and`, false],
    ['that has other words', '/data is 91 % full.', '/data is 91 % full, and nobody cares.', true],
    ['that is gone', '/data is 91 % full.', '', true],
    ['of values alone', '91.2', '91.3', true],
  ])('%s', async (_, before, after, isTold) => {
    const world = await polledWorld()
    const alertId = world.service.open(at(before))
    await world.tick()
    await world.said()
    world.service.change(alertId, at(after))
    expect(await world.saidAfter(1)).toEqual(isTold ? [`update ${alertId} open`] : [])
    expect((await world.tick()).changes).toBe(0)
  })
})

test('labels, links and limits that come with an upgrade are taken up by an edit of the card', async () => {
  const world = await polledWorld()
  const alertId = world.service.open()
  await world.tick()
  await world.said()
  const details = someDetails({
    labels: { namespace: 'pay' },
    links: [{ text: 'Runbook', url: 'https://wiki.example/' }],
    limit: { value: 90, side: 'high' },
    units: '%',
    canMute: true,
  })
  world.service.change(alertId, { details })
  await world.tick()
  const shown = await cards(world)
  expect(states(shown)).toEqual([`update ${alertId} open`])
  expect(shown[0]?.view).toMatchObject({ alert: { details } })
  expect(await world.saidAfter(1)).toEqual([])
})
