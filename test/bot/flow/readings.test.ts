/** The values on open cards stay true: they are read anew, with their time, and never before anything that is news. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { Reading } from '../../../src/bot/domain/alert/reading.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { openReadings } from '../../../src/bot/flow/outbox/readings.ts'
import type { Store } from '../../../src/bot/flow/ports/store.ts'
import { headline } from '../../../src/bot/slack/render/text/headline.ts'
import { inText } from '../../../src/bot/slack/render/text/phrases.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import type { ManualClock } from '../../support/manual-clock.ts'
import { startPart } from '../../support/start-part.ts'

const minuteMs = 60_000
const title = 'CPU busy met or exceeded 90.00%, increasing to 97.20%'
const cpu = { plugin: 'CPU', metric: 'cpu_busy', value: 97.2, title }

type Answer = { readonly value: number } | 'fails'

async function world(answers: (atMinute: number) => Answer) {
  const { clock, store, logger, chat } = await bareWorld()
  const startMs = clock.nowMs()
  const asked: number[] = []
  const measure = async (alert: Alert): Promise<Reading> => {
    const nowMs = clock.nowMs()
    const minute = Math.round((nowMs - startMs) / minuteMs)
    asked.push(minute)
    const answer = answers(minute)
    if (answer === 'fails') throw new OutsideFailure('unreachable', 'it does not answer')
    const { reading: was } = alert
    return {
      units: '%',
      limit: { value: 90, side: 'high' },
      last: { value: answer.value, atMs: nowMs },
      peak: Math.max(was?.peak ?? 0, alert.value ?? 0, answer.value),
      readMs: nowMs,
    }
  }
  const { commit, deliver } = deliverTo(chat, store, clock)
  const startReading = () =>
    startPart(openReadings({ store, measure, clock, logger, onChanged: deliver.wake }, { images: 'auto' }))
  const open = async (...alerts: readonly Alert[]) => {
    await commit(opening(alerts, 'C1', clock.nowMs()))
  }
  return { clock, store, chat, asked, startMs, deliver, startReading, open }
}

async function lineOf(store: Store, alertId: string): Promise<string> {
  const [alert] = await store.recallByIds([alertId])
  return alert === undefined ? '' : headline(alert, inText)
}

const fresh = (clock: ManualClock, over: Partial<Alert> = {}) =>
  anAlert('1', { ...cpu, startedMs: clock.nowMs(), firstSeenMs: clock.nowMs(), ...over })

test('a value is read at 1, 5, 15 and 30 minutes and then every hour, and the card says of when it is', async () => {
  const { clock, store, asked, startReading, open } = await world((minute) => ({
    value: 80 + minute / 10,
  }))
  await open(fresh(clock))
  startReading()
  await letPass(clock, 190 * minuteMs)
  expect(asked).toEqual([1, 5, 15, 30, 60, 120, 180])
  expect(await lineOf(store, '1')).toMatch(/CPU busy 98 % \(\S+ \S+ UTC\), limit 90 %/)
})

test('nothing is edited while nothing that people see has changed', async () => {
  const { clock, chat, startReading, open } = await world(() => ({ value: 97.2 }))
  await open(fresh(clock))
  startReading()
  await letPass(clock, 2 * minuteMs)
  const before = chat.updateTimes.length
  await letPass(clock, 60 * minuteMs)
  expect(chat.updateTimes.length).toBe(before)
})

test('while the API does not answer the card says of when its value is, and it is asked again', async () => {
  const { clock, store, asked, startReading, open } = await world((minute) =>
    minute < 4 || minute > 20 ? { value: 85 } : 'fails',
  )
  await open(fresh(clock))
  startReading()
  await letPass(clock, 2 * minuteMs)
  const then = await lineOf(store, '1')
  expect(then).toMatch(/CPU busy 85 % \(\S+ \S+ UTC\), peak 97 %, limit 90 %/)
  await letPass(clock, 10 * minuteMs)
  expect(asked.length).toBeGreaterThan(3)
  expect(await lineOf(store, '1')).toBe(then)
})

test('a limit and a unit that were not known are on the card seconds later; the card did not wait for them', async () => {
  const { clock, store, startReading, open } = await world(() => ({ value: 97.2 }))
  await open(fresh(clock, { title: 'Something is busy' }))
  await letPass(clock, 500)
  expect(await lineOf(store, '1')).toMatch(/CPU busy 97 — Something is busy/)
  startReading()
  await letPass(clock, 15_000)
  expect(await lineOf(store, '1')).toMatch(/CPU busy 97 % .*limit 90 % — Something is busy/)
  // The next alert of this metric has its unit from the beginning.
  await open(fresh(clock, { alertId: '2', hostname: 'web-2', title: 'Something is busy' }))
  expect(await lineOf(store, '2')).toMatch(/CPU busy 97 % — Something is busy/)
})

test('after a restart the schedule goes on, and steps that were missed are one', async () => {
  const { clock, asked, startReading, open } = await world(() => ({ value: 85 }))
  await open(fresh(clock))
  const first = startReading()
  await letPass(clock, 2 * minuteMs)
  await first.stop()
  await letPass(clock, 40 * minuteMs)
  startReading()
  await letPass(clock, 30 * minuteMs)
  expect(asked).toEqual([1, 42, 60])
})

test('once it has closed it is read for the last time, and says how bad it was', async () => {
  const { clock, store, asked, startReading, open } = await world(() => ({ value: 99.4 }))
  const alert = fresh(clock)
  await open(alert)
  startReading()
  await letPass(clock, 30_000)
  await store.commit(closing(alert, clock.nowMs()))
  expect(await lineOf(store, '1')).toMatch(/opened at 97 % \(limit 90 %\)/)
  await letPass(clock, 10 * minuteMs)
  expect(asked).toHaveLength(1)
  expect(await lineOf(store, '1')).toMatch(/peak 99 % \(limit 90 %\)/)
  await letPass(clock, 120 * minuteMs)
  expect(asked).toHaveLength(1)
})

test('of a thousand open alerts each is read less often, and the queue stays empty', async () => {
  const { clock, store, asked, startReading, open } = await world((minute) => ({
    value: 80 + minute,
  }))
  await open(
    ...Array.from({ length: 1_000 }, (_, n) =>
      fresh(clock, { alertId: String(n), hostname: `web-${n}`, serverName: `web-${n}` }),
    ),
  )
  await letPass(clock, 20 * minuteMs)
  startReading()
  for (let n = 0; n < 2; n += 1) {
    await letPass(clock, 5 * minuteMs)
    expect((await store.due(clock.nowMs(), ['post', 'update'])).now).toBeLessThanOrEqual(2)
  }
  expect(asked.length).toBeLessThanOrEqual(10 * 10 + 1)
  expect(asked.length).toBeGreaterThan(40)
})
