/** In a channel posts and all the rest go side by side, and no trouble of one kind or channel holds up another. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { changeNotice, expiringCard } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import { aMute, anEntry } from '../../support/acting-rows.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { type ForgetfulChat, stateOf } from '../../support/forgetful-chat.ts'
import type { ManualClock } from '../../support/manual-clock.ts'

const minuteMs = 60_000
const limited: Outcome = { kind: 'later', why: 'ratelimited', retryAfterMs: minuteMs }

/** A call that hangs until the adapter gives it up. */
async function hanging({ wait }: ManualClock): Promise<Outcome> {
  await wait(10_000)
  return { kind: 'unknown', why: 'time_out' }
}

function firstUpdateHangs(real: ForgetfulChat, clock: ManualClock) {
  const calls = [() => hanging(clock)]
  return { update: (...call: Parameters<Chat['update']>) => calls.shift()?.() ?? real.update(...call) }
}

test('an update that hangs holds up no new alert in the same channel', async () => {
  const { clock, chat, open, close } = await deliveryTown({ over: firstUpdateHangs })
  await open('1')
  await letPass(clock, 2_000)
  await close('1')
  await letPass(clock, 100)
  const openedMs = clock.nowMs()
  await open('2')
  await letPass(clock, 1_000)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:1:C1', 'alert:2:C1'])
  expect((chat.postTimes.at(-1)?.atMs ?? 0) - openedMs).toBeLessThan(100)
  await letPass(clock, minuteMs)
})

test('a look at the history that hangs holds up no new alert in the same channel', async () => {
  const { clock, chat, open } = await deliveryTown({
    fates: ['taken_answer_lost'],
    over: (_, { wait }) => ({
      find: async () => {
        await wait(10_000)
        throw new OutsideFailure('unreachable', 'Slack could not show the history')
      },
    }),
  })
  await open('1')
  await letPass(clock, 2_000)
  await open('2')
  await letPass(clock, 100)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:1:C1', 'alert:2:C1'])
  await letPass(clock, 10 * minuteMs)
})

test.each(['is under way', 'was made'])(
  'while an update of a card %s, a look for its copies that was read before is not begun',
  async (when) => {
    const read = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const calls: string[] = []
    const { clock, chat, store, open, close, deliver } = await deliveryTown({
      over: (real) => ({
        update: async (at, view) => {
          calls.push('update')
          await answer.promise
          calls.push('updated')
          return real.update(at, view)
        },
        find: async (...of) => {
          calls.push('find')
          return real.find(...of)
        },
      }),
      overStore: (real) => ({
        nextJob: async (...which) => {
          const job = await real.nextJob(...which)
          if (job?.task === 'tidy') {
            calls.push('read')
            await read.promise
          }
          return job
        },
      }),
    })
    await open('1')
    await letPass(clock, 2_000)
    await store.settle('alert:1:C1', { tidyMs: clock.nowMs(), tidies: 1 })
    deliver.wake()
    await letPass(clock, 1_000)
    await close('1')
    await letPass(clock, 1_000)
    const [first, second] = when === 'is under way' ? [read, answer] : [answer, read]
    first.resolve()
    await letPass(clock, 1_000)
    second.resolve()
    await letPass(clock, 5_000)
    expect(calls).toEqual(['read', 'update', 'updated', 'read', 'find'])
    expect(chat.messages.map(stateOf)).toEqual(['closed'])
  },
)

test('an alert that closes is shown closed although new alerts are being posted one a second', async () => {
  const { clock, chat, open, close } = await deliveryTown()
  await open('1')
  await letPass(clock, 3_000)
  await open(...Array.from({ length: 30 }, (_, n) => `more-${n}`))
  await close('1')
  await letPass(clock, 2_000)
  expect(chat.messages.map(stateOf)[0]).toBe('closed')
  expect(chat.messages.length).toBeLessThan(6)
})

test('a channel whose posts Slack limits still gets its updates', async () => {
  const { clock, chat, open, close } = await deliveryTown({
    over: (real) => ({
      post: async (to, view) => (real.messages.length > 0 ? limited : real.post(to, view)),
    }),
  })
  await open('1')
  await letPass(clock, 2_000)
  await open('2')
  await letPass(clock, 2_000)
  await close('1')
  await letPass(clock, 2_000)
  expect(chat.messages.map(stateOf)).toEqual(['closed'])
})

