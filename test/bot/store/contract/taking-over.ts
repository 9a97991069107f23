/** Claims of calls, what one who begins to lead finds of them, notes that come late, and a memory that forgot something. */
import { expect, test } from 'vitest'
import type { CardJob } from '../../../../src/bot/flow/ports/card-store.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute } from '../../../support/acting-rows.ts'
import { anAlert, opening } from '../../../support/delivery-world.ts'
import { type OpenMemory, storedMs, write } from '../../../support/memory-store.ts'

const card = 'alert:1:C1'
const shown = { state: 'shown', ts: '1.1', shown: 1 } as const
const farMs = storedMs + 365 * 24 * 60 * 60_000

export function takingOverContract(memoryStore: OpenMemory): void {
  async function world() {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', storedMs))
    return store
  }

  test('a card is claimed for one post, the same claim once more is the same, and only its result is written', async () => {
    const store = await world()
    const claim = { sendingMs: storedMs, firstSendingMs: storedMs }
    expect(await store.claimPost(card, claim)).toBe(true)
    expect(await store.claimPost(card, claim)).toBe(true)
    expect(await store.claimPost(card, { ...claim, sendingMs: storedMs + 1 })).toBe(false)
    expect(await store.settle(card, shown, { sendingMs: storedMs + 1 })).toBe(false)
    expect(await store.settle(card, shown, { sendingMs: storedMs })).toBe(true)
    expect(await store.claimPost(card, { ...claim, sendingMs: storedMs + 2 })).toBe(false)
    expect(await store.claimPost('alert:9:C1', claim)).toBe(false)
  })

  test('an update that was under way is repeated by the next leader, and one whose result was written is not', async () => {
    const store = await world()
    expect(await store.claimUpdate(card, { callMs: 5 })).toBe(false)
    for (const id of ['1', '2']) await store.settle(`alert:${id}:C1`, shown)
    expect(await store.claimUpdate(card, { callMs: 5 })).toBe(true)
    expect(await store.claimUpdate('alert:2:C1', { callMs: 6 })).toBe(true)
    expect(await store.settle('alert:2:C1', { shown: 1 }, { callMs: 5 })).toBe(false)
    expect(await store.settle('alert:2:C1', { shown: 1 }, { callMs: 6 })).toBe(true)
    expect(await store.takeOver()).toEqual([card])
    expect(await jobs(store)).toEqual([`update ${card}`])
    expect(await store.takeOver()).toEqual([])
  })

  test('a message that was posted too late is taken by a card that has none, and by no other', async () => {
    const store = await world()
    const copy = { cardId: card, channel: 'C1', ts: '7.7' }
    await store.claimPost(card, { sendingMs: storedMs, firstSendingMs: storedMs })
    await store.noteCopy(copy)
    await store.noteCopy(copy)
    await store.noteCopy({ ...copy, cardId: 'alert:2:C1', ts: null })
    await store.noteCopy({ ...copy, cardId: 'gone:1', ts: '9.9' })
    const found = (await store.copies()).map(({ cardId, ts, state }) => [cardId, ts, state])
    expect(found.sort()).toEqual([
      [card, '7.7', 'sending'],
      ['alert:2:C1', null, 'wanted'],
      ['gone:1', '9.9', null],
    ])
    expect(await store.takeCopy(copy)).toBe(false)
    expect(await store.recoverSending()).toBe(1)
    expect(await store.takeCopy(copy)).toBe(true)
    expect((await store.cardById(card))?.ts).toBe('7.7')
    expect(await jobs(store)).toEqual(['post alert:2:C1', `update ${card}`])
    expect(await store.takeCopy({ ...copy, ts: '8.8' })).toBe(false)
    for (const one of await store.copies()) await store.forgetCopy(one)
    expect(await store.copies()).toEqual([])
  })

  test('a late update is shown over, and a late word to the API is said again', async () => {
    const store = await world()
    await store.settle(card, shown)
    await store.noteLateUpdate(card)
    await store.noteLateUpdate('alert:2:C1')
    expect(await jobs(store)).toEqual(['post alert:2:C1', `update ${card}`])
    await muted(store)
    await store.noteLateSwitch('web-1')
    const [row] = await store.switches()
    expect(row).toMatchObject({ subject: 'web-1', notBeforeMs: 0, version: 2 })
    expect(row?.doubtMs).toBeGreaterThan(farMs)
  })

  test('what the API was being asked when another began to lead is in doubt from now on', async () => {
    const store = await world()
    await muted(store)
    const [row] = await store.switchesOf(['web-1'])
    if (row === undefined) throw new Error('It was decided')
    await store.noteAsked({ ...row, askedMs: storedMs - farMs }, row.version)
    await store.takeOver()
    expect((await store.switchesOf(['web-1']))[0]?.askedMs).toBeGreaterThan(farMs)
  })

  test('a memory that forgot something looks for cards before it posts them, and says again what people rely on', async () => {
    const store = await world()
    await store.commit({ ...opening([anAlert('0')], 'C1', storedMs - 25 * 60 * 60_000) })
    await write(store, { facts: { polledMs: storedMs - 60_000 } })
    await store.settle('alert:2:C1', shown)
    await muted(store)
    await store.doubtMemory(storedMs)
    // Made more than a day ago: it was never posted, or was long known to be.
    expect(await jobs(store)).toEqual(['check alert:1:C1', 'post alert:0:C1', 'update alert:2:C1'])
    const check = await store.nextJob('C1', storedMs, ['check'])
    expect(check).toMatchObject({ sendingMs: null, firstSendingMs: storedMs - 60_000 })
    expect((await store.switches()).map(({ subject }) => subject)).toEqual(['web-1'])
    const states = async (at: number, id: string) => {
      await store.commit({ ...opening([anAlert(id)], 'C2', at) })
      return (await jobs(store, 'C2')).filter((one) => one.endsWith(`:${id}:C2`))
    }
    expect(await states(storedMs + 599_999, '3')).toEqual(['check alert:3:C2'])
    expect(await states(storedMs + 600_000, '4')).toEqual(['post alert:4:C2'])
    expect(await states(storedMs - 1, '5')).toEqual(['post alert:5:C2'])
  })
}

async function muted(store: Store): Promise<void> {
  const next = {
    subject: 'web-1',
    wanted: 'off' as const,
    revision: 1,
    saidRevision: 1,
    askedRevision: 1,
    muteId: 'm1',
    auditId: null,
    places: [],
    isMoot: false,
    askedMs: null,
    doubtMs: null,
    attempts: 0,
    notBeforeMs: 0,
    goneMs: null,
    version: 1,
  }
  const mute = aMute('m1', { subject: 'web-1' })
  await write(store, { mutes: [{ mute, was: null }], switches: [{ next, was: null }] })
}

/** What is to be done in a channel, each as `task card`. */
async function jobs(store: Store, channel = 'C1'): Promise<string[]> {
  const found: CardJob[] = []
  for (let at = 0; at < 9; at += 1) {
    const except = {
      channels: ['C1', 'C2'].filter((one) => one !== channel),
      cards: found.map(({ cardId }) => cardId),
    }
    const job = await store.nextJob({ except }, farMs, ['post', 'update', 'check', 'tidy'])
    if (job === null) break
    found.push(job)
  }
  return found.map(({ task, cardId }) => `${task} ${cardId}`).sort()
}
