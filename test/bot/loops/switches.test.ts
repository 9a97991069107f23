/** What the monitoring is told of mutes, over refusals, unclear answers and late ones. */
import { describe, expect, it } from 'vitest'
import type { ApiMuteWish } from '../../../src/bot/api/port.ts'
import { minute } from '../../../src/bot/clock.ts'
import { agreedOff, endElsewhere } from '../../../src/bot/loops/switches.ts'
import type { Mute } from '../../../src/bot/world/types.ts'
import { type Bot, openBot } from '../worlds/bot.ts'
import { actOf, muteOf, policyOf, recordOf } from '../worlds/builders.ts'
import type { ApiFault } from '../worlds/fake-api.ts'

async function botWith(mute: Partial<Mute> = {}, canMuteAlerts = false): Promise<Bot> {
  const bot = openBot({ policy: policyOf(), canMuteAlerts })
  bot.api.records.set('1', recordOf({ startedMs: bot.clock.nowMs() }))
  bot.start()
  await bot.clock.runFor(minute)
  bot.press(({ world }) => {
    world.put('acts', actOf({ data: { mutes: ['mute-1'] } }))
    world.put('mutes', muteOf({ fromMs: 0, ...mute }))
  })
  return bot
}

function end(bot: Bot): void {
  bot.press(({ world, nowMs }) => world.patch('mutes', 'mute-1', { ended: { atMs: nowMs, by: 'UANA' } }))
}

/** The next call ends like this, all later ones well. */
function once(bot: Bot, fault: ApiFault): void {
  const usual = bot.api.state.faults
  bot.api.state.faults = () => {
    bot.api.state.faults = usual
    return fault
  }
}

describe('a mute', () => {
  it('of what is muted already is confirmed without a call', async () => {
    const bot = await botWith()
    await bot.clock.runFor(1000)
    bot.press(({ world }) => {
      world.put('acts', actOf({ id: 'act-2', outcome: 'unknown', data: { mutes: ['mute-2'] } }))
      world.put('mutes', muteOf({ id: 'mute-2', act: 'act-2', fromMs: 0 }))
    })
    end(bot)
    await bot.clock.runFor(5000)
    expect(bot.world().mutes.get('mute-2')?.isConfirmed).toBe(true)
    expect(bot.world().acts.get('act-2')?.outcome).toBe('done')
  })

  it('that was told only after the question goes on', async () => {
    const bot = await botWith()
    const before = agreedOff(bot.scene())
    await bot.clock.runFor(1000)
    bot.press((scene) => endElsewhere(scene, before, []))
    expect(bot.world().activeMutes.has('mute-1')).toBe(true)
  })

  it.each<[string, Partial<Mute>, Partial<ApiMuteWish>]>([
    ['an alert', { alert: '8398@0' }, { alert: null, matchers: null }],
    [
      'labels',
      {
        matchers: [
          { label: 'team', glob: 'pay' },
          { label: 'pod', glob: 'a.b-*' },
        ],
      },
      { matchers: ['team="pay"', 'pod=~"a\\\\.b-.*"'] },
    ],
  ])('of %s is put at the Alertmanager, lasts as long, and is ended there', async (_, over, wish) => {
    const untilMs = Date.UTC(2026, 10, 28, 9)
    const bot = await botWith({ subject: 'labels:x', untilMs, ...over }, true)
    await bot.clock.runFor(1000)
    const ours = { untilMs, by: 'UANA', why: 'deploying' }
    expect(bot.api.silences.get('mute-1')).toMatchObject({ ...ours, ...wish })
    bot.press(({ world }) => world.patch('mutes', 'mute-1', { untilMs: untilMs + minute }))
    await bot.clock.runFor(1000)
    expect(bot.api.silences.get('mute-1')?.untilMs).toBe(untilMs + minute)
    bot.press((scene) => endElsewhere(scene, agreedOff(scene), ['mute-1']))
    expect(bot.world().activeMutes.has('mute-1')).toBe(true)
    end(bot)
    await bot.clock.runFor(1000)
    expect([...bot.api.silences.keys()]).toEqual([])
  })

  it('of a server that the monitoring does not know ends at once', async () => {
    const bot = await botWith({ subject: 'server:nope' })
    bot.api.deleted.add('server:nope')
    await bot.clock.runFor(1000)
    expect(bot.world().mutes.get('mute-1')).toMatchObject({ isConfirmed: false, ended: { by: 'refused' } })
    expect(bot.world().acts.get('act-1')?.outcome).toBe('failed')
  })

  it('that was never answered is not sure until it is', async () => {
    const bot = await botWith()
    bot.api.state.faults = () => ({ kind: 'dropped', takesMs: 100 })
    await bot.clock.runFor(5000)
    expect(bot.world().acts.get('act-1')?.outcome).toBe('unknown')
    expect(bot.api.state.asked).toBeLessThan(6)
    bot.api.state.faults = () => ({ kind: 'done', takesMs: 100 })
    await bot.clock.runFor(minute)
    expect(bot.world().acts.get('act-1')?.outcome).toBe('done')
  })

  it.each([
    ['comes late', false],
    ['a killed process had asked for, and that comes late', true],
  ])('that %s, after its end, is taken back', async (_, isKilled) => {
    const bot = await botWith()
    once(bot, { kind: 'late', takesMs: isKilled ? 1000 : 100, lateMs: 3 * minute })
    await bot.clock.runFor(700)
    if (isKilled) {
      bot.kill()
      bot.start()
      await bot.clock.runFor(500)
    }
    end(bot)
    await bot.clock.runFor(3 * minute)
    expect(bot.api.switches.get('server:web-1')).toBe(false)
    await bot.clock.runFor(5 * minute)
    expect(bot.api.switches.get('server:web-1')).toBe(true)
  })

  it('is not taken back at a server that was deleted meanwhile: it is gone after the second look', async () => {
    const bot = await botWith()
    await bot.clock.runFor(1000)
    bot.api.deleted.add('server:web-1')
    end(bot)
    await bot.clock.runFor(2 * minute)
    expect(bot.world().switches.has('server:web-1')).toBe(true)
    await bot.clock.runFor(3 * minute)
    expect(bot.world().switches.has('server:web-1')).toBe(false)
  })
})
