/** What a handoff tells of the shift besides what is open, and a report whose numbers add up. */
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import { anAlert, closing } from '../support/delivery-world.ts'
import { memoryStore } from '../support/memory-store.ts'
import { manyAlerts, storming } from '../support/storm-rows.ts'

const hourMs = 3_600_000
const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0)
const agoMs = (hours: number) => nowMs - hours * hourMs

async function holding(alerts: readonly Alert[]) {
  const store = await memoryStore()
  await store.commit({ ...emptyPlan(nowMs), alerts: alerts.map((alert) => ({ alert, was: null })) })
  return store
}

test('a storm counts once though it has a card in two channels, with how many of it are still open', async () => {
  const store = await memoryStore()
  const alerts = manyAlerts(30)
  const { plan } = storming(alerts, 'C0DB', agoMs(2))
  const other = storming(alerts, 'C0OPS', agoMs(2)).plan
  await store.commit({ ...plan, cards: [...plan.cards, ...other.cards] })
  for (const alert of alerts.slice(2)) await store.commit(closing(alert, agoMs(1)))
  expect(await store.unrest(agoMs(12))).toMatchObject({ storms: [{ atMs: agoMs(2), alerts: 30, open: 2 }] })
  expect(await store.unrest(agoMs(1))).toMatchObject({ storms: [] })
})

test('what opened three times in the shift flaps; twice, long ago, elsewhere or once and for all it does not', async () => {
  const flap = (id: string, over: Partial<Alert>) =>
    anAlert(id, { hostname: 'h-2', serverName: 'web-2', plugin: 'CPU', startedMs: agoMs(3), ...over })
  const store = await holding([
    ...['a', 'b', 'c', 'd'].map((id) => flap(id, { state: 'closed', closedMs: agoMs(2) })),
    ...['e', 'f'].map((id) => flap(id, { plugin: 'Disk' })),
    ...['g', 'h', 'i'].map((id) => flap(id, { hostname: 'h-3', startedMs: agoMs(13) })),
    ...['j', 'k', 'l'].map((id) => flap(id, { hostname: 'h-4', state: 'oneoff' })),
  ])
  expect((await store.unrest(agoMs(12))).flaps).toEqual([{ server: 'web-2', plugin: 'CPU', times: 4 }])
})

test('what was open, opened, closed, was lost and is open adds up in a report', async () => {
  const ended = (closedHours: number) => ({ state: 'closed', closedMs: agoMs(closedHours) }) as const
  const lost = (hours: number) => ({ state: 'unreported', missingMs: agoMs(hours) }) as const
  const store = await holding([
    anAlert('before, closed before', { startedMs: agoMs(30), ...ended(28) }),
    anAlert('before, closed in it', { startedMs: agoMs(30), ...ended(3) }),
    anAlert('before, open', { startedMs: agoMs(30) }),
    anAlert('before, lost before', { startedMs: agoMs(40), ...lost(30) }),
    anAlert('before, lost in it', { startedMs: agoMs(30), ...lost(5) }),
    anAlert('in it, closed', { startedMs: agoMs(10), ...ended(9) }),
    anAlert('in it, lost', { startedMs: agoMs(10), ...lost(1) }),
    anAlert('in it, open', { startedMs: agoMs(10) }),
    anAlert('in it, once', { startedMs: agoMs(10), state: 'oneoff' }),
  ])
  const report = await store.report(agoMs(24), nowMs, [agoMs(24)])
  expect(report).toMatchObject({ openBefore: 3, opened: 3, closed: 2, lost: 2, stillOpen: 2, oneoffs: 1 })
  expect(report.openBefore + report.opened).toBe(report.closed + report.lost + report.stillOpen)
})
