/** Other settings while the API is away: who has to be reminded or called is, by what was read before, and nobody for what is over. */
import { expect, test } from 'vitest'
import type { WireSettings } from '../../../src/bot/wire.ts'
import { modelPager } from '../../support/model-pager.ts'
import { away, outageWorld } from '../../support/outage-world.ts'

const minuteMs = 60_000
const step = { mention: null, channel: null }
const reminders: WireSettings['reminders'] = {
  steps: [
    { ...step, afterMs: 15 * minuteMs },
    { ...step, afterMs: 30 * minuteMs, page: true },
  ],
  flapSettleMs: null,
  staleAckAfterMs: null,
}
const other: Partial<WireSettings> = { timezone: 'Europe/Berlin' }

async function world(setting: { first?: typeof away } = {}) {
  const pager = modelPager()
  const town = await outageWorld({ ...setting, pager, policy: { reminders } })
  return {
    ...town,
    pager,
    reminded: () =>
      town.slack.messages.filter(({ view }) => view.kind === 'notice' && view.topic === 'unacknowledged')
        .length,
  }
}

/** One alert that has been open for five minutes when the API goes away, and five minutes of that. */
async function inOutage() {
  const town = await world()
  const alertId = town.service.open({ hostname: 'db-1' })
  await town.pass(5 * minuteMs)
  town.fail(away)
  await town.pass(5 * minuteMs)
  return { ...town, alertId }
}

test.each([
  ['not at all', 0],
  ['once', 1],
  ['twice in a row', 2],
])('an outage in which the settings are read again %s: two reminders and one call', async (_, times) => {
  const { reread, pass, mend, pager, reminded, alertId } = await inOutage()
  for (let n = 0; n < times; n += 1) await reread(other)
  expect(reminded()).toBe(0)
  await pass(6 * minuteMs)
  expect(reminded()).toBe(1)
  expect(pager.heard()).toEqual([])
  await pass(15 * minuteMs)
  expect(reminded()).toBe(2)
  expect(pager.heard()).toEqual([`triggered ${alertId}`])
  await pass(60 * minuteMs)
  mend()
  await pass(10 * minuteMs)
  expect(reminded()).toBe(2)
  expect(pager.heard()).toEqual([])
})

test('settings read again before the outage, in it and after each step repeat nothing', async () => {
  const { service, pass, fail, mend, reread, pager, reminded } = await world()
  const alertId = service.open({ hostname: 'db-1' })
  await pass(5 * minuteMs)
  await reread(other)
  await pass(minuteMs)
  fail(away)
  for (let n = 0; n < 12; n += 1) {
    await reread(other)
    await pass(5 * minuteMs)
  }
  mend()
  await reread(other)
  await pass(10 * minuteMs)
  expect(reminded()).toBe(2)
  expect(pager.heard()).toEqual([`triggered ${alertId}`])
})

test('before anything was ever read nobody is reminded, however often the settings are read again', async () => {
  const first = await inOutage()
  // Another process on this memory: nobody knows what it missed.
  await first.restart()
  await first.reread(other)
  await first.pass(60 * minuteMs)
  expect(first.reminded()).toBe(0)
  expect(first.pager.heard()).toEqual([])
  first.mend()
  await first.pass(3 * minuteMs)
  expect(first.reminded()).toBe(1)
  expect(first.pager.heard()).toEqual([`triggered ${first.alertId}`])
})

test.each([
  ['before the API is back', ['reread', 'mend']],
  ['once the API is back', ['mend', 'reread']],
] as const)('what closed during the outage is not called for, settings read again %s', async (_, steps) => {
  const { alertId, reminded, pager, ...town } = await inOutage()
  town.service.close(alertId)
  for (const step of steps) await town[step]()
  await town.pass(40 * minuteMs)
  expect(reminded()).toBe(0)
  expect(pager.heard()).toEqual([])
})

test('what the new settings leave out is neither reminded of nor called for, nor posted elsewhere', async () => {
  const { reread, pass, reminded, pager, slack, store } = await inOutage()
  const posted = slack.messages.length
  await reread({ ignore: [{ match: { server: 'db-*' } }], slackChannel: 'C3', routes: [] })
  await pass(60 * minuteMs)
  expect(await store.openAlerts(null)).toHaveLength(1)
  expect(reminded()).toBe(0)
  expect(pager.heard()).toEqual([])
  // The card of the outage.
  expect(slack.messages.slice(posted).map(({ channel, view }) => [channel, view.kind])).toEqual([
    ['C3', 'outage'],
  ])
})

test('what the new settings announce elsewhere is told there while the API is away', async () => {
  const { reread, pass, slack, pager, alertId } = await inOutage()
  await reread({ routes: [{ match: { server: 'db-*' }, channel: 'C2', mention: null }] })
  await pass(minuteMs)
  const cards = slack.messages.filter(({ view }) => view.kind === 'alert')
  expect(cards.map(({ channel }) => channel)).toEqual(['C1', 'C2'])
  await pass(60 * minuteMs)
  expect(pager.heard()).toEqual([`triggered ${alertId}`])
})
