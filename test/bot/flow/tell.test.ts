/** The pager is told, whatever happens: it fails, hangs, refuses or loses its answer, and the bot is killed at each step. */
import { expect, test } from 'vitest'
import { MemoryAway } from '../../../src/bot/domain/base/failure.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { openBotInMemory } from '../../support/bot-in-memory.ts'
import { letPass } from '../../support/delivery-world.ts'
import { changeAlert } from '../../support/expiry-world.ts'
import type { Fate } from '../../support/forgetful-chat.ts'
import { modelPager } from '../../support/model-pager.ts'
import { modelService } from '../../support/model-service.ts'
import { type PagerWorld, pagerWorld, paging } from '../../support/pager-world.ts'
import { nameOf } from '../../support/poll-world.ts'

async function worldWith(steps = [paging(0)]): Promise<PagerWorld & ReturnType<PagerWorld['startPaging']>> {
  const town = await pagerWorld(steps)
  await town.poll()
  const parts = town.startPaging()
  await town.poll()
  return { ...town, ...parts }
}

async function opened(town: PagerWorld, hostname = 'web-1') {
  const alertId = town.service.open({ hostname })
  await town.poll()
  await town.passSeconds(3)
  return alertId
}

test('what failed is told again under the same id, with growing waits', async () => {
  const town = await worldWith()
  town.pager.will('away')
  await opened(town)
  await town.passSeconds(10 * 60)
  const tries = town.pager.tries()
  expect(new Set(tries).size).toBe(1)
  expect(tries.length).toBeGreaterThan(9)
  expect(tries.length).toBeLessThan(16)
  town.pager.will('ok')
  await town.passSeconds(60)
  expect(town.pager.heard()).toHaveLength(1)
})

test('an answer that was lost makes no second event', async () => {
  const town = await worldWith()
  town.pager.will('lost')
  const alertId = await opened(town)
  town.pager.will('ok')
  await town.passSeconds(60)
  expect(town.pager.tries().length).toBeGreaterThan(1)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
})

test('acknowledged while the pager is away: it hears of the end alone, if it may know of the call', async () => {
  const town = await worldWith()
  town.pager.will('away')
  const alertId = await opened(town)
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(10)
  town.pager.will('ok')
  await town.passSeconds(90)
  expect(town.pager.heard()).toEqual([`acknowledged ${alertId}`, `resolved ${alertId}`])
  expect(town.pager.incidents()).toBe(0)
})

test('what it refuses is told people at once, and is tried again after the next start alone', async () => {
  const town = await worldWith()
  town.pager.will('refuses')
  const alertId = await opened(town)
  await town.passSeconds(300)
  expect(town.pager.tries()).toHaveLength(1)
  expect(await town.posted()).toEqual(['alert', 'page_failed'])
  expect(town.trouble()).toMatchObject({ why: 'the pager refused it (HTTP 400)' })
  await town.dies()
  town.pager.will('ok')
  town.startPaging()
  await town.poll()
  await town.passSeconds(30)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(await town.posted()).toEqual(['page_works'])
})

const handedBack = (town: PagerWorld) => ({
  ackedBy: null,
  ackedMs: null,
  ownershipConfirmedMs: town.clock.nowMs(),
})

test('an end that the pager does not take, closed there already, is no trouble, and holds back no call', async () => {
  const town = await worldWith()
  const alertId = await opened(town)
  town.pager.heard()
  town.pager.will('closed')
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(55)
  expect(await town.pages()).toMatchObject([{ events: [{ type: 'acknowledged' }, { type: 'resolved' }] }])
  await town.passSeconds(90)
  expect(await town.pages()).toEqual([])
  expect(new Set(town.pager.tries()).size).toBe(3)
  const [page] = await town.store.pagesByKey([`monbot:${alertId}`])
  const why = 'the pager takes no end of it (HTTP 404)'
  expect(page?.deliveries.slice(1)).toMatchObject(
    ['acknowledged', 'resolved'].map((type) => ({ type, failures: [{ why }], toldMs: null })),
  )
  await changeAlert(town, alertId, handedBack(town))
  await town.passSeconds(30)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.incidents()).toBe(2)
  expect(await town.posted()).toEqual(['alert'])
  town.pager.will('away')
  await opened(town, 'web-2')
  await town.passSeconds(150)
  expect(await town.posted()).toEqual(['alert', 'page_failed'])
})

test('an end that is not taken for less than a minute, as by a proxy, is told', async () => {
  const town = await worldWith()
  const alertId = await opened(town)
  town.pager.heard()
  town.pager.will('misled')
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(45)
  expect(town.pager.open()).toHaveLength(1)
  town.pager.will('ok')
  await town.passSeconds(15)
  expect(town.pager.heard()).toEqual([`acknowledged ${alertId}`, `resolved ${alertId}`])
  expect(town.pager.open()).toEqual([])
  expect(await town.posted()).toEqual(['alert'])
})

