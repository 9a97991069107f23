/** The journal over a lease of the test's own: what a batch holds, and what becomes of one that fails. */
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/bot/clock.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { fill, journalOf } from '../../../src/bot/world/journal.ts'
import { type Lease, LostLead, RefusedRows, type Row } from '../../../src/bot/world/store.ts'
import type { Act } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'

type Answer = 'ok' | Error | Promise<void> | (() => void)

/** A database that answers each batch as told, then `ok`. */
function living(answers: Answer[] = [], isForgetful = () => false) {
  const batches: Row[][] = []
  const waits: number[] = []
  let nowMs = 1000
  const write = async (rows: readonly Row[]) => {
    batches.push([...rows])
    const answer = answers.shift() ?? 'ok'
    if (answer instanceof Error) throw answer
    if (typeof answer === 'function') answer()
    else if (answer !== 'ok') await answer
  }
  const clock: Clock = {
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    wait: async (ms) => {
      waits.push(ms)
      nowMs += ms
    },
  }
  const lease: Lease = {
    write,
    isFresh: () => true,
    hasForgotten: isForgetful,
    lost: new Promise(() => {}),
    free: async () => {},
  }
  const world = new World()
  const journal = journalOf({ world, lease, clock, log: silentLog })
  world.listen(journal.add)
  const put = (id: string, value: unknown = 1) => world.put('facts', { id, value })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { world, journal, batches, waits, put, pass }
}
const idsIn = (batches: readonly (readonly Row[])[]) => batches.map((rows) => rows.map(({ id }) => id))

test('a decision goes in one batch, with all that was decided in that stretch, the last of each id', async () => {
  const { world, journal, batches, put } = living()
  world.decide(() => {
    put('a')
    put('b')
    put('a', 2)
  })
  put('c')
  await journal.cleared()
  expect(idsIn(batches)).toEqual([['a', 'b', 'c']])
  expect(batches[0]?.[0]?.doc).toBe('{"id":"a","value":2}')
})

test('what a decision took back is never written', async () => {
  const { world, journal, batches, put } = living()
  put('kept')
  expect(() =>
    world.decide(() => {
      put('lost')
      throw new Error('no')
    }),
  ).toThrow('no')
  await journal.cleared()
  expect(idsIn(batches)).toEqual([['kept']])
})

test('a failed batch is written again whole, with what came meanwhile, and pauses grow', async () => {
  const { world, journal, batches, waits, put } = living([
    () => {
      put('a', 'newer')
      world.remove('facts', 'b', 'past')
      throw new Error('reset')
    },
    new Error('away'),
  ])
  put('a', 'older')
  put('b')
  await journal.cleared()
  expect(idsIn(batches)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ])
  expect(batches.map(([row]) => JSON.parse(row?.doc ?? '').value)).toEqual(['older', 'newer', 'newer'])
  expect(batches.map(([, row]) => [row?.live, row?.doc])).toEqual([
    [true, '{"id":"b","value":1}'],
    [false, '{"id":"b","value":1}'],
    [false, '{"id":"b","value":1}'],
  ])
  expect(waits).toEqual([100, 200])
})

test('cleared waits for what was added before it, and for nothing that comes later', async () => {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const { journal, put } = living([first.promise, second.promise])
  await journal.cleared()
  put('a')
  const cleared: string[] = []
  const early = journal.cleared().then(() => cleared.push('early'))
  await new Promise(setImmediate)
  put('b')
  const late = journal.cleared().then(() => cleared.push('late'))
  first.resolve()
  await early
  expect(cleared).toEqual(['early'])
  second.resolve()
  await late
})

test('it says since when it has waited, across tries, and nothing once it was answered', async () => {
  const answer = Promise.withResolvers<void>()
  const { journal, put, pass } = living([new Error('away'), answer.promise])
  expect(journal.awaySinceMs()).toBeNull()
  put('a')
  await new Promise(setImmediate)
  pass(5000)
  expect(journal.awaySinceMs()).toBe(1000)
  answer.resolve()
  await journal.cleared()
  expect(journal.awaySinceMs()).toBeNull()
})

test('a lost lead is told to everybody who waits, and to whoever comes later', async () => {
  const { journal, put, batches } = living([new LostLead('another bot leads')])
  put('a')
  await expect(journal.cleared()).rejects.toThrow(LostLead)
  put('b')
  await expect(journal.cleared()).rejects.toThrow(LostLead)
  expect(batches).toHaveLength(1)
})

test('a record that the database refuses is set aside and counted; the others are written, and it is not tried again', async () => {
  const poison = () => new RefusedRows('too big')
  const { journal, batches, put } = living([poison(), 'ok', poison(), poison(), 'ok'])
  for (const id of ['a', 'b', 'c', 'd']) put(id)
  await journal.cleared()
  expect(idsIn(batches)).toEqual([['a', 'b', 'c', 'd'], ['a', 'b'], ['c', 'd'], ['c'], ['d']])
  expect(journal.refused()).toBe(1)
  put('e')
  await journal.cleared()
  expect(idsIn(batches).at(-1)).toEqual(['e'])
})

test('a database that forgot gets everything that is live', async () => {
  let forgot = false
  const { journal, batches, put } = living([], () => {
    const did = forgot
    forgot = false
    return did
  })
  put('a')
  await journal.cleared()
  forgot = true
  put('b')
  await journal.cleared()
  await journal.cleared()
  expect(idsIn(batches)).toEqual([['a'], ['b'], ['a', 'b']])
})

const act: Act = {
  id: 'act',
  atMs: 7,
  by: 'U1',
  kind: 'note',
  subject: 'web-2',
  outcome: 'done',
  data: {},
}
test.each([
  ['past', { kind: 'acts', id: 'act', live: false, atMs: 7, doc: JSON.stringify(act) }],
  ['gone', { kind: 'acts', id: 'act', live: false, atMs: 0, doc: null }],
] as const)('a record that left for the %s is a row of that kind', async (fate, row) => {
  const { world, journal, batches } = living()
  world.put('acts', act)
  await journal.cleared()
  world.remove('acts', 'act', fate)
  await journal.cleared()
  expect(batches[1]).toEqual([row])
})

test('a document that cannot be read is left out of the world, and counted', () => {
  const world = new World()
  const row = { kind: 'facts', id: 'a', live: true, atMs: 0 } as const
  expect(
    fill(world, [
      { ...row, doc: '{"id":' },
      { ...row, doc: '7' },
      { ...row, doc: '{"id":"a","value":1}' },
    ]),
  ).toBe(2)
  expect([...world.facts.keys()]).toEqual(['a'])
})

test('ids sort as they were given, over a start and a clock that is set back', () => {
  const world = new World()
  const ids = [5, 5, 4, 90].map((nowMs) => world.nextId(nowMs))
  const again = new World()
  again.setFact('lastId', ids.at(-1) ?? '')
  const all = [...ids, again.nextId(80), again.nextId(91)]
  expect(new Set(all).size).toBe(6)
  expect(all.toSorted()).toEqual(all)
})
