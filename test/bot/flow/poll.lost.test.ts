/** Nothing turns green by its absence from one list; and what is not listed as open any more, and of which no end is seen, is grey, counted apart, and not forgotten. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { renderAlert } from '../../../src/bot/slack/render/cards/alert-card.ts'
import type { Chance } from '../../kills/chance.ts'
import { openFaults } from '../../kills/faults.ts'
import { openGate } from '../../kills/gate.ts'
import { apiWorld } from '../../support/api-world.ts'
import { cards, states } from '../../support/poll-world.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'
import { withTwo } from '../../support/two-open.ts'

const minutes = 60_000
const dayMs = 24 * 60 * minutes
/** The list of everything is read from its first record to its last so often. */
const wholeEvery = 15 * minutes

describe('in pair form', () => {
  test('an alert whose server was renamed before it closed was red for 30 days', async () => {
    const { api, record, records, past, stays, clock, store, during } = await withTwo('pair')
    api.start = [stays]
    api.all = [record('9', { hostname: 'renamed', lifecycle: 'end' }), ...records, ...past]
    expect(states(await during(4 * minutes))).toEqual([])
    const [card, ...others] = await during(2 * minutes)
    expect(others).toEqual([])
    if (card?.view.kind !== 'alert') throw new Error('It is the card of the alert')
    const { text } = renderAlert({ ...card.view, links: [], labels: [] })
    expect(text).toMatch(
      /^⚪ h-2 Load Average is not listed as open any more, and no end was seen · .* · not listed since 2026-11-21 04:00 UTC · #2$/,
    )
    expect((await store.openAlerts(null)).map(({ alertId }) => alertId)).toEqual(['1'])
    expect((await store.lostAlerts(null)).map(({ alertId }) => alertId)).toEqual(['2'])
    expect(await store.lostAlerts(['h-1'])).toEqual([])
    const waiting = await store.alertsForReminders({ isAcked: false, beforeMs: clock.nowMs() + dayMs })
    expect(waiting.map(({ alert }) => alert.alertId)).toEqual(['1'])
    // It stays so, without a word more.
    expect(states(await during(wholeEvery))).toEqual([])
  })

  test('one that is listed again goes on, with who acknowledged it', async () => {
    const { api, records, stays, store, during } = await withTwo('pair')
    const alert = (await store.recallByIds(['2']))[0]
    if (alert === undefined) throw new Error('It is remembered')
    api.start = [stays]
    await during(6 * minutes)
    expect(await store.lostAlerts(null)).toHaveLength(1)
    api.start = records
    expect(states(await during(minutes))).toEqual(['update 2 open'])
    expect(await store.lostAlerts(null)).toEqual([])
  })

  test('one whose end can be read at last closes when that says it did', async () => {
    const { api, record, records, past, stays, clock, store, during } = await withTwo('pair')
    const end = record('9', { hostname: 'h-2', lifecycle: 'end', timeMs: clock.nowMs() + minutes })
    api.start = [stays]
    await during(6 * minutes)
    api.all = [end, ...records, ...past]
    expect(states(await during(minutes))).toEqual(['update 2 closed'])
    expect(await store.recallByIds(['2'])).toMatchObject([{ closedMs: end.timeMs, missingMs: null }])
  })

  test('for one that is lost a long list is not read anew at every poll', async () => {
    const { api, record, records, past, stays, during } = await withTwo('pair')
    const later = Array.from({ length: 60 }, (_, n) =>
      record(`${300 + n}`, { hostname: `later-${n}`, lifecycle: 'oneoff' }),
    )
    api.all = [...later, ...records, ...past]
    await during(wholeEvery)
    api.start = [stays]
    await during(6 * minutes)
    api.asked = []
    await during(2 * minutes)
    const pages = api.asked.filter(({ lifecycle }) => lifecycle === 'all').map(({ offset }) => offset)
    expect(pages).toEqual(Array.from({ length: 8 }, () => 0))
  })

  test('one that grew as old as the API lists any was over', async () => {
    const { api, stays, clock, store, during } = await withTwo('pair')
    api.start = [stays]
    await during(6 * minutes)
    await cards({ store, clock })
    clock.advance(30 * dayMs)
    await during(minutes)
    expect((await store.lostAlerts(null)).map(({ alertId }) => alertId)).toEqual(['2'])
  })
})

