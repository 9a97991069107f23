/** What goes first once Slack takes something again: decided then, whatever had waited before. */
import { expect, test } from 'vitest'
import { expiringCard, muteEndedCard } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Outcome } from '../../../src/bot/domain/delivery/delivery.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { aMute } from '../../support/acting-rows.ts'
import { deliveryTown } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { alertsOf, storming } from '../../support/storm-delivery.ts'

const minuteMs = 60_000

/** A Slack that answers so for so long, from the first post on. */
async function refusing(refusal: (leftMs: number) => Outcome, forMs: number) {
  let untilMs = 0
  const town = await deliveryTown({
    over: (real, clock) => ({
      post: async (to, view) => {
        untilMs ||= clock.steadyMs() + forMs
        const leftMs = untilMs - clock.steadyMs()
        return leftMs > 0 ? refusal(leftMs) : real.post(to, view)
      },
    }),
  })
  const { clock, chat, commit } = town
  const mute = aMute('m1', { subject: 'db-1', channel: 'C1' })
  const said = (card: ReturnType<typeof expiringCard>) =>
    commit({
      ...emptyPlan(clock.nowMs()),
      cards: [card],
      mutes: card.kind === 'mute_expiring' ? [{ mute, was: null }] : [],
    })
  const order = () =>
    chat.messages
      .filter(({ view }) => view.kind !== 'page')
      .map(({ key }) => key.split(':').slice(0, 2).join(':'))
  return { ...town, mute, said, order }
}

const critical = (count: number) =>
  alertsOf(count).map((alert) => ({ ...alert, severity: 'critical' as const }))

test.each<[string, (leftMs: number) => Outcome, number]>([
  ['a rate limit', (leftMs) => ({ kind: 'later', why: 'ratelimited', retryAfterMs: leftMs }), minuteMs],
  ['a rate limit of a second', () => ({ kind: 'later', why: 'ratelimited', retryAfterMs: 1_000 }), minuteMs],
  [
    'a Slack that could not be reached',
    () => ({ kind: 'later', why: 'ECONNREFUSED', retryAfterMs: null }),
    5 * minuteMs,
  ],
])("after %s a mute's reminder went before a critical storm", async (_, refusal, forMs) => {
  const { clock, commit, said, order, mute } = await refusing(refusal, forMs)
  await said(expiringCard(mute))
  await letPass(clock, 15_000)
  await commit(opening([anAlert('warning')], 'C1', clock.nowMs()))
  await letPass(clock, 15_000)
  await commit(storming(critical(30), clock.nowMs()))
  await letPass(clock, forMs - minuteMs)
  await said(muteEndedCard(mute))
  await letPass(clock, 3 * minuteMs)
  expect(order()).toEqual([
    `storm:${startOf(order(), 'storm:')}`,
    'alert:warning',
    'handback:m1',
    'mute_ended:m1',
  ])
})

function startOf(keys: readonly string[], prefix: string): string {
  return keys.find((key) => key.startsWith(prefix))?.slice(prefix.length) ?? ''
}

test('a critical alert waited behind warnings that came before it', async () => {
  const limited = (leftMs: number): Outcome => ({ kind: 'later', why: 'ratelimited', retryAfterMs: leftMs })
  const { clock, commit, order } = await refusing(limited, 30_000)
  for (const n of [1, 2, 3]) await commit(opening([anAlert(`${n}`)], 'C1', clock.nowMs()))
  await letPass(clock, 10_000)
  await commit(opening([anAlert('worst', { severity: 'critical' })], 'C1', clock.nowMs()))
  await letPass(clock, minuteMs)
  expect(order()).toEqual(['alert:worst', 'alert:1', 'alert:2', 'alert:3'])
})

test('after a rate limit of updates a mute on many cards was shown before a closing', async () => {
  let untilMs = 0
  const shown: string[] = []
  const { clock, openIn, commit } = await deliveryTown({
    over: (real, { steadyMs }) => ({
      update: async (to, view) => {
        untilMs ||= steadyMs() + minuteMs
        if (steadyMs() < untilMs)
          return { kind: 'later', why: 'ratelimited', retryAfterMs: untilMs - steadyMs() }
        shown.push(to.key)
        return real.update(to, view)
      },
    }),
  })
  await openIn('C1', '1', '2', '3')
  await letPass(clock, minuteMs)
  await commit({ ...emptyPlan(clock.nowMs()), dirtySubjects: [null] })
  await letPass(clock, 30_000)
  await commit(closing(anAlert('3'), clock.nowMs()))
  await letPass(clock, 2 * minuteMs)
  expect(shown[0]).toBe('alert:3:C1')
})
