/** Who is called, and when: at once and step by step, once for a storm, and never for what is handled, muted or over. */
import { expect, test } from 'vitest'
import type { ReminderStep } from '../../../src/bot/domain/card/reminders.ts'
import { changeAlert } from '../../support/expiry-world.ts'
import { type PagerWorld, pagerWorld, paging } from '../../support/pager-world.ts'

const atOnce = paging(0)
const critical = { severity: 'critical' } as const

async function worldWith(steps = [atOnce], flapSettleMs: number | null = null): Promise<PagerWorld> {
  const town = await pagerWorld(steps, flapSettleMs)
  await town.poll()
  town.start()
  town.startPaging()
  await town.poll()
  return town
}

/** An alert that is open, and has been read. */
async function opened(town: PagerWorld, over: Parameters<PagerWorld['service']['open']>[0] = {}) {
  const alertId = town.service.open({ hostname: 'web-1', ...over })
  await town.poll()
  await town.passSeconds(3)
  return alertId
}

const acked = (town: PagerWorld) => ({ ackedBy: 'U1', ackedMs: town.clock.nowMs() })

test('at once calls with the first poll, while Slack has taken no card, and no reminder stands beside the card', async () => {
  const town = await worldWith()
  const alertId = await opened(town)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.last()).toMatchObject({ link: null, server: 'web-1', alerts: 1, by: null })
  await town.passSeconds(120)
  expect(await town.posted()).toEqual(['alert'])
  expect(town.pager.heard()).toEqual([])
})

test('at once leads to the card that Slack takes within two seconds', async () => {
  const town = await worldWith()
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.passSeconds(1)
  expect(town.pager.heard()).toEqual([])
  expect(await town.posted()).toEqual(['alert'])
  await town.passSeconds(0.5)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.last()?.link).toBe('https://example.slack.com/1.1')
})

test('a later step reminds and calls, once, with a link to the card that Slack has by then', async () => {
  const town = await worldWith([paging(10)])
  const alertId = await opened(town)
  expect(await town.posted()).toEqual(['alert'])
  await town.passSeconds(9 * 60)
  expect(town.pager.heard()).toEqual([])
  await town.passSeconds(90)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.last()?.link).toBe('https://example.slack.com/1.1')
  expect(await town.posted()).toEqual(['unacknowledged'])
  await town.passSeconds(600)
  expect(town.pager.heard()).toEqual([])
})

