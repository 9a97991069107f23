/** Cards, pictures and markers that once went wrong: each test is the sentence of a bug. */
import { afterEach, expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { boardCard, handbackCard, toldCard } from '../../src/domain/card/thread-cards.ts'
import { emptyPlan } from '../../src/domain/plan.ts'
import type { Drawing } from '../../src/domain/request/answer.ts'
import { openHomes } from '../../src/flow/outbox/home.ts'
import { openMarkers } from '../../src/flow/outbox/markers.ts'
import { openPictures } from '../../src/flow/outbox/pictures.ts'
import { openDeliver } from '../../src/flow/outbox/worker.ts'
import type { Chat } from '../../src/flow/ports/ports.ts'
import { aMute, anEntry } from '../support/acting-rows.ts'
import { anAlert, calm, closing, deliverTo, letPass, opening } from '../support/delivery-world.ts'
import { forgetfulChat } from '../support/forgetful-chat.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { modelService } from '../support/model-service.ts'
import { cards, pollWorld } from '../support/poll-world.ts'
import { startPart } from '../support/start-part.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const started: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of started.splice(0)) await part.stop()
})

async function world(over: Partial<Chat> = {}) {
  const clock = manualClock()
  const store = await memoryStore()
  const chat = { ...forgetfulChat({ nowMs: clock.nowMs }), ...over }
  return { clock, store, chat, logger: keptJournal() }
}

test('a new alert waited behind fifty messages about mutes', async () => {
  const { clock, store } = await world()
  const mutes = Array.from({ length: 50 }, (_, n) => aMute(`m${n}`, { hostname: `srv-${n}` }))
  const entry = anEntry('a1')
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    mutes: mutes.map((mute) => ({ mute, was: null })),
    audit: [entry],
    cards: [...mutes.map(handbackCard), toldCard(entry, { channel: 'C1', cardId: null })],
  })
  await store.commit(opening([anAlert('1')], 'C1', clock.nowMs() + 1_000))
  const [first] = await cards({ store, clock })
  expect(first?.cardId).toBe('alert:1:C1')
})

test.each(['drawn', 'refused'])(
  'the picture of an open alert that was %s after the alert had closed became its episode',
  async (how) => {
    const { clock, store, chat, logger } = await world()
    const brought: string[] = []
    const picture = Promise.withResolvers<Drawing>()
    const charts = {
      ofMetric: async () => 'no_points' as const,
      ofAlert: async (alert: { state: string }) => {
        brought.push(alert.state)
        return brought.length === 1 ? picture.promise : { png: new Uint8Array([9]), alt: 'x' }
      },
    }
    const pictures = startPart(
      openPictures({ store, charts, chat, clock, logger, onReady: () => deliver.wake() }),
    )
    const health = () => calm(clock.nowMs())
    const onShown = () => pictures.wake()
    const deliver = startPart(openDeliver({ store, chat, clock, logger, health, onShown }))
    started.push(deliver, pictures)
    const alert = anAlert('1')
    const wanted = { cardId: 'alert:1:C1', alertId: '1' }
    const opened = opening([alert], 'C1', clock.nowMs())
    await store.commit({ ...opened, pictures: [{ ...wanted, way: 'chart' }] })
    deliver.wake()
    await letPass(clock, 5_000)
    await store.commit({ ...closing(alert, clock.nowMs()), pictures: [{ ...wanted, way: 'episode' }] })
    deliver.wake()
    await letPass(clock, 1_000)
    if (how === 'drawn') picture.resolve({ png: new Uint8Array([1]), alt: 'x' })
    else picture.reject(new OutsideFailure('missing', 'no such picture', { status: 404 }))
    await letPass(clock, 10 * minuteMs)
    expect(brought).toEqual(['open', 'closed'])
  },
)

