/** What a crash, or an API that fails, once left behind when somebody acted: each test is the sentence of a bug. */
import { expect, test } from 'vitest'
import { expiringCard } from '../../../src/bot/domain/card/thread-cards.ts'
import type { Plan } from '../../../src/bot/domain/plan.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import type { OpenStore } from '../../../src/bot/store/open/open-store.ts'
import { actingWorld, hourMs, minuteMs, muting, pendingOf, showing } from '../../support/acting-world.ts'
import { letPass, opening } from '../../support/delivery-world.ts'
import { memoryStore, mortal } from '../../support/memory-store.ts'

type World = Awaited<ReturnType<typeof actingWorld>>

const servers = (count: number) => Array.from({ length: count }, (_, n) => `s-${n}`)
const wide = (count: number) => muting(servers(count), { shown: showing(...servers(count)) })

const two = muting(['web-1', 'web-2'])
const press = { via: 'button' } as const

async function told(world: World) {
  const audit = await world.audit()
  const cards = await world.store.noticesOf('change_notice')
  return cards.map(({ subjectId }) => audit.find(({ auditId }) => auditId === subjectId))
}

test('a time-out while fifty servers are muted went on for eight minutes', async () => {
  const world = await actingWorld()
  world.script.next = 'time-out'
  const reply = await world.does(wide(50))
  expect(world.calls.length).toBeLessThanOrEqual(4)
  if (reply.kind !== 'muted') throw new Error(`Its results were expected; came ${reply.kind}`)
  // They are muted, and the API hears of it as soon as it can.
  expect(reply.results.filter(({ mute }) => mute?.confirmation === 'waiting')).toHaveLength(50)
  expect(await world.store.switches()).toHaveLength(50)
  const [row] = await world.audit()
  expect(row).toMatchObject({
    outcome: 'unknown',
    why: 'unanswered',
    hostname: null,
    detail: { mode: 'timed' },
  })
  expect(row?.detail.names).toHaveLength(50)
})

test('“Nothing was muted” was said of servers that may be muted', async () => {
  const world = await actingWorld()
  world.script.answerTo = (call) => (call.includes('s-1 ') ? 'time-out' : 200)
  const some = renderReply(await world.does(wide(3)))?.text ?? ''
  expect(some).toContain('3 servers are muted')
  expect(some).toContain('The monitoring API has not confirmed 1 of them yet; still trying.')
  world.script.answerTo = () => 'time-out'
  const none = renderReply(await world.does(muting(['a', 'b'], { shown: showing('a', 'b') })))?.text ?? ''
  expect(none).toContain('2 servers are muted in Slack')
  expect(none).toContain('The monitoring API has not confirmed them yet; still trying.')
  expect(none).not.toContain('Nothing was muted')
})

test('fifty servers were tried though the API refused the first (401)', async () => {
  const world = await actingWorld()
  world.script.next = 401
  expect(await world.does(wide(50))).toMatchObject({ kind: 'failed', isUnknown: false })
  expect(world.calls.length).toBeLessThanOrEqual(4)
  expect(await world.mutes()).toEqual([])
})

test('fifty servers were tried though the API refused the first (refused)', async () => {
  const world = await actingWorld()
  world.script.next = 'refused'
  expect(await world.does(wide(50))).toMatchObject({ kind: 'muted', results: { length: 50 } })
  expect(world.calls.length).toBeLessThanOrEqual(4)
  expect(await world.mutes()).toHaveLength(50)
})

test('one server after another was muted, so that one that hangs held up all', async () => {
  const world = await actingWorld()
  const hangs = Promise.withResolvers<void>()
  world.script.meanwhile = (call) => (call.includes('s-0 ') ? hangs.promise : Promise.resolve())
  const muting = world.does(wide(12))
  await expect
    .poll(async () => {
      world.clock.advance(1_000)
      return (await world.mutes()).filter(({ confirmation }) => confirmation === 'confirmed').length
    })
    .toBe(11)
  hangs.resolve()
  expect(await muting).toMatchObject({ kind: 'muted' })
  const names = (await told(world))[0]?.detail.names
  expect(names).toEqual(servers(12))
})

test.each([1, 3, 5])(
  'a crash while several were being muted left mutes that nobody was told of (after %i of them)',
  async (count) => {
    const store = await memoryStore()
    let confirmed = 0
    const isConfirmation = (plan: Plan) => plan.mutes.some(({ mute }) => mute.confirmation === 'confirmed')
    const dying = await actingWorld({
      store,
      wrap: (inner) =>
        mortal(
          inner,
          (name, [plan]) => name === 'commit' && isConfirmation(plan as Plan) && ++confirmed > count,
        ).wrapped,
    })
    await dying.does(wide(9))
    const live = (await dying.mutes()).filter(({ confirmation }) => confirmation === 'confirmed')
    expect(live.length).toBeGreaterThanOrEqual(count)
    const [entry, ...others] = await told(dying)
    expect(others).toEqual([])
    expect(entry?.detail.names?.toSorted()).toEqual(live.map(({ subject: hostname }) => hostname).toSorted())
  },
)

test('a crash while a server was muted again left terms that nobody was told of', async () => {
  const store = await memoryStore()
  const before = await actingWorld({ store })
  await before.does(muting('web-1'))
  let commits = 0
  const wrap = (inner: OpenStore) => mortal(inner, (name) => name === 'commit' && ++commits > 1).wrapped
  const dying = await actingWorld({ store, wrap })
  await dying.does(muting('web-1', { end: { kind: 'unmuted' }, shown: showing('web-1') }))
  expect(dying.calls).toEqual(['server web-1 off'])
  // They are on disk, and everybody is told of them once the API has confirmed them to the next start.
  expect(await dying.mutes()).toMatchObject([{ mode: 'open', confirmation: 'waiting' }])
  const next = await actingWorld({ store, isRunning: true })
  await letPass(next.clock, 0)
  expect(await next.mutes()).toMatchObject([{ mode: 'open', confirmation: 'confirmed' }])
  expect((await told(next)).map((entry) => entry?.detail.mode).toSorted()).toEqual(['open', 'timed'])
})