test('back from an outage, the pager knows no call that it never had: it works again, and the next outage is told', async () => {
  const town = await worldWith()
  town.pager.will('away')
  const alertId = await opened(town)
  await town.passSeconds(3 * 60)
  expect(await town.posted()).toEqual(['alert', 'page_failed'])
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(30)
  town.pager.will('closed')
  await town.passSeconds(4 * 60)
  expect(await town.pages()).toEqual([])
  expect(town.trouble()).toBeNull()
  expect(await town.posted()).toEqual(['page_works'])
  town.pager.will('away')
  await opened(town, 'web-2')
  await town.passSeconds(150)
  expect(await town.posted()).toEqual(['alert', 'page_failed'])
})

test('a call that waits behind such an end, while the pager is away, goes out after it', async () => {
  const town = await worldWith()
  const alertId = await opened(town)
  town.pager.heard()
  town.pager.will('away')
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(30)
  await changeAlert(town, alertId, handedBack(town))
  await town.passSeconds(30)
  town.pager.will('closed')
  await town.passSeconds(90)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
  expect(town.pager.open()).toHaveLength(1)
})

test.each(['before', 'after'])(
  'a call that came %s the refusal of an end is told all the same',
  async (order) => {
    const town = await worldWith()
    const alertId = await opened(town)
    town.pager.heard()
    town.pager.will(order === 'before' ? 'away' : 'refusesEnds')
    await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
    await town.passSeconds(30)
    await changeAlert(town, alertId, handedBack(town))
    await town.passSeconds(14)
    town.pager.will('refusesEnds')
    await town.passSeconds(90)
    expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
    expect(await town.pages()).toMatchObject([{ isRinging: true, events: [], failure: null }])
  },
)

test('the channel is told after two minutes, once however many fail, and once more when paging works again', async () => {
  const town = await worldWith()
  town.pager.will('away')
  await opened(town)
  await town.passSeconds(100)
  expect(await town.posted()).toEqual(['alert'])
  for (const hostname of ['web-2', 'web-3']) await opened(town, hostname)
  await town.passSeconds(300)
  expect(await town.posted()).toEqual(['alert', 'alert', 'page_failed'].sort())
  expect(town.trouble()).not.toBeNull()
  await town.dies()
  town.startPaging()
  await town.poll()
  await town.passSeconds(60)
  expect(await town.posted()).toEqual([])
  town.pager.will('ok')
  await town.passSeconds(90)
  expect(town.pager.heard()).toHaveLength(3)
  expect(await town.posted()).toEqual(['page_works'])
})

test('it waits as long as the pager asks for', async () => {
  const town = await worldWith()
  town.pager.will('limited')
  await opened(town)
  await town.passSeconds(28)
  expect(town.pager.tries()).toHaveLength(1)
  await town.passSeconds(30)
  expect(town.pager.tries()).toHaveLength(2)
})

test('acknowledged during the call: the end is told after it, in order', async () => {
  const town = await worldWith()
  const answers = town.pager.hangs()
  const alertId = await opened(town)
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await town.passSeconds(5)
  answers()
  await town.passSeconds(5)
  expect(town.pager.heard()).toEqual(
    ['triggered', 'acknowledged', 'resolved'].map((type) => `${type} ${alertId}`),
  )
})

test('who acknowledges there stands on the card, with a row in the audit; the pager hears only that it is over', async () => {
  const town = await worldWith()
  town.pager.answersBy('<!here> Ana\u0000')
  const alertId = await opened(town)
  await town.passSeconds(10)
  const [alert] = await town.store.recallByIds([alertId])
  expect(alert?.ackedBy).toBe('<!here> Ana\ufffd (in the pager)')
  expect(await town.audit()).toEqual(['acknowledge done'])
  expect(await town.posted()).toEqual(['alert', 'change_notice'])
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`, `resolved ${alertId}`])
})

test('an answer that breaks off may have named somebody: it is asked once more, and then taken as it is', async () => {
  const town = await worldWith()
  town.pager.answersBy('Ana')
  town.pager.will('cut')
  const alertId = await opened(town)
  expect(town.pager.tries()).toHaveLength(1)
  town.pager.will('ok')
  await town.passSeconds(5)
  expect((await town.store.recallByIds([alertId]))[0]?.ackedBy).toBe('Ana (in the pager)')
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`, `resolved ${alertId}`])
  town.pager.will('cut')
  await opened(town, 'web-2')
  await town.passSeconds(60)
  expect(await town.pages()).toMatchObject([{ isRinging: true, events: [], failure: null }])
  expect(town.pager.incidents()).toBe(2)
})

