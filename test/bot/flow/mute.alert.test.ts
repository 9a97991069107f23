/** One alert is muted without its neighbours: by monbot alone on the plain API, at a service that can, and always with its end. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { isHidden } from '../../../src/bot/domain/mute/mute.ts'
import { troubleSubject } from '../../../src/bot/domain/mute/subject.ts'
import { alertMutesMax } from '../../../src/bot/domain/mute/wide.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import type { ChangeOf } from '../../../src/bot/domain/request/actions.ts'
import type { MuteEnd } from '../../../src/bot/domain/request/named.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { openHeldMutes } from '../../../src/bot/flow/mute/held.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { anAlertMute } from '../../support/acting-rows.ts'
import {
  type ActingOptions,
  actingWorld,
  aSilence,
  hourMs,
  minuteMs,
  muting,
  mutingAccountOver,
  scriptedMonitor,
  undoing,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, letPass, opening, someDetails } from '../../support/delivery-world.ts'
import { runningWorld } from '../../support/expiry-world.ts'
import { keptJournal } from '../../support/journal.ts'

const disk = {
  hostname: 'db-1',
  serverName: 'db-1',
  plugin: 'Disk',
  metric: 'disk_used',
  title: 'Disk /data full',
}
const at = { canMute: true, trouble: 't1', labels: { namespace: 'pay' } }

function mutingAlert(over: Partial<ChangeOf<'mute_alert'>> = {}): ChangeOf<'mute_alert'> {
  const end: MuteEnd = { kind: 'for', ms: hourMs }
  return { kind: 'mute_alert', alert: '#1', end, reason: 'known', shown: null, ...over }
}

/** An alert, and its neighbour on the same server. */
async function diskWorld(over: Partial<Alert> = {}, options: ActingOptions = {}) {
  const world = await actingWorld(options)
  const alert = anAlert('1', { ...disk, ...over })
  const neighbour = anAlert('2', { ...disk, plugin: 'CPU', title: 'CPU busy' })
  await world.store.commit(opening([alert, neighbour], 'C0OPS', world.clock.nowMs()))
  const hidden = async (one: Alert) => isHidden(one, (await world.store.mutes()).mutes)
  return { ...world, alert, neighbour, hidden }
}

function as<Kind extends Reply['kind']>(reply: Reply, kind: Kind): Extract<Reply, { kind: Kind }> {
  if (reply.kind !== kind) expect.fail(JSON.stringify(reply))
  return reply as Extract<Reply, { kind: Kind }>
}

const said = (reply: Reply) => renderReply(reply)?.text ?? ''