test('each step calls once more, under the same key: one incident', async () => {
  const town = await worldWith([atOnce, paging(10)])
  const alertId = await opened(town)
  await town.passSeconds(11 * 60)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`, `triggered ${alertId}`])
  expect(town.pager.incidents()).toBe(1)
})

const moved: readonly [string, readonly ReminderStep[], readonly ReminderStep[], number][] = [
  ['nothing changed', [paging(10)], [paging(10)], 0],
  ['sooner', [paging(10)], [paging(5)], 0],
  ['later', [paging(10)], [paging(25)], 0],
  ['both sooner', [atOnce, paging(10)], [paging(1), paging(5)], 0],
  ['one added', [paging(10)], [paging(10), paging(20)], 1],
  ['sooner, and one added', [paging(10)], [paging(5), paging(20)], 1],
  ['sooner, and one added for others', [paging(10)], [paging(1, { match: critical }), paging(5)], 0],
]

test.each(moved)('the steps change while it rings: %s', async (_, before, after, calls) => {
  const town = await worldWith([...before])
  const alertId = await opened(town)
  await town.passSeconds(11 * 60)
  expect(town.pager.heard()).toHaveLength(before.length)
  await town.dies()
  town.startPaging(town.store, after)
  await town.poll()
  await town.passSeconds(20 * 60)
  expect(town.pager.heard()).toEqual(Array.from({ length: calls }, () => `triggered ${alertId}`))
})

test.each([
  ['the first removed', [paging(20)]],
  ['the first later', [paging(15), paging(20)]],
  ['the first sooner for others', [paging(5, { match: critical }), paging(20)]],
] as const)('a step that nobody changed calls, whatever became of another: %s', async (_, after) => {
  const town = await worldWith([atOnce, paging(20)])
  const alertId = await opened(town)
  await town.passSeconds(11 * 60)
  expect(town.pager.heard()).toHaveLength(1)
  await town.dies()
  town.startPaging(town.store, after)
  await town.poll()
  await town.passSeconds(20 * 60)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
})

test('however often the time of a step changes, it has called, and what is added calls', async () => {
  const town = await worldWith([paging(10)])
  await opened(town)
  await town.passSeconds(11 * 60)
  expect(town.pager.heard()).toHaveLength(1)
  const calls: number[] = []
  for (const times of [[5], [5, 12], [5, 13], [4, 13], [4, 13, 20]]) {
    await town.dies()
    const after = times.map((minutes) => paging(minutes))
    town.startPaging(town.store, after)
    await town.poll()
    await town.passSeconds(3 * 60)
    calls.push(town.pager.heard().length)
  }
  expect(calls).toEqual([0, 1, 0, 0, 1])
})

test('where several steps are due at once, a call is not skipped with the reminder', async () => {
  const plain = { afterMs: 20 * 60_000, mention: null, channel: null }
  const town = await pagerWorld([paging(10), plain])
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.posted()).toEqual(['alert'])
  town.clock.advance(30 * 60_000)
  town.start()
  town.startPaging()
  await town.poll()
  await town.passSeconds(30)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(await town.posted()).toEqual(['unacknowledged'])
})

const endings: readonly [
  string,
  (town: PagerWorld, alertId: string) => Promise<unknown>,
  readonly string[],
][] = [
  ['acknowledged', (town, id) => changeAlert(town, id, acked(town)), ['acknowledged', 'resolved']],
  ['muted', (town) => town.mute('web-1', null), ['resolved']],
  [
    'silenced elsewhere',
    (town, id) => changeAlert(town, id, { mutedBy: [hiddenBy('silence')] }),
    ['resolved'],
  ],
  ['closed', async (town, id) => town.service.close(id), ['resolved']],
]

function hiddenBy(kind: 'silence' | 'inhibition') {
  return { kind, id: 's1', by: 'ana', untilMs: null, why: '', isOurs: false } as const
}

test.each(endings)('%s: the pager is told that it is over', async (_, happens, wanted) => {
  const town = await worldWith()
  const alertId = await opened(town)
  await happens(town, alertId)
  await town.passSeconds(30)
  expect(town.pager.heard()).toEqual(['triggered', ...wanted].map((type) => `${type} ${alertId}`))
  expect(town.pager.open()).toEqual([])
  if (wanted[0] === 'acknowledged') expect(town.pager.tries().length).toBe(3)
})

// The service lists what is silenced itself: a poll would bring it back.
const decided = endings.filter(([name]) => name !== 'silenced elsewhere')

test.each(decided)('%s before the call went out: the pager hears nothing', async (_, happens) => {
  const town = await worldWith([paging(10)])
  const alertId = await opened(town)
  await happens(town, alertId)
  await town.passSeconds(20 * 60)
  expect(town.pager.heard()).toEqual([])
})

test('nobody knows whether it is open, or another alert inhibits it: the call goes on', async () => {
  for (const over of [{ state: 'unreported' } as const, { mutedBy: [hiddenBy('inhibition')] }]) {
    const town = await worldWith()
    const alertId = await opened(town)
    await changeAlert(town, alertId, over)
    await town.passSeconds(14)
    expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
    expect(town.pager.open()).toHaveLength(1)
  }
})

test('what is silenced elsewhere when it comes calls nobody', async () => {
  const town = await worldWith()
  await opened(town, { mutedBy: [hiddenBy('silence')] })
  await town.passSeconds(300)
  expect(town.pager.heard()).toEqual([])
})

test('handed back, it calls again under its key, counted from then', async () => {
  const town = await worldWith([paging(10)])
  const alertId = await opened(town)
  await town.passSeconds(11 * 60)
  await changeAlert(town, alertId, acked(town))
  await town.passSeconds(60)
  town.pager.heard()
  await changeAlert(town, alertId, { ackedBy: null, ackedMs: null, ownershipConfirmedMs: town.clock.nowMs() })
  await town.passSeconds(9 * 60)
  expect(town.pager.heard()).toEqual([])
  await town.passSeconds(2 * 60)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.incidents()).toBe(2)
})

test('only what the step matches is called for; what becomes critical, from then on', async () => {
  const town = await worldWith([paging(0, { match: critical }), paging(60)])
  const alertId = await opened(town)
  expect(town.pager.heard()).toEqual([])
  await town.passSeconds(300)
  await changeAlert(town, alertId, { severity: 'critical' })
  await town.passSeconds(14)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.last()).toMatchObject({
    severity: 'critical',
    headline: expect.stringMatching(/^Critical: /),
  })
})

test('a plain step with a match reminds of what it matches alone', async () => {
  const town = await worldWith([{ afterMs: 60_000, mention: null, channel: null, match: { server: 'db-*' } }])
  await opened(town)
  await opened(town, { hostname: 'db-1' })
  expect(await town.posted()).toEqual(['alert', 'alert'])
  await town.passSeconds(120)
  expect(await town.posted()).toEqual(['unacknowledged'])
  expect(town.pager.heard()).toEqual([])
})

test('a storm calls once, also for what joins it, and is over with its last alert', async () => {
  const town = await worldWith()
  const ids = Array.from({ length: 30 }, (_, n) => town.service.open({ hostname: `web-${n}` }))
  await town.poll()
  await town.passSeconds(3)
  ids.push(town.service.open({ hostname: 'web-30' }))
  await town.poll()
  await town.passSeconds(30)
  const [call, ...others] = town.pager.heard()
  expect(others).toEqual([])
  expect(call).toMatch(/^triggered (?:storm|summary):/)
  expect(town.pager.last()).toMatchObject({ alerts: 30, server: null })
  for (const id of ids.slice(1)) await changeAlert(town, id, acked(town))
  await town.passSeconds(20)
  expect(town.pager.heard()).toEqual([])
  await changeAlert(town, ids[0] ?? '', acked(town))
  await town.passSeconds(20)
  expect(town.pager.heard().map((one) => one.split(' ')[0])).toEqual(['acknowledged', 'resolved'])
})

test('many old alerts of their own cards, as at an upgrade, share one call', async () => {
  const town = await pagerWorld([paging(10)])
  await town.poll()
  for (let n = 0; n < 12; n += 1) {
    town.service.open({ hostname: `web-${n}` })
    await town.poll()
    town.clock.advance(5 * 60_000)
  }
  town.clock.advance(24 * 60 * 60_000)
  town.startPaging()
  await town.poll()
  await town.passSeconds(60)
  const heard = town.pager.heard()
  expect(heard).toHaveLength(1)
  expect(town.pager.last()?.alerts).toBe(12)
})

test('one that comes back on its old card calls only once it has settled', async () => {
  const town = await worldWith([atOnce], 2 * 60_000)
  const same = { plugin: 'CPU', metric: 'cpu', title: 'CPU is busy' }
  for (let episode = 0; episode < 2; episode += 1) {
    const alertId = await opened(town, same)
    expect(await town.posted()).toEqual(['alert'])
    town.service.close(alertId)
    await town.passSeconds(30)
    expect(town.pager.heard()).toEqual([`triggered ${alertId}`, `resolved ${alertId}`])
  }
  const again = await opened(town, same)
  expect(await town.posted()).toEqual([])
  await town.passSeconds(90)
  expect(town.pager.heard()).toEqual([])
  await town.passSeconds(60)
  expect(town.pager.heard()).toEqual([`triggered ${again}`])
})

test('what was muted before it came calls once the mute is over, if it is still open', async () => {
  const town = await worldWith()
  const mute = await town.mute('web-1', 5)
  const alertId = await opened(town)
  await town.passSeconds(60)
  expect(town.pager.heard()).toEqual([])
  expect(mute.state).toBe('active')
  await town.passSeconds(6 * 60)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
})
