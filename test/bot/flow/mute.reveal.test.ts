/** What a mute hides is told when it is over, once, if it is still open: polls and ends of mutes, also at the same time. */
import { describe, expect, test } from 'vitest'
import { openPoll } from '../../../src/bot/flow/poll/poll.ts'
import { openRoleBook } from '../../../src/bot/flow/poll/roles.ts'
import type { Store } from '../../../src/bot/flow/ports/store.ts'
import { openAlertSource } from '../../../src/bot/monitor/listing/source.ts'
import { expiryWorld, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'

test('an alert that opened under a mute gets its card when the mute ends, and only then, and once', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.pass(14)
  expect(await town.said()).toEqual([])
  await town.pass(1)
  expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post mute_ended'])
  await town.pass(30)
  expect(await town.said()).toEqual([])
})

test('one that opened and closed under it is never posted, and is counted', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  const closed = town.service.open({ hostname: 'web-1', metric: 'm1' })
  const open = town.service.open({ hostname: 'web-1', metric: 'm2' })
  await town.pass(5)
  town.service.close(closed)
  await town.pass(5)
  expect(await town.said()).toEqual([])
  await town.pass(6)
  const jobs = await cards(town)
  const view = jobs.map((job) => job.view).find(({ kind }) => kind === 'mute_ended')
  expect(view).toMatchObject({ hidden: 2, closed: 1, open: [{ alertId: open }] })
  expect(jobs.map(({ cardId }) => cardId)).not.toContain(`alert:${closed}:C1`)
})

test('a close passes through a mute, and so does what other servers do', async () => {
  const town = await expiryWorld()
  const before = town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.said()
  await town.mute('web-1', 60)
  town.service.close(before)
  const other = town.service.open({ hostname: 'web-2' })
  await town.pass(2)
  expect((await town.said()).sort()).toEqual([`post ${other} open`, `update ${before} closed`])
})

test('more than three that are still open are told in a summary, as after an absence', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  for (const metric of ['a', 'b', 'c', 'd']) town.service.open({ hostname: 'web-1', metric })
  await town.pass(16)
  expect((await town.said()).sort()).toEqual(['post mute_ended', 'post page 4', 'post summary 4'])
})

test('what it hid and what still waits for Slack are one summary', async () => {
  const town = await runningWorld()
  await town.mute('web-1', 15)
  for (const hostname of ['web-1', 'web-2']) {
    for (const metric of ['m1', 'm2']) town.service.open({ hostname, metric })
  }
  await town.pass(16)
  expect((await town.said()).sort()).toEqual(['post mute_ended', 'post page 4', 'post summary 4'])
  expect(await town.store.cardsOfKind('alert')).toEqual([])
})

test('two mutes that end in the same millisecond lose nothing of what each hid', async () => {
  const town = await runningWorld()
  for (const hostname of ['web-1', 'web-2']) {
    await town.mute(hostname, 15)
    for (const metric of ['a', 'b', 'c', 'd']) town.service.open({ hostname, metric })
  }
  await town.pass(16)
  const told = (await town.said()).filter((said) => said.includes('summary'))
  expect(told).toEqual(['post summary 8'])
})

describe('a server under its own mute and the account’s', () => {
  test.each([
    ['its own ends first', 15, 30],
    ["the account's ends first", 30, 15],
  ])('is told of when the last of them ends: %s', async (_, ownMinutes, accountMinutes) => {
    const town = await runningWorld()
    await town.mute('web-1', ownMinutes)
    await town.mute(null, accountMinutes)
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.pass(16)
    expect(await town.said()).not.toContain(`post ${alertId} open`)
    await town.pass(15)
    expect(await town.said()).toContain(`post ${alertId} open`)
  })
})

test("the end of the account's mute tells of every server that it hid", async () => {
  const town = await runningWorld()
  await town.mute(null, 15)
  const ids = ['web-1', 'web-2'].map((hostname) => town.service.open({ hostname }))
  await town.pass(16)
  expect((await town.said()).sort()).toEqual([...ids.map((id) => `post ${id} open`), 'post mute_ended'])
})

test('a person who ends it is told of by name, and what it hid gets its card', async () => {
  const town = await expiryWorld()
  await town.poll()
  const mute = await town.mute('web-1', 60)
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  const ended = await town.parts().unmutes(mute)
  expect(ended.get('web-1')).toMatchObject({ kind: 'said' })
  expect(await town.store.muteById(mute.muteId)).toMatchObject({ state: 'ended' })
  expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post change_notice'])
  expect(await town.audit()).toEqual(['unmute_server done'])
})

