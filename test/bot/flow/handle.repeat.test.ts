/** Repeats, double clicks, old cards, and two people at once: every wish has one effect, and every click an answer. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import type { Intent } from '../../../src/bot/domain/request/intent.ts'
import { actingOn, actingWorld, hourMs, muting, unmuting } from '../../support/acting-world.ts'
import { anAlert, closing } from '../../support/delivery-world.ts'

const alert = anAlert('1', { hostname: 'web-1' })
const cardId = 'alert:1:C0OPS'
const ofAlert = { by: 'alert', alertId: '1' } as const
const muteFromCard = muting('web-1', { servers: [ofAlert], reason: '' })
const unmuteFromCard = { kind: 'unmute_server', server: ofAlert } as const
const acknowledge = { kind: 'acknowledge', alert: '1' } as const

async function withCard() {
  const world = await actingOn(alert)
  const versionNow = async () => (await world.store.cardById(cardId))?.version ?? 0
  const clicks = (intent: Intent, version: number, userId = 'U0ANA') =>
    world.does(intent, { via: 'button', card: { cardId, version }, userId })
  return { ...world, versionNow, clicks }
}

describe('a repeat', () => {
  test('of an envelope does nothing and says nothing, also at the same moment', async () => {
    const world = await actingWorld()
    const keys = ['envelope-1']
    const replies = await Promise.all([1, 2, 3].map(() => world.does(muting('web-1'), { keys })))
    expect(replies.map(({ kind }) => kind).toSorted()).toEqual(['muted', 'repeat', 'repeat'])
    expect(world.calls).toHaveLength(1)
    expect(await world.audit()).toHaveLength(1)
  })

  test('of what was not done is another try', async () => {
    const world = await actingWorld()
    const keys = ['envelope-1']
    world.script.next = 401
    expect(await world.does(muting('web-1'), { keys })).toMatchObject({ kind: 'failed', isUnknown: false })
    world.script.next = 200
    expect(await world.does(muting('web-1'), { keys })).toMatchObject({ kind: 'muted' })
  })

  test('of a question is not answered twice', async () => {
    const world = await actingWorld()
    const keys = ['envelope-1']
    expect(await world.does({ kind: 'status' }, { keys })).toMatchObject({ kind: 'answer' })
    expect(await world.does({ kind: 'status' }, { keys })).toEqual({ kind: 'repeat' })
  })

  test('is not: the same click by two people, or on another version', async () => {
    const world = await withCard()
    const version = await world.versionNow()
    await world.clicks(acknowledge, version)
    const other = await world.clicks(acknowledge, version, 'U0BEN')
    expect(other).toMatchObject({
      kind: 'stale',
      changed: { what: 'acknowledged', alert: { ackedBy: 'U0ANA' } },
    })
    expect(await world.clicks(acknowledge, await world.versionNow())).toMatchObject({
      kind: 'done',
      act: 'acknowledge',
    })
  })
})

describe('a click on a card that has changed since', () => {
  test('says that somebody muted the server', async () => {
    const world = await withCard()
    const version = await world.versionNow()
    await world.does(muting('web-1'), { userId: 'U0BEN' })
    const reply = await world.clicks(muteFromCard, version)
    expect(reply).toMatchObject({ kind: 'stale', changed: { what: 'muted', mute: { userId: 'U0BEN' } } })
    expect(world.calls).toHaveLength(1)
    expect((await world.audit()).filter(({ outcome }) => outcome === 'nothing')).toMatchObject([
      { act: 'mute_server', why: 'muted', hostname: 'web-1', alertId: '1' },
    ])
  })

  test('says who unmuted it', async () => {
    const world = await withCard()
    await world.does(muting('web-1'))
    const version = await world.versionNow()
    await world.does(unmuting('web-1'), { userId: 'U0BEN' })
    const reply = await world.clicks(unmuteFromCard, version)
    expect(reply).toMatchObject({ kind: 'stale', changed: { what: 'unmuted', by: { userId: 'U0BEN' } } })
    expect(world.calls).toEqual(['server web-1 off', 'server web-1 on'])
  })

  test.each([acknowledge, muteFromCard] as Change[])('says that the alert closed: $kind', async (intent) => {
    const world = await withCard()
    const version = await world.versionNow()
    await world.store.commit(closing(alert, world.clock.nowMs() + 5_000))
    world.clock.advance(12_000)
    const reply = await world.clicks(intent, version)
    const nowMs = world.clock.nowMs()
    expect(reply).toMatchObject({
      kind: 'stale',
      nowMs,
      changed: { what: 'closed', alert: { alertId: '1' } },
    })
    expect(world.calls).toEqual([])
  })

  test('is done where the change does not concern it', async () => {
    const world = await withCard()
    const version = await world.versionNow()
    await world.clicks(acknowledge, version, 'U0BEN')
    expect(await world.versionNow()).toBeGreaterThan(version)
    expect(await world.clicks(muteFromCard, version)).toMatchObject({ kind: 'muted' })
  })
})

describe('two people at once on one server', () => {
  test('from one card: one mutes, and the other is told so', async () => {
    const world = await withCard()
    const version = await world.versionNow()
    const replies = await Promise.all([
      world.clicks(muteFromCard, version, 'U0ANA'),
      world.clicks(muteFromCard, version, 'U0BEN'),
    ])
    expect(replies.map(({ kind }) => kind)).toEqual(['muted', 'stale'])
    expect(world.calls).toHaveLength(1)
  })

  test('by command: the API is asked one at a time, and the later terms stand in the one row', async () => {
    const world = await actingWorld()
    let inside = 0
    world.script.meanwhile = async () => {
      inside += 1
      expect(inside).toBe(1)
      await new Promise<void>((resolve) => setImmediate(resolve))
      inside -= 1
    }
    await Promise.all([
      world.does(muting('web-1')),
      world.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }), { userId: 'U0BEN' }),
    ])
    expect(await world.mutes()).toMatchObject([{ userId: 'U0BEN', previous: { userId: 'U0ANA' } }])
    expect(await world.audit()).toHaveLength(2)
  })

  test('one mutes and one unmutes: what is on disk is what the API was told last', async () => {
    const world = await actingWorld()
    world.script.meanwhile = () => new Promise((resolve) => setImmediate(resolve))
    await Promise.all([world.does(muting('web-1')), world.does(unmuting('web-1'), { userId: 'U0BEN' })])
    // What was overtaken before it was asked is not asked at all.
    expect([1, 2]).toContain(world.calls.length)
    const isOff = world.calls.at(-1) === 'server web-1 off'
    expect((await world.mutes()).map(({ state }) => state)).toEqual(isOff ? ['active'] : [])
  })

  test('a poll that changes the alert while somebody acknowledges it takes nothing from them', async () => {
    const world = await withCard()
    const { store } = world
    let polls = 0
    const racing = await actingWorld({
      store,
      wrap: (inner) => ({
        ...inner,
        commit: async (plan) => {
          if (plan.alerts.length > 0 && polls++ === 0) {
            const [now] = await inner.recallByIds(['1'])
            if (now !== undefined) {
              const seen = { ...now, value: 9, version: now.version + 1 }
              await inner.commit({
                ...plan,
                alerts: [{ alert: seen, was: now.version }],
                audit: [],
                cards: [],
              })
            }
          }
          return inner.commit(plan)
        },
      }),
    })
    expect(await racing.does(acknowledge)).toMatchObject({ kind: 'done', act: 'acknowledge' })
    expect(await store.recallByIds(['1'])).toMatchObject([{ value: 9, ackedBy: 'U0ANA' }])
    expect(await racing.audit()).toHaveLength(1)
  })
})

test('the same marker from the same card half an hour later is dropped again', async () => {
  const world = await actingWorld()
  const card = { cardId: 'alert:1:C0OPS', version: 3 }
  const marker = { kind: 'add_marker', text: 'restarted the service' } as const
  for (const via of ['modal', 'modal', 'button'] as const) {
    expect(await world.does(marker, { via, card })).toMatchObject({ kind: 'done', act: 'add_marker' })
  }
  world.clock.advance(4_999)
  expect(await world.does(marker, { via: 'button', card })).toMatchObject({ kind: 'repeat' })
  world.clock.advance(10_000)
  expect(await world.does(marker, { via: 'button', card })).toMatchObject({ kind: 'done', act: 'add_marker' })
})
