/**
 * Channels that move: archived, routed around, the bot put out. What is open is told where today's routes say, what is said of it
 * follows, and the old channel is no lasting trouble. The whole bot with a clock by hand, over restarts.
 */
import { describe, expect, test } from 'vitest'
import type { WireSettings } from '../../../src/bot/wire.ts'
import { muting } from '../../support/acting-world.ts'
import { minuteMs, toDb, movingTown as town, usual } from '../../support/moving-town.ts'
import { paging } from '../../support/pager-world.ts'
import { nameOf } from '../../support/poll-world.ts'

/** One alert was told in the channel of databases; then Slack says that of it, and a second alert opens. */
async function closedAfterOne(why: string) {
  const it = await town()
  const before = it.service.open({ hostname: 'db-1' })
  await it.pass(1)
  it.closed.set('C0DB', why)
  it.service.open({ hostname: 'db-2' })
  return { it, before }
}

describe.each(['is_archived', 'not_in_channel', 'channel_not_found'])('Slack says %s', (why) => {
  test('what is open in a channel that is gone stood in no channel that people read', async () => {
    // Before, while and after: the second finds out, the third is told elsewhere at once.
    const { it } = await closedAfterOne(why)
    await it.pass(2)
    it.service.open({ hostname: 'db-3' })
    await it.pass(2)
    expect(it.seen()).toEqual([
      'C0DB alert db-1 open',
      'C0OPS alert db-2 open',
      'C0OPS alert db-1 open',
      'C0OPS alert db-3 open',
    ])
    expect(it.chat.messages.map(({ view }) => view.kind === 'alert' && view.mention)).toEqual(
      Array.from({ length: 4 }, () => '<!subteam^SDB>'),
    )
  })

  test('a channel that comes back got a second card of what was told elsewhere', async () => {
    const { it, before } = await closedAfterOne(why)
    await it.pass(5)
    it.service.close(before)
    await it.pass(5)
    await it.reopened('C0DB')
    await it.pass(30)
    it.service.open({ hostname: 'db-3' })
    await it.pass(5)
    await it.start()
    await it.pass(30)
    expect(it.seen()).toEqual([
      // Brought up to date once it can be.
      'C0DB alert db-1 closed',
      'C0OPS alert db-2 open',
      'C0OPS alert db-1 closed',
      'C0DB alert db-3 open',
    ])
    expect(it.health()?.troubles).toEqual([])
  })
})

test('one that is only restricted is where people look: what is for it waits, and is told nowhere else', async () => {
  const { it } = await closedAfterOne('restricted_action')
  await it.pass(30)
  expect(it.seen()).toEqual(['C0DB alert db-1 open'])
  await it.reopened('C0DB')
  await it.pass(1)
  expect(it.seen()).toEqual(['C0DB alert db-1 open', 'C0DB alert db-2 open'])
})

test('the channel of all the rest is gone, and that of one customer hears nothing of it', async () => {
  const it = await town()
  it.service.open({ hostname: 'web-1' })
  await it.pass(1)
  it.closed.set('C0OPS', 'is_archived')
  it.service.open({ hostname: 'web-2' })
  it.service.open({ hostname: 'db-1' })
  await it.pass(10)
  expect(it.seen()).toEqual(['C0OPS alert web-1 open', 'C0DB alert db-1 open'])
  expect(it.health()?.troubles).toMatchObject([{ channel: 'C0OPS', why: 'is_archived' }])
  await it.reopened('C0OPS')
  await it.pass(1)
  expect(it.seen()).toEqual(['C0OPS alert web-1 open', 'C0DB alert db-1 open', 'C0OPS alert web-2 open'])
})

test('with both gone nothing is lost, and the first that comes back hears of it', async () => {
  const it = await town()
  it.service.open({ hostname: 'db-1' })
  await it.pass(1)
  it.closed.set('C0DB', 'is_archived').set('C0OPS', 'not_in_channel')
  it.service.open({ hostname: 'db-2' })
  await it.pass(10)
  expect(it.seen()).toEqual(['C0DB alert db-1 open'])
  await it.reopened('C0OPS')
  await it.pass(10)
  expect(it.seen().toSorted()).toEqual([
    'C0DB alert db-1 open',
    'C0OPS alert db-1 open',
    'C0OPS alert db-2 open',
  ])
})

test('a storm in a channel that is gone moves as one card, and what waits there is told once', async () => {
  const it = await town()
  for (let n = 1; n <= 40; n += 1) it.service.open({ hostname: `db-${n}` })
  await it.pass(2)
  it.closed.set('C0DB', 'is_archived')
  for (let n = 41; n <= 60; n += 1) it.service.open({ hostname: `db-${n}` })
  await it.pass(10)
  const moved = it.seen().filter((line) => line.startsWith('C0OPS'))
  expect(moved.filter((line) => !line.endsWith('in thread'))).toHaveLength(1)
  expect(moved).toContain('C0OPS summary 60')
  await it.reopened('C0DB')
  await it.pass(10)
  expect(it.seen().filter((line) => line.startsWith('C0DB storm'))).toEqual(['C0DB storm 40'])
})

