/** Texts, numbers, orders and empty lists mean the same on every memory. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../../src/bot/domain/alert/alert.ts'
import { aMute, aNote, anEntry } from '../../../support/acting-rows.ts'
import { anAlert, opening, someDetails } from '../../../support/delivery-world.ts'
import { type OpenMemory, queueIn, storedMs, write } from '../../../support/memory-store.ts'

/** As many as the wire lets through, and of those that take the most bytes and cannot be packed. */
const longName = (seed: number) =>
  Array.from({ length: 500 }, (_, at) =>
    String.fromCharCode(0x4e00 + ((at * 7_919 + seed * 104_729 + at * at * 31) % 20_000)),
  ).join('')

const troubling = ['a\u0000b', '\ud800', 'x\udc00y', '🔥\ud83d', String.raw`\u0000`, '\\\u0000', 'C:\\u0000']

export function valuesContract(memoryStore: OpenMemory): void {
  test.each(troubling)('a text that is no good Unicode is kept wherever it is: %j', async (text) => {
    const store = await memoryStore()
    const details = someDetails({ labels: { [text]: text }, description: text, trouble: null })
    const alert = anAlert('1', {
      title: text,
      hostname: text,
      plugin: text,
      metric: text,
      details,
      roles: [text],
    })
    expect(await store.commit(opening([alert], 'C1', storedMs))).toBe('saved')
    const [kept] = await store.recallByIds(['1'])
    expect(kept?.details?.description).toBe(kept?.roles[0])
    expect(await store.findAlerts({ state: 'open', hostname: null, offset: 0, limit: 9 })).toMatchObject({
      total: 1,
    })
    expect(await store.openAlerts([kept?.hostname ?? ''])).toEqual([kept])
    expect(await store.canMuteAlerts()).toBe(false)
    const mutes = [{ mute: aMute('m1', { reason: text }), was: null }]
    const audit = [anEntry('a1', { act: 'mute_server', detail: { muteId: 'm1', reason: text } as never })]
    expect(await write(store, { mutes, audit, notes: [aNote('n1', { text })] })).toBe('saved')
    expect((await store.mutes()).mutes).toHaveLength(1)
    expect(await store.channelsTold({ muteId: 'm1', subject: 'web-1', alert: null } as never)).toEqual([])
    expect(await store.claim([`key ${text}`], storedMs)).toBe('new')
    expect(await store.claim([`key ${text}`], storedMs)).toBe('repeat')
  })

  test('names of five hundred characters fit into every index', async () => {
    const store = await memoryStore()
    const names: Partial<Alert> = { hostname: longName(1), plugin: longName(2), metric: longName(3) }
    const alert = anAlert('1', names)
    expect(await store.commit(opening([alert], 'C1', storedMs))).toBe('saved')
    const reading = { units: 'MB', limit: null, last: null, peak: null, readMs: storedMs }
    await store.settleReading(alert, { reading, nextMs: null, withPicture: false })
    expect(await store.commit(opening([anAlert('2', names)], 'C1', storedMs))).toBe('saved')
    expect(await store.recallByIds(['2'])).toMatchObject([{ ...names, reading: { units: 'MB' } }])
    expect(await write(store, { mutes: [{ mute: aMute('m1', { subject: longName(1) }), was: null }] })).toBe(
      'saved',
    )
  })

  test('names are in the order of their bytes', async () => {
    const store = await memoryStore()
    const names = ['a', 'B', 'ä', '_', 'Z', 'z', 'a-b', 'ab', '10', '9', '日']
    const alerts = names.map((hostname, at) => anAlert(String(at), { hostname, serverName: hostname }))
    await store.commit(opening(alerts, 'C1', storedMs))
    expect(await store.hostnames()).toEqual(['10', '9', 'B', 'Z', '_', 'a', 'a-b', 'ab', 'z', 'ä', '日'])
  })

  test.each([0.1, -0.5, 1e300, 5e-324, 2 ** 53, 0])('the value %d is kept', async (value) => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1', { value })], 'C1', storedMs))
    expect(await store.recallByIds(['1'])).toMatchObject([{ value }])
  })

  test.each([0.1, -2.5e-300, 1e308])('a reading of %d is kept', async (value) => {
    const store = await memoryStore()
    const alert = anAlert('1')
    await store.commit(opening([alert], 'C1', storedMs))
    const limit = { value, side: 'high' } as const
    const reading = { units: 'MB', limit, last: { value, atMs: storedMs }, peak: value, readMs: storedMs }
    await store.settleReading(alert, { reading, nextMs: storedMs + 0.5, withPicture: false })
    expect(await store.recallByIds(['1'])).toMatchObject([{ reading }])
  })

  test.each([storedMs + 0.4, storedMs + 0.5, storedMs + 0.6, 1e21, -1e21])(
    'a time of %d, wherever it comes from, keeps no card from Slack',
    async (ms) => {
      const store = await memoryStore()
      const alert = anAlert('1', { startedMs: ms, firstSeenMs: ms })
      expect(await store.commit(opening([alert], 'C1', ms))).toBe('saved')
      await store.settle('alert:1:C1', { notBeforeMs: ms })
      const nowMs = Math.max(ms, storedMs) + 1
      expect(await store.due(nowMs, ['post'])).toMatchObject({ now: 1 })
      expect(await store.nextJob('C1', nowMs, ['post'])).toMatchObject({ cardId: 'alert:1:C1' })
      const claim = { sendingMs: ms, firstSendingMs: ms }
      expect(await store.claimPost('alert:1:C1', claim)).toBe(true)
      expect(await store.settle('alert:1:C1', { state: 'shown', ts: '1.1', shown: 1 }, claim)).toBe(true)
      expect(await store.claim(['k'], ms)).toBe('new')
      expect(await store.prune({ alertsBeforeMs: ms - 1, recordsBeforeMs: ms - 1 }, 10)).toBe(0)
    },
  )

  test.each<[pattern: string, finds: readonly string[]]>([
    ['db_1', ['1']],
    ['DB_1', ['1']],
    ['db*', ['1', '2']],
    ['db?1', ['1', '2']],
    ['100%', ['3']],
    ['*%', ['3']],
    ['\\*', ['4']],
    ['Ä', ['5']],
    ['ä', []],
  ])('a label is found by %j', async (value, found) => {
    const store = await memoryStore()
    const labels = ['db_1', 'dbx1', '100%', '\\path', 'Ä', '']
    const alerts = labels.map((role, at) =>
      anAlert(String(at + 1), { details: someDetails({ labels: { role } }) }),
    )
    await store.commit(opening([...alerts, anAlert('9')], 'C1', storedMs))
    const query = {
      state: 'open',
      hostname: null,
      labels: [{ name: 'role', value }],
      offset: 0,
      limit: 9,
    } as const
    const { alerts: those } = await store.findAlerts(query)
    expect(those.map(({ alertId }) => alertId).sort()).toEqual(found)
  })

  test.each([`o'k`, 'a "b"', 'a.b', '$', '', 'x\\y'])('a label may be called %j', async (name) => {
    const store = await memoryStore()
    const details = someDetails({ labels: { [name]: 'yes' } })
    await store.commit(opening([anAlert('1', { details })], 'C1', storedMs))
    const query = {
      state: 'open',
      hostname: null,
      labels: [{ name, value: 'yes' }],
      offset: 0,
      limit: 9,
    } as const
    expect((await store.findAlerts(query)).total).toBe(1)
  })

  describe('nothing is found for an empty list', () => {
    const none = { subjects: [], sinceMs: 0, untilMs: null }
    test.each<[string, (store: Awaited<ReturnType<OpenMemory>>) => Promise<unknown>, unknown]>([
      ['one-offs', (store) => store.untoldOneoffs(none), []],
      ['counts', (store) => store.countAlerts(none), 0],
      ['open ones', (store) => store.openAlerts([]), []],
      ['lost ones', (store) => store.lostAlerts([]), []],
      ['by id', (store) => store.recallByIds([]), []],
      ['cards', (store) => store.cardsOf([]), []],
      ['carded', (store) => store.carded([]), new Map()],
      ['queues', (store) => store.queues([]), new Map()],
      ['channels', (store) => store.channelsWithOpen([]), []],
      ['switches', (store) => store.switchesOf([]), []],
    ])('%s', async (_, ask, answer) => {
      const store = await memoryStore()
      await store.commit(opening([anAlert('1')], 'C1', storedMs))
      expect(await ask(store)).toEqual(answer)
    })
  })

  test('where nothing is remembered nothing is forgotten, however far back', async () => {
    const store = await memoryStore()
    const ever = { alertsBeforeMs: Number.NEGATIVE_INFINITY, recordsBeforeMs: Number.NEGATIVE_INFINITY }
    expect(await store.prune(ever, 100)).toBe(0)
    expect(await queueIn(store)).toMatchObject({ waiting: [], storms: [] })
  })

  test('what parts keep is found by the beginning of its name, word for word', async () => {
    const store = await memoryStore()
    const state = ['snooze 1', 'snooze 2', 'snoozes', 'Snooze 3', 'sno_ze 4'].map((name) => ({
      name,
      value: 'x',
    }))
    await write(store, { state })
    expect([...(await store.state('snooze ')).keys()].sort()).toEqual(['1', '2'])
    expect([...(await store.state('sno_ze ')).keys()]).toEqual(['4'])
  })
}
