/** Services of the pair form whose two records of an alert have one id: nothing is swallowed, and the past is not told. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../src/domain/alert/alert.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const minuteMs = 60_000

async function pairs(lifecycle: 'pair' | 'auto') {
  const town = await scriptedWorld({ lifecycle })
  const nowMs = town.clock.nowMs()
  const open = town.record('1', { timeMs: nowMs - 15 * minuteMs })
  /** The records of an alert that began and ended so long ago. */
  const over = (alertId: string, beganMs: number, endedMs: number): [AlertRecord, AlertRecord] => {
    const start = town.record(alertId, { hostname: `pay-${alertId}`, timeMs: town.clock.nowMs() - beganMs })
    return [start, { ...start, lifecycle: 'end', timeMs: town.clock.nowMs() - endedMs }]
  }
  const said: string[] = []
  return {
    ...town,
    over,
    /** What is said while this is listed beside the one that is open. */
    lists: async (...records: readonly AlertRecord[]) => {
      town.api.start = [open]
      town.api.all = [...records, open].toSorted((a, b) => b.timeMs - a.timeMs)
      said.length = 0
      for (let n = 0; n < 4; n += 1) {
        await town.tick()
        said.push(...(await town.said()))
      }
      return [...said]
    },
  }
}

describe.each(['pair', 'auto'] as const)('lifecycle %s', (lifecycle) => {
  test('an alert that opened and closed between two polls is told once, with its length', async () => {
    const town = await pairs(lifecycle)
    expect(await town.lists()).toEqual(['post 1 open'])
    const both = town.over('12', 50_000, 20_000)
    expect(await town.lists(...both)).toEqual(['post 12 closed'])
    const [alert] = await town.store.recallByIds(['12'])
    expect(Number(alert?.closedMs) - Number(alert?.startedMs)).toBe(30_000)
    expect(await town.lists(...both, ...town.over('13', 40_000, 10_000))).toEqual(['post 13 closed'])
  })

  test('one that was over before the first start is recorded, and never told', async () => {
    const town = await pairs(lifecycle)
    const old = town.over('90', 120 * minuteMs, 60 * minuteMs)
    expect(await town.lists(...old)).toEqual(['post 1 open'])
    // Whatever the form is learned from.
    expect(await town.lists(...old, ...town.over('91', 50_000, 20_000))).toEqual(['post 91 closed'])
    expect(await town.store.recallByIds(['90'])).toMatchObject([{ state: 'closed', closedBy: 'pair' }])
  })
})
