/** The bot says when it is blind: one card a channel, kept true over failures, restarts and what comes and goes. */
import { expect, test } from 'vitest'
import { away, blindWorld, busy, channels, refused } from '../support/blind-world.ts'

const minuteMs = 60_000

test('after three failed polls every channel has one card that says since when and why', async () => {
  const { fail, pass, cards, clock } = await blindWorld()
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

test('one failed poll, or two, are told nowhere', async () => {
  const { fail, mend, pass, cards, count } = await blindWorld()
  fail(away)
  await pass(40_000)
  mend()
  await pass(10 * minuteMs)
  expect(count('poll:failed')).toBe(2)
  expect(cards()).toEqual([])
})

test('a refused key is told at once, for it does not mend itself', async () => {
  const { fail, pass, cards, clock } = await blindWorld()
  const goodMs = clock.nowMs()
  fail(refused)
  await pass(15_000)
  expect(cards()).toMatchObject([{ outage: { sinceMs: goodMs, why: 'the API key was refused' } }])
})

test('a poll that hangs makes it blind as well, and is told for what it is', async () => {
  const { hang, pass, cards, clock } = await blindWorld()
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

test('where only the history cannot be read, what is open can, and it is not blind', async () => {
  const { loseHistory, pass, cards, count, service, slack } = await blindWorld()
  loseHistory()
  await pass(10 * minuteMs)
  service.open()
  await pass(15_000)
  expect(count('poll:failed')).toBeGreaterThan(30)
  expect(cards()).toEqual([])
  expect(slack.messages.map(({ view }) => view.kind)).toEqual(['alert'])
})

test('the reason on the card follows the failure, at most once a minute', async () => {
  const { fail, pass, cards, slack, count } = await blindWorld()
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
  const { fail, mend, pass, cards, service } = await blindWorld()
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
  while (cards()[0]?.outage.untilMs === null) await pass(1_000)
  expect(cards()).toMatchObject([{ outage: { sureMs: null }, found: { opened: 2, stillOpen: 1 } }])
  await pass(30_000)
  expect(cards()).toMatchObject([
    { outage: { sureMs: expect.any(Number) }, found: { opened: 2, stillOpen: 1, closed: 3 } },
  ])
  expect(service.openIds()).toEqual([open])
})

test('a restart in the middle goes on with the same card, and ends it', async () => {
  const { fail, mend, pass, cards, restart, clock } = await blindWorld()
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

test('a start at which the API is away is no blindness until it has been away for three polls', async () => {
  const { pass, cards, clock } = await blindWorld({ first: away })
  const firstMs = clock.nowMs()
  expect(cards()).toEqual([])
  await pass(minuteMs)
  expect(cards()).toMatchObject([{ outage: { sinceMs: firstMs } }])
})

test('an API that comes and goes stays on one card, until that is an hour old', async () => {
  const { fail, mend, pass, cards } = await blindWorld()
  for (let n = 0; n < 5; n += 1) {
    fail(away)
    await pass(3 * minuteMs)
    mend()
    await pass(5 * minuteMs)
  }
  expect(cards().map(({ outages }) => outages.length)).toEqual([5])
  for (let n = 0; n < 4; n += 1) {
    fail(away)
    await pass(3 * minuteMs)
    mend()
    await pass(5 * minuteMs)
  }
  expect(cards().map(({ outages }) => outages.length)).toEqual([8, 1])
})

test('one that was away long ago gets a card of its own', async () => {
  const { fail, mend, pass, cards } = await blindWorld()
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
  const { fail, mend, pass, cards } = await blindWorld({ fateOf: () => (isAway ? 'refused_for_now' : 'ok') })
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
  const { fail, mend, loseHistory, findHistory, pass, cards, service } = await blindWorld()
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

test('open alerts of which most cannot be read make it blind, and what can be read is told meanwhile', async () => {
  const { blur, pass, cards, service, slack, clock, store } = await blindWorld()
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

test('two outages a minute apart have a span each on one card, and what was found counts for one of them', async () => {
  const { fail, mend, pass, cards, service, restart } = await blindWorld()
  await pass(minuteMs)
  const outage = async (title: string, during: () => void) => {
    fail(away)
    await pass(4 * minuteMs)
    during()
    await pass(minuteMs)
    expect(service.open({ title })).toBeDefined()
    await restart()
    mend()
    await pass(2 * minuteMs)
  }
  await outage('in the first', () => service.close(service.open({ title: 'came and went in the first' })))
  // Between them it can see: this is of neither.
  service.close(service.open({ title: 'between' }))
  await pass(30_000)
  const between = service.open({ title: 'between, too' })
  await pass(30_000)
  await outage('in the second', () => service.close(between))
  const [card, ...more] = cards()
  expect(more).toEqual([])
  const [first, second, ...rest] = card?.outages ?? []
  expect(rest).toEqual([])
  expect([first?.found, second?.found]).toEqual([
    { opened: 2, stillOpen: 1, closed: 1 },
    { opened: 1, stillOpen: 1, closed: 1 },
  ])
  for (const one of [first, second]) expect(one?.outage.sureMs).toEqual(expect.any(Number))
  const spanMs = (one: typeof first) => (one?.outage.untilMs ?? 0) - (one?.outage.sinceMs ?? 0)
  expect(spanMs(first)).toBeLessThan(7 * minuteMs)
  expect(spanMs(second)).toBeLessThan(7 * minuteMs)
  expect((second?.outage.sinceMs ?? 0) - (first?.outage.untilMs ?? 0)).toBeGreaterThan(minuteMs)
})
