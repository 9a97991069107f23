/** Calls that are made once, and pages, which are repeated under their id until they arrive. */
import { describe, expect, it } from 'vitest'
import { NoAnswer } from '../../../src/bot/call.ts'
import { minute } from '../../../src/bot/clock.ts'
import { want, wantEffect } from '../../../src/bot/decide/want.ts'
import type { Effect, EffectData } from '../../../src/bot/world/types.ts'
import { type Bot, openBot } from '../worlds/bot.ts'
import { actOf, effectOf, muteOf, policyOf, recordOf } from '../worlds/builders.ts'
import type { ApiFault, ApiRecord } from '../worlds/fake-api.ts'
import type { Fault } from '../worlds/fake-slack.ts'

async function botWith(effects: readonly Partial<Effect>[], kind: ApiFault['kind'] = 'done'): Promise<Bot> {
  const bot = openBot({ policy: policyOf(), pollEveryMs: 60 * minute })
  bot.start()
  await bot.clock.runFor(1000)
  bot.api.state.faults = () => ({ kind, takesMs: 100, lateMs: 0 })
  bot.press(({ world, nowMs }) => {
    world.put('acts', actOf({ kind: 'marker', atMs: nowMs }))
    for (const effect of effects) world.put('effects', effectOf({ atMs: nowMs, act: 'act-1', ...effect }))
  })
  await bot.clock.runFor(5000)
  return bot
}

const outcomes: readonly [
  fault: ApiFault['kind'],
  state: Effect['state'],
  outcome: string,
  markers: number,
][] = [
  ['done', 'done', 'done', 1],
  ['lost', 'unknown', 'unknown', 1],
  ['dropped', 'unknown', 'unknown', 0],
  ['later', 'new', 'asked', 0],
  ['refused', 'failed', 'failed', 0],
]

describe('a marker', () => {
  it.each(outcomes)('whose call ends as %s is %s', async (fault, state, outcome, markers) => {
    const bot = await botWith([{ data: { notes: 'deploy' } }], fault)
    expect(bot.world().effects.get('effect-1')?.state).toBe(state)
    expect(bot.world().acts.get('act-1')?.outcome).toBe(outcome)
    expect(bot.api.markers).toHaveLength(markers)
    expect(bot.logged.some((line) => line.startsWith('effect:unconfirmed'))).toBe(state !== 'done')
  })

  it('that is refused for half an hour is given up', async () => {
    const bot = await botWith([{}], 'later')
    await bot.clock.runFor(28 * minute)
    expect(bot.world().effects.get('effect-1')?.state).toBe('new')
    await bot.clock.runFor(4 * minute)
    expect(bot.world().acts.get('act-1')?.outcome).toBe('failed')
  })

  it('that may have been dropped is not dropped again after a kill', async () => {
    const bot = await botWith([])
    bot.press(({ world }) => world.put('effects', effectOf({ data: { notes: 'deploy' } })))
    await bot.clock.runFor(80)
    bot.kill()
    bot.start()
    await bot.clock.runFor(minute)
    expect(bot.api.markers).toEqual(['deploy'])
    expect(bot.world().effects.get('effect-1')?.state).toBe('unknown')
  })
})

it.each<[does: Effect['does'], data: EffectData, change: string]>([
  ['add_roles', { host: 'web-1', names: ['db', 'eu'] }, 'roles web-1 db,eu'],
  ['no_data', { host: 'web-1', group: 'ops' }, 'no data web-1 ops'],
  ['delete_metric', { names: ['cpu', 'disk'] }, 'no metrics cpu disk'],
  ['end_silence', { silence: 's1' }, 'end s1'],
])('%s is asked for with its words', async (does, data, change) => {
  const bot = await botWith([{ does, data }])
  expect(bot.api.changes).toEqual([change])
})

describe('a file', () => {
  const file = (over: EffectData = {}): Partial<Effect> => ({
    ...{ does: 'file', data: { file: 'timeline', to: 'UANA', ...over } },
  })
  it.each<[how: string, goesWrong: (bot: Bot) => void, state: Effect['state'], texts: string[]]>([
    ['is sent', () => {}, 'done', ['Timeline']],
    ['waits for Slack', slackThat('later'), 'new', []],
    ['waits as long as Slack says', slackThat('limited'), 'new', []],
    ['may have come', slackThat('lost'), 'unknown', ['Timeline']],
    ['waits for the token', ({ slack }) => Object.assign(slack.state, { isTokenRefused: true }), 'new', []],
    [
      'reaches nobody',
      ({ slack }) => Object.assign(slack.channelOf('UANA'), { isArchived: true }),
      'failed',
      [],
    ],
  ])('%s', async (_, goesWrong, state, texts) => {
    const bot = await botWith([])
    goesWrong(bot)
    bot.press(({ world, nowMs }) => world.put('effects', effectOf({ atMs: nowMs, ...file() })))
    await bot.clock.runFor(1500)
    expect(bot.world().effects.get('effect-1')?.state).toBe(state)
    expect(bot.slack.messages.map(({ text }) => text)).toEqual(texts)
  })

  function slackThat(kind: Fault['kind']) {
    return ({ slack }: Bot) => {
      slack.state.faults = () => ({ kind, takesMs: 100 })
    }
  }

  it('stands in the thread of its card, once that is there', async () => {
    const bot = await botWith([])
    bot.slack.state.faults = () => ({ kind: 'later', takesMs: 100 })
    bot.press(({ world, nowMs }) => {
      want(world, nowMs, { id: 'hello', kind: 'hello', channel: 'C0' })
      world.put('effects', effectOf({ atMs: nowMs, ...file({ post: 'hello' }) }))
    })
    await bot.clock.runFor(minute)
    bot.slack.state.faults = () => ({ kind: 'done', takesMs: 100 })
    await bot.clock.runFor(minute)
    expect(bot.slack.messages.map(({ text, threadTs }) => [text, threadTs])).toEqual([
      [expect.any(String), null],
      ['Timeline', bot.world().posts.get('hello')?.ts],
    ])
  })
})

