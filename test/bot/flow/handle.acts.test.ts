/** Roles, deletions, acknowledgements, notes and forms: what each says, asks and leaves. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/bot/domain/request/actions.ts'
import type { FormName } from '../../../src/bot/domain/request/named.ts'
import { oddRoles } from '../../../src/bot/domain/request/nearest.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { idOf } from '../../../src/bot/slack/render/text/list-lines.ts'
import { actingOn, actingWorld } from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { anAlert, closing } from '../../support/delivery-world.ts'
import { rowsIn } from '../../support/rows-in.ts'

const withAlerts = () =>
  actingOn(anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'web-1' }), anAlert('3'))

describe('roles', () => {
  const adding = (roles: string[]): Change => ({
    kind: 'add_roles',
    server: { by: 'name', name: 'web-1' },
    roles,
  })

  test('are told apart: there already, there and added, new', async () => {
    const world = await actingWorld()
    world.script.roles.set('db', ['db-1'])
    const reply = await world.does(adding([' db ', 'web', 'canary', 'db']))
    expect(reply).toEqual({
      kind: 'done',
      act: 'add_roles',
      server: 'web-1',
      roles: ['db', 'canary'],
      created: ['canary'],
      already: ['web'],
    })
    expect(world.calls).toEqual(['roles web-1 db,canary'])
    expect(await world.store.noticesOf('change_notice')).toHaveLength(1)
    expect(await world.audit()).toMatchObject([{ outcome: 'done', detail: { roles: ['db', 'canary'] } }])
  })

  test('that the server has all of are not asked for', async () => {
    const world = await actingWorld()
    expect(await world.does(adding(['web']))).toMatchObject({ roles: [], already: ['web'] })
    expect(world.calls).toEqual([])
    expect(await world.audit()).toMatchObject([{ outcome: 'nothing' }])
  })

  test('that cannot be read are not added blindly', async () => {
    const world = await actingWorld()
    world.script.rolesFail = true
    expect(await world.does(adding(['db']))).toMatchObject({ kind: 'failed', isUnknown: false })
    expect(world.calls).toEqual([])
  })

  test.each([[['']], [['a,b']], [[]], [Array.from({ length: 21 }, (_, n) => `r${n}`)]])(
    '%j is refused',
    async (names) => {
      const world = await actingWorld()
      expect(await world.does(adding(names))).toMatchObject({ kind: 'refused', refusal: { why: 'invalid' } })
    },
  )
})

describe('deletions', () => {
  test('ask for the name again', async () => {
    const world = await actingWorld()
    const server = await world.does({ kind: 'delete_server', server: 'web-1', typed: null })
    expect(server).toMatchObject({ kind: 'form', form: { name: 'delete_server', given: 'web-1' } })
    const metrics = await world.does({ kind: 'delete_metrics', names: ['a', 'b'], typed: null })
    expect(metrics).toMatchObject({ kind: 'form', form: { name: 'delete_metrics', given: 'a, b' } })
    expect([world.calls, await world.audit()]).toEqual([[], []])
  })

  test.each([
    [{ kind: 'delete_server', server: 'web-1', typed: 'WEB-1' }, 'name_differs'],
    [{ kind: 'delete_server', server: 'web-1', typed: '' }, 'name_differs'],
    [{ kind: 'delete_metrics', names: ['a', 'b'], typed: 'a' }, 'name_differs'],
    [{ kind: 'delete_metrics', names: ['a b'], typed: 'ab' }, 'name_differs'],
    [{ kind: 'delete_metrics', names: [], typed: '' }, 'invalid'],
    [
      { kind: 'delete_metrics', names: Array.from({ length: 21 }, (_, n) => `m${n}`), typed: null },
      'invalid',
    ],
  ] as [Change, string][])('%j: %s', async (change, why) => {
    const world = await actingWorld()
    expect(await world.does(change)).toMatchObject({ kind: 'refused', refusal: { why } })
    expect(world.calls).toEqual([])
    expect(await world.audit()).toMatchObject([{ outcome: 'refused', why }])
  })

  test('of metrics take spaces beside the commas', async () => {
    const world = await actingWorld()
    const change = { kind: 'delete_metrics', names: ['a', 'b'], typed: ' a ,b ' } as const
    expect(await world.does(change)).toEqual({ kind: 'done', act: 'delete_metrics', names: ['a', 'b'] })
  })
})

describe('an alert', () => {
  test('is acknowledged by its id, or by its server where that has one open alert', async () => {
    const world = await withAlerts()
    expect(await world.does({ kind: 'acknowledge', alert: '#2' })).toMatchObject({
      kind: 'done',
      act: 'acknowledge',
      alert: { alertId: '2', ackedBy: 'U0ANA', ackedMs: world.clock.nowMs() },
    })
    expect(await world.does({ kind: 'acknowledge', alert: 'web-3' })).toMatchObject({
      alert: { alertId: '3' },
    })
    expect(await world.store.cardById('alert:2:C0OPS')).toMatchObject({ version: 2 })
    const many = await world.does({ kind: 'acknowledge', alert: 'web-1' })
    expect(many).toMatchObject({ refusal: { why: 'many_alerts', topic: 'ack', alerts: [{}, {}] } })
    // The command to be typed next is the one that was asked for: another one would do something else.
    for (const [kind, topic] of [
      ['take_over', 'take'],
      ['unacknowledge', 'unack'],
    ] as const) {
      const asked = await world.does({ kind, of: { by: 'alert', alert: 'web-1' } })
      expect(asked).toMatchObject({ refusal: { why: 'many_alerts', topic } })
    }
    const none = await world.does({ kind: 'acknowledge', alert: 'web-9' })
    expect(none).toMatchObject({ kind: 'refused', refusal: { why: 'unknown_alert', alert: 'web-9' } })
    // A line in the thread of each; nothing more is said in the channel.
    const told = await world.store.noticesOf('change_notice')
    expect(told.map(({ parentId }) => parentId)).toEqual(['alert:2:C0OPS', 'alert:3:C0OPS'])
  })

  test('whose number nobody types is called by as much of its end as is nobody else’s', async () => {
    const numbers = ['1764112318398', '1764112328398', '1764112300042', '42', '398']
    const world = await actingOn(...numbers.map((number) => anAlert(number, { hostname: `web-${number}` })))
    const all = await world.store.recallByIds(numbers)
    const called = new Map(all.map((alert) => [alert.alertId, idOf(alert)]))
    expect(numbers.map((number) => called.get(number))).toEqual([
      '#…8398',
      '#…28398',
      '#…0042',
      '#42',
      '#398',
    ])
    const meant = async (alert: string) => {
      const reply = await world.does({ kind: 'acknowledge', alert })
      return reply.kind === 'done' && reply.act === 'acknowledge' ? reply.alert.alertId : reply
    }
    // What a card says means that card, with or without its marks; a whole number is a number.
    expect(await meant('#…8398')).toBe('1764112318398')
    expect(await meant('28398')).toBe('1764112328398')
    expect(await meant('#...0042')).toBe('1764112300042')
    expect(await meant('1764112328398')).toBe('1764112328398')
    expect(await meant('#42')).toBe('42')
    expect(await meant('#398')).toBe('398')
    // Any other ending does as well where it is one alert's; of several the person says which.
    expect(await meant('118398')).toMatchObject({ refusal: { why: 'unknown_alert' } })
    expect(await meant('2318398')).toBe('1764112318398')
    expect(await meant('#…17641123')).toMatchObject({ refusal: { why: 'unknown_alert' } })
    expect(await meant('#99')).toMatchObject({ refusal: { why: 'unknown_alert' } })
  })

  test('of which several end alike is asked about, unless one of them alone is open', async () => {
    const [one, two] = ['1764112310777', '1764112320777'].map((number) =>
      anAlert(number, { hostname: number }),
    )
    if (one === undefined || two === undefined) throw new Error('there are two')
    const world = await actingOn(one, two)
    const asked = await world.does({ kind: 'acknowledge', alert: '777' })
    expect(asked).toMatchObject({
      refusal: { why: 'many_alerts', server: null, topic: 'ack', alerts: [{}, {}] },
    })
    const said = renderReply(asked)
    expect(said?.text).toMatch(/Several alerts end so\. Which one\? `\/mon ack #…/)
    expect(said?.blocks.at(-1)).toMatchObject({
      elements: [{ value: expect.stringMatching(/^ack "#\d{13}"$/) }, {}],
    })
    await world.store.commit(closing(two, world.clock.nowMs()))
    expect(await world.does({ kind: 'acknowledge', alert: '777' })).toMatchObject({
      alert: { alertId: one.alertId },
    })
  })

  test('that the person holds already stays so, and says so in the audit', async () => {
    const world = await withAlerts()
    await world.does({ kind: 'acknowledge', alert: '1' })
    expect(await world.does({ kind: 'acknowledge', alert: '1' })).toMatchObject({
      kind: 'done',
      act: 'acknowledge',
    })
    expect((await world.audit()).map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'nothing'])
  })

  test('gets its notes in the thread of each of its cards, also when it is closed', async () => {
    const world = await withAlerts()
    const [alert] = await world.store.recallByIds(['3'])
    if (alert !== undefined) await world.store.commit(closing(alert, world.clock.nowMs()))
    const reply = await world.does({ kind: 'add_note', alert: '3', text: ' the disk was full ' })
    expect(reply).toMatchObject({ kind: 'done', act: 'add_note', text: 'the disk was full' })
    const notes = await world.store.cardsOfKind('note')
    expect(notes).toMatchObject([{ channel: 'C0OPS', parentId: 'alert:3:C0OPS' }])
    const written = await rowsIn(world.store, 'select user_id, text from notes')
    expect(written).toEqual([{ user_id: 'U0ANA', text: 'the disk was full' }])
    expect(await world.does({ kind: 'add_note', alert: '3', text: ' ' })).toMatchObject({ kind: 'refused' })
  })
})

describe('a form', () => {
  test('of an alert knows what a mute of its server hides', async () => {
    const world = await withAlerts()
    const reply = await world.does({ kind: 'open_form', form: 'mute_server', alertId: '1', given: null })
    expect(reply).toMatchObject({
      kind: 'form',
      form: { alert: { alertId: '1' }, hidesNow: 2, hidLastWeek: 2, maxMs: 30 * 24 * 3_600_000 },
    })
  })

  test('of a marker begins with the alert', async () => {
    const world = await withAlerts()
    const reply = await world.does({ kind: 'open_form', form: 'add_marker', alertId: '3', given: null })
    const prefill = 'Load Average: last minute on web-3 (#3)'
    expect(reply).toMatchObject({ kind: 'form', form: { prefill } })
  })

  test('of an alert that nobody knows says so', async () => {
    const world = await actingWorld()
    const reply = await world.does({ kind: 'open_form', form: 'add_note', alertId: '9', given: null })
    expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'unknown_card', alert: '9' } })
  })

  const forms: FormName[] = ['mute_server', 'add_roles', 'delete_server', 'delete_metrics', 'mute_account']
  test.each(forms)('is not opened for who may not send it: %s', async (form) => {
    const nobody = Object.fromEntries(Object.keys(everyone).map((name) => [name, 'nobody']))
    const world = await actingWorld({ permissions: { ...everyone, ...nobody } })
    const reply = await world.does({ kind: 'open_form', form, alertId: null, given: 'web-1' })
    expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'not_permitted', act: form } })
    expect(await world.audit()).toMatchObject([{ act: form, outcome: 'refused', why: 'not_permitted' }])
  })
})

const adding = (...roles: string[]): Change => ({
  kind: 'add_roles',
  server: { by: 'name', name: 'db-1' },
  roles,
})

test.each([
  ['db-primry', 'db-primary'],
  ['DB-primary', 'db-primary'],
  ['my role', null],
  ['-web', null],
  ['prod;drop', null],
  ['r'.repeat(41), null],
])('%j is an odd name', (role, similar) => {
  expect(oddRoles([role], ['db-primary', 'web-1', 'canary'])).toEqual([{ role, similar }])
})

test.each(['edge', 'web-2', 'db', 'db-primary-eu', '__proto__', 'größe', 'team/db'])('%j is not', (role) => {
  expect(oddRoles([role], ['db-primary', 'web-1', 'canary'])).toEqual([])
})

async function world() {
  const acting = await actingOn(anAlert('1', { hostname: 'db-1', roles: ['old'] }))
  acting.script.roles.set('db-primary', [])
  return acting
}

test('a slip is asked about before anything is added; one answer adds the role that was meant', async () => {
  const { does, calls, store, audit } = await world()
  const asked = await does(adding('db-primry', 'web'))
  expect(asked).toMatchObject({ kind: 'confirm_roles', odd: [{ role: 'db-primry', similar: 'db-primary' }] })
  expect([calls, await audit()]).toEqual([[], []])
  const pendingId = asked.kind === 'confirm_roles' ? (asked.instead?.pendingId ?? '') : ''
  expect(await does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'done', created: [] })
  expect(calls).toEqual(['roles db-1 web,db-primary'])
  expect(await store.recallByIds(['1'])).toMatchObject([{ roles: ['old', 'web', 'db-primary'] }])
})

test('the other answer makes the role as it was typed, and only who was asked can answer', async () => {
  const { does, calls } = await world()
  const asked = await does(adding('my role'))
  expect(asked).toMatchObject({ kind: 'confirm_roles', odd: [{ role: 'my role', similar: null }] })
  const pendingId = asked.kind === 'confirm_roles' ? asked.pendingId : ''
  expect(asked).not.toHaveProperty('instead')
  expect(await does({ kind: 'confirm', pendingId }, { userId: 'U0BEN' })).toMatchObject({ kind: 'refused' })
  expect(await does({ kind: 'confirm', pendingId })).toMatchObject({ kind: 'done', created: ['my role'] })
  expect(calls).toEqual(['roles db-1 my role'])
})

test('an open card shows the roles that were added, and stays in its channel', async () => {
  const { does, store } = await world()
  const cards = await store.cardsOf(['1'])
  const before = cards[0]?.version ?? 0
  await does(adding('edge'))
  const [card, ...others] = await store.cardsOf(['1'])
  expect(others).toEqual([])
  expect(card).toMatchObject({ channel: 'C0OPS' })
  expect(card?.version).toBeGreaterThan(before)
  expect(await store.recallByIds(['1'])).toMatchObject([{ roles: ['old', 'edge'] }])
})
