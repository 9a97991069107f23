/** While the memory is away, background work waits for it, and whoever waits for an answer is told in time. */
import { describe, expect, test } from 'vitest'
import { MemoryAway, StoreFailure } from '../../../src/bot/domain/base/failure.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openStoreAccess } from '../../../src/bot/flow/concurrency/store-access.ts'
import { type Absence, absences, awayStore } from '../../support/away-store.ts'
import { letPass } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

async function world() {
  const clock = manualClock()
  const logger = keptJournal()
  const memory = awayStore(await memoryStore())
  const access = openStoreAccess(memory.store, { clock, logger })
  const noted = (name: string, call: Promise<unknown>) => {
    const seen: { came: unknown; atMs: number | null } = { came: undefined, atMs: null }
    const note = (came: unknown) => {
      seen.came = came
      seen.atMs = clock.steadyMs()
    }
    call.then(note, (error: unknown) => note(`${name} ${(error as Error).name}`))
    return seen
  }
  return { clock, logger, memory, access, noted }
}

const keys = (key: string) => [[key], 0] as const

describe('background work', () => {
  test.each(absences)('waits for a memory that is away (%s), and goes on', async (how) => {
    const { clock, logger, memory, access, noted } = await world()
    memory.goAway(how)
    const call = noted('call', access.patient.noteHome('U1', 1))
    await letPass(clock, 3_600_000)
    expect(call.atMs).toBeNull()
    memory.comeBack()
    await letPass(clock, 1_000)
    expect(call.atMs).not.toBeNull()
    expect(await memory.store.homes(0)).toEqual(['U1'])
    // However often it was tried.
    expect(logger.events()).toEqual(['memory:away', 'memory:back'])
    expect(access.awaySinceMs()).toBeNull()
  })

  test('a memory that is lost for good ends it', async () => {
    const { access } = await world()
    const lost = new StoreFailure('The disk is full')
    const broken = openStoreAccess(
      { ...access.direct, homes: () => Promise.reject(lost) },
      { clock: manualClock(), logger: keptJournal() },
    )
    await expect(broken.patient.homes(0)).rejects.toBe(lost)
  })
})

describe('a question of a person', () => {
  test.each(absences)('is answered in time (%s)', async (how) => {
    const { clock, memory, access, noted } = await world()
    memory.goAway(how)
    const call = noted('call', access.impatient.homes(0))
    await letPass(clock, 10_000)
    expect(call.came).toBe('call MemoryAway')
    expect(call.atMs).toBeLessThanOrEqual(2_000)
  })

  test.each([1_700, 1_999])('does not notice that it was away for %i ms', async (ms) => {
    const { clock, memory, access, noted } = await world()
    memory.goAway('before')
    const call = noted('call', access.impatient.homes(0))
    await letPass(clock, Math.min(ms, 1_700))
    memory.comeBack()
    await letPass(clock, 1_000)
    expect(call.came).toEqual([])
  })
})

describe('since when it is away', () => {
  test('a call that has no answer counts after two seconds, unless others are answered', async () => {
    const { clock, memory, access } = await world()
    const begunMs = clock.nowMs()
    memory.goAway('silent', 'homes')
    void access.patient.homes(0)
    await letPass(clock, 1_999)
    expect(access.awaySinceMs()).toBeNull()
    await letPass(clock, 1)
    expect(access.awaySinceMs()).toBe(begunMs)
    await access.patient.mutes()
    expect(access.awaySinceMs()).toBeNull()
    await letPass(clock, 2_000)
    expect(access.awaySinceMs()).toBe(begunMs + 2_000)
    memory.comeBack()
    await letPass(clock, 1_000)
    expect(access.awaySinceMs()).toBeNull()
  })
})

