/** A post whose answer was lost is found although Slack shows the history 15 messages at a time, once a minute; or it is said that it cannot be. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { deliveryTown } from '../../support/delivery-town.ts'
import { letPass } from '../../support/delivery-world.ts'
import type { ForgetfulChat } from '../../support/forgetful-chat.ts'
import type { ManualClock } from '../../support/manual-clock.ts'

const minuteMs = 60_000
const recordsAtOnce = 15

/** A history in which `newer` messages stand above the bot's own, as a limited app reads it; the places that were read. */
function limitedHistory(newer: number) {
  const read: number[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  const over = (real: ForgetfulChat, clock: ManualClock): Pick<Chat, 'find'> => ({
    find: async (where, mayGoOn, search = { cursor: '', found: [] }) => {
      for (let page = 0; page < 20; page += 1) {
        if (page > 0) await mayGoOn?.()
        const leftMs = lastMs + minuteMs - clock.steadyMs()
        if (leftMs > 0)
          throw new OutsideFailure('rate_limited', 'Slack could not show the history: ratelimited', {
            code: 'ratelimited',
            retryAfterMs: leftMs,
          })
        lastMs = clock.steadyMs()
        const from = Number(search.cursor)
        read.push(from)
        if (from + recordsAtOnce > newer) search.found = await real.find(where)
        if (from + recordsAtOnce > newer) return search.found
        search.cursor = String(from + recordsAtOnce)
      }
      throw new OutsideFailure('unreachable', 'there is more')
    },
  })
  return { over, read }
}

test.each([0, 14, 15, 100, 120])(
  'below %d newer messages it is found, and is not posted again',
  async (newer) => {
    const { over, read } = limitedHistory(newer)
    const { clock, chat, store, open } = await deliveryTown({ fates: ['taken_answer_lost'], over })
    await open('1')
    await letPass(clock, 15 * minuteMs)
    expect(chat.postTimes).toHaveLength(1)
    expect((await store.countCards()).byState).toEqual(new Map([['shown', 1]]))
    expect(read).toEqual(
      Array.from({ length: Math.floor(newer / recordsAtOnce) + 1 }, (_, n) => n * recordsAtOnce),
    )
  },
)

test('what cannot be found within ten minutes is posted again, which is said', async () => {
  const { over, read } = limitedHistory(10_000)
  const { clock, chat, logger, open } = await deliveryTown({ fates: ['taken_answer_lost'], over })
  await open('1')
  await letPass(clock, 9 * minuteMs)
  expect(chat.postTimes).toHaveLength(1)
  await letPass(clock, 6 * minuteMs)
  expect(chat.postTimes).toHaveLength(2)
  // Nothing was read twice.
  const inFirst = read.slice(0, 9)
  expect(inFirst).toEqual(inFirst.map((_, n) => n * recordsAtOnce))
  const givenUp = logger.entries.flatMap(({ event, facts }) =>
    event === 'card:unchecked' && facts.isGivenUp === true ? [facts] : [],
  )
  expect(givenUp).toMatchObject([{ cardId: 'alert:1:C1', why: expect.stringMatching(/ratelimited/) }])
})

test('that a post is not there is believed only of a search that began a minute after it', async () => {
  const { over, read } = limitedHistory(40)
  const { clock, chat, open } = await deliveryTown({ fates: ['lost'], over })
  await open('1')
  await letPass(clock, 2.5 * minuteMs)
  // It was read to its end, but what was read first was so too early.
  expect(read.slice(0, 3)).toEqual([0, 15, 30])
  expect(chat.postTimes).toHaveLength(1)
  await letPass(clock, 6 * minuteMs)
  expect(read.slice(3, 6)).toEqual([0, 15, 30])
  expect(chat.postTimes).toHaveLength(2)
})
