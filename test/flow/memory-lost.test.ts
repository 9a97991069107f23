/** The disk fails between the API's yes and the commit: what nobody wrote down is not left as a mute, and the person is told why. */
import { expect, test } from 'vitest'
import type { Change } from '../../src/domain/request/actions.ts'
import type { OpenStore } from '../../src/store/open/open-store.ts'
import { StoreError } from '../../src/store/open/store-error.ts'
import { actingWorld, hourMs, muting, showing } from '../support/acting-world.ts'
import { memoryStore } from '../support/memory-store.ts'

/** Full after so many commits. */
async function fullAfter(commits: number, store?: OpenStore) {
  const own = store ?? (await memoryStore())
  let left = commits
  const commit: OpenStore['commit'] = async (plan) => {
    if (left-- <= 0) throw new StoreError('The database is on a disk that is full.', 'SQLITE_FULL')
    return own.commit(plan)
  }
  return actingWorld({ store: own, wrap: (under) => ({ ...under, commit }) })
}

const account: Change = {
  kind: 'mute_account',
  end: { kind: 'for', ms: hourMs },
  reason: 'moving',
  shown: showing(),
}
const told = { kind: 'broken', isMemory: true, mayBeDone: true }

test.each([
  ['a server', muting('web-1'), 'server web-1'],
  ['the account', account, 'account'],
])(
  'a mute of %s whose commit fails is taken back at the API at once, and its row says so to the next start',
  async (_, mute, what) => {
    const world = await fullAfter(1)
    expect(await world.does(mute)).toMatchObject(told)
    expect(world.calls).toEqual([`${what} off`, `${what} on`])
    expect(await world.mutes()).toMatchObject([{ state: 'asked' }])
  },
)

test('it is not taken back where the old one holds: its deadline is on disk', async () => {
  const store = await memoryStore()
  await (await actingWorld({ store })).does(muting('web-1'))
  const world = await fullAfter(0, store)
  expect(await world.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }))).toMatchObject(told)
  expect(world.calls).toEqual(['server web-1 off'])
  expect(await world.mutes()).toMatchObject([{ state: 'active' }])
})

test('what cannot even be asked for is not asked of the API', async () => {
  const world = await fullAfter(0)
  expect(await world.does(muting('web-1'))).toMatchObject(told)
  expect(world.calls).toEqual([])
})

test('who takes it back and cannot reach the API either, passes on that the disk is full', async () => {
  const world = await fullAfter(1)
  world.script.answerTo = (call) => (call.endsWith(' on') ? 503 : undefined)
  expect(await world.does(muting('web-1'))).toMatchObject(told)
  expect(world.logger.entries.filter(({ level }) => level !== 'debug')).toMatchObject([
    { event: 'request:broken', facts: { error: { name: 'StoreError', code: 'SQLITE_FULL' } } },
    { event: 'request:untraced' },
  ])
})
