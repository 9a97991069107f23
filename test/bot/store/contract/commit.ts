import { expect, test } from 'vitest'
import type { End } from '../../../../src/bot/domain/alert/end.ts'
import { emptyPlan, type Plan } from '../../../../src/bot/domain/plan.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { cards } from '../../../support/poll-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)

export function commitContract(memoryStore: OpenMemory): void {
  test('a plan made on an older version is stale, and nothing of it is written', async () => {
    const store = await memoryStore()
    const alert = anAlert('1')
    await store.commit(opening([alert], 'C1', nowMs))
    await store.commit(closing(alert, nowMs))
    const late: Plan = {
      ...opening([anAlert('2')], 'C1', nowMs),
      alerts: [
        { alert: anAlert('2'), was: null },
        { alert, was: 1 },
      ],
    }
    expect(await store.commit(late)).toBe('stale')
    expect(await store.recallByIds(['2'])).toEqual([])
    expect(await store.recallByIds(['1'])).toMatchObject([{ state: 'closed', version: 2 }])
  })

  test('an alert that is there already makes a plan for it as a new one stale', async () => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1')], 'C1', nowMs))
    expect(await store.commit(opening([anAlert('1')], 'C1', nowMs))).toBe('stale')
  })

  test('a thousand alerts are one plan', async () => {
    const store = await memoryStore()
    const alerts = Array.from({ length: 1_000 }, (_, n) => anAlert(String(n)))
    expect(await store.commit(opening(alerts, 'C1', nowMs))).toBe('saved')
    expect((await store.recall()).alerts.size).toBe(1_000)
    expect((await store.carded(alerts.map(({ alertId }) => alertId))).size).toBe(1_000)
  })

  test('alerts of the same kind within seven days are counted, this one included', async () => {
    const store = await memoryStore()
    const dayMs = 24 * 60 * 60 * 1000
    const same = { hostname: 'web-1', plugin: 'CPU', metric: 'busy' }
    const startedAgo = (days: number) => ({ ...same, startedMs: nowMs - days * dayMs })
    await store.commit(
      opening(
        [
          anAlert('1', startedAgo(8)),
          anAlert('2', startedAgo(6)),
          anAlert('3', startedAgo(1)),
          anAlert('4', { ...startedAgo(1), metric: 'idle' }),
          anAlert('5', { ...startedAgo(1), hostname: 'web-2' }),
        ],
        'C2',
        nowMs,
      ),
    )
    await store.commit(opening([anAlert('6', startedAgo(0))], 'C1', nowMs))
    expect(await store.nextJob('C1', nowMs, ['post'])).toMatchObject({ view: { timesThisWeek: 3 } })
  })

  test('openings go before closings, and closings before other updates', async () => {
    const store = await memoryStore()
    const alerts = ['1', '2', '3'].map((alertId) => anAlert(alertId))
    await store.commit(opening(alerts, 'C1', nowMs))
    for (const alertId of ['1', '2']) {
      await store.settle(`alert:${alertId}:C1`, { state: 'shown', ts: `1.${alertId}`, shown: 1 })
    }
    const [, second] = alerts
    if (!second) throw new Error('three alerts were made')
    await store.commit({ ...closing(second, nowMs), dirty: ['1', '2'] })
    const order = await cards({ store, clock: { nowMs: () => nowMs } })
    expect(order.map(({ task, cardId }) => `${task} ${cardId}`)).toEqual([
      'post alert:3:C1',
      'update alert:2:C1',
      'update alert:1:C1',
    ])
  })

  const hourMs = 60 * 60_000
  const dayMs = 24 * hourMs

  function anEnd(id: string, over: { hostname?: string; agoMs?: number; decided?: boolean } = {}): End {
    const { hostname = 'web-9', agoMs = 0, decided = true } = over
    const { url, title, plugin, metric, value, triggerId, saidSeverity } = anAlert(id)
    const record = {
      alertId: id,
      timeMs: nowMs - agoMs,
      hostname,
      serverName: hostname,
      lifecycle: 'end' as const,
      ...{ url, title, plugin, metric, value, triggerId, saidSeverity },
    }
    return { record, decided, isHistory: false }
  }

  test('beside an alert that stays open for weeks not every end since then is brought back', async () => {
    const store = await memoryStore()
    const startedMs = nowMs - 20 * dayMs
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: [{ alert: anAlert('1', { hostname: 'web-1', startedMs }), was: null }],
      keptEnds: [
        ...Array.from({ length: 500 }, (_, n) => anEnd(`other-${n}`, { agoMs: 2 * hourMs + n * hourMs })),
        anEnd('of-its-server', { hostname: 'web-1', agoMs: 5 * dayMs }),
        anEnd('of-before-it', { hostname: 'web-1', agoMs: 21 * dayMs }),
        anEnd('not-decided', { agoMs: 25 * dayMs, decided: false }),
        anEnd('just-now'),
      ],
    })
    const { ends } = await store.recall()
    expect(ends.map(({ record }) => record.alertId).sort()).toEqual([
      'just-now',
      'not-decided',
      'of-its-server',
    ])
  })
}
