/** The bot reports outages of the API: one card a channel, kept true over failures, restarts and what comes and goes. */
import { expect, test } from 'vitest'
import type { Fate } from '../../support/forgetful-chat.ts'
import { away, busy, channels, outageWorld, refused } from '../../support/outage-world.ts'

const minuteMs = 60_000

test('after three failed polls every channel has one card that says since when and why', async () => {
  const { fail, pass, cards, clock } = await outageWorld()
  const goodMs = clock.nowMs()
  fail(away)
  await pass(40_000)
  expect(cards()).toEqual([])
  await pass(20_000)
  for (const channel of channels) {
    expect(cards(channel)).toMatchObject([
      { outage: { sinceMs: goodMs, why: away.message, untilMs: null }, found: null },
    ])
  }
  await pass(60 * minuteMs)
  expect(cards()).toHaveLength(1)
})

test('a refused key is told at once, for it does not mend itself', async () => {
  const { fail, pass, cards, clock } = await outageWorld()
  const goodMs = clock.nowMs()
  fail(refused)
  await pass(15_000)
  expect(cards()).toMatchObject([{ outage: { sinceMs: goodMs, why: 'the API key was refused' } }])
})

test('a poll that hangs is an outage as well, and is told for what it is', async () => {
  const { hang, pass, cards, clock } = await outageWorld()
  const goodMs = clock.nowMs()
  const release = hang()
  await pass(3 * minuteMs)
  expect(cards()).toEqual([])
  await pass(30_000)
  const [card] = cards()
  expect(card).toMatchObject({ outage: { sinceMs: goodMs, untilMs: null } })
  expect(card?.outage.why).toBe('a poll of the monitoring API does not come to its end')
  await pass(3 * minuteMs)
  expect(cards()[0]?.outage.why).toBe('a poll of the monitoring API takes longer than 5 min')
  release()
  await pass(minuteMs)
  expect(cards()[0]?.outage.why).toBe(away.message)
  expect(cards()).toHaveLength(1)
})

test('where only the history cannot be read, what is open can, and it is no outage', async () => {
  const { loseHistory, pass, cards, count, service, slack } = await outageWorld()
  loseHistory()
  await pass(10 * minuteMs)
  service.open()
  await pass(15_000)
  expect(count('poll:failed')).toBeGreaterThan(30)
  expect(cards()).toEqual([])
  expect(slack.messages.map(({ view }) => view.kind)).toEqual(['alert'])
})

test('the reason on the card follows the failure, at most once a minute', async () => {
  const { fail, pass, cards, slack, count } = await outageWorld()
  fail(away)
  await pass(2 * minuteMs)
  slack.updateTimes.splice(0)
  const failed = count('poll:failed')
  fail(busy, away)
  await pass(10 * minuteMs)
  expect(count('poll:failed') - failed).toBeGreaterThan(12)
  const edits = slack.updateTimes.length / channels.length
  expect(edits).toBeGreaterThan(4)
  expect(edits).toBeLessThanOrEqual(10)
  fail(refused)
  await pass(2 * minuteMs)
  expect(cards()[0]?.outage.why).toBe('the API key was refused')
})

test('once the API can be read again the card says what was found, what closed by absence as well', async () => {
  const { fail, mend, pass, cards, service, passUntil } = await outageWorld()
  const before = service.open({ title: 'before' })
  const gone = service.open({ title: 'gone' })
  await pass(minuteMs)
  fail(away)
  await pass(10 * minuteMs)
  const open = service.open({ title: 'meanwhile' })
  const passed = service.open({ title: 'came and went' })
  service.close(passed)
  service.close(before)
  service.remove(gone)
  mend()
  // The first good poll comes within a minute; what is gone is known to have closed by the one after it.
  await passUntil(() => cards()[0]?.outage.untilMs !== null)
  expect(cards()).toMatchObject([{ outage: { sureMs: null }, found: { opened: 2, stillOpen: 1 } }])
  await pass(30_000)
  expect(cards()).toMatchObject([
    { outage: { sureMs: expect.any(Number) }, found: { opened: 2, stillOpen: 1, closed: 3 } },
  ])
  expect(service.openIds()).toEqual([open])
})

