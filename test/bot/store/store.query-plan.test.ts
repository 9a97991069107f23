/** With many alerts remembered the memory must still answer at once: no question that is asked often walks a whole table. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { type CompiledQuery, Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { stormCards } from '../../../src/bot/domain/card/storm-cards.ts'
import { boardCard, expiringCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { Store } from '../../../src/bot/flow/ports/store.ts'
import { alertStore, untoldOneoffs } from '../../../src/bot/store/alert/alerts.ts'
import { recallStore } from '../../../src/bot/store/alert/recall.ts'
import { assembleStore } from '../../../src/bot/store/assemble.ts'
import { cardStore } from '../../../src/bot/store/card/cards.ts'
import { pictureStore } from '../../../src/bot/store/card/pictures.ts'
import { placeStore } from '../../../src/bot/store/card/places.ts'
import { stormStore } from '../../../src/bot/store/card/storms.ts'
import { commit } from '../../../src/bot/store/commit.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import type { Tables } from '../../../src/bot/store/open/schema.ts'
import { yieldingDialect } from '../../../src/bot/store/open/yielding.ts'
import { auditStore } from '../../../src/bot/store/records/audit.ts'
import { aMute, anEntry } from '../../support/acting-rows.ts'
import { anAlert, opening, someDetails } from '../../support/delivery-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const tasks = ['post', 'check', 'update', 'tidy'] as const

/** A store on a file, and beside it a connection that keeps every query that it is asked. */
async function watched() {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-plan-'))
  const path = join(folder, 'monbot.db')
  const store = await openStore(path)
  const sqlite = new SQLite(path)
  const asked: CompiledQuery[] = []
  const db = new Kysely<Tables>({
    dialect: yieldingDialect(sqlite),
    log: ({ query }) => void asked.push(query),
  })
  onTestFinished(async () => {
    await db.destroy()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const walks = () =>
    asked.flatMap(({ sql, parameters }) => {
      if (!/^\s*(?:select|update|insert|delete|with)/.test(sql)) return []
      const steps = sqlite.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]
      return steps.filter(({ detail }) => isWalk(detail)).map(({ detail }) => `${detail}: ${sql}`)
    })
  const indices = () =>
    asked.flatMap(({ sql, parameters }) =>
      (sqlite.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]).flatMap(
        ({ detail }) => /INDEX (\w+)/.exec(detail)?.[1] ?? [],
      ),
    )
  return { store, db, asked, walks, indices }
}

/** These indices hold a few rows only, whatever the tables hold. */
function isWalk(step: string): boolean {
  return /^SCAN (?:cards|card_alerts|alerts|audit|card_pictures|ends)\b(?!.*INDEX (?:cards_(?:waiting|boards)|ends_undecided))/.test(
    step,
  )
}

test('the next card and picture are found by an index, and so is all that they show', async () => {
  const { store, db, asked, walks } = await watched()
  const alert = anAlert('1', { details: someDetails({ trouble: 't1' }) })
  await store.commit({ ...opening([alert], 'C1', nowMs), mutes: [{ mute: aMute('m'), was: null }] })
  await store.commit({ ...emptyPlan(nowMs), cards: [boardCard('C2'), expiringCard(aMute('m'))] })
  const cards: Pick<Store, 'due' | 'nextJob' | 'settle'> = cardStore(db)
  expect(await cards.nextJob('C1', nowMs, tasks)).toMatchObject({ view: { kind: 'alert' } })
  expect(await cards.nextJob('C2', nowMs, tasks)).toMatchObject({ view: { kind: 'board' } })
  await cards.due(nowMs, tasks)
  await cards.nextJob({ except: { channels: ['C2'], cards: ['alert:1:C1'] } }, nowMs, tasks)
  await cards.settle('alert:1:C1', { ts: null })
  await pictureStore(db).nextPicture(nowMs)
  expect(asked.length).toBeGreaterThan(12)
  expect(walks()).toEqual([])
})

test('a commit finds the cards that it concerns by an index', async () => {
  const { store, db, asked, walks } = await watched()
  const alert = anAlert('1')
  await store.commit({ ...opening([alert], 'C1', nowMs), cards: [boardCard('C1')] })
  const plan = {
    ...emptyPlan(nowMs),
    alerts: [{ alert: { ...alert, version: 2 }, was: 1 }],
    mutes: [{ mute: aMute('m'), was: null }],
    audit: [anEntry('a')],
    dirty: ['1'],
    dirtySubjects: ['web-1'],
  }
  expect(await commit(db, plan)).toBe('saved')
  expect(await commit(db, { ...emptyPlan(nowMs), dirtySubjects: [null] })).toBe('saved')
  expect(asked.length).toBeGreaterThan(12)
  expect(walks()).toEqual([])
})

