/** What an alert's card says of what is around it, and that it is shown anew when that changes. */
import { expect, test } from 'vitest'
import { emptyPlan } from '../../src/domain/plan.ts'
import { aNote } from '../support/acting-rows.ts'
import { anAlert, closing, opening } from '../support/delivery-world.ts'
import { memoryStore } from '../support/memory-store.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const dayMs = 24 * 60 * 60_000
const web = { hostname: 'web-1', serverName: 'web-1' }

test('the other open alerts of its server, and the last time that the same came, with its last note', async () => {
  const store = await memoryStore()
  const shown = async () => {
    const job = await store.nextJob('C1', nowMs, ['post', 'update'])
    if (job === null) return null
    await store.settle(job.cardId, { state: 'shown', ts: `1.${job.wanted}`, shown: job.wanted })
    return job.view.kind === 'alert' ? job.view : null
  }
  const before = anAlert('1', { ...web, startedMs: nowMs - 2 * dayMs })
  await store.commit({ ...emptyPlan(nowMs - 2 * dayMs), alerts: [{ alert: before, was: null }] })
  await store.commit(closing(before, nowMs - 2 * dayMs + 40 * 60_000))
  await store.commit({ ...emptyPlan(nowMs), notes: [aNote('n1', { alertId: '1', text: 'log rotation' })] })
  await store.commit(opening([anAlert('2', { ...web, startedMs: nowMs })], 'C1', nowMs))
  expect(await shown()).toMatchObject({
    alert: { alertId: '2' },
    alsoOpen: [],
    lastTime: { alert: { alertId: '1' }, note: 'log rotation' },
  })
  const other = anAlert('3', { ...web, plugin: 'Memory', startedMs: nowMs })
  await store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: other, was: null }] })
  expect(await shown()).toMatchObject({ alert: { alertId: '2' }, alsoOpen: [{ alertId: '3' }] })
  await store.commit(closing(other, nowMs))
  expect(await shown()).toMatchObject({ alert: { alertId: '2' }, alsoOpen: [] })
  expect(await shown()).toBeNull()
})
