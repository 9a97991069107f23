/** When mutes end, when planned ones begin, and what is said about it. */
import { describe, expect, it } from 'vitest'
import { day, hour, minute, second } from '../../../src/bot/clock.ts'
import { nextWindow } from '../../../src/bot/decide/mute-times.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import { beginMs, openLittle } from './little.ts'

const tuesdays = { days: [2], atMinutes: 120, lengthMs: 2 * hour, zone: 'UTC' }
const nightly = { days: [0, 1, 2, 3, 4, 5, 6], atMinutes: 4 * 60, lengthMs: hour, zone: 'UTC' }

describe('a mute', () => {
  it('ends at its time', () => {
    const little = openLittle()
    const { id } = little.mute('server:web-1', hour)
    little.wait(hour - second)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
    little.wait(second)
    expect(little.world.mutes.get(id)?.ended).toMatchObject({ by: 'time' })
  })

  it('without an end ends at the longest that the policy allows', () => {
    const little = openLittle()
    const { id } = little.mute('account', hour, { untilMs: null })
    little.wait(hour)
    expect(little.world.mutes.get(id)?.ended).toMatchObject({ by: 'time' })
  })

  it('is not ended for a minute by a clock that jumped', () => {
    const little = openLittle()
    const { id } = little.mute('server:web-1', hour)
    little.state.nowMs += 3 * hour
    announce(little.scene())
    little.wait(55 * second)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
    little.wait(10 * second)
    expect(little.world.mutes.get(id)?.ended).toMatchObject({ by: 'time' })
  })
})

describe('until it is fine', () => {
  const fine = { untilFine: true }
  const read = (little: ReturnType<typeof openLittle>, forMs: number) => {
    for (let ms = 0; ms < forMs; ms += 15 * second) {
      little.wait(15 * second)
      little.poll(little.state.listed)
    }
  }
  it('ends 15 minutes after the last alert of its server closed', () => {
    const little = openLittle()
    little.open({ number: '1' }, { number: '2', host: 'db-1' })
    const { id } = little.mute('server:web-1', 4 * hour, fine)
    read(little, 30 * minute)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
    little.close('1')
    read(little, 14 * minute)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
    read(little, 2 * minute)
    expect(little.world.mutes.get(id)?.ended).toMatchObject({ by: 'fine' })
  })
  it('begins anew when something opens', () => {
    const little = openLittle()
    const { id } = little.mute('server:web-1', 4 * hour, fine)
    read(little, 10 * minute)
    little.open({ number: '1' })
    read(little, minute)
    little.close('1')
    read(little, 10 * minute)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
  })
  it('without an open alert ends 15 minutes after the first good poll, and while polls fail not at all', () => {
    const little = openLittle()
    const { id } = little.mute('server:web-1', 4 * hour, fine)
    little.wait(hour)
    expect(little.world.mutes.get(id)?.ended).toBeNull()
    read(little, 16 * minute)
    expect(little.world.mutes.get(id)?.ended).toMatchObject({ by: 'fine' })
  })
})

describe('the next window', () => {
  const at = (text: string) => Date.parse(text)
  const rows: readonly [why: string, over: object, after: string, from: string, until: string][] = [
    ['is the next such day', {}, '2026-11-28T12:00Z', '2026-12-01T02:00Z', '2026-12-01T04:00Z'],
    [
      'is a later one than one that just began',
      {},
      '2026-12-01T02:00Z',
      '2026-12-08T02:00Z',
      '2026-12-08T04:00Z',
    ],
    [
      'counts in its zone',
      { zone: 'Europe/Berlin' },
      '2026-11-28T12:00Z',
      '2026-12-01T01:00Z',
      '2026-12-01T03:00Z',
    ],
    [
      'may reach over midnight',
      { days: [6], atMinutes: 23 * 60 },
      '2026-11-28T12:00Z',
      '2026-11-28T23:00Z',
      '2026-11-29T01:00Z',
    ],
    [
      'begins as if the clock had not leapt where its beginning is left out',
      { days: [0], zone: 'Europe/Berlin', atMinutes: 150 },
      '2026-03-28T12:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:30Z',
    ],
    [
      'that the leap swallows follows it in its length',
      { days: [0], zone: 'Europe/Berlin', atMinutes: 130, lengthMs: 20 * minute },
      '2026-03-28T12:00Z',
      '2026-03-29T01:10Z',
      '2026-03-29T01:30Z',
    ],
    [
      'begins the first of two times',
      { days: [0], zone: 'Europe/Berlin', atMinutes: 150 },
      '2026-10-24T12:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T03:30Z',
    ],
  ]
  it.each(rows)('%s', (_, over, after, from, until) => {
    expect(nextWindow({ ...tuesdays, ...over }, at(after))).toEqual({ fromMs: at(from), untilMs: at(until) })
  })
  it('is none where no day is named', () => {
    expect(nextWindow({ ...tuesdays, days: [] }, beginMs)).toBeNull()
  })
})