test('heard twice it is done once; of what it does not know, or what nobody waits for, it says so', async () => {
  const town = await worldWith()
  const alertId = await opened(town)
  const heard = { id: 'msg_1', key: `monbot:${alertId}`, by: 'U0ANA00001' }
  expect(await town.heard({ ...heard, key: 'monbot:nothing' })).toBe('unknown')
  expect(await town.heard(heard)).toBe('acknowledged')
  expect(await town.heard(heard)).toBe('repeat')
  expect(await town.heard({ ...heard, id: 'msg_2' })).toBe('nothing')
  const [alert] = await town.store.recallByIds([alertId])
  expect(alert?.ackedBy).toBe('U0ANA00001')
})

test('an acknowledgement that was overtaken at each try is asked for again, and not lost', async () => {
  const town = await pagerWorld([paging(0)])
  await town.poll()
  let overtaken = 4
  const commit: PagerWorld['store']['commit'] = async (plan) => {
    if (!plan.audit.some(({ via }) => via === 'pager')) return town.store.commit(plan)
    overtaken -= 1
    return overtaken >= 0 ? 'stale' : town.store.commit(plan)
  }
  town.startPaging({ ...town.store, commit })
  town.pager.answersBy('Ana')
  const alertId = await opened(town)
  expect((await town.store.recallByIds([alertId]))[0]?.ackedBy).toBeNull()
  await town.passSeconds(10)
  expect((await town.store.recallByIds([alertId]))[0]?.ackedBy).toBe('Ana (in the pager)')
  expect(new Set(town.pager.tries()).size).toBe(2)
  expect(town.pager.tries()).toHaveLength(3)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`, `resolved ${alertId}`])
  expect(await town.pages()).toEqual([])
})

/** A call that is on disk and waits for its card, and the process is gone. */
async function killedBeforeTheCall() {
  const town = await worldWith()
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.passSeconds(1)
  await town.dies()
  town.clock.advance(60_000)
  expect(await town.pages()).toMatchObject([{ events: [{ type: 'triggered' }], askedMs: null }])
  return { town, alertId }
}

const settled: readonly [string, (town: PagerWorld, alertId: string) => Promise<unknown>][] = [
  ['acknowledged', (town, id) => changeAlert(town, id, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })],
  ['muted', (town) => town.mute('web-1', null)],
  [
    'closed',
    (town, id) => {
      town.service.close(id)
      const closedMs = town.clock.nowMs()
      return changeAlert(town, id, { state: 'closed', closedMs, closedBy: 'record' })
    },
  ],
]

test.each(settled)(
  '%s on disk before a start told the call: nobody is called, and nothing is told',
  async (_, happens) => {
    const { town, alertId } = await killedBeforeTheCall()
    await happens(town, alertId)
    town.startPaging()
    await town.passSeconds(14)
    expect(town.pager.tries()).toEqual([])
    await town.poll()
    await town.passSeconds(2)
    expect(await town.pages()).toEqual([])
    await town.passSeconds(60)
    expect(town.pager.tries()).toEqual([])
  },
)

test('handed back before anybody decided that the call is over: it is told', async () => {
  const { town, alertId } = await killedBeforeTheCall()
  await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  const { wake } = town.startPaging()
  await town.passSeconds(5)
  expect(town.pager.tries()).toEqual([])
  await changeAlert(town, alertId, handedBack(town))
  wake()
  await town.passSeconds(1)
  expect(town.pager.heard()).toEqual([`triggered ${alertId}`])
})

/**
 * The whole way of a call and its end, killed at one commit, before or after it is on disk. `by`: who acknowledges it in the pager at
 * once; null: somebody does so in Slack, later.
 */
async function passes(
  at: number,
  when: 'before' | 'after' | null,
  by: string | null,
): Promise<{ commits: number; town: PagerWorld; id: string }> {
  const town = await pagerWorld([paging(0), paging(5)])
  await town.poll()
  const id = town.service.open({ hostname: 'web-1' })
  town.pager.answersBy(by)
  let commits = 0
  let isDead = false
  const away = () => new MemoryAway('the process was killed')
  // From then on it reads and writes nothing more.
  const dying = Object.entries(town.store).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      if (isDead) throw away()
      if (name !== 'commit') return Reflect.apply(call as () => unknown, town.store, given)
      commits += 1
      isDead = when !== null && commits === at
      if (isDead && when === 'before') throw away()
      const saved = await Reflect.apply(call as () => unknown, town.store, given)
      if (isDead) throw away()
      return saved
    },
  ])
  const store = Object.fromEntries(dying) as PagerWorld['store']
  town.startPaging(store)
  await town.poll()
  let isStarted = false
  const life = async (seconds: number) => {
    await town.passSeconds(seconds)
    if (!isDead) return
    if (!isStarted) town.startPaging()
    isStarted = true
    await town.poll()
    await town.passSeconds(30)
  }
  await life(60)
  await life(6 * 60)
  if (by === null) await changeAlert(town, id, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
  await life(60)
  return { commits, town, id }
}

const ways = [
  ['acknowledged in Slack', null, ['triggered', 'triggered', 'acknowledged', 'resolved']],
  ['acknowledged in the pager', 'Ana', ['triggered', 'resolved']],
] as const

test.each(ways)(
  'killed at any commit, before or after it is on disk, %s: every event is heard once, in order',
  {
    timeout: 600_000,
  },
  async (_, by, told) => {
    const { commits, id: first, town: undisturbed } = await passes(0, null, by)
    expect(undisturbed.pager.heard()).toEqual(told.map((type) => `${type} ${first}`))
    expect(commits).toBeGreaterThan(2 * told.length)
    for (let at = 1; at <= commits; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const { town, id } = await passes(at, when, by)
        expect(town.pager.heard(), `${at} ${when}`).toEqual(told.map((type) => `${type} ${id}`))
        expect(town.pager.incidents(), `${at} ${when}`).toBe(1)
        expect(await town.pages(), `${at} ${when}`).toEqual([])
        const [alert] = await town.store.recallByIds([id])
        expect(alert?.ackedBy, `${at} ${when}`).toBe(by === null ? 'U1' : 'Ana (in the pager)')
      }
    }
  },
)

/** The whole bot, with a pager that is away: what is decided goes through the outbox, which looks once more before it posts. */
async function wholeBot() {
  const fate: { now: Fate } = { now: 'ok' }
  const world = await bareWorld(() => fate.now)
  const { clock, chat } = world
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  const pager = modelPager()
  pager.will('away')
  const reminders = { steps: [paging(0)], flapSettleMs: null, staleAckAfterMs: null }
  const bot = await openBotInMemory({ ...world, monitor: service.monitor, pager, settings: { reminders } })
  await bot.start()
  const passSeconds = (seconds: number) => letPass(clock, seconds * 1_000)
  await passSeconds(1)
  return {
    ...world,
    pager,
    fate,
    passSeconds,
    opens: async (hostname: string) => {
      const alertId = service.open({ hostname })
      await passSeconds(20)
      return alertId
    },
    acknowledge: (alertId: string) =>
      changeAlert(world, alertId, { ackedBy: 'U1', ackedMs: world.clock.nowMs() }),
    /** What was posted about the pager, each with the alerts that it names. */
    said: () =>
      chat.messages.flatMap(({ view }) => {
        if (view.kind !== 'notice') return []
        const alerts = 'alerts' in view ? view.alerts.map(({ hostname }) => hostname) : []
        return [[nameOf(view), ...alerts].join(' ')]
      }),
  }
}

test('a call that is acknowledged before it is news leaves the notice to the next one', async () => {
  const town = await wholeBot()
  const alertId = await town.opens('web-1')
  await town.acknowledge(alertId)
  await town.passSeconds(10 * 60)
  // That it is over cannot be told either; nobody waits for a call.
  expect(town.said()).toEqual([])
  await town.opens('web-2')
  await town.passSeconds(3 * 60)
  expect(town.said()).toEqual(['page_failed web-2'])
  town.pager.will('ok')
  await town.passSeconds(2 * 60)
  expect(town.said()).toEqual(['page_failed web-2', 'page_works'])
})

test('a notice stands though somebody is on its alerts before Slack takes it: the channel is told no second time', async () => {
  const town = await wholeBot()
  // The card of the alert is tried again and again, and nothing behind it.
  town.fate.now = 'refused_for_now'
  const alertId = await town.opens('web-1')
  await town.passSeconds(3 * 60)
  await town.acknowledge(alertId)
  town.fate.now = 'ok'
  await town.passSeconds(5 * 60)
  expect(town.said()).toEqual(['page_failed web-1'])
  await town.opens('web-2')
  await town.passSeconds(5 * 60)
  town.pager.will('ok')
  await town.passSeconds(2 * 60)
  expect(town.said()).toEqual(['page_failed web-1', 'page_works'])
})

test.each([
  ['a silence', 'silence', 'page_failed'],
  ['another alert, which nobody decided', 'inhibition', 'page_failed web-1'],
] as const)(
  'hidden by %s while its notice waits: the notice calls for it as the pager would',
  async (_, kind, said) => {
    const town = await wholeBot()
    town.fate.now = 'refused_for_now'
    const alertId = await town.opens('web-1')
    await town.passSeconds(3 * 60)
    const hiding = { kind, id: null, by: null, untilMs: null, why: null, isOurs: false }
    await changeAlert(town, alertId, { mutedBy: [hiding] })
    town.fate.now = 'ok'
    await town.passSeconds(90)
    expect(town.said()).toEqual([said])
  },
)