test('a board showed a mute of the account minutes late, after two hundred cards', async () => {
  const { clock, store, chat } = await world()
  const alerts = Array.from({ length: 200 }, (_, n) => anAlert(String(n)))
  await store.commit(opening(alerts, 'C1', clock.nowMs()))
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C1')] })
  const { deliver } = deliverTo(chat, store, clock)
  started.push(deliver)
  await letPass(clock, 10 * minuteMs)
  const mute = aMute('account', { hostname: null })
  const mutes = [{ mute, was: null }]
  await store.commit({ ...emptyPlan(clock.nowMs()), mutes, dirtyServers: [null] })
  deliver.wake()
  await letPass(clock, minuteMs)
  const board = chat.messages.find(({ key }) => key === 'board:C1')
  expect(board?.view).toMatchObject({ mutes: [{ muteId: 'account' }] })
})

test('a board that may not be edited any more was frozen for ever', async () => {
  const posts: number[] = []
  const { clock, store, chat } = await world({
    update: async () => ({ kind: 'frozen', why: 'edit_window_closed' }),
  })
  const post: Chat['post'] = (to, view) => {
    posts.push(clock.nowMs())
    return chat.post(to, view)
  }
  await store.commit({ ...emptyPlan(clock.nowMs()), cards: [boardCard('C1')] })
  const { deliver } = deliverTo({ ...chat, post }, store, clock)
  started.push(deliver)
  for (let minute = 0; minute < 150; minute += 1) {
    await store.commit({ ...emptyPlan(clock.nowMs()), dirtyCards: ['board:C1'] })
    deliver.wake()
    await letPass(clock, minuteMs)
  }
  expect(posts.map((atMs) => Math.round((atMs - (posts[0] ?? 0)) / minuteMs))).toEqual([0, 60, 120])
})

test('a flap was folded into a card that Slack had refused', async () => {
  const town = await pollWorld()
  await town.poll()
  let last = ''
  for (let n = 0; n < 4; n += 1) {
    last = town.service.open({ hostname: 'web-1', metric: 'm' })
    await town.tick()
    const job = await town.store.nextJob('C1', town.clock.nowMs(), ['post'])
    if (job !== null) await town.store.settle(job.cardId, { state: 'dead', why: 'invalid_blocks' })
    if (n === 3) break
    town.service.close(last)
    await town.tick()
  }
  expect((await town.store.cardsOf([last])).map(({ cardId }) => cardId)).toEqual([`alert:${last}:C1`])
})

async function marking(fates: readonly OutsideFailure[] = []) {
  const { clock, store, chat, logger } = await world()
  const dropped: number[] = []
  const waiting = [...fates]
  const monitor = {
    ...modelService({ form: 'flip', nowMs: clock.nowMs }).monitor,
    addMarker: async () => {
      dropped.push(clock.nowMs())
      const failure = waiting.shift()
      if (failure !== undefined) throw failure
      return 'the marker was added'
    },
  }
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    cards: [boardCard('C1')],
    markers: [{ markerId: 'm1', text: 'muted web-1', cardId: fates.length === 0 ? 'board:C1' : null }],
  })
  started.push(startPart(openMarkers({ store, monitor, chat, clock, logger })))
  return { clock, store, dropped, logger }
}

test('a marker that waited five hours for Slack was dropped as of now', async () => {
  const { clock, store, dropped, logger } = await marking()
  await letPass(clock, 5 * hourMs)
  await store.settle('board:C1', { state: 'shown', ts: '1.1', shown: 1 })
  await letPass(clock, 2 * minuteMs)
  expect(dropped).toEqual([])
  expect(logger.events()).toContain('marker:too_late')
})

test('a marker was tried again sooner than the API had asked for', async () => {
  const limited = new OutsideFailure('rate_limited', 'too many', { retryAfterMs: 10 * minuteMs })
  const { clock, dropped } = await marking([limited])
  await letPass(clock, 30 * minuteMs)
  expect(dropped).toHaveLength(2)
  expect((dropped[1] ?? 0) - (dropped[0] ?? 0)).toBeGreaterThanOrEqual(10 * minuteMs)
})

test('a Home tab that always fails was tried every ten seconds for an hour', async () => {
  let tries = 0
  const { clock, store, chat, logger } = await world({
    publishHome: async () => {
      tries += 1
      throw new OutsideFailure('rejected', 'not_enabled')
    },
  })
  const homes = startPart(openHomes({ store, chat, clock, logger, health: () => calm(clock.nowMs()) }))
  started.push(homes)
  await homes.opened('U1')
  await letPass(clock, 61 * minuteMs)
  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(15)
})
