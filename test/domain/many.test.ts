/** Decisions about thousands take a moment: the one thread that decides is the one that answers people. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { announcing, newsIn, routeNews } from '../../src/domain/announce.ts'
import { openFolds } from '../../src/domain/fold.ts'
import { muteOf } from '../../src/domain/mute.ts'
import type { Steps } from '../../src/domain/steps.ts'
import { emptyQueue, emptyTally, linesIn, linesOf, tallied } from '../../src/domain/storm.ts'
import { stormCards } from '../../src/domain/storm-cards.ts'
import { aMute } from '../support/acting-rows.ts'
import { cpuMsOf } from '../support/cpu-time.ts'
import { anAlert } from '../support/delivery-world.ts'

/** Far above what it takes, and far below what any way of looking at each for each takes. */
const boundMs = 1_500

function within<Result>(work: () => Result): Result {
  const beganMs = performance.now()
  const result = work()
  expect(performance.now() - beganMs).toBeLessThan(boundMs)
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
  const mutes = Array.from({ length: 5_000 }, (_, n) => aMute(String(n), { hostname: `web-${n}` }))
  const changes = Array.from({ length: 20_000 }, (_, n) => ({
    kind: 'opened' as const,
    alert: anAlert(String(n)),
    was: null,
  }))
  expect(within(() => newsIn(changes, { carded: new Set(), mutes }))).toHaveLength(15_000)
  expect(within(() => changes.filter(({ alert }) => muteOf(alert.hostname, mutes) !== null))).toHaveLength(
    5_000,
  )
})

/** Half of what nobody may be kept waiting for, on a machine several times as slow as most. */
const stepMsMax = 125

/** What the longest step costs, after each of which others can have their turn. */
function longestStepMs(steps: Steps<unknown>): number {
  let longest = 0
  let isDone = false
  while (!isDone) {
    longest = Math.max(
      longest,
      cpuMsOf(() => {
        // As many as are taken in one turn.
        for (let looked = 0; looked < 2_000 && !isDone; ) {
          const step = steps.next()
          isDone = step.done === true
          if (!step.done) looked += step.value
        }
      }),
    )
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
    const queue = { ...emptyQueue, storm: stormOf === null ? null : storm }
    const news = routeNews(alerts, { routes: [], defaultChannel: 'C1' })
    const steps = announcing(changes, news, {
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