describe('on the plain API', () => {
  test('it is hidden by monbot alone, which says so, and no request is made', async () => {
    const world = await diskWorld()
    const reply = as(await world.does(mutingAlert()), 'muted')
    expect(said(reply)).toMatch(/^🔕 Disk.* on db-1 is muted until .* — known\n/)
    expect(said(reply)).toContain('Only this alert. Slack only: the monitoring still notifies others.')
    expect(said(reply)).toContain('Hides 1 open alert (1 last week).')
    expect(world.calls).toEqual([])
    expect(await world.hidden(world.alert)).toBe(true)
    expect(await world.hidden(world.neighbour)).toBe(false)
    expect(await world.mutes()).toMatchObject([{ state: 'active', confirmation: 'confirmed' }])
    expect(await world.audit()).toMatchObject([
      { act: 'mute_alert', outcome: 'done', hostname: 'db-1', alertId: '1' },
    ])
    expect(await world.store.noticesOf('change_notice')).toHaveLength(1)
  })

  test('it also covers the trouble under another number, and ends with /mon unmute of that one', async () => {
    const world = await diskWorld()
    await world.does(mutingAlert())
    const again = anAlert('9', disk)
    await world.store.commit(opening([again], 'C0OPS', world.clock.nowMs()))
    expect(await world.hidden(again)).toBe(true)
    const reply = await world.does({ kind: 'unmute_alert', alert: '#9' })
    expect(said(reply)).toMatch(/is unmuted: it notifies again\.$/)
    expect(await world.mutes()).toEqual([])
    expect(world.calls).toEqual([])
    expect((await world.audit()).map(({ act, outcome }) => `${act} ${outcome}`).sort()).toEqual([
      'mute_alert done',
      'unmute_alert done',
    ])
  })

  test('an API that is away keeps nobody from muting and unmuting it', async () => {
    const world = await diskWorld()
    world.script.next = 503
    await world.does(muting('web-7'))
    expect(await world.does(mutingAlert())).toMatchObject({ kind: 'muted' })
    expect(await world.does({ kind: 'unmute_alert', alert: '1' })).toMatchObject({ isSure: true })
    expect(world.calls).toEqual(['server web-7 off'])
  })

  test('what becomes critical is shown, though it was muted as a warning', async () => {
    const world = await diskWorld()
    await world.does(mutingAlert())
    expect(await world.hidden({ ...world.alert, severity: 'critical' })).toBe(false)
  })

  test('it is undone within its minute, and a longer mute goes back to what it was', async () => {
    const world = await diskWorld()
    await world.does(mutingAlert())
    const [first] = await world.mutes()
    await world.does(mutingAlert({ end: { kind: 'for', ms: 3 * hourMs } }))
    const [second] = await world.mutes()
    expect(await world.does(undoing(second))).toMatchObject({ kind: 'undone', isSure: true })
    expect(await world.mutes()).toMatchObject([{ untilMs: first?.untilMs }])
    await world.does({ kind: 'unmute_alert', alert: '1' })
    await world.does(mutingAlert())
    const [third] = await world.mutes()
    expect(said(await world.does(undoing(third)))).toMatch(/^↩️ Undone: Disk.* on db-1 is unmuted\./)
    expect(await world.mutes()).toEqual([])
  })

  test('labels are refused in a sentence', async () => {
    const world = await diskWorld()
    const reply = await world.does(mutingAlert({ alert: null, matchers: ['namespace="pay"'] }))
    expect(said(reply)).toContain('Only a service in front of an Alertmanager can mute by labels.')
  })
})

