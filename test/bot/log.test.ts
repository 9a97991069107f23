/** What anybody outside can cause must not fill the log. */
import { expect, test } from 'vitest'
import { minute } from '../../src/bot/clock.ts'
import { silentLog, warnSeldom } from '../../src/bot/log.ts'
import { handClock } from './worlds/hand-clock.ts'

test('a line a minute at most, which counts those before it', async () => {
  const clock = handClock()
  const said: object[] = []
  const log = { ...silentLog, warn: (_: string, fields: object = {}) => void said.push(fields) }
  const warn = warnSeldom(log, clock, 'request:refused')
  for (let at = 0; at < 5; at += 1) warn({ why: 'unsigned' })
  expect(said).toEqual([{ why: 'unsigned', leftOut: 0 }])
  await clock.runFor(minute)
  warn({ why: 'old' })
  expect(said.slice(1)).toEqual([{ why: 'old', leftOut: 4 }])
})
