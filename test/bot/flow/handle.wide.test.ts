/** Wide and long mutes are confirmed first; the account's always, in its form. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import {
  actingOn,
  actingWorld,
  hourMs,
  minuteMs,
  muting,
  mutingAccount,
  pendingOf,
  showing,
  undoing,
  unmuting,
} from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { openCpuWatch } from '../../support/cpu-time.ts'
import { anAlert } from '../../support/delivery-world.ts'

const withAlerts = () => actingOn(anAlert('1'), anAlert('2'), anAlert('3'))

const hour = { kind: 'for', ms: hourMs } as const
const day = { kind: 'for', ms: 24 * hourMs } as const

test.each([
  ['one server for an hour', muting('web-1', { end: hour }), 'command', 'muted'],
  ['one server for the default', muting('web-1', { end: { kind: 'default' } }), 'command', 'muted'],
  ['one server for a day', muting('web-1', { end: day }), 'select', 'muted'],
  ['longer than a day', muting('web-1', { end: { kind: 'for', ms: day.ms + 1 } }), 'command', 'confirm'],
  ['without an end, from a card', muting('web-1', { end: { kind: 'unmuted' } }), 'select', 'confirm'],
  ['until healthy, typed', muting('web-1', { end: { kind: 'healthy' } }), 'command', 'confirm'],
  ['until healthy, from a card', muting('web-1', { end: { kind: 'healthy' } }), 'select', 'muted'],
  ['two servers', muting(['web-1', 'web-2']), 'command', 'confirm'],
  ['a glob for one server', muting('web-?'), 'command', 'confirm'],
  [
    'two servers, confirmed',
    muting(['web-1', 'web-2'], { shown: showing('web-1', 'web-2') }),
    'modal',
    'muted',
  ],
] as const)('%s', async (_, change, via, kind) => {
  const world = await actingWorld()
  expect(await world.does(change, { via })).toMatchObject({ kind })
  expect(world.calls.length > 0).toBe(kind === 'muted')
})

test('a glob shows what it means and hides, and mutes that when it is confirmed, once', async () => {
  const world = await withAlerts()
  const asked = await world.does(muting('WEB-?'))
  expect(asked).toMatchObject({
    kind: 'confirm',
    receipt: { servers: ['web-1', 'web-2', 'web-3'], open: 3, lastWeek: 3, isDefaultEnd: false },
  })
  expect([world.calls, await world.audit()]).toEqual([[], []])
  const confirm = { kind: 'confirm', pendingId: pendingOf(asked) } as const
  const replies = await Promise.all([world.does(confirm), world.does(confirm)])
  expect(replies.map(({ kind }) => kind).toSorted()).toEqual(['muted', 'repeat'])
  expect(world.calls.toSorted()).toEqual(['server web-1 off', 'server web-2 off', 'server web-3 off'])
  const [summary, ...others] = await world.store.noticesOf('change_notice')
  expect(others).toEqual([])
  const rows = await world.audit()
  expect(rows.map(({ hostname }) => hostname)).toEqual([null])
  const told = rows.find(({ hostname }) => hostname === null)
  expect(told?.detail).toMatchObject({ names: ['web-1', 'web-2', 'web-3'], reason: 'deploying' })
  expect(summary?.subjectId).toBe(told?.auditId)
  // The hand-backs of all of them stand under that one message.
  expect((await world.mutes()).map(({ cardId }) => cardId)).toEqual(Array(3).fill(summary?.cardId))
})

test('of several servers each has its own outcome', async () => {
  const world = await withAlerts()
  world.script.answerTo = (call) => (call.includes('web-2') ? 404 : 200)
  const shown = { ...showing('web-1', 'web-2'), open: 2 }
  const reply = await world.does(muting(['web-1', 'web-2'], { shown }))
  expect(reply).toMatchObject({
    kind: 'muted',
    results: [
      { hostname: 'web-1', mute: { state: 'active' }, failure: null },
      { hostname: 'web-2', mute: null, failure: expect.stringContaining('404') },
    ],
  })
  const told = (await world.audit()).find(({ hostname }) => hostname === null)
  expect(told?.detail.names).toEqual(['web-1'])
})

test.each([
  ['03:59', 'confirm'],
  ['03:01', 'confirm'],
  ['03:00', 'muted'],
])('until %s, asked at 04:00, is tomorrow: %s', async (time, kind) => {
  const world = await withAlerts()
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  // The clock by hand begins at 04:00 UTC, and ana's is an hour ahead.
  const change = muting('web-1', { end: { kind: 'at', hour: hour + 1, minute } })
  expect(await world.does(change)).toMatchObject({ kind })
})

describe('a receipt', () => {
  test('is answered within ten minutes', async () => {
    const world = await withAlerts()
    const pendingId = pendingOf(await world.does(muting('web-*')))
    world.clock.advance(10 * minuteMs + 1)
    const reply = await world.does({ kind: 'confirm', pendingId })
    expect(reply).toEqual({ kind: 'refused', refusal: { why: 'pending_gone' } })
    expect(world.calls).toEqual([])
    expect(await world.audit()).toMatchObject([{ outcome: 'refused', why: 'pending_gone' }])
  })

  test('is answered by nobody else', async () => {
    const world = await withAlerts()
    const pendingId = pendingOf(await world.does(muting('web-*')))
    const stranger = await world.does({ kind: 'confirm', pendingId }, { userId: 'U0BEN' })
    expect(stranger).toMatchObject({ kind: 'refused', refusal: { why: 'pending_gone' } })
    expect(await world.does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'muted' })
  })

  test('is cancelled', async () => {
    const world = await withAlerts()
    const pendingId = pendingOf(await world.does(muting('web-*')))
    expect(await world.does({ kind: 'cancel', pendingId })).toEqual({ kind: 'cancelled' })
    expect(await world.does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'refused' })
  })

  test('is asked for its permission once more', async () => {
    const world = await withAlerts()
    const pendingId = pendingOf(await world.does(muting('web-*')))
    const strict = await actingWorld({
      store: world.store,
      permissions: { ...everyone, mute_server: 'nobody' },
    })
    expect(await strict.does({ kind: 'confirm', pendingId })).toMatchObject({
      kind: 'refused',
      refusal: { why: 'not_permitted' },
    })
  })

  test.each([
    ['before that', 0, { kind: 'muted' }],
    ['too late', 2, { kind: 'refused', refusal: { why: 'too_short' } }],
  ])('for a time of day means that time and not tomorrow: %s', async (_, minutes, expected) => {
    const world = await withAlerts()
    // 05:02 in Berlin is in two minutes.
    const change = muting('web-*', { end: { kind: 'at', hour: 5, minute: 2 } })
    const pendingId = pendingOf(await world.does(change))
    world.clock.advance(minutes * minuteMs)
    expect(await world.does({ kind: 'confirm', pendingId })).toMatchObject(expected)
    const untilMs = Date.UTC(2026, 10, 21, 4, 2, 0)
    expect((await world.mutes()).every((mute) => mute.untilMs === untilMs)).toBe(true)
  })
})

test.each([
  ['nothing matches', muting('db-*'), { why: 'no_match', pattern: 'db-*', unread: null }],
  [
    'too many',
    muting(Array.from({ length: 51 }, (_, n) => `h${n}`)),
    { why: 'too_many_servers', to: 'mute', count: 51, max: 50 },
  ],
  [
    'too long',
    muting('web-1', { end: { kind: 'for', ms: 31 * day.ms } }),
    { why: 'too_long', maxMs: 30 * day.ms },
  ],
  ['too short', muting('web-1', { end: { kind: 'for', ms: 59_999 } }), { why: 'too_short', minMs: minuteMs }],
] as const)('refused: %s', async (_, change, refusal) => {
  const world = await actingWorld()
  expect(await world.does(change)).toMatchObject({ kind: 'refused', refusal })
  expect(await world.audit()).toMatchObject([{ outcome: 'refused', why: refusal.why }])
})

describe('the whole account', () => {
  type MuteAccount = Extract<Change, { kind: 'mute_account' }>
  const account: MuteAccount = mutingAccount

  test('is never muted without its form', async () => {
    const world = await withAlerts()
    const reply = await world.does({ ...account, shown: null })
    expect(reply).toMatchObject({
      kind: 'form',
      form: { name: 'mute_account', given: '1h moving', hidesNow: 3, hidLastWeek: 3, maxMs: 4 * hourMs },
    })
    expect(world.calls).toEqual([])
  })

  test.each([
    [{ ...account, reason: ' ' }, 'reason_missing'],
    [{ ...account, end: { kind: 'for', ms: 5 * hourMs } }, 'too_long'],
    [{ ...account, end: { kind: 'unmuted' } }, 'too_long'],
    [{ ...account, end: { kind: 'default' } }, 'invalid'],
    [{ ...account, end: { kind: 'healthy' } }, 'invalid'],
  ] as [MuteAccount, string][])('wants a reason and an end (%#)', async (change, why) => {
    const world = await actingWorld()
    expect(await world.does(change)).toMatchObject({ kind: 'refused', refusal: { why } })
    expect(world.calls).toEqual([])
  })

  test('is muted beside single servers, whose mutes are kept', async () => {
    const world = await actingWorld()
    await world.does(muting('web-1'))
    expect(await world.does(account)).toMatchObject({ kind: 'account_muted', mute: { subject: null } })
    await world.does(muting('web-2'))
    expect(await world.does(unmuting('web-3'))).toMatchObject({
      kind: 'refused',
      refusal: { why: 'not_muted', isAccountMuted: true },
    })
    expect(await world.does({ kind: 'unmute_account' })).toMatchObject({ kind: 'unmuted', isSure: true })
    expect((await world.mutes()).map(({ subject: hostname }) => hostname)).toEqual(['web-1', 'web-2'])
  })

  test('needs its own permission for the undo and the extension as well', async () => {
    const world = await actingWorld()
    const reply = await world.does(account)
    const mute = reply.kind === 'account_muted' ? reply.mute : null
    const permissions = { ...everyone, mute_account: ['U0BEN'] }
    const strict = await actingWorld({ store: world.store, permissions })
    for (const change of [
      undoing(mute),
      { kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs },
    ] as const) {
      expect(await strict.does(change)).toMatchObject({
        refusal: { why: 'not_permitted', audience: ['U0BEN'] },
      })
    }
  })
})

describe('names of several servers', () => {
  test('are looked up before anything is muted: each unknown one is told with what may have been meant', async () => {
    const world = await withAlerts()
    for (const change of [
      muting(['web-1', 'wbe-2', 'mail', 'db-*']),
      muting(['wbe-2', 'web-1'], { reason: '' }),
    ]) {
      const reply = await world.does(change)
      expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'unknown_servers', unread: null } })
      expect(reply).toMatchObject({
        refusal: {
          servers: expect.arrayContaining([{ server: 'wbe-2', similar: ['web-2', 'web-1', 'web-3'] }]),
        },
      })
    }
    expect([world.calls, await world.mutes()]).toEqual([[], []])
    expect((await world.audit()).map(({ outcome, why }) => `${outcome} ${why}`)).toEqual(
      Array(2).fill('refused unknown_servers'),
    )
  })

  test('of which one went away between the receipt and its answer are muted as they were shown', async () => {
    const world = await actingWorld()
    const asked = await world.does(muting(['web-1', 'web-2']))
    world.script.roles = new Map([['web', ['web-1']]])
    world.clock.advance(2 * minuteMs)
    world.script.answerTo = (call) => (call.includes('web-2') ? 404 : undefined)
    expect(await world.confirms(asked)).toMatchObject({
      kind: 'muted',
      results: [{ failure: null }, { hostname: 'web-2', mute: null }],
    })
  })

  test('are refused by their number, then by the permission, and nothing is looked up for either', async () => {
    let looks = 0
    const wrap = (store: OpenStore): OpenStore => ({
      ...store,
      hostnames: () => {
        looks += 1
        return store.hostnames()
      },
    })
    const names = Array.from({ length: 980 }, (_, n) => `w${n}`)
    const tooMany = { why: 'too_many_servers', count: 980, max: 50 }
    const nobody = { ...everyone, mute_server: 'nobody' } as const
    const world = await actingWorld({ wrap })
    expect(await world.does(muting(names))).toMatchObject({ refusal: tooMany })
    const strict = await actingWorld({ wrap, permissions: nobody })
    expect(await strict.does(muting(names))).toMatchObject({ refusal: tooMany })
    expect(await strict.does(muting(names.slice(0, 50)))).toMatchObject({ refusal: { why: 'not_permitted' } })
    expect(looks).toBe(0)
  })

  test('fifty that nobody knows, among five thousand servers, keep nobody else waiting', async () => {
    const fleet = Array.from({ length: 5_000 }, (_, n) => `web-${n}.prod.eu-west-1.example.com`)
    const world = await actingWorld()
    world.script.roles = new Map([['web', fleet]])
    const typed = Array.from({ length: 50 }, (_, n) => `wbe-${n}.prod.eu-west-1.example.com`)
    let longestMs = 0
    const sinceLastMs = openCpuWatch()
    const beat = setInterval(() => {
      longestMs = Math.max(longestMs, sinceLastMs())
    })
    const reply = await world.does(muting(typed))
    clearInterval(beat)
    expect(reply).toMatchObject({ refusal: { why: 'unknown_servers', servers: { length: 50 } } })
    expect(longestMs).toBeLessThan(1_000)
  })
})
