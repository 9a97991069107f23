/** Faults in how servers and alerts were found by their names: each test is named for what went wrong. */
import { describe, expect, test } from 'vitest'
import { standingOf } from '../../../src/bot/domain/mute/mute.ts'
import type { RolesRead } from '../../../src/bot/flow/ports/ports.ts'
import { serversMeant } from '../../../src/bot/flow/queries/query-ports.ts'
import { openServers } from '../../../src/bot/flow/servers.ts'
import {
  actingOn,
  actingWorld,
  minuteMs,
  muting,
  scriptedMonitor,
  showing,
  unmuting,
} from '../../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'

const muteDefault = { end: { kind: 'default' } } as const
const nothing = { reason: '' }

const shop = anAlert('1', { hostname: 'ip-10-0-0-7', serverName: 'Web shop' })

describe('a mute without an end took what was typed last as its reason', () => {
  test.each([
    ['web-2 2h', 'web-1', 'server', 'web-2', '/mon mute web-1,web-2 2h'],
    ['and WEB-2 until 15:00 backup', 'web-1', 'server', 'WEB-2', '/mon mute web-1,WEB-2 until 15:00 backup'],
    ['web-* is slow', 'db 1', 'server', 'web-*', '/mon mute "db 1",web-* is slow'],
    ['deploying 2h', 'web-1', 'end', '2h', '/mon mute web-1 2h deploying'],
    ['deploying for 2h', 'web-1', 'end', '2h', '/mon mute web-1 2h deploying'],
    [
      'backup 02:00-04:00 nightly',
      'web-1',
      'end',
      'from 02:00-04:00 nightly',
      '/mon mute web-1 from 02:00-04:00 nightly, backup',
    ],
    ['deploying until healthy', 'web-1', 'end', 'until healthy', '/mon mute web-1 until healthy deploying'],
  ])('%s', async (reason, server, what, came, command) => {
    const world = await actingWorld()
    const reply = await world.does(muting(server, { ...muteDefault, reason }))
    expect(reply).toEqual({ kind: 'refused', refusal: { why: 'misplaced', what, came, command } })
    expect(world.calls).toEqual([])
    expect(await world.audit()).toMatchObject([{ outcome: 'refused', why: 'misplaced' }])
  })

  test('also an end that nobody can read, and a command too long to be shown', async () => {
    const world = await actingWorld()
    const halves = ['deploy at 22:00 for 1h tomorrow', 'backup 22:00-23:00 utc']
    for (const reason of [
      ...halves,
      'deploying for two hours',
      'not until monday',
      `${'long '.repeat(80)}2h`,
    ]) {
      const reply = await world.does(muting('web-1', { ...muteDefault, reason }))
      expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'invalid', topic: 'mute' } })
    }
    expect(world.calls).toEqual([])
  })

  test.each(['deploying', 'the new disk', 'webshop release 2'])('%s stays a reason', async (reason) => {
    const world = await actingWorld()
    expect(await world.does(muting('web-1', { ...muteDefault, reason }))).toMatchObject({ kind: 'muted' })
    expect(await world.mutes()).toMatchObject([{ reason }])
  })

  test('and after an end anything may stand', async () => {
    const world = await actingWorld()
    expect(await world.does(muting('web-1', { reason: 'web-2 2h' }))).toMatchObject({ kind: 'muted' })
  })
})

describe('acknowledging and writing a note', () => {
  test('a mistyped server was “no alert”, without the name that was meant', async () => {
    const world = await actingOn(anAlert('1', { hostname: 'web-1', serverName: 'web-1' }))
    const reply = await world.does({ kind: 'acknowledge', alert: 'wbe-1' })
    expect(reply).toMatchObject({ refusal: { why: 'unknown_alert', alert: 'wbe-1' } })
    expect(reply).toMatchObject({ refusal: { similar: expect.arrayContaining(['web-1']) } })
  })

  test('a server in other case was unknown', async () => {
    const world = await actingOn(anAlert('7', { hostname: 'db-1', serverName: 'db-1' }))
    expect(await world.does({ kind: 'acknowledge', alert: 'DB-1' })).toMatchObject({
      kind: 'done',
      act: 'acknowledge',
      alert: { alertId: '7' },
    })
    expect(await world.audit()).toMatchObject([{ hostname: 'db-1', alertId: '7' }])
  })

  test('a server with nothing open was “no alert”', async () => {
    const first = anAlert('7', { hostname: 'db-1', serverName: 'db-1' })
    const world = await actingOn(first)
    await world.store.commit(closing(first, world.clock.nowMs()))
    expect(await world.does({ kind: 'acknowledge', alert: 'db-1' })).toMatchObject({
      refusal: { why: 'none_open', server: 'db-1', last: { alertId: '7', state: 'closed' } },
    })
    // Known from its role alone.
    expect(await world.does({ kind: 'acknowledge', alert: 'web-2' })).toMatchObject({
      kind: 'refused',
      refusal: { why: 'none_open', server: 'web-2', last: null },
    })
  })

  test('a note on a server with two open alerts was lost', async () => {
    const on = { hostname: 'db-2', serverName: 'db-2' }
    const world = await actingOn(anAlert('1', on), anAlert('2', on))
    const reply = await world.does({ kind: 'add_note', alert: 'db-2', text: ' swapped the disk ' })
    expect(reply).toMatchObject({ refusal: { why: 'many_alerts', note: 'swapped the disk' } })
    const acked = await world.does({ kind: 'acknowledge', alert: 'db-2' })
    expect(acked).not.toHaveProperty('refusal.note')
  })
})

