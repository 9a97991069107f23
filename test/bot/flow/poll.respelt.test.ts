/** The same alert, though the API's clock was set, it closes alerts in another way, or one list spells it otherwise. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'

const minuteMs = 60_000

describe.each(['flip', 'pair'] as const)('in %s form, a clock of the API that was set', (form) => {
  const hourMs = 60 * minuteMs
  const shifts = [hourMs, -hourMs, 330 * minuteMs, 37 * minuteMs + 3_000]

  /** Three that began at other times, and forty that are over. */
  async function withThree() {
    const town = await scriptedWorld({ lifecycle: form })
    const { api, record, clock } = town
    const startMs = clock.nowMs() + 3 * hourMs
    const past = Array.from({ length: 40 }, (_, n) =>
      record(`${100 + n}`, {
        hostname: `past-${n}`,
        lifecycle: 'oneoff',
        timeMs: startMs - (n + 1) * minuteMs,
      }),
    )
    clock.advance(3 * hourMs)
    api.all = past
    await town.poll()
    const open = [70, 20, 7].map((minutes, n) =>
      record(`${n + 1}`, { hostname: `h-${n + 1}`, timeMs: startMs - minutes * minuteMs - n * 7_000 }),
    )
    const list = async (byMs: number, records = open, ends: readonly AlertRecord[] = [], polls = 3) => {
      const by = (one: AlertRecord) => ({ ...one, timeMs: one.timeMs + byMs })
      api.start = records.map(by)
      api.all = [...ends, ...records, ...past].map(by)
      const told: string[] = []
      for (let n = 0; n < polls; n += 1) {
        await town.tick()
        told.push(...(await town.said()))
      }
      return told
    }
    expect((await list(0)).length).toBe(3)
    return { ...town, open, list }
  }

  test.each(shifts)('by %i ms closed every alert and opened it again', async (byMs) => {
    const { list, clock, restart } = await withThree()
    expect(await list(byMs)).toEqual([])
    // And for hours after it, until it is set back.
    for (let n = 0; n < 8; n += 1) {
      clock.advance(20 * minuteMs)
      expect(await list(byMs)).toEqual([])
    }
    restart()
    expect(await list(0)).toEqual([])
  })

  test.each(shifts)('by %i ms while the bot was away did so too', async (byMs) => {
    const { list, clock, restart } = await withThree()
    clock.advance(2 * hourMs)
    restart()
    // Known cards are shown anew after an absence, as they were.
    expect(await list(byMs)).toEqual(['update 1 open', 'update 2 open', 'update 3 open'])
  })

  test.each([hourMs, -hourMs])('by %i ms is no news of the only one either', async (byMs) => {
    const { list, open } = await withThree()
    const [first] = open
    if (first === undefined) throw new Error('There are three')
    await list(
      0,
      [first],
      open.slice(1).map((one) => ({ ...one, lifecycle: 'end' })),
    )
    expect(await list(byMs, [first])).toEqual([])
  })

  test('keeps none from closing, and hides none that is new', async () => {
    const { list, open, record, clock } = await withThree()
    const fresh = record('9', { hostname: 'fresh', timeMs: clock.nowMs() })
    expect(await list(hourMs, [fresh, ...open])).toEqual(['post 9 open'])
    expect((await list(hourMs, open.slice(1))).sort()).toEqual(['update 1 closed', 'update 9 closed'])
  })
})

describe('the way in which the API closes alerts changes while monbot runs', () => {
  test.each([
    ['flip', 'pair'],
    ['pair', 'flip'],
  ] as const)('from %s to %s: what is over was red again', async (before, after) => {
    const town = await scriptedWorld()
    const { api, record, clock } = town
    await town.poll()
    const closing = (one: AlertRecord, form: string): AlertRecord[] =>
      form === 'flip'
        ? [{ ...one, lifecycle: 'end' }]
        : [{ ...one, alertId: `9${one.alertId}`, lifecycle: 'end', timeMs: one.timeMs + minuteMs }, one]
    const over: AlertRecord[] = []
    const listed = (form: string) => over.flatMap((one) => closing(one, form)).toReversed()
    const pass = async (polls: number) => {
      const told: string[] = []
      for (let n = 0; n < polls; n += 1) {
        await town.tick()
        told.push(...(await town.said()))
      }
      return told.sort()
    }
    const comesAndGoes = async (id: string, form: string) => {
      const one = record(id, { hostname: `h-${id}`, timeMs: clock.nowMs() })
      api.start = [one]
      api.all = [one, ...listed(form)]
      expect(await pass(2)).toEqual([`post ${id} open`])
      clock.advance(2 * minuteMs)
      over.push(one)
      api.start = []
      api.all = listed(form)
      expect(await pass(4)).toEqual([`update ${id} closed`])
    }
    await comesAndGoes('1', before)
    await comesAndGoes('2', before)
    api.all = listed(after)
    expect(await pass(4)).toEqual([])
    await comesAndGoes('3', after)
    expect(await pass(80)).toEqual([])
    expect((await town.store.recall()).alerts.size).toBe(0)
  })
})

describe.each(['flip', 'pair'] as const)(
  'in %s form, an alert that is spelt otherwise in the other list',
  (form) => {
    const spellings: [string, Partial<AlertRecord>, (old: AlertRecord) => Partial<AlertRecord>][] = [
      ['in other letters', { hostname: 'Web-2.example.com' }, () => ({ hostname: 'WEB-2.EXAMPLE.com.' })],
      ['by its short name', { hostname: 'web-2.example.com' }, () => ({ hostname: 'web-2' })],
      ['by its full name', { hostname: 'web-2' }, () => ({ hostname: 'web-2.example.com' })],
      ['with a zero in front', { hostname: 'web-2' }, () => ({ hostname: 'web-02' })],
      ['by the minute', {}, ({ timeMs }) => ({ timeMs: Math.floor(timeMs / minuteMs) * minuteMs })],
      [
        'by its short name and the minute',
        { hostname: 'web-2.example.com' },
        ({ timeMs }) => ({ hostname: 'WEB-2', timeMs: Math.floor(timeMs / minuteMs) * minuteMs }),
      ],
    ]
    test.each(spellings)('%s was another one', async (_, over, other) => {
      for (const [isOpenOther, from] of [
        [false, 0],
        [true, 0],
        [false, 1],
        [true, 1],
      ] as const) {
        const town = await scriptedWorld({ lifecycle: form })
        await town.poll()
        town.clock.advance(37_000)
        const one = town.record('7', { timeMs: town.clock.nowMs(), ...over })
        const two = { ...one, ...other(one) }
        const [inOpen, inAll] = isOpenOther ? [two, one] : [one, two]
        // From a list and then both, and from both and then one.
        const told: string[] = []
        const turns = [[], [inAll], [], [inAll], [inAll], []]
        for (const all of turns.slice(from)) {
          town.api.start = [inOpen]
          town.api.all = all
          await town.tick()
          told.push(...(await town.said()))
        }
        expect(told).toEqual(['post 7 open'])
        town.api.start = []
        town.api.all =
          form === 'flip'
            ? [{ ...inAll, lifecycle: 'end' }]
            : [{ ...inAll, alertId: '8', lifecycle: 'end', timeMs: inAll.timeMs + 5 * minuteMs }, inAll]
        town.clock.advance(5 * minuteMs)
        for (let n = 0; n < 3; n += 1) {
          await town.tick()
          told.push(...(await town.said()))
        }
        expect(told.slice(1)).toEqual(['update 7 closed'])
      }
    })
  },
)