describe('at a service that can', () => {
  const service = { details: someDetails(at) }

  test('it is told under the id of the mute, until when, by whom and why; an extension renews that', async () => {
    const world = await diskWorld(service)
    const reply = as(await world.does(mutingAlert()), 'muted')
    expect(said(reply)).toContain('Only this alert, also under a new number.')
    const [mute] = await world.mutes()
    const told = () => world.script.held.get(mute?.muteId ?? '')
    expect(told()).toMatchObject({
      alert: '1',
      matchers: null,
      untilMs: mute?.untilMs,
      by: 'U0ANA',
      why: 'known',
    })
    await world.does({ kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs })
    const [longer] = await world.mutes()
    expect(longer).toMatchObject({ confirmation: 'confirmed', untilMs: (mute?.untilMs ?? 0) + hourMs })
    expect(told()).toMatchObject({ untilMs: longer?.untilMs })
    await world.does({ kind: 'unmute_alert', alert: null, muteId: mute?.muteId ?? '' })
    expect(world.script.held.size).toBe(0)
    expect(world.calls).toEqual(['mute #1', 'mute #1', `end ${mute?.muteId}`])
  })

  test('a refusal is told in its own words, and hides nothing', async () => {
    const world = await diskWorld(service)
    world.script.next = 422
    const reply = await world.does(mutingAlert())
    expect(reply).toMatchObject({ kind: 'failed', words: expect.stringContaining('wrong') })
    expect(await world.hidden(world.alert)).toBe(false)
    expect(await world.mutes()).toEqual([])
  })

  test('new terms that are refused leave the mute as the service holds it, and switch nothing on', async () => {
    const world = await diskWorld(service)
    await world.does(mutingAlert())
    const [mute] = await world.mutes()
    world.script.next = 422
    await world.does({ kind: 'extend_mute', muteId: mute?.muteId ?? '', ms: hourMs })
    expect(await world.mutes()).toMatchObject([{ state: 'active' }])
    expect(world.calls).toEqual(['mute #1', 'mute #1'])
  })

  test('without an answer it is hidden in Slack, says so, and is told until there is one', async () => {
    const world = await diskWorld(service)
    world.script.next = 503
    expect(said(await world.does(mutingAlert()))).toContain(
      'The monitoring API has not confirmed it yet; still trying.',
    )
    expect(await world.hidden(world.alert)).toBe(true)
    expect(await world.mutes()).toMatchObject([{ confirmation: 'waiting' }])
  })

  test('labels are asked about first: how many now, and that new ones are muted too', async () => {
    const world = await diskWorld(service)
    world.script.preview = { matchers: ['namespace=~"pay-.*"'], alerts: ['1'], hides: 7 }
    const asked = await world.does(mutingAlert({ alert: null, matchers: ['namespace=~"pay-.*"'] }))
    // Signs that Slack reads as markup stand for themselves.
    expect(said(asked)).toMatch(/^Mute namespace=∼"pay-\.∗" until .*\?/)
    expect(said(asked)).toContain('Hides 7 open alerts, and new ones that match.')
    expect(world.calls).toEqual([])
    expect(await world.confirms(asked)).toMatchObject({ kind: 'muted' })
    expect(world.calls).toEqual(['mute namespace=~"pay-.*"'])
    const [mute] = await world.mutes()
    const by = { kind: 'silence', by: null, untilMs: null, why: null, isOurs: true } as const
    const other = anAlert('5', { mutedBy: [{ ...by, id: mute?.muteId ?? '' }] })
    expect(await world.hidden(other)).toBe(true)
    expect(
      await world.does({ kind: 'unmute_alert', alert: null, matchers: ['namespace=~"pay-.*"'] }),
    ).toMatchObject({
      kind: 'unmuted',
    })
    expect(await world.mutes()).toEqual([])
  })

  test('edited matchers that the Alertmanager refuses are refused in its words', async () => {
    const world = await diskWorld(service)
    world.script.preview = new OutsideFailure(
      'rejected',
      'the monitoring API returned HTTP 422: bad matcher',
      { status: 422 },
    )
    const reply = await world.does(mutingAlert({ matchers: ['=='] }))
    expect(reply).toMatchObject({ kind: 'failed', words: expect.stringContaining('bad matcher') })
  })
})

test('somebody ended it at the Alertmanager: two lists minutes apart show it, and everybody is told', async () => {
  const world = await diskWorld({ details: someDetails(at) })
  await world.does(mutingAlert())
  const { monitor, script } = scriptedMonitor()
  const { clock, store } = world
  const none = { cards: [], joins: [], withdrawn: [], pictures: [] }
  const hidden = { plan: async () => none, sweep: async () => false, move: async () => 'stale' as const }
  const told: string[] = []
  const watch = openHeldMutes({
    ...{ store, monitor, hidden, clock, lastPollMs: clock.nowMs, onChanged: () => told.push('changed') },
    logger: keptJournal(),
  })
  watch.start()
  onTestFinished(() => watch.stop())
  const pass = (minutes: number) => letPass(clock, minutes * minuteMs)
  const state = async () => (await world.store.mutes()).mutes.map((mute) => `${mute.state} ${mute.endedBy}`)
  const [mute] = await world.mutes()
  script.silences = [aSilence({ id: mute?.muteId ?? '', isOurs: true })]
  await pass(10)
  expect(await state()).toEqual(['active null'])
  script.silences = []
  script.silencesFail = 503
  await pass(10)
  expect(await state()).toEqual(['active null'])
  script.silencesFail = null
  await pass(4)
  expect(await state()).toEqual(['active null'])
  await pass(3)
  expect(await state()).toEqual(['ended elsewhere'])
  expect(told).toEqual(['changed'])
})

