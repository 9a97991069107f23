/** Planned mutes: each window begins once, is told before and after, and ends as every mute does. The whole bot, a clock by hand. */
import { describe, expect, test } from 'vitest'
import { render } from '../../../src/bot/slack/render/render.ts'
import { actingWorld } from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { at, passTo, plannedWorld } from '../../support/planned-world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

test('a window of one server begins at its time, is told before and after in one thread, and is over with it', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  const planned = await world.types('mute web-1 from 06:00 for 2h new kernel')
  expect(planned).toMatchObject({ kind: 'done', act: 'plan_mute' })
  await passTo(world, '21T04:49')
  expect(world.said()).toEqual(['🗓️ <@U0ANA> planned a mute of web-1 from 05:00 to 07:00 — new kernel'])
  await passTo(world, '21T04:51')
  expect(world.said().slice(1)).toEqual([
    '↳ ⏰ <@U0ANA>, the mute of web-1 that you planned begins soon: from 05:00 to 07:00 — new kernel',
  ])
  expect(await world.muted()).toEqual([])
  await passTo(world, '21T05:00')
  await world.pass(5_000)
  expect(await world.muted()).toEqual(['web-1'])
  expect(world.calls()).toEqual(['server web-1 off'])
  expect(await world.planned()).toEqual([])
  expect(world.said().slice(1)).toEqual([
    '↳ ⏰ <@U0ANA>, the mute of web-1 that you planned: from 05:00 to 07:00 — new kernel',
    '↳ 🔕 <@U0ANA> muted web-1 until 07:00, as planned — new kernel',
  ])
  // Nobody is asked before its end.
  await passTo(world, '21T06:59')
  expect(world.said()).toHaveLength(3)
  await passTo(world, '21T07:01')
  expect(await world.muted()).toEqual([])
  expect(world.calls()).toEqual(['server web-1 off', 'server web-1 on'])
  expect(world.said().slice(3)).toEqual(['↳ 🔔 The mute of web-1 has ended: notifications are on again.'])
  const [ended] = world.chat.messages.slice(3)
  expect(ended === undefined ? '' : render(ended.view).text).toContain('No alert came while it was muted')
})

test('a pattern is asked about, means the servers of the moment, and comes again', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  const asked = await world.types('mute web-* every day 06:00-07:00 backup')
  expect(asked).toMatchObject({ kind: 'confirm_planned', servers: ['web-1', 'web-2'], open: 0 })
  if (asked.kind !== 'confirm_planned') return
  await world.does({ kind: 'confirm', pendingId: asked.pendingId })
  world.script.roles = new Map([['web', ['web-1', 'web-2', 'web-3']]])
  await passTo(world, '21T05:01')
  expect((await world.muted()).toSorted()).toEqual(['web-1', 'web-2', 'web-3'])
  await passTo(world, '21T06:01')
  expect(await world.muted()).toEqual([])
  // Every night, and nothing was hidden: nothing is said before.
  expect(world.said()).toEqual([
    '🗓️ <@U0ANA> planned a mute of `web-*` from 05:00 to 06:00, every day 06:00–07:00 (Europe/Berlin) — backup',
    '↳ 🔕 <@U0ANA> muted 3 servers (web-1, web-2, web-3) until 06:00, as planned — backup',
    '↳ 🔔 The mutes of 3 servers (web-1, web-2, web-3) have ended: notifications are on again. No alert came while they were muted',
  ])
  await passTo(world, '22T05:01')
  expect(await world.muted()).toHaveLength(3)
})

test('every night its owner is told before only if something is open', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.plans('mute web-1 every day 06:00-07:00')
  await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
  await passTo(world, '21T04:51')
  const soon = world.chat.messages.find(
    ({ view }) =>
      view.kind === 'notice' && view.topic === 'change_notice' && view.entry.act === 'planned_soon',
  )
  expect(soon === undefined ? '' : render(soon.view).text).toContain(
    'It would hide 1 alert that is open now.',
  )
})

test('a window that begins says what it hides, and whoever comes too late with cancelling hears that it has begun', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', world.clock.nowMs()))
  await world.plans('mute web-1 from 05:05 for 2h')
  const [planned] = await world.planned()
  await passTo(world, '21T04:06')
  expect(await world.muted()).toEqual(['web-1'])
  expect(world.said().join('\n')).toContain('muted web-1 until 06:05, as planned, which hides 1 open alert')
  expect(await world.does({ kind: 'cancel_planned', plannedId: planned?.plannedId ?? '' })).toMatchObject({
    refusal: { why: 'planned_changed', is: 'gone' },
  })
})

test('whoever unmutes a pattern of which nothing is muted hears what is planned for it', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.plans('mute web-2 from 22:00 for 2h')
  for (const typed of ['unmute web-*', 'unmute web-1,web-2'])
    expect(await world.types(typed)).toMatchObject({
      refusal: { why: 'not_muted', planned: [{ what: { names: ['web-2'] } }] },
    })
})