describe('the policy is another after a restart', () => {
  const elsewhere: Partial<WireSettings> = { slackChannel: 'C0OPS', routes: [{ ...toDb, channel: 'C0NEW' }] }

  test.each([
    ['the old channel takes cards still', null],
    ['the old channel is archived', 'is_archived'],
  ])('what was open before stood only in the old channel: %s', async (_, why) => {
    const it = await town()
    const first = it.service.open({ hostname: 'db-1' })
    await it.pass(1)
    if (why !== null) it.closed.set('C0DB', why)
    await it.start(elsewhere)
    expect(it.seen()).toEqual(['C0DB alert db-1 open', 'C0NEW alert db-1 open'])
    await it.start(elsewhere)
    it.service.close(first)
    await it.pass(5)
    expect(it.seen()).toEqual([
      why === null ? 'C0DB alert db-1 closed' : 'C0DB alert db-1 open',
      'C0NEW alert db-1 closed',
    ])
    // No setting names it any more.
    expect(it.health()?.troubles).toEqual([])
    expect(it.health()?.late).toEqual([])
    const counts = await it.store.countCards()
    expect(counts.behind).toBe(0)
    const tries = it.tries.length
    await it.pass(60)
    expect(it.tries.slice(tries)).not.toContain('C0DB')
    expect(await it.store.cardChannels()).toEqual(why === null ? ['C0DB', 'C0NEW'] : ['C0NEW'])
  })

  test('a server that gets a channel of its own is told of there, though the default channel is read', async () => {
    const it = await town({ slackChannel: 'C0OPS', routes: [] })
    it.service.open({ hostname: 'db-1' })
    it.service.open({ hostname: 'web-1' })
    await it.pass(1)
    await it.start()
    await it.start()
    expect(it.seen()).toEqual(['C0OPS alert db-1 open', 'C0OPS alert web-1 open', 'C0DB alert db-1 open'])
  })

  test('the default channel is another: what stood in the old one is told there, once', async () => {
    const it = await town()
    it.service.open({ hostname: 'web-1' })
    it.service.open({ hostname: 'db-1' })
    await it.pass(1)
    await it.start({ ...usual, slackChannel: 'C0REST' })
    await it.start({ ...usual, slackChannel: 'C0REST' })
    expect(it.seen()).toEqual(['C0OPS alert web-1 open', 'C0DB alert db-1 open', 'C0REST alert web-1 open'])
  })

  test('the same policy tells nothing anew, whatever the severity is now', async () => {
    const critical = { match: { severity: 'critical' as const }, channel: 'C0CRIT', mention: null }
    const settings: Partial<WireSettings> = { slackChannel: 'C0OPS', routes: [critical] }
    const it = await town(settings)
    const alertId = it.service.open({ hostname: 'web-1', saidSeverity: 'critical' })
    await it.pass(1)
    it.service.change(alertId, { saidSeverity: 'warning' })
    await it.pass(1)
    await it.start(settings)
    await it.start({ ...settings, routes: [critical, toDb] })
    expect(it.seen()).toEqual(['C0CRIT alert web-1 open'])
  })
})

