/** A storm in the channel: counted at once, listed at Slack's pace, kept up to date within what Slack allows. */
import { expect, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass } from '../../support/delivery-world.ts'
import {
  alertsOf,
  closingAll,
  listed,
  mostInAMinute,
  storming,
  watched,
} from '../../support/storm-delivery.ts'

const minuteMs = 60_000
const channel = 'C1'

test('a thousand alerts at once are counted within two seconds and listed within fourteen', async () => {
  const { over, said, times } = watched()
  const { clock, chat, openIn, commit } = await deliveryTown({ over })
  // Another alert's card went out in this very moment.
  await openIn(channel, 'before')
  await letPass(clock, 10)
  const fromMs = clock.steadyMs()
  const alerts = alertsOf(1_000)
  await commit(storming(alerts, clock.nowMs()))
  await letPass(clock, minuteMs)
  const posted = said.filter(({ by }) => by === 'post').map(({ kind }) => kind)
  expect(posted).toEqual(['alert', 'storm', ...Array.from({ length: 13 }, () => 'page')])
  expect((times('post', 'storm')[0] ?? 0) - fromMs).toBeLessThanOrEqual(2_000)
  expect((times('post', 'page').at(-1) ?? 0) - fromMs).toBeLessThanOrEqual(14_000)
  const [card] = chat.messages.filter(({ view }) => view.kind === 'storm')
  expect(card?.view).toMatchObject({ alerts: { length: 1_000 } })
  expect(new Set(listed(chat, 'page').map(({ alertId }) => alertId)).size).toBe(1_000)
  expect(chat.messages.filter(({ threadTs }) => threadTs === card?.ts)).toHaveLength(13)
  expect(said.filter(({ by }) => by === 'update')).toEqual([])
})

test('posts go one a second, however long each call takes', async () => {
  const times: number[] = []
  const { clock, commit } = await deliveryTown({
    over: (real, { steadyMs, wait }) => ({
      post: async (to, view) => {
        times.push(steadyMs())
        await wait(400)
        return real.post(to, view)
      },
    }),
  })
  await commit(storming(alertsOf(1_000), clock.nowMs()))
  await letPass(clock, minuteMs)
  expect(times.map((atMs) => atMs - (times[0] ?? 0))).toEqual(Array.from({ length: 14 }, (_, n) => n * 1_000))
})

test('a new alert goes out before the pages of a storm that still wait', async () => {
  const { over, said } = watched()
  const { clock, openIn, commit } = await deliveryTown({ over })
  await commit(storming(alertsOf(1_000), clock.nowMs()))
  await letPass(clock, 4_500)
  await openIn(channel, 'new')
  await letPass(clock, minuteMs)
  const kinds = said.filter(({ by }) => by === 'post').map(({ kind }) => kind)
  expect(kinds).toEqual(['storm', 'page', 'page', 'page', 'page', 'alert', ...Array(9).fill('page')])
})

test('while the list goes out the card already says what has closed, at most every two seconds', async () => {
  const { over, times } = watched()
  const { clock, chat, commit } = await deliveryTown({ over })
  const alerts = alertsOf(400)
  await commit(storming(alerts, clock.nowMs()))
  await letPass(clock, 100)
  for (const alert of alerts.slice(0, 60)) {
    await commit(closing(alert, clock.nowMs()))
    await letPass(clock, 100)
  }
  // The list is not out yet, and the card says so all the same.
  await letPass(clock, 2_000)
  const open = listed(chat, 'storm').filter(({ state }) => state === 'open')
  expect(open).toHaveLength(340)
  const gaps = times('update', 'storm').map(
    (atMs, at, all) => atMs - (all[at - 1] ?? Number.NEGATIVE_INFINITY),
  )
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000)
  expect(times('update', 'storm').length).toBeGreaterThanOrEqual(3)
})

test('a page is edited at most every ten seconds, and shows what came last in the end', async () => {
  const { over, times } = watched()
  const { clock, chat, commit } = await deliveryTown({ over })
  const alerts = alertsOf(60)
  await commit(storming(alerts, clock.nowMs()))
  await letPass(clock, 3 * minuteMs)
  for (const alert of alerts) {
    await commit(closing(alert, clock.nowMs()))
    await letPass(clock, 1_000)
  }
  await letPass(clock, 20_000)
  const edits = times('update', 'page')
  expect(edits.length).toBeGreaterThan(4)
  expect(edits.length).toBeLessThanOrEqual(8)
  for (const kind of ['storm', 'page'] as const)
    expect(listed(chat, kind).every(({ state }) => state === 'closed')).toBe(true)
})