describe('a request', () => {
  /** Claims, decides, and does more. */
  const three = (access: Awaited<ReturnType<typeof world>>['access'], nowMs: number) => {
    const request = access.forRequest()
    const steps: string[] = []
    const work = async () => {
      await request.store.claim(...keys('k'))
      steps.push('claimed')
      await request.store.commit({ ...emptyPlan(nowMs), state: [{ name: 'step a', value: 'b' }] })
      steps.push('decided')
      await request.store.commit({ ...emptyPlan(nowMs), state: [{ name: 'step c', value: 'd' }] })
      steps.push('finished')
    }
    return { request, steps, done: request.orAway(work()) }
  }

  const cases: [
    string,
    number,
    Absence,
    steps: string[],
    mayBeDone: boolean,
    late: string[],
    state: number,
  ][] = [
    ['claim', 0, 'before', [], false, [], 0],
    ['claim', 0, 'after', [], false, [], 0],
    ['claim', 0, 'silent', [], false, [], 0],
    ['claim', 0, 'silent_after', [], false, [], 0],
    ['commit', 0, 'before', ['claimed'], false, ['claimed'], 0],
    ['commit', 0, 'after', ['claimed'], true, ['claimed'], 1],
    ['commit', 0, 'silent', ['claimed'], true, ['claimed'], 0],
    ['commit', 0, 'silent_after', ['claimed'], true, ['claimed'], 1],
    // What was begun is brought to its end once the memory is back.
    ['commit', 1, 'before', ['claimed', 'decided'], true, ['claimed', 'decided', 'finished'], 2],
    ['commit', 1, 'after', ['claimed', 'decided'], true, ['claimed', 'decided', 'finished'], 2],
    ['commit', 1, 'silent', ['claimed', 'decided'], true, ['claimed', 'decided', 'finished'], 2],
    ['commit', 1, 'silent_after', ['claimed', 'decided'], true, ['claimed', 'decided', 'finished'], 2],
  ]
  test.each(cases)('%s %i %s', async (method, call, how, steps, mayBeDone, late, state) => {
    const { clock, memory, access, noted } = await world()
    memory.awayAt(method, call, how)
    const asked = three(access, clock.nowMs())
    const told = noted('request', asked.done)
    await letPass(clock, 60_000)
    expect(told.came).toBe('request MemoryAway')
    expect(told.atMs).toBeLessThanOrEqual(2_500)
    expect(asked.steps).toEqual(steps)
    expect(asked.request.mayBeDone()).toBe(mayBeDone)
    memory.comeBack()
    await letPass(clock, 60_000)
    expect(asked.steps).toEqual(late)
    expect((await memory.store.state('step ')).size).toBe(state)
  })

  test('what waits for something else is told as soon as the memory is known to be away', async () => {
    const { clock, memory, access, noted } = await world()
    const request = access.forRequest()
    const told = noted('request', request.orAway(new Promise(() => undefined)))
    await letPass(clock, 10_000)
    expect(told.atMs).toBeNull()
    memory.goAway('silent')
    void access.patient.homes(0)
    await letPass(clock, 3_000)
    expect(told.came).toBe('request MemoryAway')
  })

  test('that was given up does nothing later', async () => {
    const { clock, memory, access, noted } = await world()
    const request = access.forRequest()
    const slow = Promise.withResolvers<void>()
    const work = async () => {
      await slow.promise
      await request.store.claim(...keys('k'))
    }
    const told = noted('request', request.orAway(work()))
    memory.goAway('before')
    void access.patient.homes(0)
    await letPass(clock, 3_000)
    expect(told.came).toBe('request MemoryAway')
    memory.comeBack()
    slow.resolve()
    await letPass(clock, 3_000)
    expect(await memory.store.claim(...keys('k'))).toBe('new')
  })

  test('an error of another kind is passed on', async () => {
    const { access } = await world()
    const bug = new RangeError('no')
    await expect(access.forRequest().orAway(Promise.reject(bug))).rejects.toBe(bug)
    expect(new MemoryAway('away').mayBeWritten).toBe(false)
  })
})
