/** Whatever fails, and in whatever order: never two processes that are trusted at one moment, and soon again one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fault, playLease } from '../../../support/lease-simulation.ts'

const faultsEndMs = 240_000
/** Longer than anything that a fault leaves behind: a lease that nobody gives free, with one that does not reach Slack. */
const calmMs = 120_000

const lengthMs = fc.oneof(
  fc.constantFrom(4_000, 5_000, 19_000, 29_000, 30_000, 31_000, 40_000),
  fc.integer({ min: 100, max: 90_000 }),
)
const kinds = [
  'stop',
  'sleep',
  'clock',
  'swallow',
  'cut',
  'slow',
  'lose_answer',
  'postgres_away',
  'postgres_restart',
  'failover',
  'lock',
  'kill',
  'release',
  'give_up',
  'no_slack',
] as const satisfies readonly Fault['kind'][]
const fault: fc.Arbitrary<Fault> = fc.record({
  atMs: fc.integer({ min: 1_000, max: faultsEndMs - 90_000 }),
  machine: fc.nat(2),
  ms: lengthMs,
  // What a failover forgets shows only where somebody was stopped or cut off about then.
  kind: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom('stop', 'cut', 'failover', 'failover')),
})

const runs = Number(process.env.LEASE_RUNS ?? 100)

test('three processes, their clocks, networks and Postgres fail in every way: never are two trusted at one moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 12 }), fc.integer(), async (faults, seed) => {
      const { broken, trustedAtEnd, story } = await playLease(faults, faultsEndMs + calmMs, chance(seed))
      expect(broken, story.join('\n')).toEqual([])
      expect(trustedAtEnd, story.join('\n')).toBe(1)
    }),
    { numRuns: runs },
  )
})

/** Mulberry32: the same numbers for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