describe('a plan', () => {
  const planned = (little: ReturnType<typeof openLittle>, over: object = {}) =>
    little.mute('server:web-1', hour, {
      ...{
        every: nightly,
        plan: 'p1',
        fromMs: beginMs + hour,
        untilMs: beginMs + 2 * hour,
        maxUntilMs: beginMs + 2 * hour,
      },
      ...over,
    })
  const windows = (little: ReturnType<typeof openLittle>) =>
    [...little.world.mutes.values()].map(({ fromMs, ended }) => [
      (fromMs - beginMs) / hour,
      ended?.by ?? null,
    ])

  it('has its next window in the stretch in which one ended', () => {
    const little = openLittle()
    planned(little, { isConfirmed: true })
    little.wait(2 * hour)
    expect(windows(little)).toEqual([
      [1, 'time'],
      [25, null],
    ])
    const next = [...little.world.mutes.values()].at(-1)
    expect(next).toMatchObject({ plan: 'p1', act: 'act-mute-1', isConfirmed: false })
    expect(little.world.acts.get('act-mute-1')?.data.mutes).toEqual([next?.id])
  })
  it.each([
    ['unmuted goes on', 'UBEN', 2],
    ['cancelled does not', 'cancelled', 1],
    ['of a server that is gone does not', 'gone', 1],
  ])('whose window somebody %s', (_, by, count) => {
    const little = openLittle()
    const { id } = planned(little)
    little.world.patch('mutes', id, { ended: { atMs: little.state.nowMs, by } })
    little.wait(10 * second)
    expect(windows(little)).toHaveLength(count)
  })
  it('is skipped once: that window hides nothing, the next one comes', () => {
    const little = openLittle()
    planned(little, { isSkipped: true })
    little.wait(hour + minute)
    little.open({ number: '1' })
    expect(little.cards()).toEqual(['C0 ! 1'])
    little.wait(hour)
    expect(windows(little)).toEqual([
      [1, 'time'],
      [25, null],
    ])
  })
  it('whose window was missed altogether says so', () => {
    const little = openLittle()
    planned(little)
    little.state.nowMs += 5 * day
    little.wait(2 * minute)
    expect(little.cards('said')).toEqual(['C0 ~'])
    expect(windows(little)).toEqual([
      [1, 'time'],
      [121, null],
    ])
  })
  it('marks what it hides when a window begins', () => {
    const little = openLittle()
    little.open({ number: '1' })
    planned(little)
    little.wait(hour - minute)
    little.world.dirty.clear()
    little.wait(minute)
    expect(little.world.dirty.has(little.posts('alert')[0]?.id ?? '')).toBe(true)
  })
})

describe('maintenance of the policy', () => {
  const entry = {
    id: 'patch',
    mute: ['web-*'],
    every: nightly,
    fromMs: null,
    untilMs: null,
    reason: 'patch night',
  }
  const subjects = (little: ReturnType<typeof openLittle>) =>
    [...little.world.activeMutes.values()].map(({ subject }) => subject)

  it('mutes the servers that are known, and tells it when it begins', () => {
    const little = openLittle({ maintenance: [entry] })
    little.world.setFact('roles', { atMs: 0, servers: { web: ['web-1'] } })
    little.open({ number: '1', host: 'web-2' }, { number: '2', host: 'db-1' })
    little.wait(10 * second)
    expect(subjects(little).sort()).toEqual(['server:web-1', 'server:web-2'])
    expect(little.cards('said')).toEqual([])
    little.wait(hour)
    expect(little.posts('said')).toHaveLength(1)
  })
  it('does not mute again whom somebody unmuted, until the next window', () => {
    const little = openLittle({ maintenance: [{ ...entry, mute: ['web-1'] }] })
    little.wait(hour + minute)
    const [id = ''] = little.world.activeMutes.keys()
    little.world.patch('mutes', id, { ended: { atMs: little.state.nowMs, by: 'UBEN' } })
    little.wait(10 * second)
    const [next] = little.world.activeMutes.values()
    expect(((next?.fromMs ?? 0) - beginMs) / hour).toBe(25)
    // It can be extended like any mute.
    expect((next?.maxUntilMs ?? 0) - (next?.fromMs ?? 0)).toBe(little.state.policy.limits.muteMaxMs)
  })
  it.each([
    ['that comes again', {}],
    ['of one time', { every: null, fromMs: beginMs + hour, untilMs: beginMs + 2 * hour }],
  ])(
    '%s: once it left the file it is planned no more until it is back, and goes on where it runs',
    (_, over) => {
      const running = openLittle({ maintenance: [{ ...entry, mute: ['web-1'], ...over }] })
      running.wait(hour + minute)
      running.state.policy = { ...running.state.policy, maintenance: [] }
      running.wait(10 * second)
      expect(subjects(running)).toEqual(['server:web-1'])
      const planned = openLittle({ maintenance: [{ ...entry, mute: ['web-1'], ...over }] })
      planned.wait(minute)
      planned.state.policy = { ...planned.state.policy, maintenance: [] }
      planned.wait(10 * second)
      expect(subjects(planned)).toEqual([])
      planned.state.policy = {
        ...planned.state.policy,
        maintenance: [{ ...entry, mute: ['web-1'], ...over }],
      }
      planned.wait(hour)
      expect([...planned.world.activeMutes.values()]).toEqual([
        expect.objectContaining({ name: 'web-1', fromMs: beginMs + hour }),
      ])
      expect(planned.posts('said')).toHaveLength(1)
    },
  )
  it('of one time comes once', () => {
    const fromMs = beginMs + hour
    const once = { ...entry, mute: ['account'], every: null, fromMs, untilMs: fromMs + hour }
    const little = openLittle({ maintenance: [once] })
    little.wait(4 * hour)
    expect([...little.world.mutes.values()].map(({ subject, ended }) => [subject, ended?.by])).toEqual([
      ['account', 'time'],
    ])
  })
})
