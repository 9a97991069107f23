/** Lists that lost everything prove nothing; and what was over before the first start is never told, however soon the form is learned. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { pollWorld } from '../support/poll-world.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const nothing = { records: [], size: 0, skipped: 0 }

async function emptied(setting: Parameters<typeof pollWorld>[0] = {}) {
  const api = { isEmpty: false }
  const town = await pollWorld({
    ...setting,
    over: (monitor) => ({ alerts: async (ask) => (api.isEmpty ? nothing : monitor.alerts(ask)) }),
  })
  await town.poll()
  return { ...town, api }
}

test('two empty lists closed an open alert, and called it well', async () => {
  const town = await emptied()
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.tick()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  town.api.isEmpty = true
  for (let n = 0; n < 3; n += 1) {
    await expect(town.tick()).rejects.toThrow(
      new OutsideFailure(
        'unreachable',
        'the monitoring API lists nothing at all, not even what ended lately',
      ),
    )
  }
  // Nor after a restart, which remembers no list.
  town.restart()
  await expect(town.tick()).rejects.toThrow('lists nothing at all')
  expect(await town.said()).toEqual([])
  town.api.isEmpty = false
  await town.tick()
  expect(await town.said()).toEqual([])
  town.service.close(alertId)
  await town.tick()
  expect(await town.said()).toEqual([`update ${alertId} closed`])
})

test('after a day of nothing else they are believed: somebody deleted it all', async () => {
  const town = await emptied()
  const alertId = town.service.open()
  await town.tick()
  await town.said()
  town.api.isEmpty = true
  await expect(town.tick()).rejects.toThrow('lists nothing at all')
  town.clock.advance(dayMs + hourMs)
  await town.tick(3)
  expect(await town.said()).toEqual([`update ${alertId} closed`])
})

test('where nothing began for 30 days, and where nothing is known, empty lists are as they should be', async () => {
  const town = await emptied()
  town.api.isEmpty = true
  await town.tick()
  town.api.isEmpty = false
  town.service.close(town.service.open())
  await town.tick()
  town.clock.advance(31 * dayMs)
  town.api.isEmpty = true
  await town.tick()
  expect((await town.store.recall()).alerts.size).toBe(0)
})

test('an alert that closed within a minute of the first start had all that was over before it told as news', async () => {
  const town = await pollWorld({ hasPast: true })
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  expect(await town.said()).toEqual([`post ${alertId} open`])
  town.service.close(alertId)
  expect(await town.saidAfter(2)).toEqual([`update ${alertId} closed`])
  expect(await town.store.recallByIds(['0'])).toMatchObject([{ alertId: '0', state: 'closed' }])
})
