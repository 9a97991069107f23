/** Decisions about thousands take a moment: the one thread that decides is the one that answers people. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subjectOf, troubleOf } from '../../../src/bot/domain/alert/trouble.ts'
import { countsOf } from '../../../src/bot/domain/base/counts.ts'
import type { Steps } from '../../../src/bot/domain/base/steps.ts'
import { announce, newsIn } from '../../../src/bot/domain/card/announce.ts'
import { openFolds } from '../../../src/bot/domain/card/fold.ts'
import { reasonsOf } from '../../../src/bot/domain/card/reasons.ts'
import { emptyQueue, emptyTally, linesIn, linesOf, tallied } from '../../../src/bot/domain/card/storm.ts'
import { stormCards } from '../../../src/bot/domain/card/storm-cards.ts'
import { muteOf } from '../../../src/bot/domain/mute/mute.ts'
import { openNameBook } from '../../../src/bot/domain/request/name-book.ts'
import { byServer, endOf, showsPairs } from '../../../src/bot/monitor/listing/pairing.ts'
import { nearest } from '../../../src/shared/nearest.ts'
import { aMute } from '../../support/acting-rows.ts'
import { routeNews } from '../../support/at-once.ts'
import { cpuMsOf, leastCpuMsOf, openCpuWatch } from '../../support/cpu-time.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { sightingOf } from '../flow/moving-list.ts'

/** Far above what it takes, and far below what any way of looking at each for each takes. */
const boundMs = 3_000

function within<Result>(work: () => Result): Result {
  const done: Result[] = []
  expect(cpuMsOf(() => done.push(work()))).toBeLessThan(boundMs)
  const [result] = done as [Result]
  return result
}

test('a page counts its lines as it shows them, whatever came in which order', () => {
  const alerts = fc.array(
    fc.record({
      state: fc.constantFrom('open', 'closed', 'oneoff', 'unreported'),
      at: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(alerts, (drawn) => {
      const members = drawn.map(({ state, at }, n) =>
        anAlert(String(n), { hostname: 'web-1', state, startedMs: at }),
      )
      expect(linesIn(members.reduce(tallied, emptyTally))).toBe(linesOf(members).length)
    }),
    { seed: 11, numRuns: 2_000 },
  )
})

test('five thousand alerts of one subject at once are listed in a moment', () => {
  const alerts = Array.from({ length: 5_000 }, (_, n) =>
    anAlert(String(n), { hostname: 'web-1', state: n % 2 === 0 ? 'open' : 'closed', startedMs: n }),
  )
  const cards = within(() => stormCards(alerts, { channel: 'C1', mention: null }, 1))
  expect(cards.length).toBeGreaterThan(1)
})

test('two thousand flaps of one subject are folded in a moment', () => {
  const flaps = Array.from({ length: 4_000 }, (_, n) =>
    anAlert(String(n), { hostname: 'web-1', state: 'closed', startedMs: n * 100, closedMs: n * 100 + 50 }),
  )
  const earlier = flaps
    .slice(0, 2_000)
    .map((alert) => ({ alert, card: { cardId: 'alert:0:C1', channel: 'C1', mention: null } }))
  const foldInto = openFolds(earlier)
  const folded = within(() => flaps.slice(2_000).map((alert) => foldInto({ alert, mention: null }, 'C1')))
  expect(new Set(folded)).toEqual(new Set(['alert:0:C1']))
})

test('twenty thousand alerts are held against five thousand mutes in a moment', () => {
  const mutes = Array.from({ length: 5_000 }, (_, n) => aMute(String(n), { subject: `web-${n}` }))
  const changes = Array.from({ length: 20_000 }, (_, n) => ({
    kind: 'opened' as const,
    alert: anAlert(String(n)),
    was: null,
  }))
  expect(within(() => newsIn(changes, { carded: new Set(), mutes }))).toHaveLength(15_000)
  expect(within(() => changes.filter(({ alert }) => muteOf(alert, mutes) !== null))).toHaveLength(5_000)
})

/** What nobody may be kept waiting for. */
const stepMsMax = 250

/** What the longest step costs, after each of which others can have their turn. */
function longestStepMs(begin: () => Steps<unknown>): number {
  return Math.min(...[1, 2, 3].map(() => longestOf(begin())))
}

function longestOf(steps: Steps<unknown>): number {
  let longest = 0
  let isDone = false
  const sinceLastMs = openCpuWatch()
  while (!isDone) {
    // As many as are taken in one turn.
    for (let looked = 0; looked < 2_000 && !isDone; ) {
      const step = steps.next()
      isDone = step.done === true
      if (!step.done) looked += step.value
    }
    longest = Math.max(longest, sinceLastMs())
  }
  return longest
}

test.each([
  ['are told as a storm', null],
  ['join a storm of as many', 20_000],
] as const)(
  'twenty thousand alerts at once %s in steps, none of which keeps anybody waiting',
  (_, stormOf) => {
    const alerts = Array.from({ length: 20_000 }, (_, n) => anAlert(String(n), { startedMs: n }))
    const changes = alerts.map((alert) => ({ kind: 'opened' as const, alert, was: null }))
    const earlier = Array.from({ length: stormOf ?? 0 }, (_, n) => anAlert(`e${n}`, { startedMs: n }))
    const page = { cardId: 'storm/1', page: 1, mention: null, isDead: false }
    const storm = {
      cardId: 'storm',
      mention: null,
      createdMs: 1,
      isWaiting: true,
      alerts: earlier,
      pages: [{ ...page, alertIds: earlier.map(({ alertId }) => alertId) }],
    }
    const queue = { ...emptyQueue, storms: stormOf === null ? [] : [storm] }
    const news = routeNews(alerts, { routes: [], defaultChannel: 'C1' })
    const steps = () =>
      announce(changes, news, {
        nowMs: 1,
        catchingUp: false,
        summaryId: 1,
        carded: new Set(),
        episodes: earlier.map((alert) => ({ alert, card: null })),
        queues: new Map([['C1', queue]]),
      })
    expect(longestStepMs(steps)).toBeLessThan(stepMsMax)
  },
)

test('nine thousand starts and ends of one server, none of which pair, are told apart in a moment', () => {
  const listed = Array.from({ length: 9_000 }, (_, n) => ({
    ...sightingOf(n, { lifecycle: n % 2 === 0 ? 'start' : 'end' }),
    hostname: 'web-1',
    metric: n % 2 === 0 ? 'busy' : 'idle',
  }))
  expect(within(() => showsPairs(listed, new Set(), { isGone: true }))).toBe(false)
})

test('an end is looked up as if all of them had been walked through', () => {
  const one = fc.record({
    at: fc.integer({ min: 0, max: 4 }),
    metric: fc.constantFrom('busy', 'idle'),
    triggerId: fc.constantFrom(null, 't1', 't2'),
    title: fc.constantFrom('It is 3', 'It is 4', 'It is over'),
    value: fc.constantFrom(null, 3, 4),
  })
  const draw = fc.tuple(one, fc.array(one, { maxLength: 8 }), fc.boolean())
  fc.assert(
    fc.property(draw, ([{ at, ...start }, drawn, isGone]) => {
      const ends = drawn.map(({ at: timeMs, ...over }, n) => ({
        record: sightingOf(n, { ...over, lifecycle: 'end', hostname: 'web-1', timeMs }),
        decided: true,
        isHistory: false,
      }))
      const asked = { ...sightingOf(9, { ...start, hostname: 'web-1' }), startedMs: at }
      const mayClose = ({ record }: (typeof ends)[number]) => {
        if (record.triggerId !== null && asked.triggerId !== null) return record.triggerId === asked.triggerId
        if (subjectOf(record) !== subjectOf(asked)) return false
        return isGone || record.title === asked.title || troubleOf(record) === troubleOf(asked)
      }
      const [first = null] = ends
        .filter((end) => end.record.timeMs >= at && mayClose(end))
        .toSorted((a, b) => a.record.timeMs - b.record.timeMs)
      expect(endOf(asked, byServer(ends), { isGone })).toBe(first)
    }),
    { seed: 12, numRuns: 5_000 },
  )
})

test('the most frequent names are those that come first when all of them are sorted', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 })
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 6 }), (drawn, max) => {
      const sorted = [...Map.groupBy(drawn, (name) => name)]
        .map(([name, { length: count }]) => ({ name, count }))
        .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      expect(countsOf(drawn, max)).toEqual({
        most: sorted.slice(0, max),
        names: sorted.length,
        repeated: sorted.filter(({ count }) => count > 1).length,
      })
    }),
    { seed: 13, numRuns: 1_000 },
  )
})

