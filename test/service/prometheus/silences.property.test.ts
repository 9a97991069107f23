/** Whatever goes wrong on the way: once all is well again, each that is off has one silence, and no other has any. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOf, type Scope } from '../../../src/service/prometheus/silence-book.ts'
import {
  account,
  type Fate,
  newProcess,
  openKeptLedger,
  openMemoryAlertmanager,
  openTownSilences,
  serverOf,
} from './memory-alertmanager.ts'

const minuteMs = 60_000

const both = serverOf('db', ['server', 'service'])
const scopes: readonly Scope[] = [account, serverOf('web-1'), both]

const fate = fc.constantFrom<Fate>(
  'well',
  'well',
  'away',
  'unanswered',
  'frozen',
  'killed-before',
  'killed-after',
)
const fates = fc.array(fate, { maxLength: 6 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      fates,
      switches: fc.array(fc.record({ scope: fc.nat(scopes.length - 1), on: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tend' as const), fates }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('thaw' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('by-hand' as const), n: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.nat(100) }) },
)

/** What a scope is wanted to be; null: nobody knows, as nobody heard how it went. */
type Wanted = boolean | null

const keysOf = ({ ways }: Scope): string[] => ways.map((way) => JSON.stringify(way))

test('any order of switching, kills, outages, losses and hands ends with one silence for each that is off', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      let now = Date.parse('2026-11-22T12:00:00Z')
      const alertmanager = openMemoryAlertmanager(() => now)
      const ledger = openKeptLedger()
      const wantedOff: Wanted[] = scopes.map(() => false)
      let killed = Promise.withResolvers<'killed'>()
      let process = newProcess()

      const start = () => {
        killed = Promise.withResolvers()
        const { resolve } = killed
        process = newProcess(() => resolve('killed'))
        return openTownSilences({
          alertmanagers: alertmanager.clientOf(process),
          ledger: ledger.ledgerOf(process),
          nowMs: () => now,
        })
      }
      let service = start()

      const kill = () => {
        process.isDead = true
        service = start()
      }
      /** A service that is killed meanwhile is started again. */
      const during = async (work: readonly Promise<unknown>[]): Promise<void> => {
        await Promise.race([Promise.allSettled(work), killed.promise])
        if (process.isDead) kill()
      }

      for (const one of steps) {
        switch (one.kind) {
          case 'set': {
            alertmanager.fates(one.fates)
            const own = process
            const wasOff = [...wantedOff]
            for (const { scope } of one.switches) wantedOff[scope] = null
            const answers = one.switches.map(({ scope, on }) =>
              service.set(scopes[scope] ?? account, on).then(
                () => 'done' as const,
                () => 'failed' as const,
              ),
            )
            await during(answers)
            if (own.isDead) break
            const outcomes = await Promise.all(answers)
            for (const [n, { scope, on }] of one.switches.entries()) {
              // What failed leaves it off or on as it was, and the wish to have it on is kept.
              if (outcomes[n] === 'done') wasOff[scope] = !on
              else if (on) wasOff[scope] = false
              wantedOff[scope] = wasOff[scope] ?? null
            }
            break
          }
          case 'tend':
            alertmanager.fates(one.fates)
            await during([service.tend()])
            break
          case 'kill':
            kill()
            break
          case 'thaw':
            alertmanager.thaw()
            break
          case 'snapshot':
            alertmanager.snapshot()
            break
          case 'restore':
            alertmanager.restore()
            break
          case 'by-hand': {
            const live = alertmanager.live()
            const chosen = live[one.n % Math.max(1, live.length)]
            if (chosen === undefined) break
            alertmanager.endByHand(chosen.id)
            // One that is on, or that is kept under another id, stays as it is.
            const scope = scopes.findIndex((scope) => keysOf(scope).includes(JSON.stringify(chosen.matchers)))
            if (wantedOff[scope] !== false) wantedOff[scope] = null
            break
          }
          case 'wait':
            now += one.minutes * minuteMs
            break
        }
      }

      alertmanager.fates([])
      alertmanager.thaw()
      for (let n = 0; n < 3; n += 1) {
        now += minuteMs
        await service.tend()
      }
      const off = service.found()
      for (const [n, scope] of scopes.entries()) {
        const isOff = off.some(({ subject }) => keyOf(subject) === keyOf(scope.subject))
        // In all ways in which alerts name it, or in none.
        if (isOff)
          expect(
            off.filter((found) => keysOf(found).sort().join() === keysOf(scope).toSorted().join()),
          ).toHaveLength(1)
        const wanted = wantedOff[n] ?? null
        if (wanted !== null) expect([n, isOff]).toEqual([n, wanted])
      }
      const live = alertmanager.live().map(({ matchers }) => JSON.stringify(matchers))
      expect(live.sort()).toEqual(off.flatMap(keysOf).sort())
      for (const { endsAtMs } of alertmanager.live()) {
        expect(endsAtMs - now).toBeGreaterThan(44 * minuteMs)
        expect(endsAtMs - now).toBeLessThanOrEqual(60 * minuteMs)
      }
    }),
    { numRuns: 1_000 },
  )
})