test('pages leave the cards of alerts half of the calls', async () => {
  const { over, said } = watched()
  const { clock, openIn, commit } = await deliveryTown({ over })
  const stormed = alertsOf(1_600)
  await commit(storming(stormed, clock.nowMs()))
  await openIn('C2', '1', '2', '3', '4')
  await letPass(clock, 3 * minuteMs)
  await commit(
    closingAll(
      stormed.filter((_, n) => n % 20 === 0),
      clock.nowMs(),
    ),
  )
  await letPass(clock, 5_000)
  const fromMs = clock.steadyMs()
  await commit(
    closingAll(
      ['1', '2', '3', '4'].map((alertId) => anAlert(alertId)),
      clock.nowMs(),
    ),
  )
  await letPass(clock, 100)
  const first = said.filter(({ by, kind, atMs }) => by === 'update' && kind === 'alert' && atMs >= fromMs)
  expect(first).toHaveLength(4)
  expect(said.filter(({ by, kind }) => by === 'update' && kind === 'page').length).toBeLessThan(20)
  await letPass(clock, 5 * minuteMs)
  const shown = new Set(
    said.filter(({ by, kind }) => by === 'update' && kind === 'page').map(({ key }) => key),
  )
  expect(shown.size).toBe(20)
})

test('pages are edited in the end even where alert cards take every call', async () => {
  const { over, times } = watched()
  const { clock, store, openIn, commit } = await deliveryTown({ over })
  const stormed = alertsOf(10)
  await store.commit(storming(stormed, clock.nowMs()))
  const names = ['1', '2', '3', '4', '5', '6']
  await openIn('C2', ...names)
  await letPass(clock, minuteMs)
  // Six cards that change all the time.
  async function pressing(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await commit({ ...emptyPlan(clock.nowMs()), dirty: names })
      await letPass(clock, 1_000)
    }
  }
  await pressing(30)
  await store.commit(closingAll(stormed, clock.nowMs()))
  await pressing(18)
  expect(times('update', 'page')).toEqual([])
  await pressing(15)
  expect(times('update', 'page')).toHaveLength(1)
  expect(mostInAMinute(times('update'))).toBeLessThanOrEqual(50)
})

test('a restart in the middle of many closings makes no more than fifty updates of a minute', async () => {
  const { over, times } = watched()
  const { clock, openIn, commit, deliver, start } = await deliveryTown({ over })
  const alerts = alertsOf(100)
  await openIn(channel, ...alerts.map(({ alertId }) => alertId))
  await letPass(clock, 3 * minuteMs)
  await commit(closingAll(alerts, clock.nowMs()))
  await letPass(clock, 5_000)
  await deliver.stop()
  start()
  await letPass(clock, 4 * minuteMs)
  expect(times('update')).toHaveLength(100)
  expect(mostInAMinute(times('update'))).toBeLessThanOrEqual(50)
})

test.each(['storm', 'summary'] as const)(
  'a %s that somebody deleted comes back while one of its alerts is open, with its list',
  async (kind) => {
    const { clock, chat, close, commit } = await deliveryTown()
    await commit(storming(alertsOf(100), clock.nowMs(), channel, kind))
    await letPass(clock, 5_000)
    const [recent] = chat.messages
    await chat.remove({ channel, ts: recent?.ts ?? '' })
    await close('a0')
    await letPass(clock, 10 * minuteMs)
    const again = chat.messages.find(({ view }) => view.kind === kind)
    expect(chat.messages.filter(({ threadTs }) => threadTs === again?.ts)).toHaveLength(2)
  },
)

test.each(['storm', 'summary'] as const)(
  'a %s that Slack refuses does not hide the alerts it counts',
  async (kind) => {
    const { clock, chat, commit } = await deliveryTown({
      over: (real) => ({
        post: async (to, view) =>
          view.kind === kind ? { kind: 'bad_payload', why: 'x' } : real.post(to, view),
      }),
    })
    await commit(storming(alertsOf(5), clock.nowMs(), channel, kind))
    await letPass(clock, minuteMs)
    expect(chat.messages.map((message) => message.view.kind)).toEqual(['page'])
  },
)