describe('who skips or cancels', () => {
  test('skips one window: nothing is muted in it, the button goes, and the next one comes', async () => {
    const world = await plannedWorld()
    await world.pass(minuteMs)
    await world.plans('mute web-1 every sat,sun 06:00-07:00')
    await passTo(world, '21T04:51')
    const [planned] = await world.planned()
    const skip = {
      kind: 'skip_planned',
      plannedId: planned?.plannedId ?? '',
      startMs: at('21T05:00'),
    } as const
    expect(await world.does(skip)).toMatchObject({
      kind: 'done',
      act: 'skip_planned',
      window: { startMs: at('22T05:00') },
    })
    expect(await world.does(skip)).toMatchObject({ refusal: { why: 'planned_changed', is: 'skipped' } })
    await passTo(world, '21T06:30')
    expect(await world.muted()).toEqual([])
    expect(world.said().slice(1)).toEqual([
      '↳ ⏰ <@U0ANA>, the mute of web-1 that you planned: from 05:00 to 06:00',
      '↳ ⏭️ <@U0ANA> skipped the planned mute of web-1 from 05:00 to 06:00: nothing is muted then',
    ])
    await passTo(world, '22T05:01')
    expect(await world.muted()).toEqual(['web-1'])
    expect(await world.does({ ...skip, startMs: at('22T05:00') })).toMatchObject({
      refusal: { why: 'planned_changed', is: 'begun' },
    })
  })

  test.each([
    ['before', '21T04:00'],
    ['in', '21T05:20'],
    ['after', '21T20:00'],
  ])(
    'skips two in a row, the second %s the first: nothing is muted in either, and none is missed',
    async (_, when) => {
      const world = await plannedWorld()
      await world.pass(minuteMs)
      await world.plans('mute web-1 every day 06:00-07:00')
      const [{ plannedId = '' } = {}] = await world.planned()
      const skips = (startMs: number) => world.does({ kind: 'skip_planned', plannedId, startMs })
      expect(await skips(at('21T05:00'))).toMatchObject({ window: { startMs: at('22T05:00') } })
      await passTo(world, when)
      expect(await skips(at('22T05:00'))).toMatchObject({ window: { startMs: at('23T05:00') } })
      for (const again of ['21T05:00', '22T05:00'])
        expect(await skips(at(again))).toMatchObject({ refusal: { is: 'skipped' } })
      for (const within of ['21T05:30', '22T05:30']) {
        if (at(within) < world.clock.nowMs()) continue
        await passTo(world, within)
        expect(await world.muted()).toEqual([])
      }
      await passTo(world, '23T05:30')
      expect(await world.muted()).toEqual(['web-1'])
      expect(world.said().filter((line) => line.includes('did not happen'))).toEqual([])
    },
  )

  test('cancels the plan: what is muted goes on, and nothing comes again', async () => {
    const world = await plannedWorld()
    await world.pass(minuteMs)
    await world.plans('mute web-1 every day 06:00-07:00')
    await passTo(world, '21T05:01')
    const [planned] = await world.planned()
    const cancel = { kind: 'cancel_planned', plannedId: planned?.plannedId ?? '' } as const
    expect(await world.does(cancel)).toMatchObject({ kind: 'done', act: 'cancel_planned' })
    expect(await world.does(cancel)).toMatchObject({ refusal: { why: 'planned_changed', is: 'gone' } })
    expect(await world.muted()).toEqual(['web-1'])
    await passTo(world, '22T05:30')
    expect(await world.muted()).toEqual([])
  })

  test('unmutes in a window: it is not muted again before the next one', async () => {
    const world = await plannedWorld()
    await world.pass(minuteMs)
    await world.plans('mute web-1 every day 06:00-07:00')
    await passTo(world, '21T05:01')
    await world.types('unmute web-1')
    await world.pass(30 * minuteMs)
    expect(await world.muted()).toEqual([])
    await passTo(world, '22T05:01')
    expect(await world.muted()).toEqual(['web-1'])
  })

  test('unmutes what is only planned: hears what is planned', async () => {
    const world = await plannedWorld()
    await world.pass(minuteMs)
    await world.plans('mute web-* every day 06:00-07:00')
    expect(await world.types('unmute web-1')).toMatchObject({
      kind: 'unmuted',
      wasMuted: false,
      planned: [{ what: { names: ['web-*'] } }],
    })
    expect(await world.types('unmute web-*')).toMatchObject({
      refusal: { why: 'not_muted', planned: [{ what: { names: ['web-*'] } }] },
    })
    expect(await world.types('unmute db-1')).not.toHaveProperty('planned')
  })
})

test('what somebody muted for longer is left as it is, and what ends sooner lasts as planned', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.plans('mute web-* every day 06:00-07:00')
  await passTo(world, '21T04:30')
  await world.plans('mute web-1 until unmuted broken')
  await world.types('mute web-2 1h deploying')
  await passTo(world, '21T05:01')
  const { mutes } = await world.store.mutes()
  const ends = mutes.map(({ subject, untilMs, reason }) => [subject, untilMs, reason])
  expect(ends).toContainEqual(['web-1', null, 'broken'])
  expect(ends).toContainEqual(['web-2', at('21T06:00'), ''])
  expect(world.said().join('\n')).toContain('muted web-2 until 06:00, as planned')
})

