/** The report at its time: once for each, late rather than never, and not at all when nobody waits for it any more. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { parseReportTimes } from '../../../src/bot/domain/request/report-times.ts'
import { openReport } from '../../../src/bot/flow/report.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { anAlert, letPass, opening } from '../../support/delivery-world.ts'
import { forgetfulChat } from '../../support/forgetful-chat.ts'
import { startPart } from '../../support/start-part.ts'

const hourMs = 3_600_000

/** Every day at 09:00 UTC; the clock by hand begins on a Saturday at 04:00. */
async function world() {
  const bare = await bareWorld()
  const { store, clock, logger } = bare
  const chat = forgetfulChat({ nowMs: clock.nowMs })
  const begin = (at = 'every day 09:00') => {
    const times = parseReportTimes(at)
    if (times === null) throw new Error(`${at} is no time`)
    return startPart(
      openReport(
        { store, chat, clock, logger, onChanged: () => undefined },
        { times, channel: 'C0OPS', zone: 'UTC' },
      ),
    )
  }
  const reports = async () => {
    const cards = await store.noticesOf('report')
    return cards.map(({ cardId, channel }) => `${cardId.replace('report:report:', '')} ${channel}`)
  }
  const day = (date: number, hour: number) => Date.UTC(2026, 10, date, hour)
  return { ...bare, chat, begin, reports, day }
}

test('it comes once at its time, however often the bot is started, and tells of the time since the one before', async () => {
  const { store, clock, begin, reports, day } = await world()
  await store.commit(opening([anAlert('1', { startedMs: day(20, 12) })], 'C0OPS', clock.nowMs()))
  const first = begin()
  await letPass(clock, 4 * hourMs)
  expect(await reports()).toEqual([])
  await letPass(clock, 2 * hourMs)
  await first.stop()
  const second = begin()
  await letPass(clock, hourMs)
  await second.stop()
  expect(await reports()).toEqual([`${day(21, 9)} C0OPS`])
  const entry = await store.auditById(`report:${day(21, 9)}`)
  expect(entry?.detail.report).toMatchObject({ fromMs: day(20, 9), toMs: day(21, 9), opened: 1 })
  expect(entry?.detail.file).toMatchObject({ name: 'alerts-20261120T0900Z-20261121T0900Z.csv', rows: 1 })
})

test.each([
  ['an hour late, it is posted for its time', 1, ['21', '22']],
  ['four hours late, it is left out', 4, ['21']],
])('missed while nothing ran: %s', async (_, lateHours, days) => {
  const { clock, begin, reports, day } = await world()
  const first = begin()
  await letPass(clock, 6 * hourMs)
  await first.stop()
  clock.advance(day(22, 9 + lateHours) - clock.nowMs())
  const second = begin()
  await letPass(clock, 60_000)
  await expect.poll(reports).toHaveLength(days.length)
  await second.stop()
  expect(await reports()).toEqual(days.map((date) => `${day(Number(date), 9)} C0OPS`))
})

test('a new setting begins with its next time, and not with one that is over', async () => {
  const { clock, begin, reports, day } = await world()
  const first = begin('every day 09:00')
  await letPass(clock, 60_000)
  await first.stop()
  clock.advance(day(21, 10) - clock.nowMs())
  const second = begin('every day 09:30')
  await letPass(clock, 60_000)
  await second.stop()
  expect(await reports()).toEqual([])
})

test('a file that Slack does not take holds the report up for ten minutes, and then it says why there is none', async () => {
  const { store, chat, clock, begin, reports, day } = await world()
  chat.attach = async () => {
    throw new OutsideFailure('unreachable', 'Slack could not take a file: http_500')
  }
  const part = begin()
  await letPass(clock, 5 * hourMs + 5 * 60_000)
  expect(await reports()).toEqual([])
  await letPass(clock, 10 * 60_000)
  await part.stop()
  expect(await reports()).toEqual([`${day(21, 9)} C0OPS`])
  const entry = await store.auditById(`report:${day(21, 9)}`)
  expect(entry).toMatchObject({ why: 'Slack could not take a file: http_500', outcome: 'done' })
  expect(entry?.detail.file).toBeUndefined()
})
