/** The async part of polling: what is asked, what a failure is, and when it is an outage. */
import { describe, expect, it } from 'vitest'
import { ApiFailure, type FailureKind, type Monitor } from '../../../src/bot/api/port.ts'
import { day, hour, minute } from '../../../src/bot/clock.ts'
import { nextPollMs } from '../../../src/bot/config/shapes.ts'
import { note } from '../../../src/bot/decide/want.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { poll, startPoller } from '../../../src/bot/loops/poll.ts'
import { listingOf, saidOf } from '../decide/listing.ts'
import { beginMs, openLittle } from '../decide/little.ts'
import { openBot } from '../worlds/bot.ts'
import { policyOf, recordOf, switchOf } from '../worlds/builders.ts'
import { handClock } from '../worlds/hand-clock.ts'

function openPoll() {
  const little = openLittle()
  const asked: string[] = []
  const state = {
    fails: null as FailureKind | null,
    said: [saidOf({ startedMs: beginMs })],
    held: null as string[] | null,
  }
  const ask = <T>(name: string, answer: () => T): Promise<T> => {
    asked.push(name)
    if (state.fails !== null)
      return Promise.reject(
        new ApiFailure(state.fails, `failed: ${state.fails}`, state.fails === 'later' ? hour : null),
      )
    return Promise.resolve(answer())
  }
  const monitor: Pick<Monitor, 'sweep' | 'head' | 'markers' | 'roles' | 'mutes'> = {
    sweep: (known) => ask(`start ${known.length}`, () => listingOf(state.said).start),
    head: (wanted) => ask(`head ${wanted.length}`, () => listingOf(state.said).head),
    markers: () => ask('markers', () => []),
    roles: () => ask('roles', () => ({ db: ['db-1'] })),
    mutes: () => ask('mutes', () => ({ silences: [], held: state.held })),
  }
  const parts = { monitor, scene: little.scene, log: silentLog }
  return { little, asked, state, parts, poll: () => poll(parts) }
}

it('asks twice where nothing is missing, and looks for what is', async () => {
  const { asked, state, ...bot } = openPoll()
  await bot.poll()
  await bot.poll()
  state.said = [saidOf({ number: '2', startedMs: beginMs })]
  await bot.poll()
  expect(asked).toEqual(['start 0', 'head 0', 'start 1', 'head 0', 'start 1', 'head 1'])
})

it('does not look for ever for what the API no longer lists', async () => {
  const { asked, little, ...bot } = openPoll()
  await bot.poll()
  little.state.nowMs += 30 * day
  little.world.patch('alerts', little.alert('1').id, { unlistedMs: beginMs })
  await bot.poll()
  expect(asked.at(-2)).toBe('start 0')
})

describe('failures', () => {
  it.each([
    ['unclear', [1, 2, 3], [0, 0, 0]],
    ['later', [1, 2, 3], [minute, minute, minute]],
    ['key', [3, 4, 5], [0, 0, 0]],
  ] as const)('%s: counted, and how long it rests', async (kind, counts, rests) => {
    const { little, state, ...bot } = openPoll()
    state.fails = kind
    const seen = []
    for (const _ of counts) seen.push([await bot.poll(), little.world.fact('failing')?.count])
    expect(seen).toEqual(counts.map((count, at) => [rests[at], count]))
  })

  it('close nothing, and one good poll ends them', async () => {
    const { little, state, ...bot } = openPoll()
    await bot.poll()
    state.fails = 'unclear'
    for (const _ of [1, 2, 3, 4]) await bot.poll()
    expect(little.world.open.size).toBe(1)
    state.fails = null
    expect(await bot.poll()).toBeNull()
    expect(little.world.fact('failing')).toBeNull()
  })

  it('are two empty lists after something opened', async () => {
    const { little, state, ...bot } = openPoll()
    await bot.poll()
    state.said = []
    await bot.poll()
    expect(little.world.fact('failing')).toMatchObject({ count: 1 })
    expect(little.world.open.size).toBe(1)
  })

  it('are bugs too: nobody may sleep through them', async () => {
    const { little, parts } = openPoll()
    await poll({ ...parts, monitor: { ...parts.monitor, sweep: () => Promise.reject(new TypeError('bug')) } })
    expect(little.world.fact('failing')).toMatchObject({ count: 1 })
  })
})

it('decides on the world as it is after the answers came', async () => {
  const { little, parts } = openPoll()
  await poll(parts)
  const head: Monitor['head'] = async (wanted) => {
    little.hold('1', 'UANA')
    return parts.monitor.head(wanted)
  }
  await poll({ ...parts, monitor: { ...parts.monitor, head } })
  expect(little.alert('1').holder).toBe('UANA')
})