describe('a bot that was down', () => {
  /** It plans, and is not there until then. */
  async function downUntil(text: string, of: { readonly plan: string }) {
    const first = await plannedWorld()
    await first.pass(minuteMs)
    await first.plans(of.plan)
    await first.pass(minuteMs)
    await first.bot.stop()
    const { clock, store, chat } = first
    clock.advance(at(text) - clock.nowMs())
    const world = await plannedWorld({ clock, store, chat })
    await world.pass(5_000)
    return world
  }

  test('in the beginning of a window: it begins late, for what is left of it', async () => {
    const world = await downUntil('21T05:30', { plan: 'mute web-1 from 06:00 for 2h' })
    expect(await world.muted()).toEqual(['web-1'])
    await passTo(world, '21T07:01')
    expect(await world.muted()).toEqual([])
  })

  test('for all of a window: nothing is muted, and it is said once', async () => {
    const world = await downUntil('21T07:30', { plan: 'mute web-1 from 06:00 for 1h' })
    expect(await world.muted()).toEqual([])
    expect(await world.planned()).toEqual([])
    const missed = '↳ ⚠️ The planned mute of web-1 from 05:00 to 06:00 did not happen: monbot was not running.'
    expect(world.said().slice(-1)).toEqual([missed])
  })

  test('for many: that is said once, and the next one comes', async () => {
    const world = await downUntil('25T07:30', { plan: 'mute web-1 every day 06:00-07:00' })
    expect(world.said().filter((line) => line.includes('did not happen'))).toHaveLength(1)
    await passTo(world, '26T05:01')
    expect(await world.muted()).toEqual(['web-1'])
  })

  test('from the commit of the beginning on: the next start does not begin it once more', async () => {
    const world = await downUntil('21T05:30', { plan: 'mute web-1 every day 06:00-07:00' })
    await world.types('unmute web-1')
    await world.bot.stop()
    const { clock, store, chat } = world
    const next = await plannedWorld({ clock, store, chat })
    await next.pass(5 * minuteMs)
    expect(await next.muted()).toEqual([])
  })
})

test('a clock that is set back into a window, or ahead over one, begins none twice', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.plans('mute web-1 every day 06:00-07:00')
  await passTo(world, '21T05:30')
  await world.types('unmute web-1')
  world.clock.set(-hourMs)
  await world.pass(50 * minuteMs)
  expect(await world.muted()).toEqual([])
  world.clock.set(24 * hourMs)
  await world.pass(minuteMs)
  expect(await world.muted()).toEqual(['web-1'])
})

test('an API that is away when a window begins and when it ends: it hides at its time, and ends at its time', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  await world.plans('mute web-* every day 06:00-07:00')
  await passTo(world, '21T04:59')
  world.script.next = 503
  world.script.rolesFail = true
  await passTo(world, '21T05:05')
  expect(await world.muted()).toEqual(['web-1', 'web-2'])
  world.script.next = 200
  await passTo(world, '21T05:30')
  expect((await world.store.mutes()).mutes.map(({ confirmation }) => confirmation)).toEqual([
    'confirmed',
    'confirmed',
  ])
  world.script.next = 503
  await passTo(world, '21T06:10')
  expect(await world.muted()).toEqual([])
  world.script.next = 200
  await world.pass(2 * minuteMs)
  expect((await world.store.mutes()).mutes).toEqual([])
})

test('the account is planned only with the right to mute it, a reason, a confirmation, and within its limit', async () => {
  const world = await actingWorld({
    permissions: { ...everyone, mute_account: 'nobody' },
  })
  const plan = { is: 'once', day: null, minute: 22 * 60, length: { ms: hourMs } } as const
  const change = { kind: 'plan_mute', of: { of: 'account' }, plan, reason: 'moving' } as const
  expect(await world.does(change)).toMatchObject({ refusal: { why: 'not_permitted' } })
  const free = await actingWorld()
  expect(await free.does({ ...change, reason: ' ' })).toMatchObject({ refusal: { why: 'reason_missing' } })
  const long = { ...plan, length: { ms: 5 * hourMs } }
  expect(await free.does({ ...change, plan: long })).toMatchObject({ refusal: { why: 'too_long' } })
  expect(await free.does(change)).toMatchObject({ kind: 'confirm_planned' })
})

test('a server that nobody knows is refused when it is planned, and not found out at night', async () => {
  const world = await plannedWorld()
  await world.pass(minuteMs)
  expect(await world.types('mute wbe-1 from 06:00 for 2h')).toMatchObject({
    refusal: { why: 'unknown_servers' },
  })
  expect(await world.types('mute wbe-* from 06:00 for 2h')).toMatchObject({ refusal: { why: 'no_match' } })
  expect(await world.types('mute web-1 from 2026-11-20 06:00 for 2h')).toMatchObject({
    refusal: { why: 'invalid' },
  })
  expect(await world.types('mute web-1 every day 06:00 for 24h')).toMatchObject({
    refusal: { why: 'invalid' },
  })
  expect(await world.types('mute web-1 from 06:00 for 31d')).toMatchObject({ refusal: { why: 'too_long' } })
})