describe('a page', () => {
  const event = (id: string, type: NonNullable<EffectData['type']>, dedupKey = 'k'): Partial<Effect> => ({
    ...{ id, does: 'page', data: { type, dedupKey } },
  })

  it('is repeated under its id until it arrives, over a kill', async () => {
    const bot = await botWith([event('p1', 'triggered')], 'dropped')
    bot.kill()
    bot.start()
    bot.api.state.faults = () => ({ kind: 'done', takesMs: 100 })
    bot.api.state.pagerAnswers = 'Ana'
    await bot.clock.runFor(minute)
    expect(bot.api.pages.map(({ id }) => id)).toEqual(['p1'])
    expect(bot.api.answered).toEqual(['Ana'])
    expect(bot.world().fact('pagerFailing')).toBeNull()
    expect(bot.world().acts.get('act-1')?.outcome).toBe('done')
  })

  it.each([
    ['later', 'new'],
    ['dropped', 'unknown'],
  ] as const)('that is %s is %s: only what was surely not heard may be taken back', async (kind, state) => {
    const bot = await botWith([event('p1', 'triggered')], kind)
    expect(bot.world().effects.get('p1')).toMatchObject({ state, tries: expect.any(Number) })
    bot.api.state.faults = () => ({ kind: 'later', takesMs: 100 })
    await bot.clock.runFor(40 * minute)
    expect(bot.world().effects.get('p1')?.state).toBe(state)
  })

  it('waits for the one before it of its call, and for no other', async () => {
    const bot = await botWith(
      [event('p1', 'triggered'), event('p2', 'resolved'), event('q1', 'triggered', 'q')],
      'dropped',
    )
    const tries = ['p1', 'p2', 'q1'].map((id) => (bot.world().effects.get(id)?.tries ?? 0) > 0)
    expect(tries).toEqual([true, false, true])
    expect(bot.world().fact('pagerFailing')).not.toBeNull()
  })

  it.each([
    [2 * minute, 2],
    [60 * minute, 5],
  ])(
    'is repeated when the pager asks for it (%d ms), five minutes later at most',
    async (afterMs, minutes) => {
      const bot = await botWith([])
      bot.api.state.faults = () => ({ kind: 'later', takesMs: 100 })
      bot.api.state.pagerAfterMs = afterMs
      bot.press(({ world }) => world.put('effects', effectOf(event('p1', 'triggered'))))
      await bot.clock.runFor(minute)
      bot.api.state.faults = () => ({ kind: 'done', takesMs: 100 })
      await bot.clock.runFor((minutes - 1.5) * minute)
      expect(bot.api.pages).toHaveLength(0)
      await bot.clock.runFor(minute)
      expect(bot.api.pages).toHaveLength(1)
    },
  )

  it('waits for no other call', async () => {
    const slow = Array.from({ length: 20 }, (_, at) => ({ id: `m${at}`, data: { notes: 'x' } }))
    const bot = await botWith([])
    bot.api.state.faults = () => ({ kind: 'done', takesMs: 30_000 })
    bot.press(({ world }) => {
      for (const one of slow) world.put('effects', effectOf(one))
      world.put('effects', effectOf(event('p1', 'triggered')))
    })
    await bot.clock.runFor(16_000)
    expect(bot.api.pages).toHaveLength(1)
  })
})

it('a server that was deleted has nothing left to be muted', async () => {
  const bot = await botWith([])
  bot.press(({ world }) => {
    world.put('mutes', muteOf())
    world.put('mutes', muteOf({ id: 'mute-2', subject: 'account' }))
    world.put('effects', effectOf({ does: 'delete_server', data: { host: 'web-1' } }))
  })
  await bot.clock.runFor(minute)
  expect(bot.world().mutes.get('mute-1')?.ended?.by).toBe('gone')
  expect(bot.world().activeMutes.has('mute-2')).toBe(true)
  expect(bot.world().switches.has('server:web-1')).toBe(false)
})

