/** The list of what is open, from an API that does not let it be read to its end. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { pollWorld } from '../support/poll-world.ts'

test('an API that gives its first page whatever is asked for is not asked thousands of times', async () => {
  let asked = 0
  const town = await pollWorld({
    over: ({ alerts }) => ({
      alerts: (ask) => {
        asked += 1
        return alerts({ ...ask, offset: 0 })
      },
    }),
  })
  for (let n = 0; n < 60; n += 1) town.service.open({ hostname: `h-${n}` })
  expect(await town.poll()).toMatchObject({ isWhole: false })
  expect(asked).toBeLessThan(20)
})

test('an open list that always fails on its second page leaves no warning at every poll', async () => {
  const away = new OutsideFailure('unreachable', 'the second page is away')
  const town = await pollWorld({
    over: ({ alerts }) => ({ alerts: (ask) => (ask.offset > 0 ? Promise.reject(away) : alerts(ask)) }),
  })
  for (let n = 0; n < 60; n += 1) town.service.open({ hostname: `h-${n}` })
  for (let n = 0; n < 10; n += 1) await expect(town.tick()).rejects.toBe(away)
  expect(town.logger.entries.filter(({ level }) => level === 'warn')).toEqual([])
})
