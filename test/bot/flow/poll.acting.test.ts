/** Polls where people have muted and servers flap: what gets a card, what goes on one that is there, and which pictures. */
import { describe, expect, test } from 'vitest'
import type { Route } from '../../../src/bot/domain/alert/match.ts'
import { episodesMax } from '../../../src/bot/domain/delivery/picture.ts'
import { expiryWorld, minuteMs } from '../../support/expiry-world.ts'
import { cards, polledWorld, type pollWorld, states } from '../../support/poll-world.ts'

const subject = { hostname: 'web-1', metric: 'm1' }

/** An alert that opens and closes again; each state lasts `minutes`. */
async function flap(
  town: Awaited<ReturnType<typeof pollWorld>>,
  minutes: number,
  over: Parameters<typeof town.service.open>[0] = {},
): Promise<string> {
  const alertId = town.service.open({ ...subject, ...over })
  await town.tick()
  town.clock.advance(minutes * minuteMs)
  town.service.close(alertId)
  await town.tick(2)
  town.clock.advance(minutes * minuteMs)
  return alertId
}

describe.each(['flip', 'pair'] as const)('flaps, in the %s form', (form) => {
  test('the third time and later the alert goes on the card that it had', async () => {
    const town = await polledWorld({ form })
    const [first, second] = [await flap(town, 2), await flap(town, 2)]
    expect(await town.said()).toEqual([`post ${first} closed`, `post ${second} closed`])
    const third = town.service.open(subject)
    await town.tick()
    const [job, ...none] = await cards(town)
    expect(none).toEqual([])
    expect(job).toMatchObject({ task: 'update', cardId: `alert:${second}:C1` })
    expect(job?.view).toMatchObject({ alert: { alertId: third, state: 'open' }, flaps: { times: 2 } })
    town.service.close(third)
    expect(await town.saidAfter(2)).toEqual([`update ${third} closed`])
  })

  test('after ten minutes of calm it is news', async () => {
    const town = await polledWorld({ form })
    await flap(town, 2)
    await flap(town, 2)
    await town.said()
    town.clock.advance(10 * minuteMs)
    const third = town.service.open(subject)
    expect(await town.saidAfter(1)).toEqual([`post ${third} open`])
  })

  test('another metric of the same server gets a card of its own', async () => {
    const town = await polledWorld({ form })
    await flap(town, 2)
    await flap(town, 2)
    await town.said()
    const other = town.service.open({ ...subject, metric: 'm2' })
    expect(await town.saidAfter(1)).toEqual([`post ${other} open`])
  })
})

describe('after two warnings of /tmp', () => {
  const warning = { title: 'WARNING: /tmp is 91 % full', value: 91 }

  async function warned(form: 'flip' | 'pair' = 'flip') {
    const town = await polledWorld({ form })
    await flap(town, 2, warning)
    const last = await flap(town, 2, warning)
    await town.said()
    return { town, last }
  }

  test.each([
    ['a critical alert of the same metric', { title: 'CRITICAL: /tmp is 97 % full', value: 97 }],
    ['a warning of /var', { title: 'WARNING: /var is 91 % full', value: 91 }],
    ['an alert of another trigger', { ...warning, triggerId: '7' }],
  ])('%s is posted, so that somebody is notified', async (_, over) => {
    const { town } = await warned()
    const other = town.service.open({ ...subject, ...over })
    await town.tick()
    const posted = await cards(town)
    expect(states(posted)).toEqual([`post ${other} open`])
    expect(posted[0]?.view).toMatchObject({ flaps: null, timesThisWeek: 1 })
  })

  test('a worse value of the same goes on the card that it had', async () => {
    const { town, last } = await warned()
    town.service.open({ ...subject, title: 'WARNING: /tmp is 97 % full', value: 97 })
    await town.tick()
    const [job] = await cards(town)
    expect(job).toMatchObject({ task: 'update', cardId: `alert:${last}:C1`, view: { timesThisWeek: 3 } })
  })

  test('an alert that calls somebody since the routes were changed is posted', async () => {
    const routes: Route[] = [{ match: { title: '*97*' }, channel: 'C1', mention: '<!subteam^S1>' }]
    const town = await polledWorld({ routes })
    await flap(town, 2, warning)
    await flap(town, 2, warning)
    await town.said()
    const worse = town.service.open({ ...subject, title: 'WARNING: /tmp is 97 % full', value: 97 })
    expect(await town.saidAfter(1)).toEqual([`post ${worse} open`])
  })
})