describe('an investigator', () => {
  const investigate = { url: 'https://i.example/look?key=hush', secret: null }
  /** With a card from before it was set up. */
  async function botThatInvestigates(...numbers: readonly string[]): Promise<Bot> {
    const bot = openBot({ policy: policyOf(), pollEveryMs: 5000 })
    bot.start()
    await bot.clock.runFor(minute)
    openAlert(bot, 'before', { host: 'before' })
    await bot.clock.runFor(11 * minute)
    bot.usePolicy(policyOf({ investigate }))
    for (const [at, number] of numbers.entries())
      openAlert(bot, number, { host: `web-${at}`, plugin: number })
    return bot
  }
  function openAlert(bot: Bot, number: string, over: Partial<ApiRecord> = {}): void {
    bot.api.records.set(number, recordOf({ number, startedMs: bot.clock.nowMs(), ...over }))
  }
  const asked = (bot: Bot) => bot.api.investigated.map(({ data }) => data.alert?.replace(/@.*/, ''))
  const threads = ({ slack }: Bot) =>
    slack.messages
      .filter(({ threadTs, text }) => threadTs !== null && /look|says/.test(text))
      .map(({ text }) => text)
  const press = (bot: Bot, number: string) =>
    bot.press((scene) => {
      const [alert] = [...scene.world.open.values()].filter((one) => one.number === number)
      const post = scene.world.postsAbout(alert?.id ?? '')[0]?.id ?? ''
      const data = { alert: alert?.id ?? '', post, by: 'UANA' }
      wantEffect(scene, { id: 'investigate:pressed', does: 'investigate', data })
    })

  it('is asked once about a card that calls, and what it finds stands in the thread, as its words', async () => {
    const bot = await botThatInvestigates('1')
    bot.api.state.finding = '**Disk full**\n<!channel> [log](https://l.example/)'
    await bot.clock.runFor(10 * minute)
    expect(asked(bot)).toEqual(['1'])
    expect(threads(bot)).toEqual([
      '🔎 *i.example* says:\n*Disk full*\n&lt;!channel&gt; <https://l.example/|log>',
    ])
  })

  it('is not asked about what nobody is called about', async () => {
    const bot = openBot({ policy: policyOf({ investigate }), pollEveryMs: 5000 })
    openAlert(bot, 'old')
    bot.start()
    await bot.clock.runFor(minute)
    expect([bot.slack.standing().length, asked(bot)]).toEqual([1, []])
  })

  it('is asked about the first of a storm, and about three cards a minute', async () => {
    const bot = await botThatInvestigates()
    for (let n = 0; n < 9; n += 1) openAlert(bot, `s${n}`, { host: `s-${n}` })
    await bot.clock.runFor(2 * minute)
    expect(asked(bot)).toEqual([expect.stringMatching(/^s\d$/)])
    bot.api.investigated.length = 0
    for (const [at, plugin] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      openAlert(bot, plugin, { host: plugin, plugin })
      await bot.clock.runFor(at === 4 ? 15_000 : 10_000)
    }
    expect(asked(bot)).toEqual(['a', 'b', 'c'])
    await bot.clock.runFor(minute)
    expect(asked(bot)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it.each([
    ['asks by itself', false, []],
    ['asks for a person', true, ["⚠️ Couldn't look into it: timed out"]],
  ])('that fails where monbot %s', async (_, isPressed, lines) => {
    const bot = await botThatInvestigates('1')
    bot.api.state.finding = new NoAnswer('timed out', true)
    await bot.clock.runFor(minute)
    if (isPressed) press(bot, '1')
    await bot.clock.runFor(minute)
    expect(threads(bot)).toEqual(lines)
  })

  it('is not asked again after a kill: there was no answer', async () => {
    const bot = await botThatInvestigates('1')
    await bot.clock.runFor(minute)
    bot.api.state.findsAfterMs = 9 * minute
    press(bot, '1')
    await bot.clock.runFor(minute)
    bot.kill()
    bot.start()
    await bot.clock.runFor(minute)
    expect(asked(bot)).toEqual(['1', '1'])
    expect(threads(bot).at(-1)).toBe("⚠️ Couldn't look into it: no answer came")
  })

  it('delays no other call', async () => {
    const bot = await botThatInvestigates('1')
    bot.api.state.findsAfterMs = 9 * minute
    await bot.clock.runFor(minute)
    bot.press((scene) => {
      for (let n = 0; n < 20; n += 1)
        wantEffect(scene, { id: `investigate:${n}`, does: 'investigate', data: { alert: '1' } })
      wantEffect(scene, { id: 'm', does: 'marker', data: { notes: 'deploy' } })
    })
    await bot.clock.runFor(minute)
    expect(asked(bot)).toHaveLength(21)
    expect(bot.api.markers).toEqual(['deploy'])
  })
})
