/** Mutes in the memory: one that has not ended for each server, none lost, and no decision on mutes that have changed. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../../src/bot/domain/alert/alert.ts'
import type { Mute } from '../../../../src/bot/domain/mute/mute.ts'
import { troubleSubject } from '../../../../src/bot/domain/mute/subject.ts'
import { emptyPlan, type Plan } from '../../../../src/bot/domain/plan.ts'
import type { Store } from '../../../../src/bot/flow/ports/store.ts'
import { aMute, anAlertMute, aPlannedMute } from '../../../support/acting-rows.ts'
import { anAlert, opening } from '../../../support/delivery-world.ts'
import type { OpenMemory } from '../../../support/memory-store.ts'

export function mutesContract(memoryStore: OpenMemory): void {
  const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)

  function writing(mute: Mute, was: number | null): Plan {
    return { ...emptyPlan(nowMs), mutes: [{ mute, was }] }
  }

  const ended = {
    state: 'ended',
    endedMs: nowMs,
    endedBy: 'person',
    endedByUserId: 'U0BEN',
    version: 2,
  } as const

  async function live(store: Store): Promise<string[]> {
    return (await store.mutes()).mutes.map(({ muteId }) => muteId)
  }

  test('a mute comes back word for word', async () => {
    const store = await memoryStore()
    const terms = { mode: 'timed', untilMs: 5, userId: 'U0BEN', reason: 'before' } as const
    const mute = aMute('m1', {
      subject: null,
      mode: 'open',
      untilMs: null,
      previous: terms,
      expiryNoticeMs: 7,
    })
    await store.commit(writing(mute, null))
    expect(await store.muteById('m1')).toEqual(mute)
    expect((await store.recall()).mutes).toEqual([mute])
    expect(await store.muteById('m2')).toBeNull()
  })

  test('a planned mute comes back word for word, and is changed and deleted only at its version', async () => {
    const store = await memoryStore()
    const about = {
      alertId: '1',
      hostname: 'db-1',
      serverName: '',
      plugin: 'Disk',
      metric: 'used',
      title: '',
    }
    const muted = { about, isCritical: false, isAtService: true, matchers: ['a="b"'] }
    const one = aPlannedMute('p1', {
      what: { of: 'alert', subject: 'alert:1', muted },
      rule: { is: 'once', startMs: nowMs, endMs: nowMs + 1 },
      userId: null,
      cardId: 'notice:a1:C1',
      skippedMs: 1,
      toldMs: 2,
    })
    const planning = (next: typeof one | null, was: number | null): Plan => ({
      ...emptyPlan(nowMs),
      planned: [{ plannedId: 'p1', next, was }],
    })
    expect(await store.commit(planning(one, null))).toBe('saved')
    expect(await store.commit(planning(one, null))).toBe('stale')
    const other = aPlannedMute('p2')
    await store.commit({ ...emptyPlan(nowMs), planned: [{ plannedId: 'p2', next: other, was: null }] })
    expect(await store.planned()).toEqual([one, other])
    const skipped = { ...one, skippedMs: null, version: 2 }
    expect(await store.commit(planning(skipped, 1))).toBe('saved')
    expect(await store.commit(planning(one, 1))).toBe('stale')
    expect(await store.planned()).toEqual([skipped, other])
    expect(await store.commit(planning(null, 1))).toBe('stale')
    expect(await store.commit(planning(null, 2))).toBe('saved')
    expect(await store.commit(planning(skipped, 2))).toBe('stale')
    expect(await store.planned()).toEqual([other])
  })

  test('of two bots that begin one window, one does', async () => {
    const store = await memoryStore()
    const planned = aPlannedMute('p1')
    await store.commit({ ...emptyPlan(nowMs), planned: [{ plannedId: 'p1', next: planned, was: null }] })
    const begin = (muteId: string, subject: string): Plan => ({
      ...writing(aMute(muteId, { subject }), null),
      planned: [{ plannedId: 'p1', next: { ...planned, doneMs: nowMs, version: 2 }, was: 1 }],
    })
    const came = await Promise.all([store.commit(begin('m1', 'web-1')), store.commit(begin('m2', 'web-2'))])
    expect(came.toSorted()).toEqual(['saved', 'stale'])
    expect(await live(store)).toHaveLength(1)
  })

  test('a server has one mute that has not ended; the account and other servers have their own', async () => {
    const store = await memoryStore()
    expect(await store.commit(writing(aMute('m1'), null))).toBe('saved')
    expect(await store.commit(writing(aMute('m2', { state: 'active', confirmation: 'waiting' }), null))).toBe(
      'stale',
    )
    expect(await store.commit(writing(aMute('m3', { subject: 'web-2', untilMs: null }), null))).toBe('saved')
    expect(await store.commit(writing(aMute('m4', { subject: null }), null))).toBe('saved')
    expect(await store.commit(writing(aMute('m5', { subject: null }), null))).toBe('stale')
    expect(await live(store)).toEqual(['m4', 'm1', 'm3'])
    expect(await store.commit(writing(aMute('m1', ended), 1))).toBe('saved')
    expect(await store.commit(writing(aMute('m2'), null))).toBe('saved')
    expect(await live(store)).toEqual(['m4', 'm2', 'm3'])
  })

  test('a mute that has ended does not come back beside another one', async () => {
    const store = await memoryStore()
    await store.commit(writing(aMute('m1'), null))
    await store.commit(writing(aMute('m1', ended), 1))
    await store.commit(writing(aMute('m2'), null))
    expect(await store.commit(writing(aMute('m1', { version: 3 }), 2))).toBe('stale')
    expect(await store.muteById('m1')).toMatchObject({ state: 'ended', endedByUserId: 'U0BEN' })
  })

  test('a plan made on an older version of a mute is stale, and nothing of it is written', async () => {
    const store = await memoryStore()
    await store.commit(writing(aMute('m1'), null))
    await store.commit(writing(aMute('m1', { state: 'ended', confirmation: 'waiting', version: 2 }), 1))
    const late = {
      ...opening([anAlert('1')], 'C1', nowMs),
      ...{ mutes: writing(aMute('m1', ended), 1).mutes },
    }
    expect(await store.commit(late)).toBe('stale')
    expect(await store.recallByIds(['1'])).toEqual([])
    expect(await store.muteById('m1')).toMatchObject({ state: 'ended', confirmation: 'waiting', version: 2 })
  })

  test('every change of a mute makes what was decided on the mutes before it stale', async () => {
    const store = await memoryStore()
    const { muteEpoch } = await store.recall()
    expect(await store.commit({ ...opening([anAlert('1')], 'C1', nowMs), muteEpoch })).toBe('saved')
    await store.commit(writing(aMute('m1'), null))
    expect(await store.commit({ ...opening([anAlert('2')], 'C1', nowMs), muteEpoch })).toBe('stale')
    expect(await store.commit({ ...opening([anAlert('2')], 'C1', nowMs), muteEpoch: null })).toBe('saved')
    const after = await store.mutes()
    expect(after.muteEpoch).not.toBe(muteEpoch)
    await store.commit(writing(aMute('m1', ended), 1))
    expect(await store.commit({ ...emptyPlan(nowMs), muteEpoch: after.muteEpoch })).toBe('stale')
  })

  test('a stale plan leaves the mutes as fresh as they were', async () => {
    const store = await memoryStore()
    await store.commit(writing(aMute('m1'), null))
    const { muteEpoch } = await store.mutes()
    await store.commit(writing(aMute('m2'), null))
    expect(await store.mutes()).toMatchObject({ muteEpoch })
  })

  test('a chart is told of the mutes of its server and of the account that silenced something since then', async () => {
    const store = await memoryStore()
    const over = { ...ended, version: 1 }
    const mutes = [
      aMute('long-over', { ...over, startedMs: 1_000, endedMs: 2_000 }),
      aMute('over', { ...over, startedMs: 2_000, endedMs: 4_000 }),
      aMute('never', { ...over, endedBy: 'interrupted', startedMs: 3_000, endedMs: 4_000 }),
      aMute('other', { subject: 'web-2' }),
      aMute('asked', { state: 'active', confirmation: 'waiting', startedMs: 5_000 }),
      aMute('account', { subject: null, startedMs: 6_000 }),
    ]
    for (const mute of mutes) await store.commit(writing(mute, null))
    const found = await store.mutesSince('web-1', 3_000)
    expect(found.map(({ muteId }) => muteId)).toEqual(['over', 'asked', 'account'])
  })

  test('the mute of one alert comes back word for word, and hides that alert alone from reminders', async () => {
    const store = await memoryStore()
    const alerts = [
      anAlert('1', { hostname: 'web-1' }),
      anAlert('2', { hostname: 'web-1', plugin: 'Disk' }),
      anAlert('3', { hostname: 'web-3' }),
    ]
    const [first = anAlert('1')] = alerts
    const mute = anAlertMute('m1', first)
    await store.commit({ ...opening(alerts, 'C1', nowMs), mutes: [{ mute, was: null }] })
    expect(await store.muteById('m1')).toEqual(mute)
    expect((await store.recall()).mutes).toEqual([mute])
    const asked = { isAcked: false, beforeMs: nowMs } as const
    const reminded = async () => (await store.alertsForReminders(asked)).map(({ alert }) => alert.alertId)
    expect(await reminded()).toEqual(['2', '3'])
    const worse = { ...first, severity: 'critical', version: 2 } as const
    await store.commit({ ...emptyPlan(nowMs), alerts: [{ alert: worse, was: 1 }] })
    expect(await reminded()).toEqual(['1', '2', '3'])
  })

  test('alerts are found by the name of their trouble as by their server', async () => {
    const store = await memoryStore()
    const alerts = [anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'web-1', plugin: 'Disk' })]
    const [first = anAlert('1')] = alerts
    await store.commit(opening(alerts, 'C1', nowMs))
    const subject = troubleSubject(first)
    const idsOf = (found: readonly Alert[]) => found.map(({ alertId }) => alertId)
    expect(idsOf(await store.openAlerts([subject]))).toEqual(['1'])
    expect(idsOf(await store.openAlerts([subject, 'web-1']))).toHaveLength(2)
    expect(await store.countAlerts({ subjects: [subject], sinceMs: 0 })).toBe(1)
    expect(await store.channelsWithOpen([subject])).toEqual(['C1'])
    expect(await store.openAlerts(['alert:0'])).toEqual([])
  })

  test('mutes by matchers are read with those of any server, as they may hide its alerts', async () => {
    const store = await memoryStore()
    const wide = anAlertMute('m1', anAlert('1'), {}, { matchers: ['a="b"'], isAtService: true })
    for (const mute of [wide, aMute('m2', { subject: 'web-2' }), aMute('m3', { subject: 'web-3' })])
      await store.commit(writing(mute, null))
    expect((await store.mutes('web-3')).mutes.map(({ muteId }) => muteId).sort()).toEqual(['m1', 'm3'])
  })
}
