/** Closing records that are kept: those that could close something are brought back, and no others, however many there are. */
import { expect, test } from 'vitest'
import type { End } from '../../src/domain/alert/pairing.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { anAlert } from '../support/delivery-world.ts'
import { memoryStore } from '../support/memory-store.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const nowMs = Date.UTC(2026, 10, 21, 4)

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