test('what waits in a channel, its storm, and what joins them are found by an index', async () => {
  const { store, db, asked, walks } = await watched()
  const alerts = ['1', '2', '3', '4', '5'].map((alertId) => anAlert(alertId))
  const [first, second, ...rest] = alerts
  if (first === undefined || second === undefined) throw new Error('five alerts were made')
  const to = { channel: 'C1', mention: null }
  await store.commit({ ...opening(rest, 'C1', nowMs) })
  await store.commit({
    ...emptyPlan(nowMs),
    alerts: [{ alert: first, was: null }],
    cards: stormCards([first], to, nowMs),
  })
  const queue = (await stormStore(db).queues(['C1'])).get('C1')
  expect(queue).toMatchObject({ waiting: [{}, {}, {}], storms: [{ pages: [{}] }] })
  const since = { cardOf: 'b', cardSinceMs: 0, sinceMs: 0 }
  const outage = { outageId: 'b', ...since, why: 'away', untilMs: 1, sureMs: null, version: 1 }
  const plan = {
    ...emptyPlan(nowMs),
    alerts: [{ alert: second, was: null }],
    withdrawn: ['alert:3:C1'],
    joins: [{ cardId: `storm:${nowMs}:C1`, alertIds: ['2', '3'] }],
    cards: [{ ...boardCard('C2'), cardId: 'blind:b', kind: 'outage' as const, subjectId: 'b' }],
    outages: [{ outage, was: null }],
  }
  expect(await commit(db, plan)).toBe('saved')
  const again = { ...emptyPlan(nowMs), outages: [{ outage: { ...outage, version: 2 }, was: 1 }] }
  expect(await commit(db, again)).toBe('saved')
  const cards: Pick<Store, 'due' | 'nextJob' | 'settle'> = cardStore(db)
  expect(await cards.nextJob('C1', nowMs, ['post'])).toMatchObject({ view: { kind: 'alert' } })
  expect(await cards.nextJob('C2', nowMs, ['post'])).toMatchObject({ view: { kind: 'outage' } })
  await cards.settle('alert:4:C1', { state: 'dead' })
  await cards.settle('alert:5:C1', { state: 'dead' })
  expect(await cards.nextJob('C1', nowMs, ['post'])).toMatchObject({ view: { kind: 'storm' } })
  expect(asked.length).toBeGreaterThan(20)
  expect(walks()).toEqual([])
})

test('who presses a card, and who asks for a page, is answered by an index', async () => {
  const { db, asked, walks } = await watched()
  const places = placeStore(db)
  await places.cardAt('C1', '1.1')
  await places.cardById('alert:1:C1')
  await places.cardsOf(['1'])
  await places.cardsOfKind('board')
  const alerts = alertStore(db)
  await alerts.alertsForReminders({ isAcked: false, beforeMs: nowMs })
  await alerts.episodes([anAlert('1'), anAlert('2', { details: someDetails({ trouble: 't1' }) })], nowMs)
  await alerts.countAlerts({ subjects: ['web-1'], sinceMs: 0 })
  await alerts.findAlerts({ state: 'open', hostname: null, offset: 0, limit: 10 })
  await auditStore(db).audit({ hostname: 'web-1', sinceMs: 0, offset: 0, limit: 10 })
  expect(asked.length).toBeGreaterThan(10)
  expect(walks()).toEqual([])
})

test('a poll recalls what it needs by an index', async () => {
  const { store, db, asked, walks } = await watched()
  const { hostname, title, plugin, metric, ...rest } = anAlert('2')
  const { serverName, value, url, triggerId, saidSeverity } = rest
  const about = { hostname, serverName, title, plugin, metric, value, url, triggerId, saidSeverity }
  const record = { alertId: '2', timeMs: nowMs, lifecycle: 'end', ...about } as const
  await store.commit({
    ...opening([anAlert('1')], 'C1', nowMs),
    keptEnds: [{ record, decided: true, isHistory: false }],
  })
  const recalled = recallStore(db)
  expect((await recalled.recall()).ends).toHaveLength(1)
  await recalled.recallByIds(['1'])
  await recalled.recallEnds(['2'])
  await recalled.carded(['1'])
  await recalled.newestStartMs()
  expect(asked.length).toBeGreaterThan(6)
  expect(walks()).toEqual([])
})

test('what happened in a time is read by an index, and so is all that stands beside it', async () => {
  const { db, walks, asked } = await watched()
  const happening = assembleStore(db)
  await happening.openedAlerts(nowMs - 3_600_000, nowMs, 10)
  await happening.verdictsOn(['1'])
  await happening.timelineFacts({
    ...{ alertIds: ['1'], hostnames: ['web-1'], cardIds: ['alert:1:C1'] },
    ...{ fromMs: 0, toMs: nowMs },
  })
  await happening.happened(nowMs - 3_600_000, nowMs, true)
  expect(asked.length).toBeGreaterThan(8)
  expect(walks()).toEqual([])
})

test('when a server was well last, and what only happened under a mute, are no matter of how much came before', async () => {
  const { db, indices } = await watched()
  await alertStore(db).lastClosedMs('web-1')
  expect(indices()).toEqual(['alerts_by_server_close'])
  await untoldOneoffs(db, { subjects: null, sinceMs: nowMs, untilMs: null })
  expect(indices()).toContain('alerts_happened')
})
