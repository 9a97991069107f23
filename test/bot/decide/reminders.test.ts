/** Reminders and calls of the pager, from rounds: once each, and over when somebody is on it. */
import { describe, expect, it } from 'vitest'
import { hour, minute, second } from '../../../src/bot/clock.ts'
import type { ReminderStep } from '../../../src/bot/config/policy.ts'
import { actOf, effectOf } from '../worlds/builders.ts'
import { openLittle, step } from './little.ts'

const tick = 10 * second
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ number: `${at + 1}`, host: `web-${at + 1}` }))
const withSteps = (...reminders: readonly Partial<ReminderStep>[]) =>
  openLittle({ reminders: reminders.map((one) => ({ ...step, ...one })) })
const page = { page: true, afterMs: 5 * minute }

describe('a reminder', () => {
  it('comes once for each step while nobody is on it, in the thread and the channel', () => {
    const little = withSteps({ afterMs: 15 * minute }, { afterMs: 30 * minute, mention: '<!here>' })
    little.open({ number: '1' })
    little.wait(2 * hour)
    const reminders = little.posts('remind')
    expect(reminders.map(({ data, mention }) => [data.step, mention])).toEqual([
      [0, null],
      [1, '<!here>'],
    ])
    expect(reminders[0]).toMatchObject({
      thread: little.posts('alert')[0]?.id,
      isBroadcast: true,
      isLoud: true,
    })
  })

  const rows: readonly [what: string, ends: (little: ReturnType<typeof openLittle>) => void][] = [
    ['took it', (little) => little.hold('1', 'UANA')],
    ['muted it', (little) => void little.mute('account', 3 * hour)],
  ]
  it.each(rows)('does not come once somebody %s', (_, ends) => {
    const little = withSteps({})
    little.open({ number: '1' })
    little.wait(14 * minute)
    ends(little)
    little.wait(hour)
    expect(little.cards('remind')).toEqual([])
  })

  it('begins anew with each round', () => {
    const little = withSteps({})
    little.open({ number: '1' })
    little.wait(16 * minute)
    little.hold('1', 'UANA')
    little.wait(hour)
    little.hold('1', null)
    little.wait(14 * minute)
    expect(little.cards('remind')).toHaveLength(1)
    little.wait(2 * minute)
    expect(little.cards('remind')).toHaveLength(2)
  })

  it('is one for all on a list, also for those that came a little later', () => {
    const little = withSteps({})
    little.open(...many(5))
    little.wait(10 * minute)
    little.open({ number: '9' })
    little.wait(10 * minute)
    expect(little.cards('remind')).toEqual(['C0 ! 1 2 3 4 5 9'])
  })

  it('tells how it is once its alert came back onto its card, and reminds of that anew', () => {
    const little = withSteps({})
    little.open({ number: '1' })
    little.wait(16 * minute)
    little.close('1')
    little.wait(minute)
    little.open({ number: '2' })
    little.wait(minute)
    expect(little.cards('remind')).toEqual(['C0 ! 1 2'])
    little.wait(20 * minute)
    expect(little.cards('remind')).toEqual(['C0 ! 1 2', 'C0 ! 2'])
  })

  it('of many cards at once is one message', () => {
    const little = withSteps({})
    for (const one of many(5)) {
      little.open({ ...one, plugin: `p${one.number}` })
      little.send()
    }
    little.wait(20 * minute)
    expect(little.cards('remind')).toEqual(['C0 ! 1 2 3 4 5'])
  })

  it('that was missed is left out for a later one', () => {
    const little = withSteps({ afterMs: 15 * minute }, { afterMs: 30 * minute })
    little.open({ number: '1' })
    little.send()
    little.state.nowMs += hour
    little.wait(tick)
    expect(little.posts('remind').map(({ data }) => data.step)).toEqual([1])
  })

  it('goes where the step says: another channel, a person, or the thread while that channel is shut', () => {
    const little = withSteps(
      { channel: 'C9' },
      { afterMs: 20 * minute, channel: 'U1' },
      { afterMs: 25 * minute, channel: 'C8' },
    )
    little.open({ number: '1' })
    little.wait(minute)
    little.shut('C8')
    little.wait(30 * minute)
    expect(little.posts('remind').map(({ channel, thread }) => [channel, thread !== null])).toEqual([
      ['C9', false],
      ['U1', false],
      ['C0', true],
    ])
  })

  it('comes only of what its step matches', () => {
    const little = withSteps({ match: { severity: ['critical'] } })
    little.open({ number: '1', severity: 'critical' }, { number: '2', host: 'web-2' })
    little.wait(hour)
    expect(little.cards('remind')).toEqual(['C0 ! 1'])
  })
})

it('asks whoever has been on it for long whether they still are, once', () => {
  const little = openLittle({ forgottenAfterMs: 4 * hour })
  little.open({ number: '1' })
  little.wait(minute)
  little.hold('1', 'UANA')
  little.wait(9 * hour)
  expect(little.posts('forgotten')).toMatchObject([{ mention: '<@UANA>', isBroadcast: false }])
})

it('asks nobody while they snooze; at the end it is told aloud once, and a round begins', () => {
  const little = openLittle({ forgottenAfterMs: 4 * hour })
  little.open({ number: '1' })
  little.wait(minute)
  little.hold('1', 'UANA', 5 * hour)
  little.wait(5 * hour - minute)
  expect(little.posts('forgotten', 'aloud')).toEqual([])
  little.wait(9 * hour)
  expect(little.posts('forgotten', 'aloud')).toMatchObject([{ data: { why: 'snoozed' }, isBroadcast: true }])
  expect(little.alert('1')).toMatchObject({ holder: null, round: { count: 2 } })
})