test('when the API fails a person hears why, the mute goes on ending, and monbot finishes it', async () => {
  const town = await expiryWorld()
  await town.poll()
  const mute = await town.mute('web-1', 60)
  town.fails('unreachable')
  const answer = await town.parts().unmutes(mute)
  expect(answer.get('web-1')).toMatchObject({ kind: 'failed', failure: { message: 'the API said no' } })
  expect(await town.store.muteById(mute.muteId)).toMatchObject({ state: 'ended', confirmation: 'waiting' })
  town.fails(null)
  town.start()
  await town.pass(1)
  // Said again a minute after the request that got no clear answer.
  expect(town.calls).toEqual(['web-1 on', 'web-1 on', 'web-1 on'])
  expect(await town.audit()).toEqual(['unmute_server done'])
})

/** This memory, with something happening just before the first commit that is asked of it. */
function meanwhile(store: Store, happens: () => Promise<unknown>): Store {
  let hasHappened = false
  return {
    ...store,
    commit: async (plan) => {
      if (!hasHappened) {
        hasHappened = true
        await happens()
      }
      return store.commit(plan)
    },
  }
}

describe('at the same time', () => {
  test('a poll that hid an alert under a mute that ends meanwhile decides anew', async () => {
    const town = await expiryWorld()
    await town.poll()
    const mute = await town.mute('web-1', 60)
    const alertId = town.service.open({ hostname: 'web-1' })
    const store = meanwhile(town.store, () => town.parts().unmutes(mute))
    const ports = { ...town, monitor: town.service.monitor, store }
    const source = openAlertSource(ports, { lifecycle: 'auto', absenceMs: 3_600_000 })
    const roleBook = openRoleBook(ports)
    const poll = openPoll(
      { ...ports, source, roleBook },
      { routes: [], defaultChannel: 'C1', images: 'auto' },
    )
    await poll()
    expect(town.logger.events()).toContain('poll:stale')
    expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post change_notice'])
  })

  test('the end of a mute finds what a poll hid just before it was written', async () => {
    const town = await expiryWorld()
    await town.poll()
    const mute = await town.mute('web-1', 60)
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.parts(meanwhile(town.store, town.poll)).unmutes(mute)
    expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post change_notice'])
  })

  test('the last two mutes of a server end, and neither leaves its alerts to the other', async () => {
    const town = await expiryWorld()
    await town.poll()
    const own = await town.mute('web-1', 60)
    const account = await town.mute(null, 60)
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    const store = meanwhile(town.store, () => town.parts().unmutes(account))
    await town.parts(store).unmutes(own)
    expect((await town.said()).sort()).toEqual([
      `post ${alertId} open`,
      'post change_notice',
      'post change_notice',
    ])
  })

  test('what a crash left untold after a mute had ended is told at the next start', async () => {
    const town = await expiryWorld()
    await town.poll()
    const mute = await town.mute('web-1', 60)
    const alertId = town.service.open({ hostname: 'web-1' })
    await town.poll()
    await town.change(mute, {
      ...mute,
      state: 'ended',
      endedMs: town.clock.nowMs(),
      version: mute.version + 1,
    })
    town.start()
    await town.pass(1)
    expect(await town.said()).toEqual([`post ${alertId} open`])
  })
})

test('what happened once under a mute was told nowhere', async () => {
  const town = await runningWorld()
  await town.mute(null, 30)
  const alertId = town.service.oneoff()
  await town.pass(31)
  const views = (await cards(town)).map(({ view }) => view)
  expect(views).toMatchObject([
    { kind: 'mute_expiring', oneoffs: [{ alertId }] },
    { kind: 'mute_ended', oneoffs: [{ alertId }] },
  ])
})

test('forty mutes that ended one after the other told what they hid by a summary for every four', async () => {
  const town = await expiryWorld()
  await town.poll()
  const hostnames = Array.from({ length: 40 }, (_, n) => `web-${n}`)
  for (const hostname of hostnames) await town.mute(hostname, 20)
  const opened = hostnames.map((hostname) => town.service.open({ hostname }))
  await town.poll()
  town.start()
  await town.pass(22)
  expect(await town.store.cardsOfKind('alert')).toEqual([])
  const [summary, ...others] = await town.store.cardsOfKind('summary')
  expect(others).toEqual([])
  expect([...(summary?.alertIds ?? [])].toSorted()).toEqual(opened.toSorted())
  const [page, ...more] = await town.store.cardsOfKind('page')
  expect(more).toEqual([])
  expect([...(page?.alertIds ?? [])].toSorted()).toEqual(opened.toSorted())
})
