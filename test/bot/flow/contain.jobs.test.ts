/** An exception that nobody foresaw ends one job: it is tried a few times, counted, set aside with its reason, and told. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openBoards } from '../../../src/bot/flow/outbox/board.ts'
import { openHomes } from '../../../src/bot/flow/outbox/home.ts'
import { openMarkers } from '../../../src/bot/flow/outbox/markers.ts'
import { openPictures } from '../../../src/bot/flow/outbox/pictures.ts'
import type { Poll } from '../../../src/bot/flow/poll/poll.ts'
import { openSchedule } from '../../../src/bot/flow/poll/schedule.ts'
import type { Chat } from '../../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../../src/bot/flow/ports/store.ts'
import { observeJobs } from '../../../src/bot/ops/observe.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { StoreError } from '../../../src/bot/store/open/store-error.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { deliverTo } from '../../support/delivery-town.ts'
import { anAlert, calm, closing, letPass, opening } from '../../support/delivery-world.ts'
import { expiryWorld } from '../../support/expiry-world.ts'
import { stateOf } from '../../support/forgetful-chat.ts'
import { keptJournal } from '../../support/journal.ts'
import { modelService } from '../../support/model-service.ts'
import { report } from '../../support/schedule-world.ts'
import { startPart } from '../../support/start-part.ts'

const minuteMs = 60_000
const bug = () => {
  throw new RangeError('Invalid array length')
}

async function world() {
  const { clock, store, chat } = await bareWorld()
  const { logger: observed, unexpectedErrors } = observeJobs(keptJournal({ mayBreak: true }), clock)
  const kept = keptJournal({ mayBreak: true })
  const logger = {
    ...kept,
    error: (event: string, facts?: Record<string, unknown>) => {
      kept.error(event, facts)
      observed.error(event, facts)
    },
  }
  const broken = () => kept.entries.filter(({ event }) => event === 'job:broken').map(({ facts }) => facts)
  return { clock, logger, unexpectedErrors, store, chat, broken, events: kept.events }
}

test('a picture that cannot be drawn ended the process at every start', async () => {
  const { clock, logger, unexpectedErrors, store, chat, broken } = await world()
  const alerts = [anAlert('1'), anAlert('2')]
  await store.commit({
    ...opening(alerts, 'C1', clock.nowMs()),
    pictures: alerts.map(({ alertId }) => ({ cardId: `alert:${alertId}:C1`, alertId, way: 'chart' })),
  })
  for (const { alertId } of alerts)
    await store.settle(`alert:${alertId}:C1`, { state: 'shown', ts: `${alertId}.1` })
  const drawing = { png: new Uint8Array([7]), alt: 'a chart' }
  const charts = {
    metricsOf: async () => [],
    ofMetric: async () => ({ kind: 'unknown' as const, similar: [] }),
    ofAlert: async ({ alertId }: { alertId: string }) => (alertId === '1' ? bug() : drawing),
  }
  const ports = { store, charts, chat, clock, logger, zone: 'UTC', onReady: () => undefined }
  // A first start and one more in its midst.
  let pictures = startPart(openPictures(ports))
  await letPass(clock, 2_000)
  await pictures.stop()
  pictures = startPart(openPictures(ports))
  await letPass(clock, 30 * minuteMs)
  expect(chat.uploads).toBe(1)
  expect(broken()).toHaveLength(4)
  const [first] = broken()
  expect(first).toMatchObject({ job: 'picture', cardId: 'alert:1:C1', error: { name: 'RangeError' } })
  // The same error has the same id, which stands where the job was set aside.
  expect(new Set(broken().map(({ errorId }) => errorId)).size).toBe(1)
  expect(await store.nextPicture(clock.nowMs())).toEqual({ job: null, nextMs: null })
  expect(unexpectedErrors()).toMatchObject([{ job: 'picture', errorId: first?.errorId, times: 4 }])
  await letPass(clock, 60 * minuteMs)
  expect(unexpectedErrors()).toEqual([])
})

test('a card that cannot be drawn ended the process, and no other card was shown', async () => {
  const { clock, logger, store, chat, broken } = await world()
  const post: Chat['post'] = async (to, view) => (to.key === 'alert:1:C1' ? bug() : chat.post(to, view))
  const { commit } = deliverTo({ ...chat, post }, store, clock, logger)
  await commit(opening([anAlert('1'), anAlert('2')], 'C1', clock.nowMs()))
  await letPass(clock, 10 * minuteMs)
  expect(chat.messages.map(({ key }) => key)).toEqual(['alert:2:C1'])
  // With its blocks, and as plain text.
  expect(broken()).toMatchObject([{ job: 'card' }, { job: 'card' }])
  expect((await store.countCards()).byState).toEqual(
    new Map([
      ['dead', 1],
      ['shown', 1],
    ]),
  )
})

test('a closing that cannot be drawn keeps no other from its turn', async () => {
  const { clock, logger, store, chat } = await world()
  const update: Chat['update'] = async (at, view) => (at.key === 'alert:1:C1' ? bug() : chat.update(at, view))
  const { commit } = deliverTo({ ...chat, update }, store, clock, logger)
  const alerts = [anAlert('1'), anAlert('2')]
  await commit(opening(alerts, 'C1', clock.nowMs()))
  await letPass(clock, minuteMs)
  for (const alert of alerts) await commit(closing(alert, clock.nowMs()))
  await letPass(clock, minuteMs)
  expect(chat.messages.map(stateOf)).toEqual(['open', 'closed'])
})

test('a card whose content is not there any more ended the process', async () => {
  const { clock, logger, chat, broken } = await world()
  const folder = mkdtempSync(join(tmpdir(), 'monbot-'))
  const path = join(folder, 'monbot.db')
  const before = await openStore(path)
  const alerts = Array.from({ length: 5 }, (_, at) => anAlert(String(at)))
  await before.commit(opening(alerts, 'C1', clock.nowMs()))
  await before.close()
  const file = new SQLite(path)
  file.exec(`delete from card_alerts where card_id = 'alert:0:C1'`)
  file.close()
  const store = await openStore(path)
  const { deliver } = deliverTo(chat, store, clock, logger)
  await letPass(clock, 5 * minuteMs)
  expect(chat.messages.map(({ key }) => key)).toEqual([1, 2, 3, 4].map((at) => `alert:${at}:C1`))
  expect(broken()).toHaveLength(4)
  expect((await store.countCards()).byState.get('dead')).toBe(1)
  await deliver.stop()
  await store.close()
  rmSync(folder, { recursive: true })
})

test('a queue that cannot be looked at is looked at again', async () => {
  const { clock, logger, store, chat, broken } = await world()
  let isBroken = true
  const due: Store['due'] = async (...args) => (isBroken ? bug() : store.due(...args))
  deliverTo(chat, { ...store, due }, clock, logger)
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs()))
  await letPass(clock, minuteMs)
  expect(broken().length).toBeLessThan(30)
  isBroken = false
  await letPass(clock, minuteMs)
  expect(chat.messages).toHaveLength(1)
})

test('a memory that fails still ends the process', async () => {
  const { clock, logger, store, chat, broken } = await world()
  const lost = new StoreError('The database is gone.')
  const failing = { ...store, commit: () => Promise.reject(lost) }
  const boards = openBoards(
    { store: failing, chat, clock, logger, onChanged: () => undefined },
    { channels: ['C1'] },
  )
  boards.start()
  await expect(boards.stop()).rejects.toBe(lost)
  expect(broken()).toEqual([])
})

test('a marker and a Home tab that break keep no other from its turn', async () => {
  const { clock, logger, store, chat, broken } = await world()
  const dropped: string[] = []
  const monitor = {
    ...modelService({ form: 'flip', nowMs: clock.nowMs }).monitor,
    addMarker: async (text: string) => (text === 'first' ? bug() : String(dropped.push(text))),
  }
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    markers: ['first', 'second'].map((text) => ({ markerId: text, text, cardId: null })),
  })
  startPart(openMarkers({ store, monitor, chat, clock, logger }))
  const seen: string[] = []
  const publishHome: Chat['publishHome'] = async (userId) =>
    userId === 'U1' ? bug() : void seen.push(userId)
  const health = () => calm(clock.nowMs())
  const homes = startPart(openHomes({ store, chat: { ...chat, publishHome }, clock, logger, health }))
  for (const userId of ['U1', 'U2']) await homes.opened(userId)
  await letPass(clock, 10 * minuteMs)
  expect(dropped).toEqual(['second'])
  expect(seen).toContain('U2')
  expect(broken().filter(({ job }) => job === 'marker')).toHaveLength(4)
  // Someone looks at it: once a minute or so, for as long as they do.
  expect(broken().filter(({ job }) => job === 'home').length).toBeLessThan(12)
})

test('a mute at whose end monbot breaks keeps no other muted, and is tried until it ends', async () => {
  const town = await expiryWorld()
  await town.poll()
  const logger = keptJournal({ mayBreak: true })
  let isBroken = true
  const { hidden } = town.parts()
  const plan: typeof hidden.plan = async (of) =>
    isBroken && of.subjects?.includes('web-1') ? bug() : hidden.plan(of)
  town.start({ logger, hidden: { ...hidden, plan } })
  await town.mute('web-1', 5)
  await town.mute('web-2', 6)
  await town.pass(20)
  expect(town.calls).toEqual(['web-2 on'])
  const broken = logger.entries.filter(({ event }) => event === 'job:broken')
  expect(broken.length).toBeGreaterThan(10)
  expect(broken.length).toBeLessThan(40)
  isBroken = false
  await town.pass(2)
  expect(town.calls).toEqual(['web-2 on', 'web-1 on'])
})

test('a poll that breaks each time is an outage, and polling goes on', async () => {
  const { clock, logger, broken } = await world()
  let poll: Poll = async () => bug()
  const schedule = openSchedule(
    { poll: () => poll(), clock, logger, random: () => 0.5, onPolled: () => undefined },
    { cron: '*/15 * * * * *' },
  )
  onTestFinished(schedule.stop)
  expect(await schedule.poll()).toMatchObject({ kind: 'broken' })
  schedule.start()
  await letPass(clock, 5 * minuteMs)
  expect(schedule.status()).toMatchObject({ lastOpenMs: null, failing: { kind: 'broken', isPartial: false } })
  expect(schedule.status().failing?.why).toContain(String(broken()[0]?.errorId))
  expect(broken().length).toBeGreaterThan(4)
  poll = async () => report
  await letPass(clock, 2 * minuteMs)
  expect(schedule.status().failing).toBeNull()
})
