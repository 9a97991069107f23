/** What is told beside alerts: outages, shifts, reports, boards; and the counts of history. */
import { describe, expect, it } from 'vitest'
import { day, hour, minute, second } from '../../../src/bot/clock.ts'
import { endOutage, numbersOf, ruleRows } from '../../../src/bot/decide/notices.ts'
import { alertOf } from '../worlds/builders.ts'
import { beginMs, openLittle } from './little.ts'

const routes = [{ match: {}, channel: 'C1', mention: null }]

describe('an outage', () => {
  const fail = (little: ReturnType<typeof openLittle>, count: number) => {
    const sinceMs = little.world.fact('failing')?.sinceMs ?? little.state.nowMs
    const toldMs = little.world.fact('failing')?.toldMs ?? null
    little.world.setFact('failing', { sinceMs, count, why: 'timed out', toldMs, lastMs: little.state.nowMs })
    little.wait(second)
  }
  it('is told aloud in every channel after three failures, once', () => {
    const little = openLittle({ routes })
    fail(little, 2)
    expect(little.posts('outage')).toEqual([])
    fail(little, 3)
    fail(little, 4)
    expect(little.cards('outage')).toEqual(['C0 !', 'C1 !'])
    expect(little.world.fact('failing')?.toldMs).not.toBeNull()
  })
  it('says so when it is over, and a second one is told by itself', () => {
    const little = openLittle()
    fail(little, 3)
    little.wait(minute)
    endOutage(little.scene())
    expect(little.posts('outage')).toMatchObject([{ data: { untilMs: little.state.nowMs } }])
    little.wait(minute)
    fail(little, 3)
    expect(little.cards('outage')).toEqual(['C0 !', 'C0 !'])
  })
  it.each([
    ['by polls all along', 4 * minute, undefined],
    ['for a part of it by nobody', 6 * minute, true],
  ])('that was watched %s: its length', (_, pauseMs, isUnmeasured) => {
    const little = openLittle()
    fail(little, 3)
    little.wait(pauseMs)
    endOutage(little.scene())
    expect(little.posts('outage')[0]?.data.isUnmeasured).toBe(isUnmeasured)
  })
  it('that ended before Slack heard of it is not told', () => {
    const little = openLittle()
    little.world.setFact('failing', {
      sinceMs: beginMs,
      count: 3,
      why: 'timed out',
      toldMs: null,
      lastMs: beginMs,
    })
    little.wait(second, false)
    endOutage(little.scene())
    expect(little.posts('outage')).toEqual([])
  })
})

describe('a change of shift', () => {
  const shift = (person: string, fromMs: number) => ({
    person,
    name: person,
    fromMs,
    untilMs: fromMs + 12 * hour,
  })
  const rows: readonly [what: string, shifts: ReturnType<typeof shift>[], told: number[]][] = [
    ['is told once', [shift('UANA', beginMs - 12 * hour), shift('UBEN', beginMs)], [beginMs]],
    ['to the same person is none', [shift('UANA', beginMs - 12 * hour), shift('UANA', beginMs)], []],
    ['hours ago is no news', [shift('UANA', beginMs - 14 * hour), shift('UBEN', beginMs - 2 * hour)], []],
  ]
  it.each(rows)('%s', (_, shifts, told) => {
    const little = openLittle()
    little.world.setFact('oncall', { atMs: 0, unread: 0, why: null, shifts })
    little.wait(3 * minute)
    expect(little.posts('shift').map(({ data }) => data.atMs)).toEqual(told)
  })
  it('with a handoff keeps what the one before brought, but of a time before the first record', () => {
    const onCall = { ical: null, pagerduty: null, people: {}, handoff: true }
    const little = openLittle({ onCall, ignore: [{ plugin: ['noise'] }] })
    const ends = [minute, 2 * minute, hour].map((ms) => beginMs + ms)
    const shifts = [-hour, minute, 2 * minute].map((ms, at) => {
      return { ...shift(`U${at}`, beginMs + ms), untilMs: ends[at] ?? 0 }
    })
    little.world.setFact('oncall', { atMs: 0, unread: 0, why: null, shifts })
    little.open({ number: '1' }, { number: '2', plugin: 'noise' })
    little.wait(3 * minute)
    expect(little.posts('shift').map(({ data }) => data.handoff)).toEqual([
      undefined,
      { fromMs: beginMs + minute, opened: 0, closed: 0, open: [[null, 1]] },
    ])
  })
  it('with a handoff and nobody before has none', () => {
    const onCall = { ical: null, pagerduty: null, people: {}, handoff: true }
    const little = openLittle({ onCall })
    const shifts = [shift('UANA', beginMs + minute)]
    little.world.setFact('oncall', { atMs: 0, unread: 0, why: null, shifts })
    little.open({ number: '1' })
    little.wait(2 * minute)
    expect(little.posts('shift').map(({ data }) => data)).toEqual([{ atMs: beginMs + minute }])
  })
})

