/** Many alerts at once: which cards they make, what joins them, and how their lines fold. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { newsIn } from '../../../src/bot/domain/card/announce.ts'
import type { Earlier } from '../../../src/bot/domain/card/fold.ts'
import {
  type ChannelQueue,
  emptyQueue,
  isRunning,
  linesOf,
  type StormCard,
} from '../../../src/bot/domain/card/storm.ts'
import { announce, routeNews } from '../../support/at-once.ts'
import { anAlert } from '../../support/delivery-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const minuteMs = 60_000

const closed = { state: 'closed', closedMs: nowMs, closedBy: 'record' } as const
const alerts = (count: number, from = 0) => Array.from({ length: count }, (_, n) => anAlert(`a${from + n}`))
const idsOf = (some: readonly Alert[]) => some.map(({ alertId }) => alertId)
const waitingOf = (some: readonly Alert[], mention: string | null = null) =>
  some.map((alert) => ({ cardId: `alert:${alert.alertId}:C1`, alert, mention }))

function aStorm(members: readonly Alert[], over: Partial<StormCard> = {}): StormCard {
  const pages = [{ cardId: 's/1', page: 1, mention: null, isDead: false, alertIds: idsOf(members) }]
  return { cardId: 's', mention: null, createdMs: nowMs, isWaiting: false, alerts: members, pages, ...over }
}

/** What is told of these alerts, which have just opened, in one channel. */
function tell(
  news: readonly Alert[],
  queue: Partial<ChannelQueue> = {},
  over: { catchingUp?: boolean; mention?: string; episodes?: readonly Earlier[] } = {},
) {
  const changes = news.map((alert) => ({ kind: 'opened', alert, was: null }) as const)
  const routes = [{ match: {}, channel: 'C1', mention: over.mention ?? null }]
  const { cards, joins, withdrawn, folds, storms } = announce(
    changes,
    routeNews(news, { routes, defaultChannel: null }),
    {
      nowMs,
      catchingUp: over.catchingUp ?? false,
      summaryId: 7,
      carded: new Set(),
      episodes: over.episodes ?? [],
      queues: new Map([['C1', { ...emptyQueue, ...queue }]]),
    },
  )
  const made = cards.map(({ cardId, alertIds }) => `${cardId} (${alertIds.length})`)
  return { cards, made, joins, withdrawn, folds, storms }
}

const stormId = `storm:${nowMs}:C1`

describe('at once', () => {
  test('four are one storm, and one page that lists them', () => {
    const told = tell(alerts(4))
    expect(told.made).toEqual([`${stormId} (4)`, `${stormId}/1 (4)`])
    expect(told.storms).toEqual([{ channel: 'C1', came: 'began', alerts: 4 }])
  })

  test('the newest comes first, also of those that waited', () => {
    const at = (id: string, minute: number) => anAlert(id, { startedMs: nowMs + minute * minuteMs })
    const told = tell([at('b', 2), at('c', 3)], { waiting: waitingOf([at('d', 4), at('a', 1)]) })
    expect(told.cards[0]?.alertIds).toEqual(['d', 'c', 'b', 'a'])
    expect(told.withdrawn).toEqual(['alert:d:C1', 'alert:a:C1'])
  })

  test.each<[string, number, number, number, boolean]>([
    ['two waiting and one new', 1, 2, 0, false],
    ['three waiting and one new', 1, 3, 0, true],
    ['one new while Slack left two open', 1, 0, 2, false],
    ['one new while Slack left three open', 1, 0, 3, true],
    ['nothing new', 0, 9, 0, false],
  ])('%s', (_, fresh, waiting, unsure, isStorm) => {
    const told = tell(alerts(fresh), { waiting: waitingOf(alerts(waiting, 10)), unsure })
    expect(told.storms.length > 0).toBe(isStorm)
    expect(told.withdrawn).toHaveLength(isStorm ? waiting : 0)
  })

  test('who is to be called is called by the card, each once, and by no page', () => {
    const waiting = [...waitingOf(alerts(2), '<@U1> <@U2>'), ...waitingOf(alerts(1, 2), '<@U2> <@U3>')]
    const { cards } = tell(alerts(1, 3), { waiting }, { mention: '<@U1>' })
    expect(cards.map(({ mention }) => mention)).toEqual(['<@U1> <@U2> <@U3>', null])
  })

  test('an alert that folds into a card of its own does not count, and that card is not withdrawn', () => {
    const flap = (id: string, minute: number) =>
      anAlert(id, {
        hostname: 'db',
        startedMs: nowMs + minute * minuteMs,
        closedMs: nowMs + minute * minuteMs,
      })
    const earlier = [flap('x', -9), flap('y', -5)].map((alert): Earlier => {
      const card = { cardId: 'alert:x:C1', channel: 'C1', mention: null }
      return { alert: { ...alert, state: 'closed' }, card }
    })
    const waiting = waitingOf([flap('x', -9)])
    const told = tell([flap('z', 0), ...alerts(3)], { waiting }, { episodes: earlier })
    expect(told.folds).toEqual([{ cardId: 'alert:x:C1', alertId: 'z' }])
    expect(told.made).toHaveLength(3)
    expect(told.withdrawn).toEqual([])
    const while4 = tell([flap('z', 0)], { storms: [aStorm(alerts(4))] }, { episodes: earlier })
    expect(while4.folds).toEqual([])
    expect(while4.joins[0]).toEqual({ cardId: 's', alertIds: ['z'], after: 4 })
  })
})

