/** Boards are pinned: each message once, against nobody's will, and not for ever where Slack refuses. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { boardCard } from '../../src/domain/card/thread-cards.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { openPins } from '../../src/flow/outbox/pins.ts'
import { letPass } from '../support/delivery-world.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { startPart } from '../support/start-part.ts'

const hourMs = 60 * 60_000

async function world(failures: OutsideFailure[] = []) {
  const clock = manualClock()
  const store = await memoryStore()
  const logger = keptJournal()
  const calls: string[] = []
  const call = (name: string) => async (at: { ts: string }) => {
    calls.push(`${name} ${at.ts}`)
    const failure = failures.shift()
    if (failure !== undefined) throw failure
  }
  const chat = { pin: call('pin'), unpin: call('unpin') }
  const start = () => startPart(openPins({ store, chat, clock, logger }, { channels: ['C1'] }))
  const card = boardCard('C1')
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [card] })
  const show = (ts: string) => store.settle(card.cardId, { state: 'shown', ts })
  return { clock, store, logger, calls, start, show }
}

const refused = (code: string, kind: 'forbidden' | 'unreachable' = 'forbidden') =>
  new OutsideFailure(kind, `Slack did not pin a message: ${code}`, { code })

test('a board is pinned once it is shown, and never again, whoever takes the pin away and whatever restarts', async () => {
  const town = await world()
  const pins = town.start()
  await letPass(town.clock, 0)
  expect(town.calls).toEqual([])
  await town.show('1.1')
  pins.wake()
  await letPass(town.clock, hourMs)
  await pins.stop()
  town.start()
  await letPass(town.clock, hourMs)
  expect(town.calls).toEqual(['pin 1.1'])
})

test('a board in a new message is pinned there, and the old pin goes first', async () => {
  const town = await world()
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 0)
  await town.show('2.2')
  pins.wake()
  await letPass(town.clock, 0)
  expect(town.calls).toEqual(['pin 1.1', 'unpin 1.1', 'pin 2.2'])
})

test('without the scope it is tried once a start, logged once, and said in the status', async () => {
  const town = await world([refused('missing_scope')])
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 24 * hourMs)
  expect(town.calls).toEqual(['pin 1.1'])
  expect(town.logger.events().filter((event) => event === 'board:not_pinned')).toHaveLength(1)
  expect(pins.unpinned()).toEqual([{ channel: 'C1', why: 'missing_scope' }])
  // The app was installed again with it.
  await pins.stop()
  const next = town.start()
  await letPass(town.clock, hourMs)
  expect(town.calls).toEqual(['pin 1.1', 'pin 1.1'])
  expect(next.unpinned()).toEqual([])
})

test('where Slack is away it is tried again, a few times', async () => {
  const town = await world(Array.from({ length: 9 }, () => refused('no_answer', 'unreachable')))
  await town.show('1.1')
  const pins = town.start()
  await letPass(town.clock, 24 * hourMs)
  expect(town.calls).toHaveLength(5)
  expect(pins.unpinned()).toEqual([{ channel: 'C1', why: 'no_answer' }])
})