describe('what is said of it follows', () => {
  const remind = { steps: [{ afterMs: 15 * minuteMs, mention: null, channel: null }] }
  const reminders = { ...remind, flapSettleMs: null, staleAckAfterMs: null }

  test('a reminder was for a channel that is gone', async () => {
    const it = await town({ ...usual, reminders })
    it.service.open({ hostname: 'db-1' })
    await it.pass(5)
    it.closed.set('C0DB', 'is_archived')
    it.service.open({ hostname: 'db-2' })
    await it.pass(40)
    expect(it.seen().filter((line) => line.includes('unacknowledged'))).toEqual([
      'C0OPS unacknowledged in thread',
      'C0OPS unacknowledged in thread',
    ])
  })

  test.each([
    ['before the first is due', 10, 0],
    ['while the first falls due', 14, 2],
  ])(
    'a reminder is for where its alert stands, once, and no call is put off: routed around %s',
    async (_, before, away) => {
      const steps = [15, 45].map((minutes) => paging(minutes))
      const settings = { reminders: { ...reminders, steps, staleAckAfterMs: 30 * minuteMs } }
      const it = await town({ ...usual, ...settings })
      const waits = it.service.open({ hostname: 'db-1' })
      const taken = it.service.open({ hostname: 'db-2' })
      await it.pass(1)
      await it.does({ kind: 'acknowledge', alert: taken }, 'C0DB')
      await it.pass(before - 1)
      await it.stop()
      it.clock.advance(away * minuteMs)
      await it.start({ ...usual, ...settings, routes: [{ ...toDb, channel: 'C0NEW', mention: '<!here>' }] })
      await it.pass(5)
      expect(it.pager.heard()).toEqual([`triggered ${waits}`])
      await it.pass(60)
      const said = it.chat.messages.flatMap(({ channel, view }) =>
        view.kind === 'notice' && view.topic !== 'change_notice'
          ? [[nameOf(view), channel, 'mention' in view ? view.mention : null]]
          : [],
      )
      expect(said.toSorted()).toEqual([
        ['stale_ack', 'C0NEW', null],
        ['unacknowledged', 'C0NEW', '<!here>'],
        ['unacknowledged', 'C0NEW', '<!here>'],
      ])
    },
  )

  test('whether somebody is still on it is asked as long after they took it, wherever it stands', async () => {
    const settings = { reminders: { ...reminders, steps: [], staleAckAfterMs: 30 * minuteMs } }
    const it = await town({ ...usual, ...settings })
    const taken = it.service.open({ hostname: 'db-1' })
    await it.pass(1)
    await it.does({ kind: 'acknowledge', alert: taken }, 'C0DB')
    await it.pass(25)
    await it.stop()
    await it.start({ ...usual, ...settings, routes: [{ ...toDb, channel: 'C0NEW' }] })
    const asked = () =>
      it.chat.messages.filter(({ view }) => view.kind === 'notice' && view.topic === 'stale_ack')
    await it.pass(3)
    expect(asked()).toEqual([])
    await it.pass(4)
    expect(asked()).toMatchObject([{ channel: 'C0NEW' }])
  })

  test('a step of reminders in a channel that is gone is said where the alert stands', async () => {
    const steps = [{ afterMs: 15 * minuteMs, mention: '<@U0LEAD>', channel: 'C0LEADS' }]
    const it = await town({ ...usual, reminders: { ...reminders, steps } })
    it.closed.set('C0LEADS', 'is_archived')
    it.service.open({ hostname: 'db-1' })
    await it.pass(20)
    expect(it.seen()).toEqual(['C0DB alert db-1 open', 'C0DB unacknowledged in thread'])
  })

  test.each([
    ['archived', usual, 'C0OPS'],
    ['routed around', { ...usual, routes: [{ ...toDb, channel: 'C0NEW' }] }, 'C0NEW'],
  ])('the end of a mute, with what it hid, was for a channel that is gone: %s', async (how, then, to) => {
    const it = await town()
    it.service.open({ hostname: 'db-1' })
    await it.pass(1)
    const [card] = await it.store.cardsOfKind('alert')
    const pressed = { cardId: card?.cardId ?? '', version: card?.version ?? 0 }
    const asked = await it.does(muting('db-1', { end: { kind: 'for', ms: 30 * minuteMs } }), 'C0DB', pressed)
    if (asked.kind === 'confirm') await it.does({ kind: 'confirm', pendingId: asked.pendingId }, 'C0DB')
    await it.pass(1)
    it.closed.set('C0DB', 'is_archived')
    if (how === 'routed around') await it.start(then)
    it.service.open({ hostname: 'db-1', metric: 'hidden' })
    await it.pass(40)
    const after = it.seen().filter((line) => !line.startsWith('C0DB'))
    expect(after.some((line) => line.startsWith(`${to} mute_expiring`))).toBe(true)
    expect(after.some((line) => line.startsWith(`${to} mute_ended`))).toBe(true)
    expect(after.filter((line) => line === `${to} alert db-1 open`)).toHaveLength(2)
    expect(it.health()?.late?.filter(({ channel }) => channel !== 'C0DB')).toEqual([])
  })

  test.each([
    ['archived', usual, 'C0OPS', '<!subteam^SDB>'],
    [
      'routed around',
      { ...usual, routes: [{ ...toDb, channel: 'C0NEW', mention: '<!here>' }] },
      'C0NEW',
      '<!here>',
    ],
  ])(
    'a call rings for an alert whose channel is gone, and the pager fails: %s',
    async (how, then, to, mention) => {
      const calling = { reminders: { ...reminders, steps: [0, 30].map((minutes) => paging(minutes)) } }
      const it = await town({ ...usual, ...calling })
      it.service.open({ hostname: 'db-1' })
      await it.pass(1)
      expect(it.pager.heard()).toHaveLength(1)
      if (how === 'routed around') await it.start({ ...then, ...calling })
      else it.closed.set('C0DB', 'is_archived')
      // By its post the bot finds out that the channel is gone.
      const second = it.service.open({ hostname: 'db-2' })
      await it.pass(1)
      expect((await it.store.livePages()).map(({ channel }) => channel)).toEqual([to, to])
      // Nobody was called anew because the card moved.
      expect(it.pager.heard()).toEqual([`triggered ${second}`])
      it.pager.will('refuses')
      await it.pass(40)
      const failing = it.chat.messages.filter(({ view }) => nameOf(view) === 'page_failed')
      expect(failing.map(({ channel, view }) => [channel, 'mention' in view && view.mention])).toEqual([
        [to, mention],
      ])
    },
  )
})
