/** Delivery: one message per card, whatever Slack does to the calls. */
import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { deliverTo, deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { type Fate, stateOf } from '../../support/forgetful-chat.ts'

const minuteMs = 60_000

test('a card is posted once, and its alert closes on the same message', async () => {
  const { clock, chat, open, close } = await deliveryTown()
  await open('1')
  await letPass(clock, 100)
  expect(chat.messages.map(stateOf)).toEqual(['open'])
  await close('1')
  await letPass(clock, 100)
  expect(chat.messages.map(stateOf)).toEqual(['closed'])
})

test('an alert that closed before it could be posted is posted closed, once', async () => {
  const { clock, chat, open, close } = await deliveryTown({ fates: ['refused_for_now'] })
  await open('1')
  await letPass(clock, 10)
  await close('1')
  await letPass(clock, minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['closed'])
})

test('a post whose answer was lost is found in the history, not sent again', async () => {
  const { clock, chat, store, open } = await deliveryTown({
    fates: ['taken_answer_lost'],
    lagsMs: [50_000],
  })
  await open('1')
  await letPass(clock, 10 * minuteMs)
  expect(chat.postTimes).toHaveLength(1)
  expect((await store.countCards()).byState).toEqual(new Map([['shown', 1]]))
})

test('a post that was lost is sent again only after a minute of silence in the history', async () => {
  const { clock, chat, open } = await deliveryTown({ fates: ['lost'] })
  await open('1')
  await letPass(clock, 59_000)
  expect(chat.postTimes).toHaveLength(1)
  await letPass(clock, 2_000)
  expect(chat.messages).toHaveLength(1)
})

test('while the history cannot be read nothing is sent again; after ten minutes twice is better than lost', async () => {
  const { clock, chat, open } = await deliveryTown({ fates: ['lost'], finds: () => false })
  await open('1')
  await letPass(clock, 9 * minuteMs)
  expect(chat.postTimes).toHaveLength(1)
  await letPass(clock, 3 * minuteMs)
  expect(chat.messages).toHaveLength(1)
})

test.each(['before Slack took the post', 'after Slack took the post'])(
  'a process that dies %s posts no second card',
  async (when) => {
    const { clock, chat, store, deliver: idle } = await deliveryTown()
    await idle.stop()
    const dying: Chat = {
      ...chat,
      post: async (to, view) => {
        if (when.startsWith('after')) await chat.post(to, view)
        return new Promise(() => {})
      },
    }
    await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
    deliverTo(dying, store, clock)
    await letPass(clock, 1_000)
    expect(await store.recoverSending()).toBe(1)
    deliverTo(chat, store, clock)
    await letPass(clock, 5 * minuteMs)
    expect(chat.messages).toHaveLength(1)
    expect((await store.countCards()).byState).toEqual(new Map([['shown', 1]]))
  },
)

test.each<[string, Fate, boolean]>([
  ['an image that Slack refuses', 'image_refused', false],
  ['blocks that Slack refuses, perhaps for their image,', 'bad_payload', false],
  ['an image that Slack Connect forbids', 'image_forbidden', true],
])(
  '%s cost the alert nothing: it is posted again at once without it, with its buttons',
  async (_, fate, isOver) => {
    const { clock, chat, store, deliver } = await deliveryTown({ fates: [fate] })
    // It has waited for its picture.
    await store.commit(opening([anAlert('1')], 'C1', clock.nowMs() - 2_000, true))
    await store.settlePicture('alert:1:C1', { fileId: 'F1', state: 'offered' })
    deliver.wake()
    await letPass(clock, 10)
    expect(chat.postTimes).toHaveLength(2)
    expect(chat.messages).toMatchObject([{ view: { picture: null }, plain: false }])
    const { job } = await store.nextPicture(clock.nowMs() + 1_000)
    if (isOver) expect(job).toBeNull()
    else expect(job).toMatchObject({ cardId: 'alert:1:C1', alert: { alertId: '1' }, fileId: 'F1' })
  },
)

test('blocks that Slack refuses are replaced by plain text; a text that it refuses too is kept and counted', async () => {
  const { clock, chat, store, open, logger } = await deliveryTown({
    fates: ['bad_payload', 'ok', 'bad_payload', 'bad_payload'],
  })
  await open('1')
  await letPass(clock, 5_000)
  expect(chat.messages.map((message) => message.plain)).toEqual([true])
  await open('2')
  await letPass(clock, 5_000)
  expect((await store.countCards()).byState).toEqual(
    new Map([
      ['dead', 1],
      ['shown', 1],
    ]),
  )
  expect(logger.events()).toContain('card:bad_payload')
})

test('a card that someone deleted comes back while its alert is open, and not when it is over', async () => {
  const { clock, chat, open, commit } = await deliveryTown()
  await open('1', '2')
  await letPass(clock, 5_000)
  chat.messages.splice(0)
  await commit({ ...closing(anAlert('2'), clock.nowMs()), dirty: ['1', '2'] })
  await letPass(clock, 5_000)
  expect(chat.messages.map((message) => message.key)).toEqual(['alert:1:C1'])
})

test("one channel's trouble holds up no other, and a 429 is waited out", async () => {
  const limits: Outcome[] = [{ kind: 'later', why: 'ratelimited', retryAfterMs: 7_000 }]
  const { clock, chat, openIn } = await deliveryTown({
    over: (real) => ({
      post: async (to, view) => (to.channel === 'C1' && limits.shift()) || real.post(to, view),
    }),
  })
  await openIn('C1', '1')
  await openIn('C2', '2')
  await letPass(clock, 6_900)
  expect(chat.messages.map((message) => message.channel)).toEqual(['C2'])
  await letPass(clock, 200)
  expect(chat.messages.map((message) => message.channel)).toEqual(['C2', 'C1'])
})
