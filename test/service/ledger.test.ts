/** Laws of the ledger over random readings: what is open is listed, what is not proven stays, what is over is kept for 30 days. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idOf, keptMs, Ledger, lifecycleOf } from '../../src/service/ledger.ts'
import { openLoop } from '../../src/service/loop.ts'
import { Mutes, Servers } from '../../src/service/servers.ts'
import { type Found, type Mute, type Reading, Refusal, type Source } from '../../src/service/source.ts'
import { openShelf, openStore } from '../../src/service/store.ts'
import { clockByHand, day, minute, startMs } from './worlds/town.ts'

const names = ['a', 'b', 'c', 'd']

function foundOf(name: string, startedMs: number): Found {
  return { key: name, startedMs, host: `host-${name}`, title: name, plugin: 'P', metric: null, value: null }
}

function readingOf(atMs: number, alerts: readonly Found[], over: (key: string) => boolean): Reading {
  return { atMs, alerts, servers: [], triggers: [], doubt: null, isOver: ({ key }) => over(key) }
}

function openLedger() {
  const db = openStore(null)
  return { db, ledger: new Ledger(db) }
}

function listed(ledger: Ledger, lifecycle: 'start' | 'end' | 'all') {
  const all = []
  for (let offset = 0; ; offset += 50) {
    const page = ledger.list(lifecycle, offset)
    all.push(...page)
    if (page.length < 50) return all
  }
}

/** What fires by itself, as the readings tell of it, and how often its end was proven in a row. */
type Model = Map<string, { startedMs: number; proven: number }>

const step = fc.record({
  passedMs: fc.constantFrom(2000, minute, 3 * 60 * minute, 20 * day, 31 * day),
  /** Who begins or ends to fire, whom a reading does not see though they fire, and whom it proves to be over. */
  turned: fc.subarray(names),
  unseen: fc.subarray(names, { maxLength: 2 }),
  proven: fc.subarray(names),
  kind: fc.constantFrom('good', 'good', 'good', 'doubt', 'refusal', 'restart', 'lost'),
})

test('laws over random histories', () => {
  const history = fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
    const clock = clockByHand()
    let { db, ledger } = openLedger()
    const firing = new Map<string, number>()
    const open: Model = new Map()
    const ends = new Map<number, number>()
    for (const { passedMs, turned, unseen, proven, kind } of steps) {
      clock.pass(passedMs)
      for (const name of turned) if (!firing.delete(name)) firing.set(name, clock.nowMs())
      if (kind === 'refusal') continue
      if (kind === 'restart') {
        ledger = new Ledger(db)
        // It forgets a first proof, which only delays.
        for (const model of open.values()) model.proven = 0
      }
      if (kind === 'lost') {
        ;({ db, ledger } = openLedger())
        open.clear()
        ends.clear()
      }
      const alerts = [...firing].flatMap(([name, atMs]) =>
        unseen.includes(name) ? [] : [foundOf(name, atMs)],
      )
      const over = (key: string) => kind !== 'doubt' && proven.includes(key)
      ledger.take(readingOf(clock.nowMs(), alerts, over), 2)

      for (const { key, startedMs } of alerts)
        if (open.has(key)) open.set(key, { startedMs: open.get(key)?.startedMs ?? 0, proven: 0 })
        else open.set(key, { startedMs, proven: 0 })
      for (const [key, model] of [...open]) {
        if (alerts.some((alert) => alert.key === key)) continue
        model.proven = over(key) ? model.proven + 1 : 0
        const id = idOf(key, model.startedMs)
        const isClosed = ledger.get(id)?.endedMs !== null
        expect(isClosed).toBe(model.proven >= 2)
        if (isClosed) {
          open.delete(key)
          ends.set(id, ledger.get(id)?.endedMs ?? 0)
        }
      }
      for (const { startedMs, proven: _, key } of [...open].map(([key, one]) => ({ key, ...one })))
        ends.delete(idOf(key, startedMs))

      const ids = [...open].map(([key, { startedMs }]) => idOf(key, startedMs)).sort()
      expect(
        listed(ledger, 'start')
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids)
      ledger.prune(clock.nowMs())
      const kept = [...ends].filter(([, endedMs]) => endedMs >= clock.nowMs() - keptMs).map(([id]) => id)
      expect(
        listed(ledger, 'end')
          .map(({ id }) => id)
          .sort(),
      ).toEqual(kept.sort())
      expect(listed(ledger, 'all')).toHaveLength(ids.length + kept.length)
    }
  })
  fc.assert(history, { numRuns: 300, seed: Number(process.env.SEED ?? Date.now()) })
})