describe('a server in other case, or by the name on its card, was unknown', () => {
  test('to a mute, an unmute and roles', async () => {
    const world = await actingOn(shop)
    await world.does(muting('web SHOP', nothing))
    await world.does(muting('WEB-2', nothing))
    expect((await world.mutes()).map(({ subject: hostname }) => hostname)).toEqual(['ip-10-0-0-7', 'web-2'])
    await world.does(unmuting('Web shop'))
    await world.does({ kind: 'add_roles', server: { by: 'name', name: 'Web-1' }, roles: ['db'] })
    await world.does({ kind: 'acknowledge', alert: 'web shop' })
    expect(world.calls).toEqual([
      'server ip-10-0-0-7 off',
      'server web-2 off',
      'server ip-10-0-0-7 on',
      'roles web-1 db',
    ])
    expect(await world.store.recallByIds(['1'])).toMatchObject([{ ackedBy: 'U0ANA' }])
  })

  test('and where two have that name, neither is taken', async () => {
    const other = anAlert('2', { hostname: 'ip-10-0-0-8', serverName: 'web shop' })
    const world = await actingOn(shop, other)
    world.script.next = 404
    const reply = await world.does(muting('Web shop', nothing))
    const similar = ['ip-10-0-0-7', 'ip-10-0-0-8']
    expect(reply).toMatchObject({ refusal: { why: 'unknown_server', server: 'Web shop', similar } })
  })

  test('and to what only asks', async () => {
    const { monitor } = scriptedMonitor()
    const store = await memoryStore()
    await store.commit(opening([shop], 'C0OPS', 1))
    const servers = openServers({ monitor, store, clock: manualClock(), logger: keptJournal() })
    const meant = { ok: true, hostnames: ['ip-10-0-0-7'] }
    expect(await serversMeant('web shop', { store, servers })).toEqual(meant)
    const refusal = { why: 'unknown_server', server: 'web shpo', similar: ['Web shop'], unread: null }
    expect(await serversMeant('web shpo', { store, servers })).toEqual({ ok: false, refusal })
  })

  test('but one that is known as it was typed stays it, however another one is called', async () => {
    const world = await actingOn(anAlert('1', { hostname: 'ip-10-0-0-7', serverName: 'web-1' }))
    await world.does(muting('web-1', nothing))
    expect(world.calls).toEqual(['server web-1 off'])
  })
})