describe('a call', () => {
  it('is made once a step, and is over when somebody takes it: that is told first', () => {
    const little = withSteps(page, { ...page, afterMs: 20 * minute })
    little.open({ number: '1' })
    little.wait(30 * minute)
    const ids = [...little.world.effects.keys()]
    for (const id of ids) little.world.patch('effects', id, { state: 'done' })
    little.hold('1', 'UANA')
    expect(little.pages()).toEqual(['triggered 1', 'triggered 1', 'acknowledged 1', 'resolved 1'])
    expect(new Set([...little.world.effects.values()].map(({ data }) => data.dedupKey)).size).toBe(1)
    expect([...little.world.effects.keys()]).toEqual([...little.world.effects.keys()].sort())
  })

  it('that nobody heard yet is taken back and nothing is told', () => {
    const little = withSteps(page)
    little.open({ number: '1' })
    little.wait(5 * minute)
    expect(little.posts('line')).toHaveLength(1)
    // It was tried, and the pager could not be reached.
    for (const id of little.world.effects.keys()) little.world.patch('effects', id, { tries: 3 })
    little.close('1')
    expect(little.pages()).toEqual([])
    expect(little.posts('line')).toEqual([])
    expect([...little.world.acts.values()].map(({ kind }) => kind)).not.toContain('paged')
  })

  it('that a person asked for stays told, though somebody answered before it was made', () => {
    const little = withSteps()
    little.world.put('acts', actOf({ kind: 'page', data: { answeredBy: 'UANA' } }))
    const data = { type: 'triggered', dedupKey: 'k' } as const
    little.world.put('effects', effectOf({ does: 'page', act: 'act-1', data }))
    little.wait(second)
    expect(little.pages()).toEqual([])
    expect(little.world.acts.has('act-1')).toBe(true)
  })

  it('is acknowledged by nobody who was on it before', () => {
    const little = withSteps()
    little.open({ number: '1' })
    little.hold('1', 'UANA')
    little.wait(minute)
    const data = { type: 'triggered', dedupKey: 'k', post: 'card', alerts: [little.alert('1').id] } as const
    little.world.put('effects', effectOf({ does: 'page', state: 'done', atMs: little.state.nowMs, data }))
    little.wait(second)
    expect(little.pages()).toEqual(['triggered 1', 'resolved 1'])
  })

  it('begins anew when it is handed back, under a new key', () => {
    const little = withSteps(page)
    little.open({ number: '1' })
    little.wait(6 * minute)
    for (const id of little.world.effects.keys()) little.world.patch('effects', id, { state: 'done' })
    little.hold('1', 'UANA')
    little.hold('1', null)
    little.wait(6 * minute)
    const triggered = [...little.world.effects.values()].filter(({ data }) => data.type === 'triggered')
    expect(new Set(triggered.map(({ data }) => data.dedupKey)).size).toBe(2)
  })

  it('is shared by what stands on one list, and by more than five cards of one moment', () => {
    const little = withSteps(page)
    little.open(...many(4))
    for (const one of [5, 6, 7, 8, 9, 10]) {
      little.open({ number: `${one}`, plugin: `p${one}` })
      little.send()
    }
    little.wait(6 * minute)
    expect(little.pages()).toEqual(['triggered 1,2,3,4,5,6,7,8,9,10'])
  })

  it('ends only when nobody waits any more', () => {
    const little = withSteps(page)
    little.open(...many(4))
    little.wait(6 * minute)
    for (const id of little.world.effects.keys()) little.world.patch('effects', id, { state: 'done' })
    for (const number of ['1', '2', '3']) little.hold(number, 'UANA')
    expect(little.pages()).toEqual(['triggered 1,2,3,4'])
    little.close('4')
    expect(little.pages()).toEqual(['triggered 1,2,3,4', 'acknowledged 1,2,3,4', 'resolved 1,2,3,4'])
  })

  it('waits two minutes for Slack, and no longer', () => {
    const little = withSteps({ page: true, afterMs: 0 })
    little.open({ number: '1' })
    little.wait(2 * minute - second, false)
    expect(little.pages()).toEqual([])
    little.wait(tick, false)
    expect(little.pages()).toEqual(['triggered 1'])
    expect(little.cards('remind')).toEqual([])
  })

  it('is not left out because a later step is due', () => {
    const little = withSteps(page, { afterMs: 10 * minute })
    little.open({ number: '1' })
    little.send()
    little.state.nowMs += hour
    little.wait(tick)
    expect(little.pages()).toEqual(['triggered 1'])
  })

  it('that does not arrive for two minutes is told aloud, once in each channel', () => {
    const little = openLittle({
      reminders: [{ ...step, ...page }],
      routes: [{ match: { server: ['web-2'] }, channel: 'C2', mention: '<!here>' }],
    })
    little.open({ number: '1' }, { number: '2', host: 'web-2' }, { number: '3', plugin: 'disk' })
    little.wait(5 * minute + tick)
    const sinceMs = little.state.nowMs
    little.world.setFact('pagerFailing', { sinceMs, why: 'HTTP 500' })
    little.wait(30 * minute)
    expect(little.cards('said')).toEqual(['C0 !', 'C2 !'])
  })
})
