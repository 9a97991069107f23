/** What two lists say of alerts. Nothing closes on a doubt. */
import { describe, expect, it } from 'vitest'
import { day, minute } from '../../../src/bot/clock.ts'
import { isImplausible, reconcile } from '../../../src/bot/decide/reconcile.ts'
import { apiAlertOf, listingOf, saidOf } from './listing.ts'
import { beginMs, openLittle } from './little.ts'

const one = saidOf({ startedMs: beginMs })
const other = saidOf({ number: '2', host: 'db-1', startedMs: beginMs })
const over = { ...one, isOver: true }
const reused = { ...one, startedMs: beginMs + minute }

describe('an open alert', () => {
  const rows: readonly [
    what: string,
    polls: readonly (readonly Parameters<typeof listingOf>[])[],
    is: string,
  ][] = [
    ['closes by its end record', [[[[over, other]]]], 'end'],
    ['closes when its number is another alert', [[[[reused, other]]]], 'replaced'],
    ['stays open when it is missing once', [[[[other]]]], 'open'],
    ['closes when it is missing twice', [[[[other]]], [[[other]]]], 'absence'],
    [
      'stays open while the list is in doubt',
      [[[[other], { doubt: 'gaps' }]], [[[other], { doubt: 'gaps' }]]],
      'open',
    ],
    [
      'is unsure while nobody read far enough back',
      [[[[other], { isWhole: false }]], [[[other], { isWhole: false }]]],
      'unlisted',
    ],
    ['is listed again after it was missing once', [[[[other]]], [[[one, other]]], [[[other]]]], 'open'],
  ]
  it.each(rows)('%s', (_, polls, is) => {
    const little = openLittle()
    little.poll([one, other])
    for (const [[said, how] = [[]]] of polls) little.poll(said, how)
    const { closedBy, unlistedMs } = little.world.alerts.get(apiAlertOf(one).key) ?? little.alert('1')
    expect(closedBy ?? (unlistedMs === null ? 'open' : 'unlisted')).toBe(is)
  })

  it('that began over 29 days ago never ends by absence', () => {
    const little = openLittle()
    const old = { ...one, startedMs: beginMs - 30 * day }
    little.poll([old, other])
    for (const _ of [1, 2, 3]) little.poll([other])
    expect(little.alert('1')).toMatchObject({ closedMs: null, unlistedMs: beginMs + 30_000 })
    little.poll([old, other])
    expect(little.alert('1')).toMatchObject({ unlistedMs: null, missing: 0 })
  })

  it('is not closed by lists that are both empty: the API fails', () => {
    const little = openLittle()
    little.poll([one])
    expect(isImplausible(little.scene(), listingOf([]))).toBe(true)
    expect(isImplausible(little.scene(), listingOf([other]))).toBe(false)
    little.state.nowMs += 29 * day
    expect(isImplausible(little.scene(), listingOf([]))).toBe(false)
  })
})