describe('catching up', () => {
  test('what is open and what waits are one summary together, and do not join a storm', () => {
    const waiting = waitingOf(alerts(3, 10))
    const told = tell(alerts(1), { waiting, storms: [aStorm(alerts(5, 20))] }, { catchingUp: true })
    expect(told.made).toEqual(['summary:7:C1 (4)', 'summary:7:C1/1 (4)'])
    expect(told.withdrawn).toHaveLength(3)
    expect(told.storms).toEqual([])
  })

  test('what is open joins the summary of a moment ago, or one that waits for Slack, and no older one', () => {
    const old = { createdMs: nowMs - minuteMs }
    const join = (over: Partial<StormCard>) =>
      tell(alerts(1), { summaries: [aStorm(alerts(5, 20), over)] }, { catchingUp: true })
    for (const over of [{}, { ...old, isWaiting: true }]) {
      expect(join(over)).toMatchObject({ made: [], joins: [{ cardId: 's' }, { cardId: 's/1' }], storms: [] })
    }
    expect(join(old)).toMatchObject({ made: ['alert:a0:C1 (1)'], joins: [] })
    const other = tell(
      [anAlert('x', { plugin: 'Disk' })],
      { summaries: [aStorm(alerts(5))] },
      { catchingUp: true },
    )
    expect(other).toMatchObject({ made: ['alert:x:C1 (1)'], joins: [] })
  })
})

describe('a storm runs', () => {
  const agoMs = (ms: number) => nowMs - ms
  const lately = (count: number, ms = 30_000) =>
    alerts(count).map((alert) => ({ ...alert, firstSeenMs: agoMs(ms) }))
  const before = { createdMs: agoMs(5 * minuteMs) }
  test.each<[string, Partial<StormCard>, number, boolean]>([
    ['for a minute', { createdMs: agoMs(59_999) }, 1, true],
    ['and no longer', { createdMs: agoMs(minuteMs) }, 1, false],
    ['while one in two seconds comes', { ...before, alerts: lately(20) }, 10, true],
    ['not with fewer', { ...before, alerts: lately(20) }, 9, false],
    ['not by those before', { ...before, alerts: lately(300, minuteMs) }, 29, false],
    ['polled every minute', { ...before, alerts: lately(30, minuteMs) }, 30, true],
    ['not after it was calm', { ...before, alerts: lately(300, 2 * minuteMs) }, 300, false],
    ['for an hour at most', { createdMs: agoMs(60 * minuteMs), alerts: lately(300) }, 300, false],
    ['until it is posted', { createdMs: agoMs(9_999 * minuteMs), isWaiting: true }, 1, true],
    ['not when the clock was set back', { createdMs: nowMs + 60 * minuteMs }, 1, false],
  ])('%s', (_, over, fresh, expected) => {
    expect(isRunning(aStorm(alerts(4), over), fresh, nowMs)).toBe(expected)
  })
})