test('a name is looked for among a hundred thousand, and keeps nobody waiting', () => {
  const names = Array.from({ length: 100_000 }, (_, n) => `many-${n}`)
  expect(leastCpuMsOf(() => nearest('many-10000x', names))).toBeLessThan(stepMsMax)
  const shown = names.map((name) => ({ name: name.toUpperCase(), hostname: name }))
  expect(leastCpuMsOf(() => openNameBook(names, shown))).toBeLessThan(2 * stepMsMax)
  expect(openNameBook(names.slice(0, 9), shown).meant('MANY-3')).toBe('many-3')
})

test('a title of ten thousand numbers is told from others in a moment', () => {
  const alerts = Array.from({ length: 500 }, (_, n) => anAlert(String(n), { title: '1 '.repeat(5_000) }))
  expect(within(() => new Set(alerts.map(troubleOf))).size).toBe(500)
})

const reasonOf = (titles: readonly string[], hostname = 'web-1') =>
  reasonsOf(
    titles.map((title, n) => anAlert(`${n}`, { title, hostname, serverName: hostname })),
    4,
  ).most.map(({ name }) => name)

test.each([
  ['Load of web-1 is high', 'Load of web-2 is high', ['Load of web-1 is high', 'Load of web-2 is high']],
  ['web-1: 3 jobs failed', 'web-1: 4 jobs failed', ['…: … jobs failed']],
  ['web-1.example is down in 3 s', 'web-1.example is down in 4 s', ['web-1.example is down in … s']],
  ['the xweb-1 has 3', 'the xweb-1 has 4', ['the xweb-1 has …']],
  ['Backups older than 1 d', 'Backups older than 2 d', ['Backups older than … d']],
])('%j and %j', (one, other, names) => {
  expect(reasonOf([one, other])).toEqual(names)
})

test('a long title makes no long reason', () => {
  const long = 'web-1 12 '.repeat(1_000)
  const [reason = ''] = reasonOf([`${long}1`, `${long}2`])
  expect(reason).toMatch(/^… … … /)
  expect(reason.length).toBeLessThanOrEqual(500)
})