describe('the report', () => {
  const report = { days: [6], atMinutes: 9 * 60, channel: 'C5' }
  const dueMs = Date.UTC(2026, 10, 28, 9)
  it.each([
    ['comes at its time, with its rows as a file', 6 * hour, 1],
    ['not before', 6 * hour - minute, 0],
    ['late where nothing ran then', 8 * hour, 1],
    ['and not so late', 10 * hour, 0],
  ])('%s', (_, afterMs, count) => {
    const little = openLittle({ report })
    little.open({ number: '1' })
    little.state.nowMs = beginMs + afterMs
    little.wait(10 * second)
    expect(little.posts('report').map(({ id }) => id)).toEqual(Array(count).fill(`report:${dueMs}:C5`))
    expect([...little.world.effects.values()].map(({ data }) => data.post)).toEqual(
      Array(count).fill(`report:${dueMs}:C5`),
    )
  })
  it.each([
    ['weekly', [6], 7 * day],
    ['each day but Sunday', [1, 2, 3, 4, 5, 6], day],
    ['twice a week', [2, 6], 4 * day],
  ])('begins with the one before: %s', (_, days, forMs) => {
    const little = openLittle({ report: { ...report, days } })
    little.open({ number: '1' })
    little.state.nowMs = dueMs
    little.wait(10 * second)
    expect([...little.world.effects.values()].map(({ data }) => data)).toMatchObject([{ forMs, atMs: dueMs }])
  })
  it('is not made by somebody who has just begun', () => {
    const little = openLittle({ report })
    little.state.nowMs = dueMs + minute
    little.wait(10 * second)
    expect(little.posts('report')).toEqual([])
  })
})

it('keeps a board in each channel, and looks at it anew every ten seconds', () => {
  const little = openLittle({ board: true, routes })
  expect(little.cards('board')).toEqual(['C0 ~', 'C1 ~'])
  little.wait(minute)
  little.world.dirty.clear()
  little.wait(5 * second)
  expect(little.world.dirty.has('board:C0')).toBe(false)
  little.wait(5 * second)
  expect(little.world.dirty.has('board:C0')).toBe(true)
})

it('has no board before it knows anything of the monitoring', () => {
  const little = openLittle({ board: true }, false)
  little.wait(minute)
  expect(little.posts('board')).toEqual([])
  const nowMs = little.state.nowMs
  little.world.setFact('failing', { sinceMs: nowMs, count: 1, why: 'timed out', toldMs: null, lastMs: nowMs })
  little.wait(second)
  expect(little.posts('board')).toHaveLength(1)
})

it('counts by rule', () => {
  const at = (number: string, startedMs: number, over: object = {}) =>
    alertOf({ number, startedMs, plugin: 'cpu', metric: null, ...over })
  const alerts = [
    at('0', beginMs - 15 * day),
    at('1', beginMs - 8 * day),
    at('2', beginMs - 2 * day, { closedMs: beginMs - day, closedAfterMs: day, holder: 'UANA' }),
    at('3', beginMs - day, { severity: 'critical' }),
    at('4', beginMs - day, { plugin: 'disk' }),
  ]
  const rows = ruleRows(alerts, beginMs - 7 * day, beginMs)
  expect(rows).toMatchObject([
    { alerts: 2, critical: 1, medianMs: day },
    { alerts: 1, medianMs: null },
  ])
  expect(numbersOf(alerts, beginMs - 7 * day, beginMs)).toMatchObject({
    opened: 3,
    closed: 1,
    open: [[null, 4]],
  })
})
