/** Nothing turns green by its absence from one list: one that shows it, or could not be read, says that it may be open. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { Chance } from '../kills/chance.ts'
import { openFaults } from '../kills/faults.ts'
import { openGate } from '../kills/gate.ts'
import { apiWorld } from '../support/api-world.ts'
import { cards, states } from '../support/poll-world.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const forms = ['flip', 'pair'] as const
type Form = (typeof forms)[number]

/** Draws the worst: the most answers, and all records of each. */
const worst: Chance = {
  next: () => 0.999,
  below: (end) => end - 1,
  is: () => true,
  of: (list) => list.at(-1) ?? list[0],
  any: (list) => list.at(-1),
}

/** Three open alerts that the bot has told. */
async function withThree(form: Form) {
  const town = await scriptedWorld({ lifecycle: form })
  const past = Array.from({ length: 60 }, (_, n) =>
    town.record(`${100 + n}`, {
      hostname: `past-${n}`,
      lifecycle: 'oneoff',
      timeMs: town.clock.nowMs() - (60 - n) * 1_000,
    }),
  ).reverse()
  // What happened before the first poll is told to nobody.
  town.api.all = past
  await town.poll()
  const records = ['3', '2', '1'].map((id) => town.record(id, { hostname: `h-${id}` }))
  town.api.start = records
  town.api.all = [...records, ...past]
  const ticks = async (polls: number) => {
    for (let n = 0; n < polls; n += 1) await town.tick().catch(() => null)
    return states(await cards(town))
  }
  await ticks(2)
  return { ...town, records, past, ticks }
}

describe.each(forms)('in %s form', (form) => {
  test('what the answers of a minute left out of the list of what is open turned green', async () => {
    const faults = openFaults(worst)
    const gate = await openGate(() => undefined, faults.twistOf)
    onTestFinished(() => gate.close())
    const front = async (url: string) => {
      gate.leadTo(url)
      return gate.url
    }
    const town = await apiWorld({ service: { form }, front })
    const { service } = town
    // How the service closes alerts is known by then.
    const first = service.openAlert({ server: 'web-1', plugin: 'CPU' })
    await town.tick()
    service.closeAlert(first)
    await town.tick()
    const steady = service.openAlert({ server: 'db-1', plugin: 'Disk' })
    await town.tick()
    await cards(town)
    for (let orders = 0; orders < 4; orders += 1) faults.order('short')
    for (let n = 0; n < 4; n += 1) await town.tick()
    expect(states(await cards(town))).toEqual([])
    expect([...(await town.store.recall()).alerts.keys()]).toEqual([String(steady)])
    faults.clear()
    service.closeAlert(steady)
    for (let n = 0; n < 3; n += 1) await town.tick()
    expect(states(await cards(town))).toEqual([`update ${steady} closed`])
  })

  test('what one list lacks while the other one cannot be read turned green', async () => {
    const { api, ticks } = await withThree(form)
    api.page = ({ lifecycle }) => {
      if (lifecycle === 'start') return []
      throw new OutsideFailure('unreachable', 'the monitoring API returned HTTP 500')
    }
    expect(await ticks(4)).toEqual([])
  })

  test('what stands far down in the list of everything, behind pages that are empty, turned green', async () => {
    const { api, ticks, records, past } = await withThree(form)
    const list = [...past, ...records]
    api.page = ({ lifecycle, offset }) =>
      lifecycle === 'start' || offset < 50 ? [] : list.slice(offset, offset + 50)
    expect(await ticks(4)).toEqual([])
  })

  test('what both lists left out once, and one of them again, turned green', async () => {
    const { api, ticks, records, past } = await withThree(form)
    api.start = []
    api.all = past
    expect(await ticks(1)).toEqual([])
    api.all = [...past, ...records]
    expect(await ticks(4)).toEqual([])
  })

  test('what no list shows closes by its absence', async () => {
    const { api, ticks, past } = await withThree(form)
    api.start = []
    api.all = past
    expect((await ticks(3)).sort()).toEqual(['update 1 closed', 'update 2 closed', 'update 3 closed'])
  })
})

test('in pair form an end closes what the list of everything showed without one', async () => {
  const { api, ticks, records, record, clock } = await withThree('pair')
  api.start = []
  expect(await ticks(6)).toEqual([])
  const end = record('9', { hostname: 'h-2', lifecycle: 'end', timeMs: clock.nowMs() })
  api.all = [end, ...records]
  expect(await ticks(2)).toEqual(['update 2 closed'])
})