test('a restart in the middle goes on with the same card, and ends it', async () => {
  const { fail, mend, pass, cards, restart, clock } = await outageWorld()
  const goodMs = clock.nowMs()
  fail(away)
  await pass(5 * minuteMs)
  fail(busy)
  await restart()
  await pass(10 * minuteMs)
  expect(cards()).toMatchObject([{ outage: { sinceMs: goodMs, untilMs: null, why: busy.message } }])
  mend()
  await restart()
  await pass(minuteMs)
  expect(cards()).toHaveLength(1)
  expect(cards()[0]?.outage.untilMs).not.toBeNull()
})

test('a second outage minutes after the first is a message of its own, as nobody is notified of an edit', async () => {
  const { fail, mend, pass, cards, slack, clock, passUntil } = await outageWorld()
  fail(away)
  await pass(2 * minuteMs)
  mend()
  await passUntil(() => cards()[0]?.outage.untilMs !== null)
  // Its catch-up is not over yet when the next one begins.
  fail(away)
  const goodMs = clock.nowMs()
  await pass(2 * minuteMs)
  for (const channel of channels) {
    expect(cards(channel).map(({ outages }) => outages.length)).toEqual([1, 1])
    expect(cards(channel)).toMatchObject([
      { outage: { untilMs: expect.any(Number) } },
      { outage: { untilMs: null } },
    ])
  }
  expect(cards()[1]?.outage.sinceMs).toBeGreaterThan(goodMs - 20_000)
  mend()
  await pass(5 * minuteMs)
  expect(slack.messages.filter(({ view }) => view.kind === 'outage')).toHaveLength(2 * channels.length)
})

test('a second outage over a restart is a message of its own as well', async () => {
  const { fail, mend, pass, cards, restart } = await outageWorld()
  fail(away)
  await pass(2 * minuteMs)
  mend()
  await pass(minuteMs)
  await restart()
  fail(away)
  await restart()
  await pass(2 * minuteMs)
  expect(cards().map(({ outages }) => outages.length)).toEqual([1, 1])
})

test('where it is told late that an outage is over, the next one leaves its card and is told aloud', async () => {
  let fate: Fate = 'ok'
  const { fail, mend, pass, cards } = await outageWorld({ fateOf: () => fate })
  fail(away)
  await pass(2 * minuteMs)
  // Nobody has read that it is over, so the card goes on.
  fate = 'refused_for_now'
  mend()
  await pass(2 * minuteMs)
  fail(away)
  await pass(2 * minuteMs)
  fate = 'ok'
  await pass(2 * minuteMs)
  expect(cards().map(({ outages }) => outages.length)).toEqual([2])
  expect(cards()[0]?.outage.untilMs).toBeNull()
})

test('while nobody can read that it is over, an API that comes and goes stays on one card, until that is an hour old', async () => {
  let fate: Fate = 'ok'
  const { fail, mend, pass, cards } = await outageWorld({ fateOf: () => fate })
  for (let n = 0; n < 9; n += 1) {
    fail(away)
    await pass(3 * minuteMs)
    fate = 'refused_for_now'
    mend()
    await pass(5 * minuteMs)
  }
  fate = 'ok'
  await pass(5 * minuteMs)
  expect(cards().map(({ outages }) => outages.length)).toEqual([8, 1])
})

test('a board reports an outage within one poll of the card, and since the same time', async () => {
  const { fail, mend, pass, cards, slack, passUntil } = await outageWorld({ board: true })
  const board = () => slack.messages.flatMap(({ view }) => (view.kind === 'board' ? [view.health] : []))[0]
  // Wherever the minute of the boards stands.
  for (const beforeMs of [5_000, 25_000, 45_000]) {
    const told = cards().length
    await pass(beforeMs)
    fail(away)
    await passUntil(() => cards().length !== told)
    await pass(15_000)
    expect(board()?.failing).toMatchObject({ sinceMs: cards().at(-1)?.outage.sinceMs })
    mend()
    await passUntil(() => cards().at(-1)?.outage.untilMs !== null)
    await pass(15_000)
    expect(board()?.failing).toBeNull()
  }
})

test('one that was away long ago gets a card of its own', async () => {
  const { fail, mend, pass, cards } = await outageWorld()
  for (let n = 0; n < 2; n += 1) {
    fail(away)
    await pass(3 * minuteMs)
    mend()
    await pass(15 * minuteMs)
  }
  expect(cards().map(({ outages }) => outages.length)).toEqual([1, 1])
})

