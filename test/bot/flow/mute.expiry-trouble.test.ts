/** Mutes end though the API refuses, hangs or cannot be read, and though the process was gone: each test is the sentence of a bug. */
import { expect, test } from 'vitest'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Store } from '../../../src/bot/flow/ports/store.ts'
import { anAlert, closing, letPass } from '../../support/delivery-world.ts'
import { expiryWorld, hourMs, minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'

const reminderAfterMs = 15 * minuteMs

test('a mute whose end the API keeps refusing hid alerts for ever, and nobody was told', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  const before = town.service.open({ hostname: 'web-1' })
  await town.pass(10)
  town.fails('rejected')
  await town.pass(7)
  const jobs = await cards(town)
  expect(jobs.map(({ cardId }) => cardId)).toContain(`alert:${before}:C1`)
  const [told, ...none] = jobs
    .map(({ view }) => view)
    .flatMap((view) => (view.kind === 'notice' && view.topic === 'change_notice' ? [view] : []))
  expect(none).toEqual([])
  expect(told?.entry).toMatchObject({ act: 'end_mute', outcome: 'failed', hostname: 'web-1', userId: null })
  const after = town.service.open({ hostname: 'web-1', metric: 'later' })
  await town.pass(90)
  // The other open card of the server says so.
  expect(await town.said()).toEqual([`post ${after} open`, 'update 1 open'])
  town.fails(null)
  await town.pass(2)
  expect(await town.said()).toContain('post mute_ended')
})

test('a failure or two at the deadline is no reason to tell that the API does not let a mute end', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(14)
  town.fails('unreachable')
  await letPass(town.clock, minuteMs + 1_500)
  expect(town.calls.length).toBeGreaterThan(1)
  town.fails(null)
  await town.pass(1)
  expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post mute_ended'])
})

test('a restart called people for what had closed long ago', async () => {
  const town = await runningWorld({ reminderAfterMs })
  await town.mute('web-1', 60)
  const hidden = town.service.open({ hostname: 'web-1' })
  const shown = town.service.open({ hostname: 'web-2' })
  await town.poll()
  await town.said()
  await town.dies()
  for (const alertId of [hidden, shown]) town.service.close(alertId)
  town.clock.advance(8 * hourMs)
  town.start()
  await letPass(town.clock, 10_000)
  expect(await town.said()).toEqual([])
  await town.poll()
  await letPass(town.clock, minuteMs)
  const jobs = await cards(town)
  expect(jobs.map(({ cardId }) => cardId.split(':')[0]).sort()).toEqual(['alert', 'mute_ended'])
  expect(jobs.map(({ view }) => view).find(({ kind }) => kind === 'mute_ended')).toMatchObject({ open: [] })
})

test('an API that cannot be read keeps no mute from ending after a restart', async () => {
  const town = await expiryWorld()
  await town.mute('web-1', 5)
  await town.mute('web-2', 15, { startedMs: town.clock.nowMs() - hourMs })
  town.service.open({ hostname: 'web-1' })
  town.start()
  await town.pass(7, { outage: true })
  expect(town.calls).toEqual(['web-1 on'])
  // Nobody is asked about web-2 on the ground of what was known long ago.
  expect(await town.said()).toEqual(['post mute_ended'])
})

test('servers that hang for ever kept another mute from ending', async () => {
  const town = await runningWorld()
  const { store, clock } = town
  for (let n = 0; n < 40; n += 1) {
    await town.mute(`hung-${n}`, 5)
    town.stalls(`hung-${n}`)
  }
  await town.mute('good', 6)
  let minutes = 0
  while ((await store.mutes()).mutes.some(({ subject: hostname }) => hostname === 'good') && minutes < 30) {
    await letPass(clock, minuteMs)
    minutes += 1
  }
  // Who stops waits for the calls that are under way.
  const stopping = town.dies()
  await letPass(clock, 20_000)
  await stopping
  expect(minutes).toBeLessThan(10)
})

test('a mute until healthy ended at once when the last to close was older than 200 closed ones', async () => {
  const town = await runningWorld()
  const { store, clock } = town
  const ago = (minutes: number) => clock.nowMs() - minutes * minuteMs
  const old = anAlert('old', { hostname: 'web-1', startedMs: ago(3 * 24 * 60) })
  const younger = Array.from({ length: 201 }, (_, n) =>
    anAlert(`n${n}`, { hostname: 'web-1', startedMs: ago(60), state: 'closed', closedMs: ago(50) }),
  )
  const alerts = [old, ...younger].map((alert) => ({ alert, was: null }))
  await store.commit({ ...emptyPlan(clock.nowMs()), alerts })
  const since = { termsMs: ago(40), startedMs: ago(40) }
  await town.mute('web-1', 24 * 60, { mode: 'healthy', ...since } satisfies Partial<Mute>)
  await store.commit(closing(old, clock.nowMs()))
  await town.pass(2)
  expect(town.calls).toEqual([])
})

test('a sweep that was stale because another mute began was not done again', async () => {
  const town = await runningWorld()
  const mute = await town.mute('web-1', 60)
  let commits = 0
  let alertId = ''
  const over: Store = {
    ...town.store,
    commit: async (plan) => {
      commits += 1
      if (commits === 1) {
        alertId = town.service.open({ hostname: 'web-1' })
        await town.poll()
      }
      if (commits === 4) await town.mute('db-9', null)
      return town.store.commit(plan)
    },
  }
  await town.parts(over).unmutes(mute)
  expect(await town.said()).toContain(`post ${alertId} open`)
})
