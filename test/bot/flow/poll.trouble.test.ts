/** Two volumes of one server, whose alerts differ by their labels alone: neither is ever taken for the other. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { someDetails } from '../../support/delivery-world.ts'
import { minuteMs } from '../../support/expiry-world.ts'
import { cards, type PollWorld, polledWorld, states } from '../../support/poll-world.ts'

const forms = ['flip', 'pair'] as const
/** As a rule without the volume in its summary makes them. */
const full = { hostname: 'web-1', plugin: 'DiskFull', metric: 'DiskFull', title: 'Disk is full', value: 91 }

const volume = (name: string, over: Partial<AlertRecord> = {}): Partial<AlertRecord> => ({
  ...full,
  details: someDetails({ labels: { alertname: 'DiskFull', device: name }, trouble: `t_${name}` }),
  ...over,
})

/** It opens, stays so for two minutes, and closes. */
async function flap({ service, tick, clock }: PollWorld, about: Partial<AlertRecord>): Promise<string> {
  const alertId = service.open(about)
  await tick()
  clock.advance(2 * minuteMs)
  service.close(alertId)
  await tick(2)
  clock.advance(2 * minuteMs)
  return alertId
}

describe.each(forms)('in %s form', (form) => {
  test('a volume that flaps stays on its card, and another volume gets its own and no history of it', async () => {
    const world = await polledWorld({ form })
    await flap(world, volume('sda1'))
    const second = await flap(world, volume('sda1'))
    await world.said()
    const [third, other] = [world.service.open(volume('sda1')), world.service.open(volume('sdb1'))]
    await world.tick()
    const shown = await cards(world)
    expect(states(shown).toSorted()).toEqual([`post ${other} open`, `update ${third} open`])
    expect(shown.find(({ task }) => task === 'update')).toMatchObject({ cardId: `alert:${second}:C1` })
    expect(shown.find(({ task }) => task === 'post')?.view).toMatchObject({
      flaps: null,
      timesThisWeek: 1,
      lastTime: null,
    })
  })

  test('a pod that comes back under another name, with the same trouble, stays on its card', async () => {
    const world = await polledWorld({ form })
    await flap(world, volume('web', { hostname: 'pay/web-1a' }))
    const second = await flap(world, volume('web', { hostname: 'pay/web-2b' }))
    await world.said()
    const third = world.service.open(volume('web', { hostname: 'pay/web-3c' }))
    await world.tick()
    const [job, ...none] = await cards(world)
    expect(none).toEqual([])
    expect(job).toMatchObject({ task: 'update', cardId: `alert:${second}:C1` })
    expect(job?.view).toMatchObject({ alert: { alertId: third }, flaps: { times: 2 }, timesThisWeek: 3 })
  })

  test('the end of one volume does not close the other', async () => {
    const world = await polledWorld({ form })
    const [one, other] = [world.service.open(volume('sda1')), world.service.open(volume('sdb1'))]
    await world.tick()
    await world.said()
    world.service.close(one)
    await world.tick(2)
    expect(await world.store.recallByIds([one])).toMatchObject([{ state: 'closed' }])
    expect(await world.store.recallByIds([other])).toMatchObject([{ state: 'open' }])
    world.service.close(other)
    await world.tick(2)
    expect(await world.store.recallByIds([other])).toMatchObject([{ state: 'closed' }])
  })

  test('an alert from before the service named troubles takes the name up without a word, and closes', async () => {
    const world = await polledWorld({ form })
    const alertId = world.service.open(full)
    await world.tick()
    expect(await world.said()).toEqual([`post ${alertId} open`])
    world.service.change(alertId, volume('sda1'))
    expect(await world.saidAfter(1)).toEqual([`update ${alertId} open`])
    expect(await world.store.recallByIds([alertId])).toMatchObject([{ details: { trouble: 't_sda1' } }])
    world.service.close(alertId)
    expect(await world.saidAfter(2)).toEqual([`update ${alertId} closed`])
  })

  test('what closed before the service named troubles is counted, and takes nothing on its card', async () => {
    const world = await polledWorld({ form })
    await flap(world, full)
    const last = await flap(world, full)
    await world.said()
    const named = world.service.open(volume('sda1'))
    await world.tick()
    const [job, ...none] = await cards(world)
    expect(none).toEqual([])
    expect(job).toMatchObject({ task: 'post', cardId: `alert:${named}:C1` })
    expect(job?.view).toMatchObject({ timesThisWeek: 3, lastTime: { alert: { alertId: last } } })
  })
})

test('in pair form, an end without a name closes what has one by its words', async () => {
  const world = await polledWorld({ form: 'pair' })
  const alertId = world.service.open(volume('sda1'))
  await world.tick()
  await world.said()
  world.service.change(alertId, { details: undefined })
  world.service.close(alertId)
  expect(await world.saidAfter(2)).toEqual([`update ${alertId} closed`])
})

test('a record that says everything but the name of its trouble does not take it back', async () => {
  const world = await polledWorld()
  const alertId = world.service.open(volume('sda1'))
  await world.tick()
  await world.said()
  world.service.change(alertId, { details: someDetails({ labels: { device: 'sda1' } }) })
  expect(await world.saidAfter(1)).toEqual([`update ${alertId} open`])
  expect(await world.store.recallByIds([alertId])).toMatchObject([
    { details: { trouble: 't_sda1', labels: { device: 'sda1' } } },
  ])
})

test('three volumes that opened once each are no alert that flaps', async () => {
  const world = await polledWorld()
  const flaps = async (names: readonly string[]) => {
    for (const name of names) {
      await flap(world, volume(name))
      // Shown, so that no storm comes of them.
      await world.said()
    }
  }
  await flaps(['sda1', 'sdb1', 'sdc1'])
  expect((await world.store.unrest(0)).flaps).toEqual([])
  await flaps(['sda1', 'sda1'])
  expect((await world.store.unrest(0)).flaps).toMatchObject([{ plugin: 'DiskFull', times: 3 }])
})
