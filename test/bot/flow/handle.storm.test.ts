/** Acting on all alerts of a storm at once: what is pressed on its card, confirmed, undone and refused. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { minuteMs, undoing } from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { closing } from '../../support/delivery-world.ts'
import { manyAlerts } from '../../support/storm-rows.ts'
import { stormWorld } from '../../support/storm-world.ts'

function undoOf(reply: Reply): Change {
  if (reply.kind !== 'muted') throw new Error(`Mutes were expected; came ${JSON.stringify(reply)}`)
  const [first] = reply.results.flatMap(({ mute }) => mute ?? [])
  return { ...undoing(first), auditId: reply.auditId ?? '' }
}

test('the custom mute of a storm opens a form for all of its servers, and their list is confirmed after it', async () => {
  const world = await stormWorld(manyAlerts(30))
  const { cardId } = world
  const form = { kind: 'open_form', form: 'mute_server', alertId: null, given: null } as const
  const opened = await world.does(form, { via: 'select', card: { cardId, version: 1 } })
  const servers = new Set(manyAlerts(30).map(({ hostname }) => hostname)).size
  expect(opened).toMatchObject({ kind: 'form', form: { serversOnCard: servers, hidesNow: 30 } })
  const sent = { ...world.mute, servers: [{ by: 'card', cardId }], reason: 'network' } as const
  const asked = await world.presses(sent, { via: 'modal' })
  expect(asked).toMatchObject({ kind: 'confirm', receipt: { change: { reason: 'network' } } })
  expect(world.calls).toEqual([])
})

describe('acknowledge all', () => {
  test('takes all that nobody is on, in one go, and everyone reads it below the card', async () => {
    const acked = { ackedBy: 'U0BEN', ackedMs: 1 }
    const closed = { state: 'closed', closedMs: 2, closedBy: 'record' } as const
    const world = await stormWorld(manyAlerts(30, (n) => (n <= 2 ? acked : n === 3 ? closed : {})))
    expect(await world.presses(world.acknowledgeAll)).toEqual({
      kind: 'done',
      act: 'acknowledge_all',
      count: 27,
      others: 2,
      owners: ['U0BEN'],
      mine: 0,
      later: 0,
    })
    const open = await world.store.openAlerts(null)
    expect(open.filter(({ ackedBy }) => ackedBy === 'U0ANA')).toHaveLength(27)
    expect(await world.told()).toMatchObject([
      { act: 'acknowledge_all', outcome: 'done', userId: 'U0ANA', detail: { alerts: 27 } },
    ])
    expect(await world.audit()).toHaveLength(1)
    const card = await world.store.cardById(world.cardId)
    expect(card?.version).toBeGreaterThan(1)

    // Pressed by a colleague a moment later: somebody is on all of them.
    const second = await world.presses(world.acknowledgeAll, { userId: 'U0BEN' })
    const had = { others: 27, owners: ['U0ANA'], mine: 2 }
    expect(second).toEqual({ kind: 'done', act: 'acknowledge_all', count: 0, ...had, later: 0 })
    expect((await world.audit()).at(-1)).toMatchObject({ outcome: 'nothing', why: 'acknowledged' })
    expect(await world.told()).toHaveLength(1)
  })

  test('of a card on which all has closed says so and does nothing', async () => {
    const alerts = manyAlerts(4)
    const world = await stormWorld(alerts)
    for (const alert of alerts) await world.store.commit(closing(alert, world.clock.nowMs() - 9_000))
    const changed = { what: 'all_closed', count: 4, closedMs: world.clock.nowMs() - 9_000 }
    expect(await world.presses(world.acknowledgeAll)).toMatchObject({ kind: 'stale', changed })
    expect(await world.presses(world.mute)).toMatchObject({ kind: 'stale', changed })
    expect(await world.audit()).toMatchObject([
      { act: 'acknowledge_all', outcome: 'nothing', why: 'all_closed' },
      { act: 'mute_server', outcome: 'nothing', why: 'all_closed', detail: { names: [] } },
    ])
    expect(world.calls).toEqual([])
  })

  test('is tried again where a poll changed one of them meanwhile, and not for ever', async () => {
    for (const [times, kind] of [
      [2, 'done'],
      [3, 'failed'],
    ] as const) {
      let left = times
      const wrap = (inner: OpenStore): OpenStore => ({
        ...inner,
        commit: async (plan) => {
          const [first] = plan.audit.some(({ act }) => act === 'acknowledge_all') ? plan.alerts : []
          if (first !== undefined && left-- > 0) {
            const seen = { ...first.alert, ackedBy: null, ackedMs: null, value: left }
            await inner.commit({ ...plan, alerts: [{ alert: seen, was: first.was }], audit: [], cards: [] })
          }
          return inner.commit(plan)
        },
      })
      const world = await stormWorld(manyAlerts(5), { wrap })
      expect(await world.presses(world.acknowledgeAll)).toMatchObject({ kind })
      const acked = (await world.store.openAlerts(null)).filter(({ ackedBy }) => ackedBy !== null)
      expect(acked).toHaveLength(kind === 'failed' ? 0 : 5)
      expect(await world.audit()).toHaveLength(1)
    }
  })
})

describe('mute servers', () => {
  test('shows what it hides, mutes them all, tells it once in the channel, and all of it is undone', async () => {
    const world = await stormWorld(manyAlerts(125, (n) => (n > 120 ? { hostname: 'web-1' } : {})))
    const { asked, came } = await world.mutesForAnHour()
    expect(asked).toMatchObject({ receipt: { open: 125, servers: { length: 120 } } })
    expect(came).toMatchObject({ kind: 'muted', results: { length: 120 } })
    expect(await world.active()).toHaveLength(120)
    expect(new Set((await world.active()).map(({ cardId }) => cardId))).toEqual(new Set([world.cardId]))
    expect(await world.told()).toMatchObject([{ act: 'mute_server', detail: { names: { length: 120 } } }])

    world.clock.advance(50_000)
    const undone = await world.does(undoOf(came))
    expect(undone).toMatchObject({
      kind: 'undone',
      isSure: true,
      several: { servers: { length: 120 }, left: [] },
    })
    expect(await world.mutes()).toEqual([])
    expect(world.calls.filter((call) => call.endsWith(' on'))).toHaveLength(120)
    expect((await world.told()).map((entry) => entry?.act).toSorted()).toEqual(['mute_server', 'undo_mute'])
  })

  test('one server alone is muted at once, as on its own card', async () => {
    const world = await stormWorld(manyAlerts(4, () => ({ hostname: 'web-1' })))
    expect(await world.presses(world.mute)).toMatchObject({ kind: 'muted', results: [{ hostname: 'web-1' }] })
    expect(await world.told()).toMatchObject([{ hostname: 'web-1' }])
  })

  test('more servers than that at once are refused', async () => {
    const world = await stormWorld(manyAlerts(2_001))
    expect(await world.presses(world.mute)).toEqual({
      kind: 'refused',
      refusal: { why: 'too_many_servers', to: 'mute', count: 2_001, max: 2_000 },
    })
  })

  test('stops when the API fails in the middle, says how far it came, and undoes just that', async () => {
    const world = await stormWorld(manyAlerts(120))
    let count = 0
    world.script.answerTo = () => (++count > 60 ? 'refused' : undefined)
    const { came } = await world.mutesForAnHour()
    if (came.kind !== 'muted') throw new Error('some were muted')
    expect(world.calls.length).toBeLessThan(66)
    expect(came.results.filter(({ mute }) => mute?.confirmation === 'confirmed')).toHaveLength(60)
    expect(came.results.filter(({ mute }) => mute?.confirmation === 'waiting')).toHaveLength(60)
    expect(await world.told()).toMatchObject([{ detail: { names: { length: 60 } } }])
    world.script.answerTo = () => undefined
    const asked = world.calls.length
    expect(await world.does(undoOf(came))).toMatchObject({ several: { servers: { length: 120 }, left: [] } })
    expect(await world.mutes()).toEqual([])
    // What the API never was asked is settled without asking.
    expect(world.calls.length - asked).toBeLessThan(66)
  })

  test('is undone only within a minute after the last one, by who did it, and only where nobody changed it', async () => {
    const world = await stormWorld(manyAlerts(60))
    const { came } = await world.mutesForAnHour()
    const undo = undoOf(came)
    const late = { kind: 'refused', refusal: { why: 'undo_too_late' } }
    expect(await world.does(undo, { userId: 'U0BEN' })).toEqual(late)
    const own: Change = { ...world.mute, servers: [{ by: 'name', name: 'web-7' }] } as Change
    await world.does(own, { userId: 'U0BEN' })
    expect(await world.does(undo)).toMatchObject({ several: { servers: { length: 59 }, left: ['web-7'] } })
    expect(await world.active()).toMatchObject([{ subject: 'web-7', userId: 'U0BEN' }])

    const again = await stormWorld(manyAlerts(60))
    const second = await again.mutesForAnHour()
    again.clock.advance(minuteMs)
    expect(await again.does(undoOf(second.came))).toEqual(late)
    expect(await again.active()).toHaveLength(60)
  })

  test('undoing the mutes of a storm read all mutes and all open alerts once for each of them', async () => {
    const reads = { ofAll: 0 }
    const ofAll = (name: unknown) => {
      if (name === undefined || name === null) reads.ofAll += 1
    }
    const wrap = (inner: OpenStore): OpenStore => ({
      ...inner,
      mutes: (over) => {
        ofAll(over)
        return inner.mutes(over)
      },
      openAlerts: (hostnames) => {
        ofAll(hostnames)
        return inner.openAlerts(hostnames)
      },
    })
    const world = await stormWorld(manyAlerts(60), { wrap })
    const { came } = await world.mutesForAnHour()
    await world.does(undoOf(came))
    expect(await world.mutes()).toEqual([])
    expect(reads.ofAll).toBeLessThan(10)
  })

  test('the minute for the undo counts from the last of them, because many take longer', async () => {
    const world = await stormWorld(manyAlerts(120))
    world.script.meanwhile = async () => world.clock.advance(1_000)
    const { came } = await world.mutesForAnHour()
    world.script.meanwhile = async () => undefined
    world.clock.advance(30_000)
    expect(await world.does(undoOf(came))).toMatchObject({ several: { servers: { length: 120 }, left: [] } })
  })
})

describe('who may', () => {
  const nobody = { ...everyone, acknowledge: 'nobody', mute_server: 'nobody', add_marker: 'nobody' } as const
  test('is asked for all of them as for one', async () => {
    const world = await stormWorld(manyAlerts(5), { permissions: nobody })
    for (const change of [world.acknowledgeAll, world.mute]) {
      expect(await world.presses(change)).toMatchObject({
        refusal: { why: 'not_permitted', act: change.kind },
      })
    }
    expect(await world.audit()).toMatchObject([
      { act: 'acknowledge_all', outcome: 'refused', hostname: null },
      { act: 'mute_server', outcome: 'refused', hostname: null, detail: { names: { length: 5 } } },
    ])
    expect(await world.told()).toEqual([])
  })
})

test('a marker from the card is filled in with what came, and told in its thread', async () => {
  const world = await stormWorld(manyAlerts(30, (n) => (n > 20 ? { plugin: 'Disk' } : {})))
  const press = { via: 'button', card: { cardId: world.cardId, version: 1 } } as const
  const opened = await world.does(
    { kind: 'open_form', form: 'add_marker', alertId: null, given: null },
    press,
  )
  const text =
    '30 alerts at once since 2026-11-21 03:00 UTC: Load Average ×20, Disk ×10; most on web-1 ×1, web-2 ×1, web-3 ×1, web-4 ×1, web-5 ×1 and 25 more'
  expect(opened).toMatchObject({ kind: 'form', form: { name: 'add_marker', prefill: text } })
  await world.presses({ kind: 'add_marker', text }, { via: 'modal' })
  expect(world.calls).toEqual([`marker ${text}`])
  expect(await world.told()).toMatchObject([{ act: 'add_marker', detail: { text } }])
})

describe('who has them', () => {
  const onHome = { via: 'button', channel: null } as const
  const held = (kind: 'take_over' | 'unacknowledge', cardId: string) =>
    ({ kind, of: { by: 'card', cardId } }) as const
  const heldBy = async ({ store }: Pick<OpenStore, never> & { store: OpenStore }, userId: string | null) =>
    (await store.openAlerts(null)).filter(({ ackedBy }) => ackedBy === userId).length

  test('a storm could not be taken over and handed back, neither on its card nor from the Home tab', async () => {
    const world = await stormWorld(manyAlerts(30))
    await world.presses(world.acknowledgeAll)
    const fromHome = { ...onHome, userId: 'U0BEN', card: { cardId: world.cardId, version: 0 } }
    expect(await world.does(held('take_over', world.cardId), fromHome)).toMatchObject({
      kind: 'done',
      alerts: { length: 30 },
      owner: 'U0ANA',
    })
    expect(await heldBy(world, 'U0BEN')).toBe(30)
    expect(await world.does(held('unacknowledge', world.cardId), fromHome)).toMatchObject({
      kind: 'done',
      alerts: { length: 30 },
    })
    expect(await heldBy(world, null)).toBe(30)
    expect((await world.told()).map((row) => row?.act)).toEqual([
      'acknowledge_all',
      'take_over',
      'unacknowledge',
    ])
  })

  test('who hands a storm back hands back their own, and hears who has the rest', async () => {
    const world = await stormWorld(
      manyAlerts(30, (n) => ({ ackedBy: n <= 3 ? 'U0BEN' : 'U0ANA', ackedMs: 1 })),
    )
    const ben = { userId: 'U0BEN' }
    expect(await world.presses(held('unacknowledge', world.cardId), ben)).toMatchObject({
      alerts: { length: 3 },
    })
    expect(await heldBy(world, 'U0ANA')).toBe(27)
    const cleo = { userId: 'U0CLEO' }
    expect(await world.presses(held('unacknowledge', world.cardId), cleo)).toMatchObject({
      kind: 'stale',
      changed: { what: 'acknowledged', alert: { ackedBy: 'U0ANA' } },
    })
  })
})

test('handed to somebody, all of a card are those that are open: its form, its thread and the message count the same', async () => {
  const world = await stormWorld(manyAlerts(6, (n) => (n <= 2 ? { state: 'oneoff' } : {})))
  const of = { by: 'card', cardId: world.cardId } as const
  const form = { kind: 'open_form', form: 'hand_to', alertId: null, given: null } as const
  const opened = await world.does(form, { via: 'button', card: { cardId: world.cardId, version: 1 } })
  expect(opened).toMatchObject({ kind: 'form', form: { alertsOnCard: 4 } })
  const hand = { kind: 'hand_to', of, to: 'U0CLEO', note: '', shownMs: null } as const
  expect(await world.presses(hand)).toMatchObject({ kind: 'done', alerts: { length: 4 } })
  expect(await world.told()).toMatchObject([{ act: 'hand_to', detail: { alerts: 4 } }])
  expect(await world.store.noticesOf('handed')).toMatchObject([{ alertIds: { length: 4 } }])
})
