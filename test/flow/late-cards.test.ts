/** A delivery that is stuck, by nobody's known fault: cards that wait for minutes are told wherever people look. */
import { expect, test } from 'vitest'
import { boardCard } from '../../src/domain/card/thread-cards.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { type LateWatch, openLateWatch } from '../../src/flow/outbox/late-cards.ts'
import { renderBoard } from '../../src/slack/render/cards/board.ts'
import { renderHome } from '../../src/slack/render/cards/home.ts'
import { renderAnswer } from '../../src/slack/render/replies/answer.ts'
import { aStatus, well } from '../slack/answers.ts'
import { wordsOf } from '../slack/card-views.ts'
import { anAlert, closing, deliverTo, letPass, opening } from '../support/delivery-world.ts'
import { forgetfulChat } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { startPart } from '../support/start-part.ts'

const minuteMs = 60_000
async function world() {
  const clock = manualClock()
  const store = await memoryStore()
  const watch: LateWatch = startPart(openLateWatch({ store, clock, logger: keptJournal() }))
  const deliver = () => deliverTo(forgetfulChat({ nowMs: clock.nowMs }), store, clock).deliver
  return { clock, store, watch, deliver }
}

test('cards that nobody brought to Slack for minutes left everything green', async () => {
  const { clock, store, watch, deliver } = await world()
  const sinceMs = clock.nowMs()
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C0ALERTS01', sinceMs))
  await letPass(clock, 2 * minuteMs)
  expect(watch.now()).toEqual([])
  await letPass(clock, 2 * minuteMs)
  const late = watch.now()
  expect(late).toEqual([{ channel: 'C0ALERTS01', count: 2, sinceMs: expect.any(Number) }])
  expect(Math.abs((late[0]?.sinceMs ?? 0) - sinceMs)).toBeLessThanOrEqual(15_000)

  const health = well({ late })
  const board = wordsOf(renderBoard({ kind: 'board', open: [], mutes: [], health }).blocks)
  const home = wordsOf(renderHome({ open: [], mutes: [], health }))
  const status = wordsOf(renderAnswer(aStatus({ late })).blocks)
  for (const words of [board, home, status]) {
    expect(words[0]).toContain('monbot has a problem')
    expect(words.join('\n')).toContain('2 cards have not reached <#C0ALERTS01> since')
  }

  deliver()
  await letPass(clock, minuteMs)
  expect(watch.now()).toEqual([])
})

test('a closing that is not shown is late, and a board or what only stands around an alert is not', async () => {
  const { clock, store, watch, deliver } = await world()
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C0ALERTS01', clock.nowMs()))
  const running = deliver()
  await letPass(clock, minuteMs)
  await running.stop()
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C0ALERTS01')] })
  await store.commit({ ...emptyPlan(clock.nowMs()), dirtyServers: [null] })
  await letPass(clock, 10 * minuteMs)
  expect(watch.now()).toEqual([])
  await store.commit(closing(anAlert('1'), clock.nowMs()))
  await letPass(clock, 4 * minuteMs)
  expect(watch.now()).toMatchObject([{ channel: 'C0ALERTS01', count: 1 }])
})
