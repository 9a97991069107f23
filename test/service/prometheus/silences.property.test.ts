/** Whatever goes wrong on the way: once all is well again, each that is off has one silence, and no other has any. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commentOf, keyOf, purposeOf, type Scope } from '../../../src/service/prometheus/silence-book.ts'
import {
  account,
  type Fate,
  muteOf,
  newProcess,
  openKeptLedger,
  openMemoryAlertmanager,
  openTownSilences,
  serverOf,
} from './memory-alertmanager.ts'

const minuteMs = 60_000

const both = serverOf('db', ['server', 'service'])
const scopes: readonly Scope[] = [account, serverOf('web-1'), both, muteOf('m-1'), muteOf('m-2')]

/** A mute may be asked for again with other matchers, and until another time. */
const variant = fc.record({
  alertname: fc.constantFrom('DiskFull', 'Down'),
  minutes: fc.option(fc.integer({ min: 1, max: 150 })),
})
type Variant = { readonly alertname: string; readonly minutes: number | null }

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
      switches: fc.array(fc.record({ scope: fc.nat(scopes.length - 1), on: fc.boolean(), variant }), {
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

/** What is wanted to be off of a scope; null: nobody knows, as nobody heard how it went. */
type Wanted = Scope | false | null

const keysOf = ({ ways }: Scope): string[] => ways.map((way) => JSON.stringify(way))

test('any order of switching, kills, outages, losses and hands ends with one silence for each that is off', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      let now = Date.parse('2026-11-22T12:00:00Z')
      const alertmanager = openMemoryAlertmanager(() => now)
      const ledger = openKeptLedger()
      const wantedOff: Wanted[] = scopes.map(() => false)
      const asked = (at: number, { alertname, minutes }: Variant): Scope => {
        const { subject } = scopes[at] ?? account
        const untilMs = minutes === null ? null : now + minutes * minuteMs
        return subject.kind === 'mute' ? muteOf(subject.id, alertname, untilMs) : (scopes[at] ?? account)
      }
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
            const given = one.switches.map((each) => ({ ...each, scope: asked(each.scope, each.variant) }))
            const answers = given.map(({ scope, on }) =>
              service.set(scope, on).then(
                () => 'done' as const,
                () => 'failed' as const,
              ),
            )
            await during(answers)
            if (own.isDead) break
            const outcomes = await Promise.all(answers)
            for (const [n, { scope, on }] of one.switches.entries()) {
              // What failed leaves it off or on as it was, and the wish to have it on is kept.
              if (outcomes[n] === 'done') wasOff[scope] = on ? false : (given[n]?.scope ?? null)
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
            const subject = purposeOf(chosen)?.subject ?? account.subject
            const scope = scopes.findIndex((scope) => keyOf(scope.subject) === keyOf(subject))
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
        if (isOff && scope.subject.kind !== 'mute')
          expect(
            off.filter((found) => keysOf(found).sort().join() === keysOf(scope).toSorted().join()),
          ).toHaveLength(1)
        const wanted = wantedOff[n] ?? null
        if (wanted === null) continue
        const isOver = wanted !== false && (wanted.terms?.untilMs ?? now + 1) <= now
        expect([n, isOff]).toEqual([n, wanted !== false && !isOver])
        if (wanted === false || isOver) continue
        const kept = alertmanager.live().filter((silence) => {
          const { subject = account.subject } = purposeOf(silence) ?? {}
          return keyOf(subject) === keyOf(wanted.subject)
        })
        expect(kept.map(({ comment }) => comment.split(' (monbot')[0])).toEqual(
          kept.map(
            ({ comment }) =>
              commentOf({ ...wanted, matchers: wanted.ways[0] ?? [], token: '' }).split(' (monbot')[0] ??
              comment,
          ),
        )
        const keys = kept.map(({ matchers }) => JSON.stringify(matchers))
        expect(keys.sort()).toEqual(keysOf(wanted).sort())
      }
      const live = alertmanager.live().map(({ matchers }) => JSON.stringify(matchers))
      expect(live.sort()).toEqual(off.flatMap(keysOf).sort())
      for (const silence of alertmanager.live()) {
        const { untilMs } = purposeOf(silence)?.terms ?? { untilMs: null }
        const wantedMs = Math.min(60 * minuteMs, (untilMs ?? Number.POSITIVE_INFINITY) - now)
        expect(silence.endsAtMs - now).toBeGreaterThan(Math.min(wantedMs, 44 * minuteMs) - 2_000)
        expect(silence.endsAtMs - now).toBeLessThan(wantedMs + 2_000)
      }
    }),
    { numRuns: 1_000 },
  )
})
