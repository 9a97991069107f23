/** Mutes that are planned by the policy file or a form, and what changes after they were planned. */
import { describe, expect, test } from 'vitest'
import type { PolicyMute } from '../../../src/bot/domain/mute/planned.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { at, passTo, plannedWorld } from '../../support/planned-world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('the policy file', () => {
  const rule = {
    is: 'weekly',
    days: [0, 1, 2, 3, 4, 5, 6],
    nth: null,
    minute: 360,
    length: { untilMinute: 420 },
  } as const
  const nightly: PolicyMute = { names: ['web-1'], rule, zone: 'Europe/Berlin', reason: 'backup' }

  test('plans, changes and ends what it names; in Slack a window is only skipped', async () => {
    const first = await plannedWorld({ maintenance: [nightly, nightly] })
    await first.pass(minuteMs)
    const [planned, ...none] = await first.planned()
    expect(none).toEqual([])
    expect(await first.does({ kind: 'cancel_planned', plannedId: planned?.plannedId ?? '' })).toMatchObject({
      refusal: { why: 'planned_changed', is: 'of_policy' },
    })
    await passTo(first, '21T05:01')
    expect((await first.store.mutes()).mutes).toMatchObject([{ subject: 'web-1', userId: 'the policy' }])
    await first.bot.stop()
    const { clock, store, chat } = first
    const again = await plannedWorld({ clock, store, chat, maintenance: [nightly] })
    await again.pass(minuteMs)
    await again.bot.stop()
    const shorter = { ...nightly, rule: { ...rule, length: { untilMinute: 400 } } }
    const changed = await plannedWorld({ clock, store, chat, maintenance: [shorter] })
    await changed.pass(minuteMs)
    expect((await changed.planned()).map((one) => one.rule)).toEqual([shorter.rule])
    await changed.bot.stop()
    const ended = await plannedWorld({ clock, store, chat })
    await ended.pass(minuteMs)
    expect(await ended.planned()).toEqual([])
    const lines = ended.said().filter((line) => line.includes('🗓️'))
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe(
      '🗓️ The policy planned a mute of web-1 from 05:00 to 06:00, every day 06:00–07:00 (Europe/Berlin) — backup',
    )
  })

  test.each([
    ['reason', { reason: 'new' }, 1],
    ['name beside it', { names: ['web-1', 'web-2'] }, 2],
  ])('with another %s mutes nobody again: what was skipped or unmuted stays so', async (_, over, told) => {
    const first = await plannedWorld({ maintenance: [nightly] })
    await passTo(first, '21T05:01')
    await first.types('unmute web-1')
    await first.pass(minuteMs)
    const [{ plannedId = '' } = {}] = await first.planned()
    await first.does({ kind: 'skip_planned', plannedId, startMs: at('22T05:00') })
    await first.bot.stop()
    const { clock, store, chat } = first
    const again = await plannedWorld({ clock, store, chat, maintenance: [{ ...nightly, ...over }] })
    await again.pass(minuteMs)
    const { names, reason } = { ...nightly, ...over }
    expect(await again.planned()).toMatchObject([{ plannedId, what: { names }, reason }])
    expect(await again.muted()).toEqual([])
    await passTo(again, '22T05:01')
    expect(await again.muted()).toEqual([])
    expect(again.said().filter((line) => line.includes('🗓️'))).toHaveLength(told)
    await passTo(again, '23T05:01')
    for (const subject of names)
      expect((await store.mutes()).mutes).toContainEqual(
        expect.objectContaining({ subject, state: 'active', reason }),
      )
  })

  /** The same bot, started again with another file. */
  async function withFile(
    { bot, clock, store, chat }: Awaited<ReturnType<typeof plannedWorld>>,
    maintenance: readonly PolicyMute[],
  ) {
    await bot.stop()
    const again = await plannedWorld({ clock, store, chat, maintenance })
    await again.pass(minuteMs)
    return again
  }
  const entry = (...names: readonly string[]): PolicyMute => ({ ...nightly, names })

  test.each([
    ['split', [['web-1', 'web-2']], [['web-1'], ['web-2']]],
    ['made a pattern', [['web-1'], ['db-1']], [['web-?'], ['db-1']]],
    ['made the names of a pattern', [['web-*']], [['web-1'], ['web-2']]],
    ['merged', [['db-1'], ['web-1']], [['db-1', 'web-1']]],
    ['merged with another as a pattern', [['web-1'], ['db-1']], [['db-1', 'web-*']]],
    ['copied', [['web-1'], ['db-1']], [['web-1'], ['db-1', 'web-1']]],
  ])('that is %s mutes nobody again: what was skipped or unmuted stays so', async (_, before, after) => {
    const first = await plannedWorld({ maintenance: before.map((names) => entry(...names)) })
    await passTo(first, '21T05:01')
    for (const one of await first.muted()) await first.types(`unmute ${one}`)
    await first.pass(minuteMs)
    for (const { plannedId, what } of await first.planned())
      if (what.of === 'servers' && what.names.some((name) => name.startsWith('web')))
        await first.does({ kind: 'skip_planned', plannedId, startMs: at('22T05:00') })
    const again = await withFile(
      first,
      after.map((names) => entry(...names)),
    )
    expect(await again.muted()).toEqual([])
    await passTo(again, '22T05:01')
    const muted = await again.muted()
    expect(muted.filter((one) => one.startsWith('web'))).toEqual([])
    await passTo(again, '23T05:01')
    expect(await again.muted()).toEqual(expect.arrayContaining(['web-1']))
  })

  test.each([
    ['is begun', '21T05:01', ['web-1']],
    ['was skipped', '21T04:00', []],
  ])(
    'with a name that is added when its only window %s says that it is not muted',
    async (_, when, muted) => {
      const once = { is: 'once', startMs: at('21T05:00'), endMs: at('21T09:00') } as const
      const entries = (...names: readonly string[]): PolicyMute[] => [{ ...entry(...names), rule: once }]
      const first = await plannedWorld({ maintenance: entries('web-1') })
      await passTo(first, when)
      const [{ plannedId = '' } = {}] = await first.planned()
      if (muted.length === 0) await first.does({ kind: 'skip_planned', plannedId, startMs: once.startMs })
      const again = await withFile(first, entries('web-1', 'web-2'))
      const split = await withFile(again, [...entries('web-1'), ...entries('web-2')])
      await passTo(split, '21T05:10')
      expect(await split.muted()).toEqual(muted)
      expect(split.said().filter((line) => line.includes('⚠️'))).toEqual([
        '↳ ⚠️ The planned mute of web-2 from 05:00 to 09:00 does not happen: added to the policy after its window began or was skipped.',
      ])
    },
  )

  test('that changes while somebody skips a window is kept, and so is what they skip', async () => {
    const first = await plannedWorld({ maintenance: [nightly, entry('db-1')] })
    await first.pass(minuteMs)
    await first.bot.stop()
    const { clock, store, chat } = first
    let isSkipped = false
    const commit: typeof store.commit = async (plan) => {
      const row = (await store.planned()).find(
        ({ what }) => what.of === 'servers' && what.names[0] === 'web-1',
      )
      if (plan.planned.length > 0 && row !== undefined && !isSkipped) {
        isSkipped = true
        const next = { ...row, skippedMs: at('21T05:00'), version: row.version + 1 }
        const { plannedId, version: was } = row
        await store.commit({ ...emptyPlan(clock.nowMs()), planned: [{ plannedId, next, was }] })
      }
      return store.commit(plan)
    }
    const maintenance = [entry('web-1', 'web-2'), entry('db-1', 'db-2')]
    const again = await plannedWorld({ clock, store: { ...store, commit }, chat, maintenance })
    await again.pass(minuteMs)
    expect(isSkipped).toBe(true)
    const rows = (await again.planned()).map(({ what, skippedMs }) => ({ what, skippedMs }))
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({
      what: { of: 'servers', names: ['web-1', 'web-2'] },
      skippedMs: at('21T05:00'),
    })
    expect(rows).toContainEqual({ what: { of: 'servers', names: ['db-1', 'db-2'] }, skippedMs: null })
  })

  test('is told in the channel that the settings name now, the same entry and each of several', async () => {
    const all = [nightly, { ...nightly, names: ['web-2'] }]
    const first = await plannedWorld({ maintenance: all })
    await first.pass(minuteMs)
    await first.bot.stop()
    const { clock, store, chat } = first
    const again = await plannedWorld({
      clock,
      store,
      chat,
      maintenance: all,
      settings: { slackChannel: 'C0NEW' },
    })
    await again.pass(minuteMs)
    expect((await again.planned()).map(({ channel }) => channel)).toEqual(['C0NEW', 'C0NEW'])
    expect(chat.messages.filter(({ channel }) => channel === 'C0NEW')).toHaveLength(2)
    await passTo(again, '21T05:01')
    expect(await again.muted()).toEqual(['web-1', 'web-2'])
    const begun = chat.messages.filter(({ threadTs }) => threadTs !== null)
    expect(begun.map(({ channel }) => channel)).toEqual(['C0NEW', 'C0NEW'])
  })
})

