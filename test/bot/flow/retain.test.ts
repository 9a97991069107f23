/** A quarter of a year in a few seconds: the memory grows for a month or so, and then no more. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Alert, AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { alertCard } from '../../../src/bot/domain/card/card.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openRetain } from '../../../src/bot/flow/retain.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { anEntry } from '../../support/acting-rows.ts'
import { anAlert, letPass } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { cards, pollWorld } from '../../support/poll-world.ts'
import { startPart } from '../../support/start-part.ts'

const dayMs = 24 * 60 * 60 * 1000
const alertsADay = 120
/** One is never posted, as if its channel had been closed all the time: that one is never to be lost. */
const showAllButOne = `update cards set state = 'shown', ts = card_id, shown = wanted
  where state = 'wanted' and card_id <> 'alert:3-119:C1'`

test('a quarter of a year of 120 alerts a day: what is kept stays bounded, and what counts stays right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-retain-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'monbot.db')
  const clock = manualClock()
  const store = await openStore(path)
  const hand = new SQLite(path)
  const count = (table: string) => hand.prepare(`select count(*) from ${table}`).pluck().get() as number
  const logger = keptJournal()
  const retain = startPart(openRetain({ store, clock, logger }))
  const staying = anAlert('staying', { startedMs: clock.nowMs(), firstSeenMs: clock.nowMs() })
  const stayingCard = alertCard(staying, { channel: 'C1', mention: null })
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    alerts: [{ alert: staying, was: null }],
    cards: [stayingCard],
  })

  const pages: number[] = []
  for (let day = 0; day < 92; day += 1) {
    const nowMs = clock.nowMs()
    const alerts = Array.from(
      { length: alertsADay },
      (_, n): Alert =>
        anAlert(`${day}-${n}`, {
          hostname: `web-${n % 20}`,
          state: 'closed',
          startedMs: nowMs - 60_000,
          firstSeenMs: nowMs - 60_000,
          closedMs: nowMs,
          closedBy: 'record',
          metric: `m${Math.floor(n / 20)}`,
        }),
    )
    const made = alerts.map((alert) => alertCard(alert, { channel: 'C1', mention: null }))
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: alerts.map((alert) => ({ alert, was: null })),
      cards: made,
      pictures: made.map(({ cardId, alertIds: [alertId = ''] }) => ({ cardId, alertId, way: 'episode' })),
      audit: [anEntry(`a${day}`, { atMs: nowMs, alertId: `${day}-0` })],
    })
    hand.exec(showAllButOne)
    await letPass(clock, dayMs)
    pages.push(hand.pragma('page_count', { simple: true }) as number)
  }

  const kept = 41 * alertsADay + 2
  expect(count('alerts')).toBeLessThanOrEqual(kept)
  expect(count('alerts')).toBeGreaterThan(40 * alertsADay - 1)
  expect(count('cards')).toBeLessThanOrEqual(kept)
  expect(count('card_alerts')).toBe(count('cards'))
  expect(count('card_pictures')).toBeLessThanOrEqual(kept)
  expect(count('audit')).toBeLessThanOrEqual(91)
  expect(Math.max(...pages)).toBeLessThanOrEqual((pages[44] ?? 0) * 1.05)

  expect(await store.recallByIds(['staying', '3-119', '3-118'])).toMatchObject([
    { alertId: '3-119', state: 'closed' },
    { alertId: 'staying', state: 'open' },
  ])
  expect(await store.nextJob('C1', clock.nowMs(), ['post'])).toMatchObject({
    view: { kind: 'alert', alert: { alertId: '3-119' } },
  })
  const { opened, toCloseMs } = await store.report(clock.nowMs() - 30 * dayMs, clock.nowMs(), [
    clock.nowMs() - 30 * dayMs,
  ])
  expect({ opened, toCloseMs }).toEqual({ opened: 30 * alertsADay - alertsADay, toCloseMs: 60_000 })
  hand.close()
  await retain.stop()
  await store.close()
  expect(logger.events()).toContain('memory:pruned')
})

test('what was forgotten does not come back as news, should the API list it for ever', async () => {
  const forever: AlertRecord[] = []
  const { service, store, clock, logger, restart, poll, tick } = await pollWorld({
    over: (monitor) => ({
      alerts: async (ask) => {
        const page = await monitor.alerts(ask)
        if (ask.lifecycle !== 'all' || ask.offset > 0) return page
        const records = [...page.records, ...forever]
        return { ...page, records, size: records.length }
      },
    }),
  })
  await poll()
  const ids = [service.open({ hostname: 'web-1' }), service.oneoff()]
  await tick()
  service.close(ids[0] ?? '')
  await tick()
  expect(await cards({ store, clock })).toHaveLength(2)
  forever.push(...(await service.monitor.alerts({ lifecycle: 'all', offset: 0 })).records)
  expect(forever).toHaveLength(2)
  clock.advance(41 * dayMs)
  service.open()
  restart()
  await poll()
  // Back from an absence it takes anything for history, so only what comes after that proves something.
  const retain = startPart(openRetain({ store, clock, logger }))
  await letPass(clock, 60_000)
  await retain.stop()
  expect(await store.recallByIds(ids)).toEqual([])
  restart()
  await tick()
  await tick()
  expect(await cards({ store, clock })).toHaveLength(1)
  expect(await store.recallByIds(ids)).toEqual([])
})

test('a clock that is years ahead does not have everything forgotten', async () => {
  const clock = manualClock()
  const store = await memoryStore()
  const closedMs = clock.nowMs() - dayMs
  const over = {
    state: 'closed',
    startedMs: closedMs,
    firstSeenMs: closedMs,
    closedMs,
    closedBy: 'record',
  } as const
  await store.commit({
    ...emptyPlan(closedMs),
    alerts: [{ alert: anAlert('1', over), was: null }],
    audit: [anEntry('a1', { atMs: closedMs })],
  })
  clock.set(5 * 365 * dayMs)
  const retain = startPart(openRetain({ store, clock, logger: keptJournal() }))
  await letPass(clock, 30 * dayMs)
  expect(await store.recallByIds(['1'])).toHaveLength(1)
  // Where no alert comes for long, what is old is forgotten all the same, once its time has really passed.
  await letPass(clock, 11 * dayMs)
  expect(await store.recallByIds(['1'])).toEqual([])
  await retain.stop()
})