describe('while it runs', () => {
  test('a single alert joins it and its last page, and so does what waits', () => {
    const told = tell(alerts(1), { storms: [aStorm(alerts(5, 10))], waiting: waitingOf(alerts(1, 1)) })
    expect(told.cards).toEqual([])
    expect(told.joins).toEqual([
      { cardId: 's', alertIds: ['a0', 'a1'], after: 5 },
      { cardId: 's/1', alertIds: ['a0', 'a1'] },
    ])
    expect(told.withdrawn).toEqual(['alert:a1:C1'])
    expect(told.storms).toEqual([{ channel: 'C1', came: 'grew', alerts: 2 }])
  })

  test('a full page is followed by new ones', () => {
    const told = tell(alerts(162), { storms: [aStorm(alerts(79, 1_000))] })
    expect(told.joins.map(({ alertIds }) => alertIds.length)).toEqual([162, 1])
    expect(told.made).toEqual(['s/2 (80)', 's/3 (80)', 's/4 (1)'])
    expect(told.cards[0]).toMatchObject({
      kind: 'page',
      parentId: 's',
      page: 2,
      mention: null,
      channel: 'C1',
    })
  })

  test('on a page that Slack will never show nothing more goes', () => {
    const [page] = aStorm(alerts(5, 10)).pages
    if (page === undefined) throw new Error('a storm has a page')
    const pages = [{ ...page, isDead: true, mention: '<@U1>' }]
    const told = tell(alerts(1), { storms: [aStorm(alerts(5, 10), { pages })] }, { mention: '<@U1>' })
    // Nor has it called anybody.
    expect(told.cards).toMatchObject([{ cardId: 's/2', mention: '<@U1>' }])
  })

  test('who was not called yet is called by a new page that begins with their alerts', () => {
    const storm = aStorm(alerts(5, 10), { mention: '<@U1>' })
    expect(tell(alerts(1), { storms: [storm] }, { mention: '<@U1>' }).cards).toEqual([])
    const told = tell(
      alerts(1),
      { storms: [storm], waiting: waitingOf(alerts(1, 1)) },
      { mention: '<@U1> <@U2>' },
    )
    expect(told.cards).toMatchObject([{ cardId: 's/2', mention: '<@U2>', alertIds: ['a0', 'a1'] }])
    const called = { cardId: 's/2', page: 2, mention: '<@U2>', isDead: false, alertIds: [] }
    const again = { ...storm, pages: [...storm.pages, called] }
    expect(tell(alerts(1), { storms: [again] }, { mention: '<@U2>' }).cards).toEqual([])
  })

  test('a flap that has to call somebody goes on the new page too, so that it calls', () => {
    const [first] = alerts(1)
    const storm = aStorm(first === undefined ? [] : [{ ...first, ...closed }])
    const told = tell([anAlert('b', { hostname: 'web-a0' })], { storms: [storm] }, { mention: '<@U2>' })
    expect(told.cards).toMatchObject([{ mention: '<@U2>', alertIds: ['b'] }])
  })

  test('a flap goes on the page of its subject and makes no new line, also when it closed in the same look', () => {
    const members = alerts(80)
    const storm = aStorm(members)
    const next = anAlert('again', { hostname: 'web-a3', startedMs: nowMs })
    expect(tell([next], { storms: [storm] }).made).toEqual(['s/2 (1)'])
    const [, , , third] = members
    if (third === undefined) throw new Error('eighty alerts were made')
    const over = { kind: 'closed', alert: { ...third, ...closed }, was: 1 } as const
    const changes = [over, { kind: 'opened', alert: next, was: null } as const]
    const news = routeNews(newsIn(changes, { carded: new Set(['a3']), mutes: [] }), {
      routes: [],
      defaultChannel: 'C1',
    })
    const queues = new Map([['C1', { ...emptyQueue, storms: [storm] }]])
    const options = { nowMs, catchingUp: false, summaryId: 7, carded: new Set(['a3']), episodes: [], queues }
    const told = announce(changes, news, options)
    expect(told.cards).toEqual([])
    expect(told.joins).toContainEqual({ cardId: 's/1', alertIds: ['again'] })
  })
})

describe('lines', () => {
  const at = (minute: number, over: Partial<Alert> = {}) =>
    anAlert(`m${minute}`, { hostname: 'web-1', startedMs: nowMs + minute * minuteMs, ...over })
  test.each<[string, Alert[], string[]]>([
    ['each open one is a line', [at(1), at(2)], ['m1', 'm2']],
    ['closed ones are the newest of them', [at(1, closed), at(3, closed), at(2, closed)], ['m3 ×3']],
    ['one that opened after them stands for them', [at(1, closed), at(2, closed), at(3)], ['m3 ×3']],
    ['not one that was open before them', [at(1), at(2, closed)], ['m1', 'm2']],
    ['the latest that is open stands for them', [at(4), at(1, closed), at(3)], ['m4 ×2', 'm3']],
    ['a one-off stands for itself', [at(1, closed), at(2, { state: 'oneoff' })], ['m1', 'm2']],
    ['one no longer reported has not closed', [at(1, { state: 'unreported' }), at(2)], ['m1', 'm2']],
    ['others are not concerned', [at(1, closed), at(2, { hostname: 'web-2' }), at(3)], ['m3 ×2', 'm2']],
    ['nor another metric', [at(1, closed), at(2, { metric: null })], ['m1', 'm2']],
  ])('%s', (_, some, expected) => {
    const lines = linesOf(some).map(({ alert, times }) => alert.alertId + (times > 1 ? ` ×${times}` : ''))
    expect(lines).toEqual(expected)
  })
})