test('where Slack is away too, the card waits and is then posted as it is true by then', async () => {
  let isAway = true
  const { fail, mend, pass, cards } = await outageWorld({ fateOf: () => (isAway ? 'refused_for_now' : 'ok') })
  fail(away)
  await pass(10 * minuteMs)
  mend()
  await pass(minuteMs)
  isAway = false
  await pass(5 * minuteMs)
  expect(cards()).toHaveLength(1)
  expect(cards()[0]?.outage.untilMs).not.toBeNull()
})

test('where the history comes back later than the rest, what came and went meanwhile is told then', async () => {
  const { fail, mend, loseHistory, findHistory, pass, cards, service } = await outageWorld()
  await pass(minuteMs)
  fail(away)
  await pass(60 * minuteMs)
  service.close(service.open({ title: 'came and went' }))
  await pass(10 * minuteMs)
  loseHistory()
  mend()
  await pass(10 * minuteMs)
  // That nothing was missed is not known while the history cannot be read.
  expect(cards()).toMatchObject([
    { outage: { untilMs: expect.any(Number), sureMs: null }, found: { opened: 0 } },
  ])
  findHistory()
  await pass(5 * minuteMs)
  expect(cards()).toMatchObject([
    { outage: { sureMs: expect.any(Number) }, found: { opened: 1, stillOpen: 0 } },
  ])
})

test('open alerts of which most cannot be read are an outage, and what can be read is told meanwhile', async () => {
  const { blur, pass, cards, service, slack, clock, store } = await outageWorld()
  const goodMs = clock.nowMs()
  service.open({ title: 'one' })
  service.open({ title: 'two' })
  blur(2)
  await pass(40_000)
  expect(cards()).toEqual([])
  service.open({ title: 'three' })
  await pass(20_000)
  expect(cards()).toMatchObject([
    {
      outage: { sinceMs: goodMs, why: '2 of 3 open alerts cannot be read: their records have no usable id' },
    },
  ])
  const told = () => slack.messages.flatMap(({ view }) => (view.kind === 'alert' ? [view.alert.title] : []))
  expect(told()).toHaveLength(1)
  // What is not among what could be read may be among the rest: nothing closes by its absence.
  await pass(5 * minuteMs)
  expect(await store.openAlerts(null)).toHaveLength(1)
  blur(0)
  await pass(minuteMs)
  expect(cards()).toMatchObject([{ outage: { untilMs: expect.any(Number) }, found: { opened: 3 } }])
  expect(new Set(told())).toEqual(new Set(['one', 'two', 'three']))
})

const withC3 = { routes: [{ match: { server: 'nobody-*' }, channel: 'C3', mention: null }] }

test.each(['reread', 'restart'] as const)(
  'a channel that new settings name during an outage gets the card of it, once (%s)',
  async (how) => {
    const { fail, mend, pass, cards, reread, restart, clock } = await outageWorld()
    const goodMs = clock.nowMs()
    fail(away)
    await pass(5 * minuteMs)
    await reread(withC3)
    if (how === 'restart') await restart()
    await pass(minuteMs)
    for (const channel of ['C1', 'C3'])
      expect(cards(channel)).toMatchObject([
        { outage: { sinceMs: goodMs, why: away.message, untilMs: null } },
      ])
    await reread()
    mend()
    await pass(5 * minuteMs)
    for (const channel of ['C1', 'C3'])
      expect(cards(channel)).toMatchObject([
        { outage: { untilMs: expect.any(Number) }, found: { opened: 0 } },
      ])
  },
)

test('a channel that new settings name after an outage hears nothing of it', async () => {
  const { fail, mend, pass, cards, reread } = await outageWorld()
  fail(away)
  await pass(5 * minuteMs)
  mend()
  await pass(5 * minuteMs)
  await reread(withC3)
  await pass(5 * minuteMs)
  expect(cards('C3')).toEqual([])
})

test('an outage that begins around a reload has one card', async () => {
  const { fail, pass, cards, reread } = await outageWorld()
  fail(away)
  await pass(20_000)
  await reread(withC3)
  await pass(5 * minuteMs)
  expect([cards('C1').length, cards('C3').length]).toEqual([1, 1])
})