describe('the loop', () => {
  it('polls at its times, reads roles every five minutes, and keeps the last that it could read', async () => {
    const { little, asked, parts } = openPoll()
    const clock = handClock()
    const scene = () => ({ ...little.scene(), nowMs: clock.nowMs() })
    const loop = startPoller({ ...parts, scene, clock, cron: '*/30 * * * * *' })
    await clock.runFor(4 * minute)
    expect(asked.filter((name) => name === 'start 1').length).toBeGreaterThanOrEqual(7)
    expect(asked.filter((name) => name === 'roles')).toHaveLength(1)
    expect(little.world.fact('canMuteAlerts')).toBe(true)
    await clock.runFor(2 * minute)
    expect(asked.filter((name) => name === 'roles')).toHaveLength(2)
    expect(little.world.fact('roles')?.servers).toEqual({ db: ['db-1'] })
    const stopped = loop.stop()
    await clock.runFor(minute)
    await stopped
  })

  it.each([
    ['lists them', true, 3],
    ['lists none', false, 1],
  ])('reads markers when something opened, of a service that %s', async (_, isListed, times) => {
    const { little, asked, state, parts } = openPoll()
    const clock = handClock(beginMs)
    const scene = () => ({ ...little.scene(), nowMs: clock.nowMs() })
    const markers = async () => {
      asked.push('markers')
      return isListed ? [] : Promise.reject(new ApiFailure('missing', 'not found'))
    }
    const monitor = { ...parts.monitor, markers }
    const loop = startPoller({ ...parts, monitor, scene, clock, cron: '*/30 * * * * *' })
    await clock.runFor(2 * minute)
    state.said.push(saidOf({ number: '2', startedMs: clock.nowMs() }))
    // Once at the start, at the opening, and five minutes after it.
    await clock.runFor(6 * minute)
    expect(asked.filter((name) => name === 'markers')).toHaveLength(times)
    const stopped = loop.stop()
    await clock.runFor(minute)
    await stopped
  })

  it('asks each minute whether somebody ended a mute at the Alertmanager', async () => {
    const { little, asked, state, parts } = openPoll()
    const clock = handClock(beginMs + minute)
    const scene = () => ({ ...little.scene(), nowMs: clock.nowMs(), canMuteAlerts: true })
    const { id } = little.mute('account', hour)
    little.world.put('switches', switchOf({ id: 'account', told: 'off' }))
    state.held = ['account']
    void startPoller({ ...parts, scene, clock, cron: '*/30 * * * * *' })
    await clock.runFor(4.5 * minute)
    expect(asked.filter((name) => name === 'mutes')).toHaveLength(5)
    expect(little.world.activeMutes.has(id)).toBe(true)
    state.held = []
    await clock.runFor(minute)
    expect(little.world.mutes.get(id)?.ended?.by).toBe('elsewhere')
  })

  it.each([
    ['missing', false],
    ['unclear', true],
  ] as const)('that hears %s of the mutes: one alert can be muted: %s', async (kind, can) => {
    const { little, parts } = openPoll()
    const mutes = () => Promise.reject(new ApiFailure(kind, ''))
    const clock = handClock()
    little.world.setFact('canMuteAlerts', true)
    const monitor = { ...parts.monitor, mutes }
    void startPoller({ ...parts, monitor, clock, cron: '*/30 * * * * *' })
    await clock.runFor(minute)
    expect(little.world.fact('canMuteAlerts')).toBe(can)
  })

  it('knows when the next one is due', () => {
    const due = nextPollMs('*/15 * * * * *')
    expect(due(beginMs) - beginMs).toBe(15_000)
    expect(due(beginMs + 14_999) - beginMs).toBe(15_000)
  })
})

it('shows on a card what was marked before the alert, by whom, each once, and nothing that came later', async () => {
  const bot = openBot({ policy: policyOf() })
  bot.start()
  await bot.clock.runFor(hour)
  const atMs = bot.clock.nowMs()
  const own = { kind: 'marker', by: 'UANA', subject: 'flag on', atMs: atMs - 2 * minute } as const
  bot.press((scene) => note(scene, own))
  bot.api.records.set('1', recordOf({ number: '1', startedMs: atMs }))
  await bot.clock.runFor(2 * minute)
  const marked = (agoMs: number, text: string, by: string | null) => ({ atMs: atMs - agoMs, text, by })
  const before = [
    marked(2 * minute, 'flag on (Ana Ruiz)', null),
    marked(4 * minute, 'deploy <1.2.3>', 'ci'),
    marked(2 * hour, 'long ago', null),
  ]
  for (const later of [[], [marked(-minute, 'rollback', 'ci')]]) {
    bot.api.state.marked = [...later, ...before]
    await bot.clock.runFor(5 * minute)
  }
  const [card] = bot.slack.standing()
  expect(card?.text).toContain(
    '2 min after *flag on* by <@UANA> · 4 min after *deploy &lt;1.2.3&gt;* by ci · #1',
  )
  expect(card?.edits).toBe(1)
  expect(bot.world().acts.has(`marker:${atMs - 2 * hour}:long ago`)).toBe(false)
})
