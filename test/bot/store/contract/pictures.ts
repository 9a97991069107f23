/** Pictures belong to cards: one at a time for each, the one that fits what the card shows. */
import { expect, test } from 'vitest'
import { expiringCard } from '../../../../src/bot/domain/card/thread-cards.ts'
import type { PictureWay } from '../../../../src/bot/domain/delivery/picture.ts'
import { emptyPlan, type Plan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute } from '../../../support/acting-rows.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'

export function picturesContract(memoryStore: OpenMemory): void {
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
  const cardId = 'alert:1:C1'
  const alert = anAlert('1')
  const closed = { ...alert, state: 'closed', closedMs: nowMs, closedBy: 'record', version: 2 } as const

  function asking(way: PictureWay, of: { cardId?: string; alertId?: string } = {}): Plan {
    return { ...emptyPlan(nowMs), pictures: [{ cardId, alertId: '1', way, ...of }] }
  }

  async function shownCard(way: PictureWay): Promise<Store> {
    const store = await memoryStore()
    await store.commit({ ...opening([alert], 'C1', nowMs), pictures: asking(way).pictures })
    await store.settle(cardId, { state: 'shown', ts: '1.1', shown: 1 })
    return store
  }

  async function pictureNow(store: Store): Promise<unknown> {
    await store.commit({ ...emptyPlan(nowMs), dirtyCards: [cardId] })
    const job = await store.nextJob('C1', nowMs, ['update'])
    return job?.view.kind === 'alert' ? job.view.picture : 'no card'
  }

  /** What the card would be posted with, or null where it waits still. */
  async function postNow(store: Store, atMs: number): Promise<unknown> {
    const job = await store.nextJob('C1', atMs, ['post'])
    return job?.view.kind === 'alert' ? { picture: job.view.picture } : null
  }

  async function openedCard(): Promise<Store> {
    const store = await memoryStore()
    await store.commit({ ...opening([alert], 'C1', nowMs), pictures: asking('chart').pictures })
    return store
  }

  test('a card waits for its picture, is posted with it, and shows it from then on', async () => {
    const store = await openedCard()
    expect(await postNow(store, nowMs)).toBeNull()
    expect(await store.due(nowMs, ['post'])).toEqual({ now: 0, nextMs: nowMs + 1_500 })
    const { job } = await store.nextPicture(nowMs)
    expect(job).toMatchObject({ cardId, way: 'chart', alert, fileId: null, attempts: 0, isPosted: false })
    await store.settlePicture(cardId, { fileId: 'F1', notBeforeMs: nowMs + 5 })
    expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: nowMs + 5 })
    await store.settlePicture(cardId, { state: 'offered' }, { fileId: 'F1' })
    expect(await postNow(store, nowMs)).toEqual({ picture: { fileId: 'F1', attempts: 0 } })
    await store.settle(cardId, { state: 'sending' })
    await store.settle(cardId, { state: 'shown', ts: '1.1', shown: 1 }, 'sending', 'F1')
    expect(await pictureNow(store)).toMatchObject({ fileId: 'F1' })
    expect(await store.nextPicture(nowMs + 60_000)).toEqual({ job: null, nextMs: null })
  })

  test.each<[string, number, boolean]>([
    ['just made', 0, true],
    ['one millisecond before the end', 1_499, true],
    ['at the end', 1_500, false],
    ['by a clock that was set back since', -1, false],
  ])('a card %s waits for its picture: %s', async (_, afterMs, waits) => {
    const store = await openedCard()
    expect((await postNow(store, nowMs + afterMs)) === null).toBe(waits)
  })

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['that failed', (store) => store.settlePicture(cardId, { state: 'failed' })],
    ['that comes too late', (store) => store.settlePicture(cardId, { notBeforeMs: nowMs + 1_500 })],
    [
      'that Slack takes in too late',
      (store) => store.settlePicture(cardId, { fileId: 'F1', notBeforeMs: nowMs + 1_500 }),
    ],
    ['of a whole episode', (store) => store.commit(asking('episode'))],
  ])('a card does not wait for a picture %s', async (_, happens) => {
    const store = await openedCard()
    await happens(store)
    expect(await postNow(store, nowMs)).toEqual({ picture: null })
  })

  test('a picture was taken for shown that had been ready when its card was on its way without it', async () => {
    const store = await openedCard()
    await store.settle(cardId, { state: 'sending' })
    await store.settlePicture(cardId, { fileId: 'F1' })
    await store.settlePicture(cardId, { state: 'offered' }, { fileId: 'F1' })
    await store.settle(cardId, { state: 'shown', ts: '1.1', shown: 1 }, 'sending')
    expect(await pictureNow(store)).toBeNull()
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ fileId: 'F1', isPosted: true })
  })

  test('the episode takes the place of the chart when the alert is over, and not before', async () => {
    const store = await shownCard('chart')
    await store.settlePicture(cardId, { state: 'ready', fileId: 'F1', shownFileId: 'F1' })
    expect(await pictureNow(store)).toMatchObject({ fileId: 'F1' })
    await store.commit({ ...closing(alert, nowMs), pictures: asking('episode').pictures })
    // Until it is ready, what was drawn before it is better than none.
    expect(await pictureNow(store)).toMatchObject({ fileId: 'F1' })
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ way: 'episode', alert: closed })
    await store.settlePicture(cardId, { state: 'ready', fileId: 'F2' })
    expect(await pictureNow(store)).toMatchObject({ fileId: 'F2' })
    const reopened = { ...alert, version: 3 }
    await store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: reopened, was: 2 }] })
    expect(await pictureNow(store)).toBeNull()
    await store.commit(asking('chart'))
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ way: 'chart', fileId: null, attempts: 0 })
  })

  test('a chart stays off a closed card, and one that nobody had brought is not wanted any more', async () => {
    const ready = await shownCard('chart')
    await ready.settlePicture(cardId, { state: 'ready', fileId: 'F1', shownFileId: 'F1' })
    await ready.commit(closing(alert, nowMs))
    expect(await pictureNow(ready)).toBeNull()
    const store = await shownCard('chart')
    await store.commit(closing(alert, nowMs))
    const reopened = { ...alert, version: 3 }
    await store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: reopened, was: 2 }] })
    expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: null })
  })

  test('a chart that is asked for after the end is not brought', async () => {
    const store = await shownCard('chart')
    await store.commit({ ...closing(alert, nowMs), pictures: asking('chart').pictures })
    expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: null })
  })

  test('an episode is not drawn while the alert is open', async () => {
    const store = await shownCard('episode')
    expect(await store.nextPicture(nowMs)).toEqual({ job: null, nextMs: null })
    await store.commit(closing(alert, nowMs))
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ way: 'episode' })
  })

  test('the same picture asked for twice goes on where it is, and one that failed begins anew', async () => {
    const store = await shownCard('chart')
    await store.settlePicture(cardId, { attempts: 2 })
    await store.commit(asking('chart'))
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ attempts: 2 })
    await store.settlePicture(cardId, { state: 'failed', why: 'no picture' })
    expect((await store.nextPicture(nowMs)).job).toBeNull()
    await store.commit(asking('chart'))
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ attempts: 0 })
  })

  test('a folded card shows the picture of its newest alert only', async () => {
    const store = await shownCard('chart')
    await store.settlePicture(cardId, { state: 'ready', fileId: 'F1', shownFileId: 'F1' })
    await store.commit(closing(alert, nowMs))
    const next = anAlert('2', { hostname: 'web-1', startedMs: nowMs })
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: [{ alert: next, was: null }],
      folds: [{ cardId, alertId: '2' }],
    })
    expect(await pictureNow(store)).toBeNull()
    await store.commit(asking('chart', { alertId: '2' }))
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ alert: { alertId: '2' }, fileId: null })
  })

  test('a hand-back has a chart, whether its alert is open still or not', async () => {
    const store = await memoryStore()
    const mute = aMute('m1')
    const card = expiringCard(mute)
    await store.commit({
      ...opening([alert], 'C2', nowMs),
      mutes: [{ mute, was: null }],
    })
    await store.commit({
      ...asking('chart', { cardId: card.cardId }),
      cards: [card],
    })
    await store.settle(card.cardId, { state: 'shown', ts: '1.1', shown: 1 })
    expect((await store.nextPicture(nowMs)).job).toMatchObject({ cardId: card.cardId, way: 'chart' })
    await store.settlePicture(card.cardId, { state: 'ready', fileId: 'F3' })
    await store.commit(closing(alert, nowMs))
    expect(await store.nextJob('C1', nowMs, ['update'])).toMatchObject({
      view: { kind: 'mute_expiring', picture: { fileId: 'F3' } },
    })
  })
}
