/** Times in which the API could not be read: kept with their cards, and what was found after them is counted. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../../src/bot/domain/alert/alert.ts'
import { forgettingAt, recordsKeptMs } from '../../../../src/bot/domain/base/retention.ts'
import type { NewCard } from '../../../../src/bot/domain/card/card.ts'
import type { Outage } from '../../../../src/bot/domain/outage/outage.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { anAlert } from '../../../support/delivery-world.ts'
import { type OpenMemory, storedMs, write } from '../../../support/memory-store.ts'

export function outagesContract(memoryStore: OpenMemory): void {
  const nowMs = storedMs
  const minuteMs = 60_000
  const sinceMs = nowMs - 20 * minuteMs

  function anOutage(over: Partial<Outage> = {}): Outage {
    const { outageId = 'b1', cardOf = outageId } = over
    const times = { cardSinceMs: sinceMs, sinceMs, untilMs: null, sureMs: null }
    return { ...times, why: 'no answer within 10 s', version: 1, ...over, outageId, cardOf }
  }

  function cardOf(outageId: string, channel = 'C1'): NewCard {
    const bare = { topic: null, parentId: null, page: null, mention: null, alertIds: [] }
    return { ...bare, cardId: `blind:${outageId}:${channel}`, kind: 'outage', channel, subjectId: outageId }
  }

  async function began(store: Store, outage = anOutage()): Promise<void> {
    const plan = {
      outages: [{ outage, was: null }],
      cards: ['C1', 'C2'].map((to) => cardOf(outage.outageId, to)),
    }
    expect(await write(store, plan)).toBe('saved')
  }

  async function shown(store: Store, channel = 'C1') {
    const job = await store.nextJob(channel, nowMs, ['post', 'update'])
    if (job === null) return null
    await store.settle(job.cardId, { state: 'shown', ts: '1.1', shown: job.wanted })
    return { task: job.task, view: job.view }
  }

  test('the one that began last is remembered, also once it is over', async () => {
    const store = await memoryStore()
    expect(await store.lastOutage()).toBeNull()
    await began(store)
    expect(await store.lastOutage()).toEqual(anOutage())
    const over = anOutage({ untilMs: nowMs, version: 2 })
    expect(await write(store, { outages: [{ outage: over, was: 1 }] })).toBe('saved')
    expect(await store.lastOutage()).toEqual(over)
    // The clock was set back meanwhile.
    await began(store, anOutage({ outageId: 'b2', sinceMs: sinceMs - 60 * minuteMs }))
    expect(await store.lastOutage()).toMatchObject({ outageId: 'b2' })
  })

  test('a plan that was made on an older version of it is stale, and so is one that begins it twice', async () => {
    const store = await memoryStore()
    await began(store)
    expect(
      await write(store, { outages: [{ outage: anOutage({ why: 'other', version: 3 }), was: 2 }] }),
    ).toBe('stale')
    expect(await write(store, { outages: [{ outage: anOutage({ why: 'other' }), was: null }] })).toBe('stale')
    expect(await store.lastOutage()).toEqual(anOutage())
  })

  test('a change of it has its cards shown anew in every channel, and no other', async () => {
    const store = await memoryStore()
    await began(store)
    await began(store, anOutage({ outageId: 'b2' }))
    for (const channel of ['C1', 'C2', 'C1', 'C2']) {
      expect(await shown(store, channel)).toMatchObject({
        task: 'post',
        view: { kind: 'outage', outages: [{ found: null }] },
      })
    }
    const refused = anOutage({ why: 'the API refused the key', version: 2 })
    await write(store, { outages: [{ outage: refused, was: 1 }] })
    for (const channel of ['C1', 'C2']) {
      expect(await shown(store, channel)).toMatchObject({
        task: 'update',
        view: { outages: [{ outage: refused }] },
      })
      expect(await shown(store, channel)).toBeNull()
    }
  })

  test('a card of an outage that nobody wrote down is refused where it is made', async () => {
    const store = await memoryStore()
    await expect(write(store, { cards: [cardOf('nobody')] })).rejects.toThrow('What the card')
  })

  test('what was found after it is what was seen first until then, what of it is open, and what closed', async () => {
    const store = await memoryStore()
    const during = { startedMs: sinceMs + minuteMs, firstSeenMs: nowMs }
    const closed = (closedMs: number, closedBy: Alert['closedBy'] = 'record') =>
      ({ state: 'closed', closedMs, closedBy }) as const
    const before = { startedMs: sinceMs - 9 * minuteMs, firstSeenMs: sinceMs - 9 * minuteMs }
    const alerts = [
      anAlert('still-open', during),
      anAlert('opened-and-closed', { ...during, ...closed(nowMs) }),
      anAlert('open-before', before),
      anAlert('closed-meanwhile', { ...before, ...closed(nowMs - minuteMs) }),
      anAlert('gone-meanwhile', { ...before, ...closed(nowMs + minuteMs, 'absence') }),
      anAlert('closed-before', { ...before, ...closed(sinceMs - minuteMs) }),
      anAlert('closed-since', { ...before, ...closed(nowMs + minuteMs) }),
      anAlert('opened-since', { startedMs: nowMs + 1, firstSeenMs: nowMs + 1 }),
      anAlert('history', { ...before, firstSeenMs: nowMs, ...closed(sinceMs - minuteMs) }),
    ]
    await write(store, { alerts: alerts.map((alert) => ({ alert, was: null })) })
    await began(store)
    await write(store, { outages: [{ outage: anOutage({ untilMs: nowMs, version: 2 }), was: 1 }] })
    expect(await shown(store)).toMatchObject({
      view: { kind: 'outage', outages: [{ found: { opened: 2, stillOpen: 1, closed: 3 } }] },
    })
  })

  test('of several on one card each has what was found after it, and nothing counts twice or was there to be seen', async () => {
    const store = await memoryStore()
    const at = (minutes: number) => sinceMs + minutes * minuteMs
    // Outages from minute 0 to 10 and from 11 to 14; the history of the first is read with the second.
    const seen = (
      id: string,
      started: number,
      first: number,
      closed: number | null,
      closedBy: Alert['closedBy'] = 'record',
    ) =>
      anAlert(id, {
        startedMs: at(started),
        firstSeenMs: at(first),
        ...(closed === null ? {} : { state: 'closed', closedMs: at(closed), closedBy }),
      })
    const alerts = [
      seen('opened in the first', 5, 10, null),
      seen('came and went in the first, found late', 7, 14, 8),
      seen('came and went in the first, found long after', 9, 30, 9.5),
      seen('came while it could see', 10.4, 10.5, null),
      seen('came and went while it could see', 10.2, 10.5, 10.5),
      seen('seen at the last good poll', 10.9, 11, null),
      seen('opened in the second', 12, 14, null),
      seen('came and went in the second', 12, 14, 13),
      seen('closed in the first', -30, -30, 6),
      seen('gone in the first', -30, -30, 10.5, 'absence'),
      seen('gone in the second', -30, -30, 14.5, 'absence'),
      seen('came later', 20, 20, null),
    ]
    await write(store, { alerts: alerts.map((alert) => ({ alert, was: null })) })
    await began(store, anOutage({ untilMs: at(10), version: 1 }))
    const second = anOutage({
      outageId: 'b2',
      cardOf: 'b1',
      sinceMs: at(11),
      untilMs: at(14),
      sureMs: at(15),
    })
    await shown(store)
    await write(store, { outages: [{ outage: second, was: null }] })
    const job = await shown(store)
    // That the second is known to its end says so of the first as well.
    expect(job).toMatchObject({
      task: 'update',
      view: {
        outages: [
          { outage: { outageId: 'b1', sureMs: at(15) }, found: { opened: 3, stillOpen: 1, closed: 4 } },
          { outage: { outageId: 'b2', sureMs: at(15) }, found: { opened: 2, stillOpen: 1, closed: 2 } },
        ],
      },
    })
  })

  test('one that is over is forgotten with its cards, and one that lasts is not', async () => {
    const store = await memoryStore()
    await began(store)
    for (const channel of ['C1', 'C2']) await shown(store, channel)
    const forget = async () => {
      let rows = 0
      for (let gone = -1; gone !== 0; rows += gone) {
        gone = await store.prune(forgettingAt(nowMs + recordsKeptMs + 1), 10)
      }
      return rows
    }
    expect(await forget()).toBe(0)
    await write(store, { outages: [{ outage: anOutage({ untilMs: nowMs, version: 2 }), was: 1 }] })
    for (const channel of ['C1', 'C2']) await shown(store, channel)
    expect(await forget()).toBe(3)
    expect(await store.lastOutage()).toBeNull()
  })
}
