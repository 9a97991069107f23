/** Decisions about thousands take a moment: the one thread that decides is the one that answers people. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newsIn } from '../../src/domain/announce.ts'
import { openFolds } from '../../src/domain/fold.ts'
import { muteOf } from '../../src/domain/mute.ts'
import { emptyTally, linesIn, linesOf, tallied } from '../../src/domain/storm.ts'
import { stormCards } from '../../src/domain/storm-cards.ts'
import { aMute } from '../support/acting-rows.ts'
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