describe('under a mute', () => {
  test('nothing new is posted: not what opens, not what passes, no one-off', async () => {
    const town = await expiryWorld()
    await town.poll()
    await town.mute(null, 60)
    town.service.open({ hostname: 'web-1' })
    town.service.close(town.service.open({ hostname: 'web-2' }))
    town.service.oneoff()
    await town.pass(3)
    expect(await town.said()).toEqual([])
  })

  test('what the API has not confirmed yet hides from its decision on', async () => {
    const town = await expiryWorld()
    await town.poll()
    await town.mute('web-1', 60, { confirmation: 'waiting' })
    town.service.open({ hostname: 'web-1' })
    await town.poll()
    expect(await town.said()).toEqual([])
  })

  test('an alert that was told as over and comes back is as new, and hidden', async () => {
    const town = await expiryWorld()
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    await town.said()
    const [record] = (await town.service.monitor.alerts({ lifecycle: 'all', offset: 0 })).records
    await town.mute('web-1', 60)
    town.service.remove(alertId)
    await town.pass(3)
    expect(await town.said()).toEqual([`update ${alertId} closed`])
    town.service.open({ ...record })
    await town.pass(1)
    expect(await town.said()).toEqual([])
    expect(await town.store.openAlerts(null)).toMatchObject([{ alertId: `${alertId}~2` }])
  })
})

describe('pictures', () => {
  /** Cards are shown, so their pictures may follow. */
  async function wanted(town: Awaited<ReturnType<typeof pollWorld>>): Promise<string[]> {
    const found: string[] = []
    for (;;) {
      const { job } = await town.store.nextPicture(town.clock.nowMs())
      if (job === null) return found
      found.push(`${job.way} ${job.alert.alertId}`)
      await town.store.settlePicture(job.cardId, { state: 'failed' })
    }
  }

  test('an alert that closes gets the picture of the whole episode, and that of the moment when it is open again', async () => {
    const town = await polledWorld({ hasPast: true, images: 'auto' })
    const alertId = town.service.open(subject)
    await town.saidAfter(1)
    expect(await wanted(town)).toEqual([`chart ${alertId}`])
    const [record] = (await town.service.monitor.alerts({ lifecycle: 'all', offset: 0 })).records
    town.service.remove(alertId)
    await town.saidAfter(2)
    expect(await wanted(town)).toEqual([`episode ${alertId}`])
    town.service.open({ ...record })
    await town.saidAfter(1)
    expect(await wanted(town)).toEqual([`chart ${alertId}~2`])
  })

  test('one that opened and closed between two polls gets it too', async () => {
    const town = await polledWorld()
    town.service.close(town.service.open({ hostname: 'web-2' }))
    await town.saidAfter(2)
    expect(await wanted(town)).toEqual(['episode 1'])
  })

  test('the end of many alerts at once draws a few and leaves the rest', async () => {
    const town = await polledWorld()
    const ids: string[] = []
    while (ids.length < 60) {
      for (const n of [1, 2, 3]) ids.push(town.service.open({ hostname: `web-${ids.length}-${n}` }))
      await town.tick()
      expect(await cards(town)).toHaveLength(3)
    }
    for (const id of ids) town.service.close(id)
    await town.saidAfter(1)
    expect(await wanted(town)).toHaveLength(episodesMax)
  })

  test('switched off there are none', async () => {
    const town = await polledWorld({ images: 'off' })
    await flap(town, 2)
    await town.said()
    expect(await wanted(town)).toEqual([])
  })
})

test('a flap was folded into a card that Slack had refused', async () => {
  const town = await polledWorld()
  let last = ''
  for (let n = 0; n < 4; n += 1) {
    last = town.service.open({ hostname: 'web-1', metric: 'm' })
    await town.tick()
    const job = await town.store.nextJob('C1', town.clock.nowMs() + 2_000, ['post'])
    if (job !== null) await town.store.settle(job.cardId, { state: 'dead', why: 'invalid_blocks' })
    if (n === 3) break
    town.service.close(last)
    await town.tick()
  }
  expect((await town.store.cardsOf([last])).map(({ cardId }) => cardId)).toEqual([`alert:${last}:C1`])
})
