/** What a receipt, a form or a button showed is what is done: where that has changed meanwhile, nothing is, and it is asked again. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { expiringCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { muteFingerprint } from '../../../src/bot/domain/mute/shown.ts'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import {
  actingOn,
  actingWorld,
  hourMs,
  minuteMs,
  muting,
  mutingAccount,
  mutingAccountOver,
  undoing,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, closing, opening } from '../../support/delivery-world.ts'
import { manyAlerts } from '../../support/storm-rows.ts'
import { stormWorld } from '../../support/storm-world.ts'

type World = Awaited<ReturnType<typeof actingWorld>>

const ben = { userId: 'U0BEN' }

async function close({ store, clock }: Pick<World, 'store' | 'clock'>, alerts: readonly Alert[]) {
  for (const alert of alerts) await store.commit(closing(alert, clock.nowMs()))
}

async function joins(world: Awaited<ReturnType<typeof stormWorld>>, alert: Alert) {
  const plan = opening([alert], 'C0DB', world.clock.nowMs())
  const joining = [{ cardId: world.cardId, alertIds: [alert.alertId] }]
  await world.store.commit({ ...plan, cards: [], joins: joining })
}

const [first, second] = [anAlert('1'), anAlert('2')]

describe("a storm's receipt", () => {
  test('that is confirmed once all has closed mutes nobody: 199 healthy servers stay as they are', async () => {
    const alerts = manyAlerts(199)
    const world = await stormWorld(alerts)
    const asked = await world.presses(world.mute)
    await close(world, alerts)
    world.clock.advance(12_000)
    const reply = await world.confirms(asked)
    const changed = { what: 'all_closed', count: 199, closedMs: world.clock.nowMs() - 12_000 }
    expect(reply).toMatchObject({ kind: 'stale', changed })
    expect([world.calls, await world.mutes()]).toEqual([[], []])
    expect(await world.audit()).toMatchObject([{ outcome: 'nothing', why: 'all_closed' }])
  })

  test('of which some have closed is asked again with those that are left, once', async () => {
    const alerts = manyAlerts(10)
    const world = await stormWorld(alerts)
    const asked = await world.presses(world.mute)
    await close(world, alerts.slice(0, 4))
    const again = await world.confirms(asked)
    expect(again).toMatchObject({
      kind: 'confirm',
      receipt: { servers: { length: 6 }, open: 6 },
      difference: { left: ['web-1', 'web-2', 'web-3', 'web-4'] },
    })
    expect(world.calls).toEqual([])
    await world.confirms(again)
    expect(await world.active()).toHaveLength(6)
    expect(await world.audit()).toMatchObject([{ outcome: 'nothing', why: 'changed' }, { outcome: 'done' }])
  })

  test('is not asked again for what joins it, nor for an alert more or less of a server', async () => {
    const alerts = manyAlerts(12, (n) => ({ hostname: `web-${n % 6}` }))
    const world = await stormWorld(alerts)
    const asked = await world.presses(world.mute)
    await close(world, alerts.slice(0, 6))
    await joins(world, anAlert('late', { hostname: 'db-1' }))
    const reply = await world.confirms(asked)
    expect(reply).toMatchObject({ kind: 'muted', receipt: { open: 6 } })
    expect((await world.active()).map(({ subject: hostname }) => hostname)).not.toContain('db-1')
  })

  test('that showed one server is not obeyed for another one that took its place', async () => {
    const world = await stormWorld([first])
    await close(world, [first])
    await joins(world, anAlert('late', { hostname: 'db-1' }))
    // The card that was pressed showed web-1 alone.
    expect(await world.presses(world.mute)).toMatchObject({ kind: 'confirm', receipt: { servers: ['db-1'] } })
    expect(world.calls).toEqual([])
  })
})

describe('a receipt of a glob or of names', () => {
  test('does not lose a server because the list of servers cannot be read', async () => {
    const world = await actingOn()
    const asked = await world.does(muting('web-*'))
    const restarted = await actingWorld({ store: world.store })
    restarted.script.rolesFail = true
    const reply = await restarted.confirms(asked)
    expect(reply).toMatchObject({ kind: 'muted', results: [{ hostname: 'web-1' }, { hostname: 'web-2' }] })
  })

  test.each(['web-*', ['web-1', 'web-2']])(
    'is asked again once nothing of it is open any more: %s',
    async (servers) => {
      const world = await actingOn(first, second)
      const asked = await world.does(muting(servers))
      await close(world, [first])
      await close(world, [second])
      const again = await world.confirms(asked)
      expect(again).toMatchObject({
        kind: 'confirm',
        receipt: { open: 0 },
        difference: { isAllClosed: true },
      })
      expect(world.calls).toEqual([])
      expect(await world.confirms(again)).toMatchObject({ kind: 'muted' })
    },
  )

  test.each(['db-*', ['db-1', 'db-2']])(
    'that silenced no open alert was carried out though an alert had opened since: %s',
    async (servers) => {
      const world = await actingOn()
      world.script.roles.set('db', ['db-1', 'db-2'])
      const asked = await world.does(muting(servers))
      const late = anAlert('3', { hostname: 'db-1' })
      await world.store.commit(opening([late], 'C0OPS', world.clock.nowMs()))
      const again = await world.confirms(asked)
      expect(again).toMatchObject({ receipt: { open: 1 }, difference: { isNewlyOpen: true } })
      expect(world.calls).toEqual([])
      expect(await world.confirms(again)).toMatchObject({ kind: 'muted' })
    },
  )

  test('is asked again where a colleague muted one of them meanwhile, and where that mute changes once more', async () => {
    const world = await actingOn(first, second)
    const asked = await world.does(muting('web-*'))
    await world.does(muting('web-2', { end: { kind: 'for', ms: 2 * hourMs } }), ben)
    const again = await world.confirms(asked)
    expect(again).toMatchObject({
      receipt: { others: [{ subject: 'web-2', userId: 'U0BEN' }] },
      difference: { mutes: [{ subject: 'web-2' }] },
    })
    const [mute] = await world.mutes()
    await world.does({ kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs }, ben)
    const third = await world.confirms(again)
    expect(third).toMatchObject({ kind: 'confirm', difference: { mutes: [{ subject: 'web-2' }] } })
    expect(world.calls).toEqual(['server web-2 off'])
    expect(await world.confirms(third)).toMatchObject({ kind: 'muted' })
  })

  test('is asked again where somebody muted the whole account meanwhile', async () => {
    const world = await actingOn(first, second)
    const asked = await world.does(muting('web-*'))
    await world.does(mutingAccountOver(2), ben)
    expect(await world.confirms(asked)).toMatchObject({
      kind: 'confirm',
      difference: { mutes: [{ subject: null }] },
    })
  })

  test('of one server for long is asked again once its alert has closed', async () => {
    const world = await actingOn(first)
    const ofAlert = muting('web-1', { servers: [{ by: 'alert', alertId: '1' }], end: { kind: 'unmuted' } })
    const asked = await world.does(ofAlert, { via: 'select' })
    await close(world, [first])
    expect(await world.confirms(asked)).toMatchObject({ kind: 'confirm', difference: { isAllClosed: true } })
    expect(world.calls).toEqual([])
  })
})

describe('a form that was open for long', () => {
  const asForm = { via: 'modal' } as const

  test('and showed an open alert that has closed is asked about once more', async () => {
    const world = await actingOn()
    const shown = { servers: ['web-1'], open: 1, mutes: [] }
    const asked = await world.does(muting('web-1', { shown }), asForm)
    expect(asked).toMatchObject({ kind: 'confirm', difference: { isAllClosed: true } })
    expect(await world.confirms(asked)).toMatchObject({ kind: 'muted' })
    const whole = await world.does({ ...mutingAccount, shown: { servers: [], open: 3, mutes: [] } }, asForm)
    expect(whole).toMatchObject({ kind: 'confirm', receipt: { servers: [], open: 0 } })
    expect(await world.confirms(whole)).toMatchObject({ kind: 'account_muted' })
  })

  test('does not take the place of an account mute that a colleague made', async () => {
    const world = await actingOn()
    await world.does(mutingAccount, ben)
    const asked = await world.does(mutingAccount, asForm)
    expect(asked).toMatchObject({ kind: 'confirm', receipt: { others: [{ userId: 'U0BEN' }] } })
    expect(world.calls).toEqual(['account off'])
    expect(await world.confirms(asked)).toMatchObject({ kind: 'account_muted', mute: { userId: 'U0ANA' } })
  })

  test('does not delete a second time what has the name by now', async () => {
    const world = await actingOn()
    const shownMs = world.clock.nowMs()
    world.clock.advance(minuteMs)
    for (const [kind, over] of [
      ['delete_server', { server: 'web-1', typed: 'web-1' }],
      ['delete_metrics', { names: ['jobs', 'queue'], typed: 'jobs,queue' }],
    ] as const) {
      const change = { kind, ...over, shownMs } as Change
      await world.does({ ...change, shownMs: world.clock.nowMs() } as Change, { ...ben, ...asForm })
      world.clock.advance(minuteMs)
      expect(await world.does(change, asForm)).toMatchObject({
        kind: 'stale',
        changed: { what: 'deleted', by: ben },
      })
      const anew = { ...change, shownMs: world.clock.nowMs() } as Change
      expect(await world.does(anew, asForm)).toMatchObject({
        kind: 'done',
        act: kind,
      })
    }
  })

  test('does not make a role that was chosen while it existed', async () => {
    const world = await actingOn()
    const server = { by: 'name', name: 'web-3' } as const
    const add: Change = { kind: 'add_roles', server, roles: ['old', 'new'], existing: ['old'] }
    expect(await world.does(add, asForm)).toMatchObject({
      kind: 'refused',
      refusal: { wanted: 'existing_roles', came: 'old' },
    })
    expect(world.calls).toEqual([])
    world.script.roles = new Map([...world.script.roles, ['old', []]])
    world.clock.advance(minuteMs)
    expect(await world.does(add, asForm)).toMatchObject({ kind: 'done', act: 'add_roles', created: ['new'] })
  })
})

describe('Acknowledge all', () => {
  test('takes what the card showed, and not what joined it since', async () => {
    const world = await stormWorld(manyAlerts(5))
    await joins(world, anAlert('late', { hostname: 'db-1' }))
    const shown = { count: 5, others: 0, later: 1 }
    expect(await world.presses(world.acknowledgeAll)).toMatchObject({
      kind: 'done',
      act: 'acknowledge_all',
      ...shown,
    })
    const open = await world.store.openAlerts(null)
    expect(open.filter(({ ackedBy }) => ackedBy === null).map(({ alertId }) => alertId)).toEqual(['late'])
    const all = { ...world.acknowledgeAll, shown: 6 }
    expect(await world.presses(all)).toMatchObject({
      kind: 'done',
      act: 'acknowledge_all',
      count: 1,
      later: 0,
    })
  })
})

describe('a button of a mute', () => {
  test('Undo does not take back other terms than those that it tells of', async () => {
    const world = await actingWorld()
    await world.does(muting('web-1'))
    const [before] = await world.mutes()
    world.clock.advance(5_000)
    await world.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs }, reason: 'longer' }))
    expect(await world.does(undoing(before))).toMatchObject({
      refusal: { why: 'mute_replaced', mute: { reason: 'longer' } },
    })
    expect(await world.mutes()).toMatchObject([{ reason: 'longer', state: 'active' }])
  })

  test.each(['web-1', null])(
    'Unmute of a list, a card or a hand-back does not end a later mute of somebody else: %s',
    async (hostname) => {
      const world = await actingWorld()
      const mute = hostname === null ? mutingAccount : muting(hostname)
      const unmute: Change = hostname === null ? { kind: 'unmute_account' } : unmuting(hostname)
      await world.does(mute)
      const [before] = await world.mutes()
      if (before === undefined) throw new Error('it is muted')
      const pressed = { ...unmute, shown: muteFingerprint(before) }
      const handback = { via: 'button', card: { cardId: expiringCard(before).cardId, version: 1 } } as const
      await world.does(unmute)
      world.clock.advance(minuteMs)
      await world.does(mute, ben)
      const calls = world.calls.length
      expect(await world.does(pressed, handback)).toMatchObject({
        kind: 'stale',
        changed: { what: 'extended', mute: { userId: 'U0BEN' } },
      })
      expect(world.calls).toHaveLength(calls)
      const [now] = await world.mutes()
      if (now === undefined) throw new Error('it is muted')
      expect(await world.does({ ...unmute, shown: muteFingerprint(now) })).toMatchObject({ kind: 'unmuted' })
    },
  )
})
