/** Pages: kept whole, written with the plan that decides them, and shown on the cards of their alerts. */
import { expect, test } from 'vitest'
import { alertsKeptMs } from '../../../../src/bot/domain/base/retention.ts'
import type { Page, PageDelivery } from '../../../../src/bot/domain/page/page.ts'
import { anAlert, closing, opening } from '../../../support/delivery-world.ts'
import { type OpenMemory, storedMs, write } from '../../../support/memory-store.ts'

export function pagesContract(memoryStore: OpenMemory): void {
  const nowMs = storedMs

  function aPage(over: Partial<Page> = {}): Page {
    return {
      key: 'monbot:1',
      alertIds: ['1'],
      isOfList: false,
      cardId: 'alert:1:C1',
      channel: 'C1',
      mention: '<!here>',
      isRinging: true,
      steps: [0],
      events: [{ eventId: 'e1', type: 'triggered', by: null, atMs: nowMs }],
      mayKnow: false,
      askedMs: null,
      toldMs: null,
      heardFrom: null,
      failure: null,
      deliveries: [],
      version: 1,
      ...over,
    }
  }

  test('a page comes back as it was written, as long as somebody is called or something is to be told', async () => {
    const store = await memoryStore()
    expect(await store.livePages()).toEqual([])
    const failure = { sinceMs: nowMs, times: 3, notBeforeMs: nowMs + 1, why: 'a\u0000b', isFinal: true }
    const page = aPage({ failure })
    const kept = { ...page, failure: { ...failure, why: 'a\ufffdb' } }
    expect(await write(store, { pages: [{ page, was: null }] })).toBe('saved')
    expect(await store.livePages()).toEqual([kept])
    expect(await store.pagesByKey(['monbot:1', 'monbot:2'])).toEqual([kept])
    expect(await store.pagesByKey([])).toEqual([])
    const over = aPage({ isRinging: false, version: 2 })
    expect(await write(store, { pages: [{ page: over, was: 1 }] })).toBe('saved')
    expect(await store.livePages()).toEqual([over])
    const done = aPage({ isRinging: false, events: [], version: 3 })
    expect(await write(store, { pages: [{ page: done, was: 2 }] })).toBe('saved')
    expect(await store.livePages()).toEqual([])
    expect(await store.pagesByKey(['monbot:1'])).toEqual([done])
  })

  test('a plan that was made on an older version of it is stale, and so is one that makes it twice', async () => {
    const store = await memoryStore()
    await write(store, { pages: [{ page: aPage(), was: null }] })
    const stale = [
      { page: aPage({ version: 3 }), was: 2 },
      { page: aPage(), was: null },
      { page: aPage({ key: 'monbot:2', version: 2 }), was: 1 },
    ]
    for (const change of stale) {
      const other = anAlert('9')
      const plan = { alerts: [{ alert: other, was: null }], pages: [change] }
      expect(await write(store, plan)).toBe('stale')
    }
    expect(await store.recallByIds(['9'])).toEqual([])
    expect(await store.livePages()).toEqual([aPage()])
  })

  test('the card of an open alert says when somebody was called, and that it fails', async () => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', nowMs))
    const toldMs = nowMs + 1
    const failure = { sinceMs: nowMs, times: 1, notBeforeMs: nowMs, why: 'away', isFinal: false }
    await write(store, { pages: [{ page: aPage({ toldMs, failure }), was: null }] })
    const shown = []
    for (let job = await store.nextJob('C1', nowMs, ['post']); job !== null; ) {
      if (job.view.kind === 'alert') shown.push([job.view.alert.alertId, job.view.page])
      await store.settle(job.cardId, { state: 'shown', ts: `1.${shown.length}`, shown: job.wanted })
      job = await store.nextJob('C1', nowMs, ['post'])
    }
    expect(shown).toEqual([
      ['1', { toldMs, isFailing: true }],
      ['2', undefined],
    ])
  })

  test('a timeline is told what the pager was asked about its alerts, in the order of time', async () => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1'), anAlert('2'), anAlert('3')], 'C1', nowMs))
    const delivery = (eventId: string, over: Partial<PageDelivery>): PageDelivery => ({
      ...{ eventId, type: 'triggered', alertIds: ['1'], askedMs: nowMs, failures: [], toldMs: nowMs },
      ...over,
    })
    const ofBoth = delivery('both', {
      alertIds: ['1', '2'],
      failures: [{ atMs: nowMs, why: 'HTTP 500' }],
      toldMs: null,
    })
    const later = delivery('later', { type: 'resolved', alertIds: ['2'], askedMs: nowMs + 2 })
    const own = delivery('own', { askedMs: nowMs + 1 })
    const pages = [
      aPage({ key: 'monbot:list', alertIds: ['2'], deliveries: [ofBoth, later] }),
      aPage({ isRinging: false, events: [], deliveries: [own] }),
      aPage({ key: 'monbot:3', alertIds: ['3'], deliveries: [delivery('other', { alertIds: ['3'] })] }),
    ]
    await write(store, { pages: pages.map((page) => ({ page, was: null })) })
    const about = async (...alertIds: string[]) => {
      const of = { alertIds, hostnames: [], cardIds: [], fromMs: nowMs, toMs: nowMs }
      return (await store.timelineFacts(of)).deliveries
    }
    expect(await about('1')).toEqual([ofBoth, own])
    expect(await about('1', '2')).toEqual([ofBoth, own, later])
    expect(await about()).toEqual([])
  })

  test('what is over is forgotten after a while, what is not never', async () => {
    const store = await memoryStore()
    const over = aPage({ key: 'monbot:2', isRinging: false, events: [] })
    await write(store, { pages: [aPage(), over].map((page) => ({ page, was: null })) })
    const beforeMs = nowMs + alertsKeptMs
    await store.prune({ alertsBeforeMs: beforeMs, recordsBeforeMs: 0 }, 100)
    expect(await store.pagesByKey(['monbot:1', 'monbot:2'])).toEqual([aPage()])
  })

  test('a page that is over stays as long as any alert that it called for is remembered', async () => {
    const store = await memoryStore()
    const alert = anAlert('1')
    await store.commit(opening([alert], 'C1', nowMs))
    const call = { eventId: 'e1', type: 'triggered', askedMs: nowMs, failures: [], toldMs: nowMs } as const
    const over = aPage({
      ...{ isRinging: false, events: [], alertIds: ['2'] },
      deliveries: [{ ...call, alertIds: ['1', '2'] }],
    })
    await write(store, { pages: [{ page: over, was: null }] })
    const forget = async () => {
      const before = { alertsBeforeMs: nowMs + alertsKeptMs, recordsBeforeMs: 0 }
      while ((await store.prune(before, 100)) > 0);
      return store.pagesByKey(['monbot:1'])
    }
    expect(await forget()).toEqual([over])
    const [card] = await store.cardsOf(['1'])
    await store.settle(card?.cardId ?? '', { state: 'dead' })
    await store.commit(closing(alert, nowMs + 1))
    expect(await forget()).toEqual([])
  })
}