test('a change that the API made was not in the audit when the process died before it was written', async () => {
  for (const change of [
    { kind: 'delete_server', server: 'web-1', typed: 'web-1' },
    { kind: 'add_roles', server: { by: 'name', name: 'web-1' }, roles: ['db'] },
    { kind: 'add_marker', text: 'deploy' },
    { kind: 'set_no_data', server: 'web-1', group: 'ops' },
    { kind: 'unmute_account' },
  ] as const) {
    const store = await memoryStore()
    let commits = 0
    const wrap = (inner: OpenStore) => mortal(inner, (name) => name === 'commit' && ++commits > 1).wrapped
    const dying = await actingWorld({ store, wrap })
    await dying.does(change)
    expect(dying.calls).toHaveLength(1)
    expect(await dying.audit()).toMatchObject([{ act: change.kind, outcome: 'unknown', why: 'unanswered' }])
  }
})

test('a receipt whose confirmation a crash swallowed could not be confirmed for a day', async () => {
  const store = await memoryStore()
  const first = await actingWorld({
    store,
    wrap: (inner) => mortal(inner, (name) => name === 'takePending').wrapped,
  })
  const asked = await first.does(two)
  await first.confirms(asked, press)
  const next = await actingWorld({ store })
  expect(await next.confirms(asked, press)).toMatchObject({ kind: 'muted' })
})

test('“Try again” after a confirmed mute had failed found that the question was gone', async () => {
  const world = await actingWorld()
  const asked = await world.does(two)
  const pendingId = pendingOf(asked)
  world.script.next = 401
  const failed = await world.confirms(asked, press)
  expect(failed).toMatchObject({ kind: 'failed', isUnknown: false, pendingId })
  // The receipt with its buttons is gone by then, so that the answer brings one.
  expect(JSON.stringify(renderReply(failed)?.blocks)).toContain(`"value":"${pendingId}"`)
  world.script.next = 200
  expect(await world.confirms(asked, press)).toMatchObject({ kind: 'muted' })
  expect(await world.confirms(asked, { keys: ['k'] })).toMatchObject({ kind: 'repeat' })
})

test('what may have been done, and must not be done twice, is not offered once more', async () => {
  const world = await actingWorld()
  world.script.next = 'time-out'
  const reply = await world.does({ kind: 'add_marker', text: 'deploy' })
  expect(reply).toMatchObject({ kind: 'failed', isUnknown: true })
  expect(reply).not.toHaveProperty('pendingId')
})

test.each([422, 401] as const)('who typed a mute that failed by %s had to type it again', async (answer) => {
  const world = await actingWorld()
  world.script.next = answer
  const failed = await world.does(muting('web-1'))
  const pendingId = failed.kind === 'failed' ? (failed.pendingId ?? '') : ''
  const again = { kind: 'confirm', pendingId } as const
  expect(await world.does(again, { via: 'button' })).toMatchObject({ kind: 'failed', pendingId })
  world.script.next = 200
  world.clock.advance(minuteMs)
  expect(await world.does(again, { via: 'button' })).toMatchObject({ kind: 'muted' })
  expect(await world.mutes()).toMatchObject([{ state: 'active', reason: 'deploying' }])
})

test('“Try again” shortened a mute that a colleague had made meanwhile, which a typed command asks about', async () => {
  const world = await actingWorld()
  world.script.next = 401
  const failed = await world.does(muting('web-1'))
  world.script.next = 200
  const long = muting('web-1', { end: { kind: 'unmuted' }, shown: showing('web-1') })
  await world.does(long, { userId: 'U0BEN' })
  const pendingId = failed.kind === 'failed' ? (failed.pendingId ?? '') : ''
  expect(await world.does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'confirm' })
})

test('two people’s “Extend 1 h” on one hand-back moved its end by two hours', async () => {
  const world = await actingWorld()
  await world.does(muting('web-1'))
  const [mute] = await world.mutes()
  if (mute === undefined) throw new Error('There is no mute')
  const card = expiringCard({ ...mute, cardId: null })
  await world.store.commit({ ...opening([], 'C0OPS', world.clock.nowMs()), cards: [card] })
  const press = (userId: string) =>
    world.does(
      { kind: 'extend_mute', muteId: mute.muteId, ms: hourMs },
      { userId, via: 'button', card: { cardId: card.cardId, version: 1 } },
    )
  const replies = await Promise.all([press('U0ANA'), press('U0BEN')])
  expect(replies.map(({ kind }) => kind).toSorted()).toEqual(['extended', 'stale'])
  const stale = replies.find(({ kind }) => kind === 'stale')
  const untilMs = (mute.untilMs ?? 0) + hourMs
  expect(stale).toMatchObject({
    changed: { what: 'extended', mute: { untilMs }, by: { act: 'extend_mute' } },
  })
  expect(stale === undefined ? '' : renderReply(stale)?.text).toContain('changed the mute of web-1')
  expect(await world.mutes()).toMatchObject([{ untilMs }])
  expect((await world.audit()).filter(({ outcome }) => outcome === 'nothing')).toMatchObject([
    { why: 'extended' },
  ])
})
