/** What is not listed as open any more, and of which no end is seen, is shown as neither: grey, counted apart, and not forgotten. */
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { renderAlert } from '../../src/slack/render/cards/alert-card.ts'
import { cards, states } from '../support/poll-world.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const minutes = 60_000
const dayMs = 24 * 60 * minutes
/** The list of everything is read from its first record to its last so often. */
const wholeEvery = 15 * minutes

/** Two open alerts that the bot has told, above a hundred that happened before. */
async function withTwo(lifecycle: 'flip' | 'pair') {
  const town = await scriptedWorld({ lifecycle })
  const { api, record, clock } = town
  const past = Array.from({ length: 100 }, (_, n) =>
    record(`${100 + n}`, {
      hostname: `past-${n}`,
      lifecycle: 'oneoff',
      timeMs: clock.nowMs() - (n + 1) * 1_000,
    }),
  )
  api.all = past
  await town.poll()
  const records = ['2', '1'].map((id) => record(id, { hostname: `h-${id}` }))
  api.start = records
  api.all = [...records, ...past]
  await town.saidAfter(1)
  const [gone, stays] = records
  if (gone === undefined || stays === undefined) throw new Error('There are two')
  const during = async (ms: number) => {
    const untilMs = clock.nowMs() + ms
    while (clock.nowMs() < untilMs) await town.tick().catch(() => null)
    return cards(town)
  }
  return { ...town, past, records, gone, stays, during }
}

describe('in pair form', () => {
  test('an alert whose server was renamed before it closed was red for 30 days', async () => {
    const { api, record, records, past, stays, clock, store, during } = await withTwo('pair')
    api.start = [stays]
    api.all = [record('9', { hostname: 'renamed', lifecycle: 'end' }), ...records, ...past]
    expect(states(await during(4 * minutes))).toEqual([])
    const [card, ...others] = await during(2 * minutes)
    expect(others).toEqual([])
    if (card?.view.kind !== 'alert') throw new Error('It is the card of the alert')
    const { text } = renderAlert({ ...card.view, links: [] })
    expect(text).toMatch(
      /^⚪ h-2 Load Average is not listed as open any more, and no end was seen · .* · not listed since 2026-11-21 04:00 UTC · #2$/,
    )
    expect((await store.openAlerts(null)).map(({ alertId }) => alertId)).toEqual(['1'])
    expect((await store.lostAlerts(null)).map(({ alertId }) => alertId)).toEqual(['2'])
    expect(await store.lostAlerts(['h-1'])).toEqual([])
    const waiting = await store.attended({ isAcked: false, beforeMs: clock.nowMs() + dayMs })
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

  test('one that is as old as the API lists any is not looked for any longer', async () => {
    const { api, stays, clock, store, during } = await withTwo('pair')
    api.start = [stays]
    await during(6 * minutes)
    await cards({ store, clock })
    clock.advance(30 * dayMs)
    await during(minutes)
    expect(await store.lostAlerts(null)).toEqual([])
    expect(await store.recallByIds(['2'])).toMatchObject([{ state: 'unreported', missingMs: null }])
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