describe('a record that was closed', () => {
  it('opens again as another alert', () => {
    const little = openLittle()
    little.poll([one])
    little.poll([over])
    little.state.nowMs += minute
    little.poll([one])
    expect(little.alert('1')).toMatchObject({
      id: `${little.alert('1').key}#2`,
      startedMs: little.state.nowMs,
    })
    little.poll([over])
    little.poll([one])
    expect(little.alert('1').id).toMatch(/#3$/)
  })

  it.each([
    ['one day old is told', day, true],
    ['ten days old is past', 10 * day + 1, false],
  ])('and was never known, %s after a long absence', (_, ageMs, isTold) => {
    const little = openLittle()
    little.state.nowMs += 20 * day
    little.poll([{ ...over, startedMs: little.state.nowMs - ageMs }, other])
    expect(little.cards('alert').some((card) => card.endsWith(' 1'))).toBe(isTold)
  })

  it('before the poll before is past: that one would have shown it', () => {
    const little = openLittle()
    little.state.nowMs += 30 * minute
    little.poll([other])
    little.poll([{ ...over, startedMs: little.state.nowMs - 15 * minute }, other])
    expect(little.cards()).toEqual(['C0 ! 2'])
  })
})

describe('how long it was open', () => {
  it.each([
    ['is measured by two polls', minute, minute],
    ['is not claimed where nobody polled meanwhile', 6 * minute, null],
  ])('%s', (_, pauseMs, closedAfterMs) => {
    const little = openLittle()
    little.poll([{ ...one, startedMs: little.state.nowMs }])
    little.state.nowMs += pauseMs
    little.close('1')
    expect(little.alert('1').closedAfterMs).toBe(closedAfterMs)
  })

  it.each([
    ['is what its record says', 7000],
    ['is not claimed where it does not say', null],
  ])('of what was over before anybody saw it %s', (_, closedAfterMs) => {
    const little = openLittle()
    const { nowMs } = little.state
    const ended = { endedMs: closedAfterMs === null ? null : nowMs + closedAfterMs }
    const { start, head } = listingOf([other])
    const seen = apiAlertOf({ ...over, startedMs: nowMs }, ended)
    reconcile(little.scene(), { start, head: { ...head, alerts: [...head.alerts, seen] } })
    expect(little.alert('1')).toMatchObject({ closedBy: 'end', closedAfterMs })
  })

  it('is not claimed of what was only absent', () => {
    const little = openLittle()
    little.poll([one, other])
    little.poll([other])
    little.poll([other])
    expect(little.alert('1').closedAfterMs).toBeNull()
  })
})

describe('in pairs', () => {
  const end = (atMs: number) => apiAlertOf(saidOf({ number: '9', startedMs: atMs, isOver: true }))
  const lists = (open: readonly string[], ends: readonly number[]) => {
    const starts = [one, other].map((said) => apiAlertOf(said))
    const whole = { unreadable: 0, doubt: null }
    const start = { ...whole, alerts: starts.filter(({ number }) => open.includes(number)) }
    return { start, head: { ...whole, alerts: [...starts, ...ends.map(end)], isWhole: true } }
  }
  it.each([
    ['an end closes what its server and trigger opened before', beginMs + minute, ['2']],
    ['an end from before it closes nothing', beginMs - minute, ['1', '2']],
  ])('%s', (_, endMs, left) => {
    const little = openLittle({ lifecycle: 'pair' })
    reconcile(little.scene(), lists(['1', '2'], []))
    reconcile(little.scene(), lists(left, [endMs]))
    expect([...little.world.open.values()].map(({ number }) => number)).toEqual(left)
  })

  it('a record that is listed on after its end does not open again', () => {
    const little = openLittle({ lifecycle: 'pair' })
    reconcile(little.scene(), lists(['1', '2'], []))
    reconcile(little.scene(), lists(['1', '2'], [beginMs + minute]))
    reconcile(little.scene(), lists(['1', '2'], []))
    expect(little.world.open.size).toBe(1)
  })
})

describe('severity', () => {
  it('is the policy’s, by roles too, and follows both', () => {
    const severity = [{ match: { role: ['db'] }, is: 'critical' as const }]
    const little = openLittle({ severity })
    little.poll([other])
    expect(little.alert('2').severity).toBe('warning')
    little.world.setFact('roles', { atMs: 0, servers: { db: ['db-1'] } })
    little.poll([other])
    expect(little.alert('2')).toMatchObject({ severity: 'critical', criticalMs: little.state.nowMs })
  })

  it('keeps no trace of a rise once it fell', () => {
    const little = openLittle()
    for (const severity of ['warning', 'critical', 'warning']) little.poll([{ ...one, severity }])
    expect(little.alert('1').criticalMs).toBeNull()
  })
})

it('takes a new value with the next change of state, and no sooner', () => {
  const little = openLittle()
  const said = (value: number, severity: string) => ({ ...one, title: `CPU ${value}%`, value, severity })
  little.poll([said(91, 'warning')])
  little.poll([said(95, 'warning')])
  expect(little.alert('1').value).toBe(91)
  little.poll([said(99, 'critical')])
  expect(little.alert('1')).toMatchObject({ value: 99, title: 'CPU 99%' })
})

it('keeps the history: opened, critical, closed, reopened', () => {
  const little = openLittle()
  little.poll([one])
  little.poll([{ ...one, severity: 'critical' }])
  little.close('1')
  little.poll([one])
  const acts = [...little.world.acts.values()].filter(({ alert }) => alert?.startsWith('1@'))
  expect(acts.map(({ kind }) => kind)).toEqual(['opened', 'critical', 'closed', 'reopened'])
  // The title may name the server itself.
  little.open({ number: '7', host: 'db-9', title: 'Lost db-9' })
  expect([...little.world.acts.values()].at(-1)?.subject).toBe('Lost db-9')
})

it('sets a record aside that cannot be decided, and takes the others', () => {
  const little = openLittle()
  // JSON knows no such number.
  const broken = { ...apiAlertOf(one), value: 1n as never }
  const { start, head } = listingOf([one, other])
  reconcile(little.scene(), {
    start: { ...start, alerts: [broken, ...start.alerts.slice(1)] },
    head: { ...head, alerts: [] },
  })
  expect([...little.world.open.values()].map(({ number }) => number)).toEqual(['2'])
})