describe('one by one', () => {
  test('what is open is listed whatever its age; when it ends, it is listed for 30 days more', () => {
    const clock = clockByHand()
    const { ledger } = openLedger()
    ledger.take(
      readingOf(clock.nowMs(), [foundOf('a', startMs)], () => false),
      1,
    )
    clock.pass(45 * day)
    ledger.prune(clock.nowMs())
    expect(listed(ledger, 'start')).toHaveLength(1)
    ledger.take(
      readingOf(clock.nowMs(), [], () => true),
      1,
    )
    for (const [days, count] of [
      [0, 1],
      [29, 1],
      [2, 0],
    ] as const) {
      clock.pass(days * day)
      ledger.prune(clock.nowMs())
      expect([days, listed(ledger, 'end').length, listed(ledger, 'all').length]).toEqual([days, count, count])
    }
  })

  test('two proofs in a row, and the end is when the first of them was', () => {
    const clock = clockByHand()
    const { ledger } = openLedger()
    const alert = foundOf('a', startMs)
    const take = (alerts: readonly Found[], isOver: boolean) => {
      clock.pass(2000)
      ledger.take(
        readingOf(clock.nowMs(), alerts, () => isOver),
        2,
      )
      return ledger.open().length
    }
    expect([take([alert], false), take([], true), take([], false), take([], true)]).toEqual([1, 1, 1, 1])
    const firstMs = clock.nowMs()
    expect([take([alert], false), take([], true), take([], true)]).toEqual([1, 1, 0])
    expect(ledger.get(idOf('a', startMs))?.endedMs).toBe(firstMs + 4000)
  })

  test('what it said when it opened stays; what mutes it does not', () => {
    const { ledger } = openLedger()
    const mutedBy = [
      { kind: 'silence', id: 's', by: 'ana', untilMs: null, why: null, isOurs: false },
    ] as const
    ledger.add({ ...foundOf('a', startMs), value: 91 })
    ledger.add({ ...foundOf('a', startMs + 1), value: 97, title: 'other', mutedBy })
    expect(ledger.open()).toMatchObject([{ value: 91, title: 'a', startedMs: startMs, mutedBy }])
  })

  test('an alert that comes again under its key is another one; under its key and start the same', () => {
    const { ledger } = openLedger()
    const id = ledger.add(foundOf('a', startMs))
    ledger.close(id, startMs + 10)
    expect(ledger.add(foundOf('a', startMs + 20))).not.toBe(id)
    ledger.close(idOf('a', startMs + 20), startMs + 30)
    expect(ledger.add(foundOf('a', startMs))).toBe(id)
    expect(ledger.open()).toHaveLength(1)
  })

  test('what is over keeps its end, whoever closes it again', () => {
    const { ledger } = openLedger()
    const id = ledger.add(foundOf('a', startMs))
    for (const afterMs of [10, 20]) ledger.close(id, startMs + afterMs)
    expect(ledger.get(id)?.endedMs).toBe(startMs + 10)
  })

  test('a one-off is told once, whatever is read again', () => {
    const { ledger } = openLedger()
    for (const _ of [1, 2]) ledger.add({ ...foundOf('a', startMs), isOneoff: true })
    expect(listed(ledger, 'all').map(lifecycleOf)).toEqual(['oneoff'])
  })

  test('what cannot be written is not there either', () => {
    const { db, ledger } = openLedger()
    db.exec(
      `create trigger full before insert on alerts when new.key = 'b' begin select raise(abort, 'full'); end`,
    )
    const both = readingOf(startMs, [foundOf('a', startMs), foundOf('b', startMs)], () => false)
    expect(() => ledger.take(both, 1)).toThrow('full')
    expect(ledger.open()).toEqual([])
    db.exec('drop trigger full')
    ledger.take(both, 1)
    expect(ledger.open()).toHaveLength(2)
  })
})

describe('the loop', () => {
  function looped(read: () => Promise<Reading>) {
    const clock = clockByHand()
    const { db, ledger } = openLedger()
    const source = {
      everyMs: 2000,
      proofs: 1,
      read,
      reconcileMutes: async () => {},
    } as unknown as Source
    const reported: string[] = []
    const report = (line: string) => void reported.push(line)
    const mutes = new Mutes(openShelf<Mute>(db, 'mutes', 9), source)
    const parts = {
      source,
      ledger,
      mutes,
      servers: new Servers(db),
      nowMs: clock.nowMs,
      isTimed: false,
      report,
    }
    return { clock, ledger, reported, loop: openLoop(parts) }
  }

  test.each([
    ['a refusal', () => new Refusal(503, 'Prometheus cannot be asked')],
    ['a bug', () => new Error('null has no labels')],
  ])('%s closes nothing, is reported once, and whoever asks gets a refusal', async (_, failure) => {
    let fails = false
    const town = looped(async () => {
      if (fails) throw failure()
      return readingOf(startMs, town.ledger.open().length === 0 ? [foundOf('a', startMs)] : [], () => true)
    })
    await town.loop.now()
    fails = true
    for (const _ of [1, 2, 3]) await town.loop.now()
    expect(town.ledger.open()).toHaveLength(1)
    await expect(town.loop.fresh()).rejects.toBeInstanceOf(Refusal)
    expect(town.reported).toHaveLength(1)
    fails = false
    await town.loop.now()
    expect(town.ledger.open()).toEqual([])
    expect((await town.loop.fresh()).atMs).toBe(startMs)
  })

  test('a round that is asked for begins after the question, and several askers share it', async () => {
    let begun = 0
    const gates: (() => void)[] = []
    const town = looped(async () => {
      begun += 1
      await new Promise<void>((resolve) => gates.push(resolve))
      return readingOf(startMs, [], () => false)
    })
    const [first, second, third] = [town.loop.now(), town.loop.now(), town.loop.now()]
    gates[0]?.()
    await first
    await expect.poll(() => begun).toBe(2)
    gates[1]?.()
    await Promise.all([second, third])
    expect(begun).toBe(2)
  })
})