test('what people planned ends within the limits of the day, what the policy planned when it says', async () => {
  const before = await plannedWorld()
  await before.pass(minuteMs)
  await before.plans('mute web-1 from 06:00 for 4h')
  await before.plans('mute account from 06:00 for 4h moving')
  await before.bot.stop()
  const { clock, store, chat } = before
  const rule = { is: 'once', startMs: at('21T05:00'), endMs: at('21T09:00') } as const
  const after = await plannedWorld({
    ...{ clock, store, chat },
    maintenance: [{ names: ['web-2'], rule, zone: 'UTC', reason: '' }],
    settings: { limits: { muteDefaultMs: hourMs, muteMaxMs: 2 * hourMs, accountMuteMaxMs: hourMs } },
  })
  await passTo(after, '21T05:00')
  await after.pass(minuteMs)
  const { mutes } = await store.mutes()
  expect(new Map(mutes.map(({ subject, untilMs }) => [subject, untilMs]))).toEqual(
    new Map([
      [null, at('21T06:00')],
      ['web-1', at('21T07:00')],
      ['web-2', at('21T09:00')],
    ]),
  )
})

test('a form that lets a daily mute begin on a later day plans nothing before it', async () => {
  const world = await plannedWorld()
  await passTo(world, '21T05:30')
  const plan = {
    is: 'moment',
    startMs: at('24T05:00'),
    days: [0, 1, 2, 3, 4, 5, 6],
    length: { ms: 2 * hourMs },
  } as const
  const of = { of: 'servers', servers: [{ by: 'name', name: 'web-1' }] } as const
  const asked = await world.does({ kind: 'plan_mute', of, plan, reason: '' })
  expect(asked).toMatchObject({ kind: 'confirm_planned', window: { startMs: at('24T05:00') } })
  const pendingId = asked.kind === 'confirm_planned' ? asked.pendingId : ''
  expect(await world.does({ kind: 'confirm', pendingId })).toMatchObject({
    window: { startMs: at('24T05:00') },
  })
  for (const early of ['21T05:40', '22T05:30', '23T06:30']) {
    await passTo(world, early)
    expect(await world.muted()).toEqual([])
  }
  for (const within of ['24T05:30', '25T05:30']) {
    await passTo(world, within)
    expect(await world.muted()).toEqual(['web-1'])
  }
})