const hourMs = 60 * minutes

describe.each(['flip', 'pair'] as const)('open for as long as the API lists any, in %s form', (form) => {
  test.each([
    ['29 d 23 h', 30 * dayMs - hourMs],
    ['30 d less a poll', 30 * dayMs - 15_000],
    ['30 d', 30 * dayMs],
    ['30 d and a poll', 30 * dayMs + 15_000],
    ['31 d', 31 * dayMs],
  ])('an alert that left the lists after %s was over', async (_, ageMs) => {
    const { api, records, past, clock, store, during } = await withTwo(form)
    const [startedMs = 0] = records.map(({ timeMs }) => timeMs)
    const recent = past.map((one) => ({ ...one, timeMs: startedMs + 29 * dayMs }))
    api.all = [...recent, ...records]
    clock.advance(startedMs + ageMs - clock.nowMs())
    await during(minutes)
    await cards({ store, clock })
    expect((await store.openAlerts(null)).length).toBe(2)
    api.start = []
    api.all = recent
    expect(states(await during(10 * minutes)).sort()).toEqual(['update 1 unreported', 'update 2 unreported'])
    expect((await store.lostAlerts(null)).length).toBe(2)
    // It stays so, costs nothing, and is forgotten no sooner than anything else is.
    api.asked = []
    expect(states(await during(minutes))).toEqual([])
    expect(api.asked.length).toBe(8)
    clock.advance(15 * dayMs)
    expect(states(await during(minutes))).toEqual([])
    const daysAgo = (days: number) => clock.nowMs() - days * dayMs
    await store.prune({ alertsBeforeMs: daysAgo(40), recordsBeforeMs: daysAgo(90) }, 100)
    expect((await store.lostAlerts(null)).length).toBe(2)
    // Listed again, it goes on.
    api.all = records
    api.start = records
    expect(states(await during(minutes)).sort()).toEqual(['update 1 open', 'update 2 open'])
  })
})

describe.each(['flip', 'pair'] as const)('in %s form', (form) => {
  /** The one alert is open no more, and for minutes nobody can say how it ended. */
  async function unread() {
    const town = await withTwo(form)
    const { api, stays, during } = town
    api.page = ({ lifecycle, offset }) => {
      if (lifecycle === 'start') return offset === 0 ? [stays] : []
      throw new OutsideFailure('unreachable', 'the monitoring API returned HTTP 500')
    }
    expect(states(await during(4 * minutes))).toEqual([])
    expect(states(await during(2 * minutes))).toEqual(['update 2 unreported'])
    api.page = null
    api.start = [stays]
    return town
  }

  test('what could not be looked for anywhere is unknown, and closes once neither list shows it', async () => {
    const { api, stays, past, store, during } = await unread()
    api.all = [stays, ...past]
    expect(states(await during(2 * minutes))).toEqual(['update 2 closed'])
    expect(await store.recallByIds(['2'])).toMatchObject([{ closedBy: 'absence', missingMs: null }])
  })

  test('and closes by its end where that is listed', async () => {
    const { api, gone, stays, past, record, during } = await unread()
    api.all =
      form === 'flip'
        ? [{ ...gone, lifecycle: 'end' }, stays, ...past]
        : [record('9', { hostname: 'h-2', lifecycle: 'end' }), gone, stays, ...past]
    expect(states(await during(2 * minutes))).toEqual(['update 2 closed'])
  })

  test('and goes on once it is listed as open again', async () => {
    const { api, records, past, during } = await unread()
    api.start = records
    api.all = [...records, ...past]
    expect(states(await during(minutes))).toEqual(['update 2 open'])
  })
})

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