describe('several servers could not be unmuted at once', () => {
  test('those that a glob means are, and everyone is told once', async () => {
    const world = await actingWorld()
    for (const name of ['web-1', 'web-2', 'db-1']) await world.does(muting(name))
    const before = (await world.store.noticesOf('change_notice')).length
    expect(await world.does(unmuting('web-*'))).toEqual({
      kind: 'unmuted',
      server: null,
      isSure: true,
      several: { servers: ['web-1', 'web-2'], left: [] },
    })
    expect(world.calls.slice(3)).toEqual(['server web-1 on', 'server web-2 on'])
    expect((await world.mutes()).map(({ subject: hostname }) => hostname)).toEqual(['db-1'])
    expect((await world.store.noticesOf('change_notice')).length).toBe(before + 1)
    const told = (await world.audit()).filter(({ detail }) => detail.names !== undefined)
    expect(told).toMatchObject([
      { act: 'unmute_server', hostname: null, detail: { names: ['web-1', 'web-2'] } },
    ])
  })

  test('what is not muted is named, and where nothing is, it is refused', async () => {
    const world = await actingWorld()
    await world.does(muting('web-1'))
    expect(await world.does(unmuting('WEB-1', 'web-2'))).toMatchObject({
      several: { servers: ['web-1'], left: ['web-2'] },
    })
    expect(await world.does(unmuting('web-*'))).toMatchObject({
      refusal: { why: 'not_muted', server: 'web-*' },
    })
  })

  test('a name that nobody knows was told as not muted, and what it was to mean stayed muted', async () => {
    const world = await actingWorld()
    await world.does(muting('web-1'))
    await world.does(muting('web-2'))
    expect(await world.does(unmuting('web-1', 'wbe-2'))).toMatchObject({
      refusal: {
        why: 'unknown_servers',
        act: 'unmute_server',
        servers: [{ server: 'wbe-2', similar: ['web-2', 'web-1'] }],
      },
    })
    expect((await world.mutes()).map(({ subject: hostname }) => hostname)).toEqual(['web-1', 'web-2'])
    world.script.rolesFail = true
    await letPass(world.clock, 2 * minuteMs)
    expect(await world.does(unmuting('web-1', 'wbe-2'))).toMatchObject({
      several: { servers: ['web-1'], left: ['wbe-2'] },
    })
  })

  test('while the API is away they are left to be ended later, and no more than a few are tried', async () => {
    const world = await actingWorld()
    const names = Array.from({ length: 30 }, (_, n) => `web-${n}`)
    await world.does(muting(names, { shown: showing(...names) }))
    world.script.next = 503
    expect(await world.does(unmuting('web-*'))).toMatchObject({ isSure: false, several: { left: [] } })
    expect(world.calls.filter((call) => call.endsWith(' on')).length).toBeLessThanOrEqual(4)
    expect((await world.mutes()).map(standingOf)).toEqual(names.map(() => 'ending'))
  })
})

async function known() {
  const { monitor, script } = scriptedMonitor()
  const store = await memoryStore()
  const clock = manualClock()
  const logger = keptJournal()
  let reads = 0
  const roles = async () => {
    reads += 1
    return monitor.roles()
  }
  const servers = openServers({ monitor: { roles }, store, clock, logger })
  return { servers, script, store, clock, logger, reads: () => reads }
}

test('servers are those of the roles and those of the alerts, each once', async () => {
  const { servers, store } = await known()
  const alerts = [anAlert('1', { hostname: 'web-1' }), anAlert('2', { hostname: 'db-1' })]
  await store.commit(opening(alerts, 'C0OPS', 1))
  expect(await servers.names()).toEqual(['db-1', 'web-1', 'web-2'])
  expect(await servers.similar(['bd-1'])).toEqual([['db-1']])
})

test('roles are read once a minute, or after they were changed, and never twice at once', async () => {
  const { servers, clock, reads } = await known()
  await Promise.all([servers.roles(), servers.names(), servers.roles()])
  clock.advance(59_999)
  await servers.roles()
  expect(reads()).toBe(1)
  clock.advance(1)
  await servers.roles()
  expect(reads()).toBe(2)
  servers.forget()
  await servers.roles()
  expect(reads()).toBe(3)
})

test('while the API is away, what was known stands, and it is left alone for a while', async () => {
  const { servers, script, clock, logger, reads } = await known()
  await servers.roles()
  clock.advance(60_000)
  script.rolesFail = true
  expect(await servers.names()).toEqual(['web-1', 'web-2'])
  await servers.names()
  expect(reads()).toBe(2)
  expect(logger.events()).toEqual(['servers:unread'])
  clock.advance(10_000)
  script.rolesFail = false
  script.roles.set('db', ['db-1'])
  expect(await servers.names()).toContain('db-1')
})

test('nobody waits long for an API that hangs', async () => {
  const { store, clock, logger } = await known()
  let answer: (read: RolesRead) => void = () => undefined
  const roles = () =>
    new Promise<RolesRead>((resolve) => {
      answer = resolve
    })
  const servers = openServers({ monitor: { roles }, store, clock, logger })
  const asked = servers.names()
  await letPass(clock, 1_500)
  expect(await asked).toEqual([])
  // The reading goes on, and the next one who asks has it.
  answer({ roles: new Map([['web', ['web-1']]]), skipped: 0 })
  await letPass(clock, 0)
  expect(await servers.names()).toEqual(['web-1'])
})

test('roles complete from their beginning before their middle', async () => {
  const { servers, script } = await known()
  for (const role of ['db', 'web-db', 'DB-replica', '__proto__']) script.roles.set(role, [])
  expect(await servers.roleNames('db')).toEqual(['DB-replica', 'db', 'web-db'])
  expect(await servers.roleNames('__')).toEqual(['__proto__'])
  expect(await servers.roleNames('')).toHaveLength(5)
})