describe('the whole account in front of an Alertmanager', () => {
  test('is muted by nobody whom the policy does not name, and unmuted by whoever may', async () => {
    const world = await diskWorld({ details: someDetails(at) }, { isAccountMuteUnset: true })
    const refused = await world.does(mutingAccountOver(2))
    expect(said(refused)).toMatch(
      /^🔒 In front of an Alertmanager nobody may mute the whole account unless the policy says who\./,
    )
    expect(said(refused)).toContain('`permissions: mute_account`')
    expect(await world.does({ kind: 'unmute_account' })).toMatchObject({ kind: 'unmuted' })
    expect(world.calls).toEqual(['account on'])
  })

  test.each([
    ['the policy names who may', { details: someDetails(at) }, {}],
    ['the API is the plain one', {}, { isAccountMuteUnset: true }],
  ])('is muted where %s', async (_, over, options) => {
    const world = await diskWorld(over, options)
    expect(await world.does(mutingAccountOver(2))).toMatchObject({ kind: 'account_muted' })
  })
})

test('a server and its alert are muted and unmuted each by itself, and each says what stays muted', async () => {
  const world = await diskWorld()
  await world.does(mutingAlert())
  await world.does(muting('db-1'))
  expect(await world.hidden(world.neighbour)).toBe(true)
  const server = await world.does(unmuting('db-1'))
  expect(said(server)).toBe('🔔 db-1 is unmuted: notifications are on again; 1 alert there stays muted.')
  expect(await world.hidden(world.neighbour)).toBe(false)
  expect(await world.hidden(world.alert)).toBe(true)
  await world.does(muting('db-1'))
  const alert = await world.does({ kind: 'unmute_alert', alert: '1' })
  expect(said(alert)).toMatch(/: it stays silent, as its server is muted until .*\.$/)
  expect(await world.hidden(world.alert)).toBe(true)
  expect(said(await world.does({ kind: 'unmute_alert', alert: '1' }))).toMatch(
    /has no mute of its own: db-1 is muted/,
  )
})

test('the mutes of an alert and of its server end each by itself: nothing is shown too early, nor hidden too long', async () => {
  const town = await runningWorld()
  const first = town.service.open({ hostname: 'web-1', metric: 'm1' })
  await town.pass(1)
  town.service.close(first)
  await town.pass(3)
  const [known = anAlert('1')] = await town.store.recallByIds([first])
  const nowMs = town.clock.nowMs()
  const untilMs = nowMs + 30 * minuteMs
  const times = { startedMs: nowMs, termsMs: nowMs, untilMs, channel: 'C1' }
  await town.store.commit({
    ...emptyPlan(nowMs),
    mutes: [{ mute: anAlertMute('m1', known, times), was: null }],
  })
  await town.mute('web-1', 15)
  const again = town.service.open({ hostname: 'web-1', metric: 'm1' })
  const neighbour = town.service.open({ hostname: 'web-1', metric: 'm2' })
  await town.pass(14)
  await town.said()
  await town.pass(2)
  expect((await town.said()).sort()).toEqual([`post ${neighbour} open`, 'post mute_ended'])
  await town.pass(30)
  // It is asked about before its end, and shown after it.
  const told = (await town.said()).filter((line) => line.startsWith('post'))
  expect(told).toContain(`post ${again} open`)
  expect(told).toContain('post mute_ended')
  expect(town.calls).toEqual(['web-1 on'])
  expect((await town.store.mutes()).mutes).toEqual([])
})

test(`one more than ${alertMutesMax} is refused in a sentence; one that is muted already is not one more`, async () => {
  const world = await diskWorld()
  const mutes = Array.from({ length: alertMutesMax }, (_, n) =>
    anAlertMute(`m${n}`, anAlert(String(n), { title: `Volume ${n} full` })),
  )
  await world.store.commit({
    ...emptyPlan(world.clock.nowMs()),
    mutes: mutes.slice(1).map((mute) => ({ mute, was: null })),
  })
  expect(await world.does(mutingAlert())).toMatchObject({ kind: 'muted' })
  expect(await world.does(mutingAlert({ end: { kind: 'for', ms: 2 * hourMs } }))).toMatchObject({
    kind: 'muted',
  })
  const refused = await world.does(mutingAlert({ alert: '2' }))
  expect(said(refused)).toMatch(/^500 alerts are muted by themselves already; that is the limit\./)
  expect((await world.mutes()).some(({ subject }) => subject === troubleSubject(world.neighbour))).toBe(false)
})
