/** Reminders of alerts that nobody acknowledged: late enough, once, and not about what is muted. */
import { expect, test } from 'vitest'
import { emptyPlan } from '../../src/domain/plan.ts'
import { expiryWorld, minuteMs, runningWorld } from '../support/expiry-world.ts'
import { cards } from '../support/poll-world.ts'

const reminderAfterMs = 15 * minuteMs

test('an alert that nobody acknowledged is told of once more in its thread, once', async () => {
  const town = await runningWorld({ reminderAfterMs })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  await town.pass(14)
  expect(await town.said()).toEqual([])
  await town.pass(2)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job).toMatchObject({ parentTs: '1.1', view: { kind: 'reminder', alerts: [{ alertId }] } })
  await town.pass(60)
  expect(await town.said()).toEqual([])
  expect(await town.audit()).toEqual([])
})

test('not one that somebody acknowledged', async () => {
  const town = await runningWorld({ reminderAfterMs })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  const [alert] = await town.store.recallByIds([alertId])
  if (alert === undefined) throw new Error('the alert was just there')
  const acked = { ...alert, ackedBy: 'U1', ackedMs: town.clock.nowMs(), version: alert.version + 1 }
  await town.store.commit({
    ...emptyPlan(town.clock.nowMs()),
    alerts: [{ alert: acked, was: alert.version }],
  })
  await town.said()
  await town.pass(60)
  expect(await town.said()).toEqual([])
})

test('time under a mute does not count: people had no reason to look', async () => {
  const town = await runningWorld({ reminderAfterMs })
  town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.mute('web-1', 19)
  await town.pass(20)
  const atTheEnd = await town.said()
  expect(atTheEnd).toContain('post mute_ended')
  expect(atTheEnd).not.toContain('post reminder')
  await town.pass(16)
  expect(await town.said()).toContain('post reminder')
})

test('an alert that was open long before monbot saw it gets its time as well', async () => {
  const town = await expiryWorld({ reminderAfterMs })
  town.service.open({ hostname: 'web-1' })
  town.clock.advance(24 * 60 * minuteMs)
  await town.poll()
  town.start()
  await town.pass(14)
  expect(await town.said()).toEqual(['post 1 open'])
  await town.pass(2)
  expect(await town.said()).toEqual(['post reminder'])
})

test('after many alerts reminders come a few at a time: new alerts wait behind each of them', async () => {
  const town = await runningWorld({ reminderAfterMs })
  // Three at a time, each of which gets a card of its own.
  for (let n = 0; n < 30; n += 3) {
    for (const hostname of [n, n + 1, n + 2]) town.service.open({ hostname: `web-${hostname}` })
    await town.poll()
    expect(await town.said()).toHaveLength(3)
  }
  await town.pass(16)
  const first = (await town.said()).length
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThanOrEqual(20)
  await town.pass(3)
  expect(first + (await town.said()).length).toBe(30)
})

test('switched off, nothing is reminded of', async () => {
  const town = await runningWorld({ reminderAfterMs: null })
  town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.said()
  await town.pass(120)
  expect(await town.said()).toEqual([])
})

test('alerts that were told in a summary were never reminded of', async () => {
  const town = await expiryWorld({ reminderAfterMs })
  for (const metric of ['a', 'b', 'c', 'd']) town.service.open({ hostname: 'web-1', metric })
  await town.poll()
  town.start()
  expect(await town.said()).toContain('post summary 4')
  await town.pass(16)
  const [job, ...none] = await cards(town)
  expect(none).toEqual([])
  expect(job?.view.kind === 'reminder' && job.view.alerts).toHaveLength(4)
  expect(job?.parentTs).not.toBeNull()
  await town.pass(90)
  expect(await town.said()).toEqual([])
})
