/** What people ask the memory: lists in pages, counts, episodes, what nobody took on, the audit, the report, and what disturbed a shift. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../../src/bot/domain/alert/alert.ts'
import { alertCard } from '../../../../src/bot/domain/card/card.ts'
import { changeNotice } from '../../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, anEntry } from '../../../support/acting-rows.ts'
import { anAlert, closing, opening, someDetails } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'
import { manyAlerts, storming } from '../../../support/storm-rows.ts'

export function askingContract(memoryStore: OpenMemory): void {
  const minuteMs = 60_000
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
  const agoMs = (minutes: number) => nowMs - minutes * minuteMs

  async function holding(alerts: readonly Alert[]): Promise<Store> {
    const store = await memoryStore()
    await store.commit({ ...emptyPlan(nowMs), alerts: alerts.map((alert) => ({ alert, was: null })) })
    return store
  }

  function ids(alerts: readonly Alert[]): string[] {
    return alerts.map(({ alertId }) => alertId)
  }

  const fleet = [
    anAlert('1', { hostname: 'web-1', startedMs: agoMs(50) }),
    anAlert('2', { hostname: 'web-2', startedMs: agoMs(40), state: 'closed', closedMs: agoMs(30) }),
    anAlert('3', { hostname: 'web-1', startedMs: agoMs(30), state: 'unreported' }),
    anAlert('4', { hostname: 'web-3', startedMs: agoMs(20), state: 'oneoff' }),
    anAlert('5', { hostname: 'web-2', startedMs: agoMs(10) }),
  ]

  test('alerts are listed newest first, a page at a time, by state and server', async () => {
    const store = await holding(fleet)
    const find = async (
      state: 'open' | 'closed' | 'all',
      hostname: string | null = null,
      offset = 0,
      limit = 9,
    ) => {
      const { alerts, total } = await store.findAlerts({ state, hostname, offset, limit })
      return [ids(alerts).join(' '), total]
    }
    expect(await find('all')).toEqual(['5 4 3 2 1', 5])
    expect(await find('all', null, 2, 2)).toEqual(['3 2', 5])
    expect(await find('all', null, 10, 2)).toEqual(['', 5])
    expect(await find('open')).toEqual(['5 1', 2])
    expect(await find('closed')).toEqual(['4 3 2', 3])
    expect(await find('open', 'web-2')).toEqual(['5', 1])
    expect(await find('closed', 'web-9')).toEqual(['', 0])
  })

  test('what a mute would hide is counted: open alerts, and those since a time', async () => {
    const store = await holding(fleet)
    expect(ids(await store.openAlerts(null))).toEqual(['5', '1'])
    expect(ids(await store.openAlerts(['web-1', 'web-3', 'web-1']))).toEqual(['1'])
    expect(ids(await store.openAlerts([]))).toEqual([])
    expect(await store.countAlerts({ subjects: null, sinceMs: agoMs(30) })).toBe(3)
    expect(await store.countAlerts({ subjects: ['web-2', 'web-3'], sinceMs: agoMs(60) })).toBe(3)
    expect(await store.countAlerts({ subjects: [], sinceMs: 0 })).toBe(0)
    expect(await store.hostnames()).toEqual(['web-1', 'web-2', 'web-3'])
  })

  test('open alerts without an acknowledgement are found once their card, which people can see, is old enough', async () => {
    const store = await memoryStore()
    const alerts = [
      anAlert('old', { startedMs: agoMs(20) }),
      anAlert('new', { startedMs: agoMs(5) }),
      anAlert('acked', { startedMs: agoMs(20), ackedBy: 'U0ANA', ackedMs: agoMs(10) }),
      anAlert('over', { startedMs: agoMs(20), state: 'closed', closedMs: agoMs(1) }),
      anAlert('muted', { hostname: 'web-7', startedMs: agoMs(20) }),
      anAlert('unposted', { startedMs: agoMs(20) }),
    ]
    const mute = aMute('m1', { subject: 'web-7' })
    await store.commit({ ...opening(alerts, 'C1', agoMs(20)), mutes: [{ mute, was: null }] })
    const [old, joined] = alerts
    const unposted = alerts.at(-1)
    for (const { alertId } of alerts.slice(0, -1)) {
      await store.settle(`alert:${alertId}:C1`, { state: 'shown', ts: `1.${alertId}`, shown: 1 })
    }
    const late = anAlert('late', { startedMs: agoMs(20) })
    await store.commit({
      ...emptyPlan(agoMs(1)),
      alerts: [{ alert: late, was: null }],
      cards: [alertCard(late, { channel: 'C1', mention: null })],
    })
    const found = await store.alertsForReminders({ isAcked: false, beforeMs: agoMs(15) })
    const at = {
      kind: 'alert',
      channel: 'C1',
      mention: null,
      createdMs: agoMs(20),
      isFold: false,
      isWaiting: false,
    }
    expect(found).toEqual([
      { alert: old, cardId: 'alert:old:C1', ...at },
      { alert: unposted, cardId: 'alert:unposted:C1', ...at, isWaiting: true },
      { alert: joined, cardId: 'alert:new:C1', ...at },
    ])
    await store.settle('alert:late:C1', { state: 'shown', ts: '1.9', shown: 1 })
    const fromBefore = await store.alertsForReminders({
      isAcked: false,
      beforeMs: agoMs(60),
      aheadMs: agoMs(10),
    })
    expect(fromBefore.map(({ alert }) => alert.alertId)).toEqual(['late'])
    const ofAcked = async (beforeMs: number) =>
      (await store.alertsForReminders({ isAcked: true, beforeMs })).map(({ alert }) => alert.alertId)
    expect([await ofAcked(agoMs(11)), await ofAcked(agoMs(9))]).toEqual([[], ['acked']])
    const account = aMute('m2', { subject: null, confirmation: 'waiting' })
    await store.commit({ ...emptyPlan(nowMs), mutes: [{ mute: account, was: null }] })
    expect(await store.alertsForReminders({ isAcked: false, beforeMs: agoMs(15) })).toEqual([])
  })

  test.each([
    [19, ['C1', 'C2']],
    [20, ['C1', 'C2']],
    [21, []],
  ])(
    'an alert that moved comes with its later card, once its first is old enough: %i minutes',
    async (minutes, channels) => {
      const store = await memoryStore()
      const alert = anAlert('1', { startedMs: agoMs(20) })
      await store.commit(opening([alert], 'C1', agoMs(20)))
      const cards = [alertCard(alert, { channel: 'C2', mention: null })]
      await store.commit({ ...emptyPlan(agoMs(1)), cards })
      const found = await store.alertsForReminders({ isAcked: false, beforeMs: agoMs(minutes) })
      expect(found.map(({ channel }) => channel).toSorted()).toEqual(channels)
    },
  )

  test('earlier episodes of a subject are found with the card that they stand on', async () => {
    const subject = { hostname: 'web-1', plugin: 'CPU', metric: null }
    const store = await memoryStore()
    const alerts = [
      anAlert('1', { ...subject, startedMs: agoMs(40) }),
      anAlert('2', { ...subject, startedMs: agoMs(20) }),
      anAlert('3', { ...subject, startedMs: agoMs(10) }),
      anAlert('4', { ...subject, startedMs: agoMs(10), metric: 'idle' }),
      anAlert('5', { ...subject, startedMs: agoMs(10), hostname: 'web-2' }),
    ]
    const { cards, ...rest } = opening(alerts, 'C1', nowMs)
    await store.commit({ ...rest, cards: cards.slice(0, 1) })
    await store.commit({ ...emptyPlan(nowMs), folds: [{ cardId: 'alert:1:C1', alertId: '2' }] })
    const found = await store.episodes([anAlert('6', subject)], agoMs(30))
    expect(found).toEqual([
      { alert: alerts[1], card: { cardId: 'alert:1:C1', channel: 'C1', mention: null } },
      { alert: alerts[2], card: null },
    ])
  })

  test('a card is found by its id, by its message, by its alerts and by its kind', async () => {
    const store = await memoryStore()
    await store.commit(opening([anAlert('1'), anAlert('2')], 'C1', nowMs))
    await store.settle('alert:1:C1', { state: 'shown', ts: '1.5', shown: 1 })
    await store.commit({
      ...emptyPlan(nowMs),
      alerts: [{ alert: anAlert('3'), was: null }],
      folds: [{ cardId: 'alert:1:C1', alertId: '3' }],
    })
    const place = {
      cardId: 'alert:1:C1',
      kind: 'alert',
      topic: null,
      channel: 'C1',
      mention: null,
      ts: '1.5',
      parentId: null,
      version: 2,
      alertIds: ['1', '3'],
      subjectId: null,
    }
    expect(await store.cardById('alert:1:C1')).toEqual(place)
    expect(await store.cardAt('C1', '1.5')).toEqual(place)
    expect(await store.cardAt('C2', '1.5')).toBeNull()
    expect(await store.cardsOf(['3', '1', '9'])).toEqual([place])
    expect((await store.cardsOfKind('alert')).map(({ cardId }) => cardId)).toEqual([
      'alert:1:C1',
      'alert:2:C1',
    ])
    expect(await store.cardsOfKind('board')).toEqual([])
  })

  test('the audit is read newest first, a page at a time, and knows the server of an alert', async () => {
    const store = await holding([anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'web-2' })])
    const on = (alertId: string) => ({ act: 'acknowledge', hostname: null, alertId }) as const
    const detail = { reason: 'deploy <!here>', roles: ['__proto__'] }
    const entries = [
      anEntry('a1', { atMs: 1_000 }),
      anEntry('a2', { atMs: 2_000, ...on('1') }),
      anEntry('a3', { atMs: 3_000, ...on('2') }),
      anEntry('a4', { atMs: 4_000, outcome: 'refused', why: 'not_permitted', detail }),
    ]
    await store.commit({ ...emptyPlan(nowMs), audit: entries })
    const all = { hostname: null as string | null, sinceMs: 0, offset: 0, limit: 9 }
    expect(await store.audit(all)).toEqual({ entries: entries.toReversed(), total: 4 })
    const names = async (query: Partial<typeof all>) => {
      const { entries: found, total } = await store.audit({ ...all, ...query })
      return [found.map(({ auditId }) => auditId).join(' '), total]
    }
    expect(await names({ hostname: 'web-1' })).toEqual(['a4 a2 a1', 3])
    expect(await names({ sinceMs: 2_000, offset: 1, limit: 1 })).toEqual(['a3', 3])
  })

  test('the report of an hour: what opened, closed and is open, where, when, and how long it took', async () => {
    const over = (startedAgo: number, tookMinutes: number) => ({
      state: 'closed' as const,
      startedMs: agoMs(startedAgo),
      closedMs: agoMs(startedAgo - tookMinutes),
    })
    const acked = (afterMinutes: number, startedAgo: number) => ({
      ackedBy: 'U0ANA',
      ackedMs: agoMs(startedAgo - afterMinutes),
    })
    const [web1, web2] = [{ hostname: 'web-1' }, { hostname: 'web-2' }]
    const store = await holding([
      // Began before the hour, and ended in it.
      anAlert('1', { ...web1, ...over(90, 40), plugin: 'Disk' }),
      anAlert('2', { ...web1, ...over(55, 10), ...acked(2, 55), plugin: 'CPU' }),
      anAlert('3', { ...web2, ...over(25, 20), ...acked(4, 25), plugin: 'CPU' }),
      anAlert('4', { ...web1, startedMs: agoMs(20), plugin: 'Disk' }),
      anAlert('5', { ...web2, startedMs: agoMs(1), state: 'oneoff', plugin: 'CPU' }),
      anAlert('6', { ...web1, startedMs: agoMs(60), ...acked(9, 60), plugin: 'CPU' }),
      // Not of this hour.
      anAlert('7', { ...web1, ...over(99, 5), ...acked(1, 99) }),
      anAlert('8', { ...web1, startedMs: nowMs }),
    ])
    expect(await store.report(agoMs(60), nowMs, [agoMs(60), agoMs(40), agoMs(20)])).toEqual({
      fromMs: agoMs(60),
      toMs: nowMs,
      // Before the hour one was open; the one-off is no part of this.
      opened: 4,
      oneoffs: 1,
      closed: 3,
      lost: 0,
      stillOpen: 2,
      openBefore: 1,
      servers: [
        { name: 'web-1', count: 3 },
        { name: 'web-2', count: 2 },
      ],
      parts: [
        { fromMs: agoMs(60), opened: 2 },
        { fromMs: agoMs(40), opened: 1 },
        { fromMs: agoMs(20), opened: 2 },
      ],
      toAcknowledgeMs: 4 * minuteMs,
      toCloseMs: 20 * minuteMs,
      acknowledged: 3,
    })
  })

  test('what opened is counted by rule against the time before, with what a mute hid and what people think of it', async () => {
    const labelled = someDetails({ labels: { alertname: 'NodeDown' } })
    const store = await holding([
      anAlert('old', { startedMs: agoMs(120), state: 'closed', closedMs: agoMs(119) }),
      anAlert('before', { startedMs: agoMs(61) }),
      anAlert('1', { hostname: 'web-1', startedMs: agoMs(60), state: 'closed', closedMs: agoMs(50) }),
      anAlert('2', { hostname: 'web-2', startedMs: agoMs(30), details: labelled }),
      anAlert('3', { hostname: 'web-3', startedMs: agoMs(20), state: 'ignored' }),
      anAlert('after', { startedMs: nowMs }),
    ])
    const mute = aMute('m', { subject: 'web-2', startedMs: agoMs(40) })
    const given = (alertId: string, userId: string, verdict: 'useful' | 'noise', atMs: number) => ({
      ...{ alertId, userId, verdict, atMs },
      rule: 'NodeDown',
    })
    await store.commit({
      ...emptyPlan(nowMs),
      mutes: [{ mute, was: null }],
      verdicts: [given('2', 'U1', 'useful', agoMs(9)), given('2', 'U2', 'noise', agoMs(8))],
    })
    await store.commit({ ...emptyPlan(nowMs), verdicts: [given('2', 'U1', 'noise', agoMs(7))] })
    const happened = await store.happened(agoMs(60), nowMs, true)
    expect(happened).toMatchObject({ opened: 2, before: 2, count: 2 })
    expect(happened.rules).toMatchObject([
      {
        rule: 'Load Average: last minute',
        opened: 1,
        before: 2,
        medianMs: 10 * minuteMs,
        hidden: 0,
        noise: 0,
      },
      { rule: 'NodeDown', opened: 1, before: 0, openMs: 30 * minuteMs, hidden: 1, useful: 0, noise: 2 },
    ])
    // Nothing is remembered of so long ago.
    expect(await store.happened(agoMs(60), nowMs + 10 * minuteMs, true)).toMatchObject({ before: null })
    expect(await store.happened(agoMs(60), nowMs, false)).toMatchObject({ before: null })
    const listed = await store.openedAlerts(agoMs(60), nowMs, 1)
    expect(listed).toMatchObject({
      total: 2,
      alerts: [{ number: '2', server: 'web-2', alertname: 'NodeDown', isHidden: true, useful: 0, noise: 2 }],
    })
    expect(await store.verdictsOn(['1', '2'])).toHaveLength(2)
    while ((await store.prune({ alertsBeforeMs: agoMs(7), recordsBeforeMs: agoMs(999) }, 100)) > 0);
    expect(await store.verdictsOn(['2'])).toHaveLength(1)
  })

  test('a timeline is told of acts on its alerts, on their servers in its time, and below its cards', async () => {
    const store = await holding([anAlert('1', { hostname: 'web-1', startedMs: agoMs(60) })])
    const note = { noteId: 'n', alertId: '1', userId: 'U1', atMs: agoMs(4), text: 'hm' }
    const on = (auditId: string, over: Partial<ReturnType<typeof anEntry>>) => ({
      ...anEntry(auditId),
      ...{ hostname: null, alertId: null, outcome: 'done' as const, atMs: agoMs(30) },
      ...over,
    })
    await store.commit({
      ...emptyPlan(nowMs),
      cards: [alertCard(anAlert('1'), { channel: 'C1', mention: null })],
      notes: [note],
      audit: [
        on('ack', { act: 'acknowledge', alertId: '1' }),
        on('mute', { act: 'mute_server', hostname: 'web-1', atMs: agoMs(20) }),
        on('mute before', { act: 'mute_server', hostname: 'web-1', atMs: agoMs(90) }),
        on('elsewhere', { act: 'mute_server', hostname: 'web-2' }),
        on('below', { act: 'acknowledge_all', atMs: agoMs(10) }),
        on('already', { act: 'acknowledge', alertId: '1', outcome: 'nothing' }),
      ],
    })
    const place = { channel: 'C1', cardId: 'alert:1:C1' }
    await store.commit({ ...emptyPlan(nowMs), cards: [changeNotice({ auditId: 'below' }, place)] })
    const facts = await store.timelineFacts({
      ...{ alertIds: ['1'], hostnames: ['web-1'], cardIds: ['alert:1:C1'] },
      ...{ fromMs: agoMs(60), toMs: nowMs },
    })
    expect(facts.acts.map(({ auditId }) => auditId)).toEqual(['ack', 'mute', 'below'])
    expect(facts.notes).toEqual([note])
    expect(facts.reminded).toEqual([])
  })

  test('a report of a time without alerts has parts, and no medians', async () => {
    const store = await memoryStore()
    const report = await store.report(0, 3, [0, 2])
    expect(report).toMatchObject({ opened: 0, servers: [], toAcknowledgeMs: null, toCloseMs: null })
    expect(report.parts).toEqual([
      { fromMs: 0, opened: 0 },
      { fromMs: 2, opened: 0 },
    ])
  })

  test('a storm counts once though it has a card in two channels, with how many of it are still open', async () => {
    const store = await memoryStore()
    const alerts = manyAlerts(30)
    const { plan } = storming(alerts, 'C0DB', agoMs(2 * 60))
    const other = storming(alerts, 'C0OPS', agoMs(2 * 60)).plan
    await store.commit({ ...plan, cards: [...plan.cards, ...other.cards] })
    for (const alert of alerts.slice(2)) await store.commit(closing(alert, agoMs(60)))
    expect(await store.unrest(agoMs(12 * 60))).toMatchObject({
      storms: [{ atMs: agoMs(2 * 60), alerts: 30, open: 2 }],
    })
    expect(await store.unrest(agoMs(60))).toMatchObject({ storms: [] })
  })

  test('what opened three times in the shift flaps; twice, long ago, elsewhere or once and for all it does not', async () => {
    const flap = (id: string, over: Partial<Alert>) =>
      anAlert(id, { hostname: 'h-2', serverName: 'web-2', plugin: 'CPU', startedMs: agoMs(3 * 60), ...over })
    const store = await holding([
      ...['a', 'b', 'c', 'd'].map((id) => flap(id, { state: 'closed', closedMs: agoMs(2 * 60) })),
      ...['e', 'f'].map((id) => flap(id, { plugin: 'Disk' })),
      ...['g', 'h', 'i'].map((id) => flap(id, { hostname: 'h-3', startedMs: agoMs(13 * 60) })),
      ...['j', 'k', 'l'].map((id) => flap(id, { hostname: 'h-4', state: 'oneoff' })),
    ])
    expect((await store.unrest(agoMs(12 * 60))).flaps).toEqual([{ server: 'web-2', plugin: 'CPU', times: 4 }])
  })

  test('what was open, opened, closed, was lost and is open adds up in a report', async () => {
    const ended = (closedHours: number) => ({ state: 'closed', closedMs: agoMs(closedHours * 60) }) as const
    const lost = (hours: number) => ({ state: 'unreported', missingMs: agoMs(hours * 60) }) as const
    const store = await holding([
      anAlert('before, closed before', { startedMs: agoMs(30 * 60), ...ended(28) }),
      anAlert('before, closed in it', { startedMs: agoMs(30 * 60), ...ended(3) }),
      anAlert('before, open', { startedMs: agoMs(30 * 60) }),
      anAlert('before, lost before', { startedMs: agoMs(40 * 60), ...lost(30) }),
      anAlert('before, lost in it', { startedMs: agoMs(30 * 60), ...lost(5) }),
      anAlert('in it, closed', { startedMs: agoMs(10 * 60), ...ended(9) }),
      anAlert('in it, lost', { startedMs: agoMs(10 * 60), ...lost(1) }),
      anAlert('in it, open', { startedMs: agoMs(10 * 60) }),
      anAlert('in it, once', { startedMs: agoMs(10 * 60), state: 'oneoff' }),
    ])
    const report = await store.report(agoMs(24 * 60), nowMs, [agoMs(24 * 60)])
    expect(report).toMatchObject({ openBefore: 3, opened: 3, closed: 2, lost: 2, stillOpen: 2, oneoffs: 1 })
    expect(report.openBefore + report.opened).toBe(report.closed + report.lost + report.stillOpen)
  })

  test('what had already ended when it was first seen was counted as opened and never as closed', async () => {
    const unseen = { state: 'closed', closedMs: null, closedBy: 'record' } as const
    const store = await holding([
      ...['a', 'b', 'c'].map((id) => anAlert(id, { startedMs: agoMs(3 * 60), ...unseen })),
      anAlert('long before', { startedMs: agoMs(30 * 60), ...unseen }),
      anAlert('open', { startedMs: agoMs(60) }),
    ])
    const report = await store.report(agoMs(24 * 60), nowMs, [agoMs(24 * 60)])
    expect(report).toMatchObject({ openBefore: 0, opened: 4, closed: 3, stillOpen: 1, toCloseMs: null })
  })
}