test('Retry-After for updates in one channel holds up the updates of no other', async () => {
  const asked: string[] = []
  const { clock, chat, openIn, close } = await deliveryTown({
    over: (real) => ({
      update: async (at, view) => {
        asked.push(at.channel)
        return at.channel === 'C1' ? limited : real.update(at, view)
      },
    }),
  })
  await openIn('C1', '1')
  await openIn('C2', '2', '3')
  await letPass(clock, 10_000)
  await close('1')
  await letPass(clock, 100)
  await close('2')
  await letPass(clock, 2_000)
  await close('3')
  await letPass(clock, 2_000)
  expect(asked).toEqual(['C1', 'C2', 'C2'])
  expect(chat.messages.map((message) => [message.channel, stateOf(message)]).sort()).toEqual([
    ['C1', 'open'],
    ['C2', 'closed'],
    ['C2', 'closed'],
  ])
})

test('when Slack limits the updates of a second channel too, no third one is tried before Retry-After', async () => {
  const asked: { readonly channel: string; readonly atMs: number }[] = []
  const { clock, openIn, close } = await deliveryTown({
    over: (_, { nowMs }) => ({
      update: async ({ channel }) => {
        asked.push({ channel, atMs: nowMs() })
        return limited
      },
    }),
  })
  for (const n of [1, 2, 3, 4, 5]) await openIn(`C${n}`, String(n))
  await letPass(clock, 15_000)
  for (const n of [1, 2, 3, 4, 5]) {
    await close(String(n))
    await letPass(clock, 2_000)
  }
  expect(asked.map(({ channel }) => channel)).toEqual(['C1', 'C2'])
})

test('a token that may not read the history may still post', async () => {
  const { clock, chat, open } = await deliveryTown({
    fates: ['lost'],
    over: () => ({
      find: async () => {
        throw new OutsideFailure('forbidden', 'Slack could not show the history: missing_scope')
      },
    }),
  })
  await open('1')
  await letPass(clock, 5_000)
  await open('2')
  await letPass(clock, 2_000)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:2:C1'])
})

test('a call that never ends keeps its card and its channel no longer than half a minute', async () => {
  const fates = ['never', 'ok']
  const endless = (real: ForgetfulChat): Partial<Chat> => ({
    post: (to, view) => (fates.shift() === 'never' ? new Promise(() => {}) : real.post(to, view)),
  })
  const { clock, chat, open } = await deliveryTown({ over: endless })
  await open('1', '2')
  await letPass(clock, 31_000)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:2:C1'])
  await letPass(clock, 2 * minuteMs)
  expect(chat.messages.map(({ key }) => key).sort()).toEqual(['alert:1:C1', 'alert:2:C1'])
})

test('a card that was withdrawn before it was sent is not posted, and the next need not wait for it', async () => {
  const { clock, chat, store, open } = await deliveryTown({
    overStore: (real) => ({
      claimPost: async (cardId, claim) => {
        // A storm takes it in the very moment in which it is about to be sent.
        if (cardId === 'alert:1:C1') await real.commit({ ...emptyPlan(0), withdrawn: [cardId] })
        return real.claimPost(cardId, claim)
      },
    }),
  })
  await open('1', '2')
  await letPass(clock, 100)
  expect((await store.countCards()).byState).toEqual(new Map([['shown', 1]]))
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:2:C1'])
})

test('a channel that works again is tried at once when somebody says so', async () => {
  const { clock, chat, open, deliver } = await deliveryTown({ fates: ['channel_unavailable'] })
  await open('1')
  await letPass(clock, minuteMs)
  expect(chat.messages).toEqual([])
  deliver.reopen('C1')
  await letPass(clock, 100)
  expect(chat.messages).toHaveLength(1)
})

test('a new alert waited behind fifty messages about mutes', async () => {
  const { clock, store } = await bareWorld()
  const mutes = Array.from({ length: 50 }, (_, n) => aMute(`m${n}`, { subject: `srv-${n}` }))
  const entry = anEntry('a1')
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    mutes: mutes.map((mute) => ({ mute, was: null })),
    audit: [entry],
    cards: [...mutes.map(expiringCard), changeNotice(entry, { channel: 'C1', cardId: null })],
  })
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs() + 1_000))
  const first = await store.nextJob('C1', clock.nowMs() + 2_000, ['post'])
  expect(first?.cardId).toBe('alert:1:C1')
})
