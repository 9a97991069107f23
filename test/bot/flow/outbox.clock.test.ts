/** A clock that is set, back or ahead, neither delays what is to be shown nor makes it be said twice. */
import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { type DeliverySetting, deliveryTown } from '../../support/delivery-town.ts'
import { letPass } from '../../support/delivery-world.ts'
import { stateOf } from '../../support/forgetful-chat.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const setBy = [-3 * minuteMs, -9 * minuteMs, -hourMs, -24 * hourMs]

type Row = readonly [what: string, setting: () => DeliverySetting, withinMs: number]

const waitingPosts: readonly Row[] = [
  ['could not be sent', () => ({ fates: ['refused_for_now'] }), minuteMs],
  ['had to wait for Retry-After', () => ({ fates: ['rate_limited'] }), minuteMs],
  ['was refused with its token', () => ({ over: tokenRefusedOnce }), 2 * minuteMs],
  ['was to go into a channel that did not work', () => ({ fates: ['channel_unavailable'] }), 6 * minuteMs],
  ['was lost', () => ({ fates: ['lost'] }), 2 * minuteMs],
]

function tokenRefusedOnce(real: Parameters<NonNullable<DeliverySetting['over']>>[0]) {
  const answers: Outcome[] = [{ kind: 'no_token', why: 'token_revoked' }]
  return {
    post: async (...[to, view]: Parameters<typeof real.post>) => answers.shift() ?? real.post(to, view),
  }
}

for (const setMs of setBy) {
  const howFar = `back by ${-setMs / minuteMs} min`
  test.each(waitingPosts)(
    `an alert that %s comes in time although the clock is set ${howFar}`,
    async (...row) => {
      const [, setting, withinMs] = row
      const { clock, chat, open } = await deliveryTown(setting())
      await open('1')
      await letPass(clock, 500)
      clock.set(setMs)
      await letPass(clock, withinMs)
      expect(chat.messages.map(stateOf)).toEqual(['open'])
    },
  )

  test.each(waitingPosts)(
    `and so it does when the bot starts anew after that: it %s, ${howFar}`,
    async (...row) => {
      const [, setting, withinMs] = row
      const town = await deliveryTown(setting())
      await town.open('1')
      await letPass(town.clock, 500)
      await town.deliver.stop()
      town.clock.set(setMs)
      town.start()
      await letPass(town.clock, withinMs)
      expect(town.chat.messages.map(stateOf)).toEqual(['open'])
    },
  )

  test(`a closing is shown in time although the clock is set ${howFar} while updates wait`, async () => {
    const { clock, chat, open, close } = await deliveryTown({ fates: ['ok', 'rate_limited'] })
    await open('1')
    await letPass(clock, 2_000)
    await close('1')
    await letPass(clock, 100)
    clock.set(setMs)
    await letPass(clock, minuteMs)
    expect(chat.messages.map(stateOf)).toEqual(['closed'])
  })

  test(`copies are deleted although the clock is set ${howFar}`, async () => {
    const { clock, chat, open } = await deliveryTown({
      fates: ['taken_answer_lost'],
      lagsMs: [90_000],
    })
    await open('1')
    await letPass(clock, 75_000)
    expect(chat.postTimes).toHaveLength(2)
    clock.set(setMs)
    await letPass(clock, 25 * minuteMs)
    expect(chat.messages).toHaveLength(1)
  })
}

test.each([2 * minuteMs, hourMs, 24 * hourMs])(
  'a clock that jumps ahead by %i ms makes no post be sent again before a real minute of silence',
  async (setMs) => {
    const { clock, chat, open } = await deliveryTown({
      fates: ['taken_answer_lost'],
      lagsMs: [50_000],
    })
    await open('1')
    await letPass(clock, 7_000)
    clock.set(setMs)
    await letPass(clock, 10 * minuteMs)
    expect(chat.postTimes).toHaveLength(1)
  },
)

test('a clock that is set to and fro lets no more than fifty updates go in any real minute', async () => {
  const times: number[] = []
  const { clock, open, close, deliver } = await deliveryTown({
    over: (real, { steadyMs }) => ({
      update: (at, view) => {
        times.push(steadyMs())
        return real.update(at, view)
      },
    }),
  })
  const alerts = Array.from({ length: 90 }, (_, n) => String(n))
  await open(...alerts)
  await letPass(clock, 2 * minuteMs)
  for (const alertId of alerts) await close(alertId)
  for (const setMs of [hourMs, -hourMs, 5 * minuteMs, -24 * hourMs, 24 * hourMs]) {
    await letPass(clock, 10_000)
    clock.set(setMs)
    deliver.wake()
  }
  await letPass(clock, 3 * minuteMs)
  const most = Math.max(
    ...times.map((fromMs) => times.filter((t) => t >= fromMs && t < fromMs + minuteMs).length),
  )
  expect(times.length).toBeGreaterThanOrEqual(90)
  expect(most).toBeLessThanOrEqual(50)
})

test('a post that was sent while the clock was an hour fast is found once the clock is right', async () => {
  const { clock, chat, open } = await deliveryTown({
    fates: ['taken_answer_lost'],
    slackAheadMs: -hourMs,
  })
  await open('1')
  await letPass(clock, 10)
  clock.set(-hourMs)
  await letPass(clock, 5 * minuteMs)
  expect(chat.postTimes).toHaveLength(1)
})

test('a clock that is always an hour fast makes no copies: Slack has shown how late it is there', async () => {
  const { clock, chat, open } = await deliveryTown({
    fates: ['ok', 'taken_answer_lost'],
    slackAheadMs: -hourMs,
  })
  await open('1', '2')
  await letPass(clock, 30 * minuteMs)
  expect(chat.postTimes).toHaveLength(2)
  expect(chat.messages).toHaveLength(2)
})
