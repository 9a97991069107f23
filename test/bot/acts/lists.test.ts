/** The other lists, in the words that people see. */
import { describe, expect, test } from 'vitest'
import { audit, mutes, oncall, roles, triggers } from '../../../src/bot/acts/lists.ts'
import { status } from '../../../src/bot/acts/reports.ts'
import type { ApiMute } from '../../../src/bot/api/parse.ts'
import { ApiFailure } from '../../../src/bot/api/port.ts'
import { day, hour } from '../../../src/bot/clock.ts'
import { date } from '../../../src/bot/view/words.ts'
import type { World } from '../../../src/bot/world/world.ts'
import { policyOf, postOf } from '../worlds/builders.ts'
import { act, alert, ask, contextOf, mute, noReads, nowMs, sceneOf, worldOf } from './records.ts'

const empty = noReads.monitor
const toC9 = { match: {}, channel: 'C9', mention: null }
const fails = async () => Promise.reject(new ApiFailure('unclear', 'timed out'))

describe('roles', () => {
  const servers = { web: ['web-10', 'web-9'], app: ['web-9'], idle: [] }
  const many = { fleet: Array.from({ length: 450 }, (_, at) => `n${at}`) }
  test.each([
    ['', servers, '3 roles\n*app*: web-9\n*idle*: no servers\n*web*: web-9 and web-10'],
    ['WEB', servers, 'Role *web*: 2 servers\nweb-9, web-10'],
    ['web-9', servers, '2 roles\n*app*: web-9\n*web*: web-9 and web-10'],
    ['wbe', servers, 'No role or server `wbe`. Did you mean web?'],
    [
      'mail',
      servers,
      "No role or server `mail`. To mute a server I haven't seen, name it alone: `/mon mute mail 1h`.",
    ],
    ['', {}, 'There are no roles yet. To add one: `/mon role add web-1 web`'],
  ])('%s', async (words, all, text) => {
    const monitor = { ...empty, roles: async () => all }
    expect(await ask(roles, words, sceneOf(worldOf()), { monitor })).toBe(text)
  })

  test('the servers of one by the hundred, in pages', async () => {
    const text = await ask(roles, 'fleet page 2', sceneOf(worldOf()), {
      monitor: { ...empty, roles: async () => many },
    })
    expect(text.split('\n').slice(1, 2).concat(text.split('\n').slice(-1))).toEqual([
      'n400, n401, n402, n403, n404, n405, n406, n407, n408, n409',
      'Page 2 of 2',
    ])
  })

  test('that cannot be read are no empty list', async () => {
    const text = await ask(roles, '', sceneOf(worldOf()), { monitor: { ...empty, roles: fails } })
    expect(text).toBe("Couldn't read the roles: timed out.")
  })
})

describe('triggers', () => {
  const all = ['cpu_busy', 'disk_used_percent'].map((metric, at) => {
    return { id: `${at}`, condition: `${metric} <90>`, metric, maxValue: 90, lowValue: null, durationS: 60 }
  })
  test.each([
    ['', '*2 triggers*\n*cpu_busy*: cpu_busy &lt;90&gt;\n*disk_used_percent*: disk_used_percent &lt;90&gt;'],
    ['Disk', '*1 trigger* matching `Disk`\n*disk_used_percent*: disk_used_percent &lt;90&gt;'],
    ['cpu_bsy', 'No trigger matches `cpu_bsy`. Did you mean cpu_busy?'],
  ])('%s', async (words, text) => {
    const monitor = { ...empty, triggers: async () => all }
    expect(await ask(triggers, words, sceneOf(worldOf()), { monitor })).toBe(text)
  })
})

describe('mutes', () => {
  const both = () =>
    worldOf({
      mutes: [
        mute('a', 'server:web-1', { act: 'one' }),
        mute('b', 'server:web-2', { act: 'one' }),
        mute('c', 'server:db-1', { fromMs: nowMs + hour, untilMs: nowMs + 2 * hour }),
      ],
    })

  test('of one command are one row; what is planned is counted aside', async () => {
    const text = await ask(mutes, '', sceneOf(both()))
    expect(text.split('\n')).toEqual([
      '*1 mute, 1 planned*',
      `🔕 <@U1> muted *web-1 and web-2* until ${date(nowMs + hour)}`,
      `🗓️ <@U1> planned to mute *db-1* ${date(nowMs + hour)} – ${date(nowMs + 2 * hour)}`,
      "Mutes made elsewhere can't be seen here",
    ])
  })

  test('each has its buttons', async () => {
    const scene = sceneOf(both())
    const reply = await mutes.command?.('', contextOf(scene))
    const blocks = reply?.kind === 'say' ? (reply.render(scene)?.blocks ?? []) : []
    const rows = blocks.flatMap((block) => (block.type === 'actions' ? [block.elements] : []))
    expect(rows.map((row) => row.map((one) => ('action_id' in one ? one.action_id : '')))).toEqual([
      ['unmute', 'extend'],
      ['cancel_plan'],
    ])
  })

  test('silences of others stand beside them, in front of an Alertmanager', async () => {
    const silence: ApiMute = {
      id: 's1',
      kind: 'silence',
      isOurs: false,
      by: 'bob@example.com',
      untilMs: nowMs + hour,
      why: 'migration',
      matchers: ['job="db"'],
      hides: 2,
      alerts: [],
    }
    const monitor = {
      ...empty,
      mutes: async () => ({ silences: [silence, { ...silence, isOurs: true }], held: null }),
    }
    const text = await ask(mutes, '', sceneOf(worldOf(), { canMuteAlerts: true }), { monitor })
    expect(text).toBe(
      `*1 silence of others*\n🔕 bob@example.com silenced *job="db"* until ${date(nowMs + hour)} — migration\nHides 2 alerts`,
    )
  })

  test('silences that cannot be read are told', async () => {
    const scene = sceneOf(worldOf(), { canMuteAlerts: true })
    const text = await ask(mutes, '', scene, { monitor: { ...empty, mutes: fails } })
    expect(text).toBe("*Nothing is muted*\n⚠️ Couldn't read the silences of others: timed out")
  })
})

describe('audit', () => {
  const acts = [
    act('1', { kind: 'hand', data: { to: 'U2' }, host: 'web-2' }),
    act('2', { kind: 'marker', subject: 'a marker', data: { text: 'deploy' }, atMs: nowMs }),
    act('3', {
      kind: 'refused',
      subject: 'server delete (delete_server)',
      outcome: 'refused',
      by: 'U3',
      atMs: nowMs + 1,
    }),
    act('4', { kind: 'outage', by: 'monbot', subject: 'the monitoring' }),
  ]

  test('newest first, with refusals, and only what somebody did', async () => {
    const lines = (await ask(audit, '', sceneOf(worldOf({ acts })))).split('\n').slice(1)
    expect(lines.map((line) => line.replace(/^.*? · /, ''))).toEqual([
      "⚠️ <@U3> isn't allowed to do this: *server delete (delete_server)*",
      '📍 <@U1> dropped a marker: deploy',
      '👀 <@U1> handed *CPU busy on web-2* to <@U2>',
    ])
  })

  test('of one server, also what left the world', async () => {
    const pastActs = async () => [
      act('0', { kind: 'note', host: 'web-2', atMs: nowMs - 20 * day, data: { text: 'old' } }),
    ]
    const text = await ask(audit, 'WEB-2', sceneOf(worldOf({ acts })), { pastActs })
    expect(
      text
        .split('\n')
        .slice(1)
        .map((line) => line.replace(/^.*? · /, '')),
    ).toEqual(['👀 <@U1> handed *CPU busy on web-2* to <@U2>', '📝 <@U1> noted on *CPU busy on web-2*: old'])
  })
})

describe('status', () => {
  test.each([
    ['all is well', () => {}, '🟢 *No open alerts*'],
    [
      'open',
      (world: World) => world.put('alerts', alert('1', { severity: 'critical' })),
      '🚨 *1 open alert, 1 critical* · nobody is on it',
    ],
    [
      'muted',
      (world: World) => world.put('mutes', mute('m', 'account', { name: 'everything' })),
      `🔕 <@U1> muted *everything* until ${date(nowMs + hour)}`,
    ],
    [
      'a channel refuses',
      (world: World) =>
        world.setFact('shut', { C9: { sinceMs: nowMs, why: 'not_in_channel', nextMs: nowMs } }),
      `⚠️ <#C9> has refused messages since ${date(nowMs)}: not_in_channel. Its alerts go to <#C1>`,
    ],
  ])('%s', async (_why, change, first) => {
    const world = worldOf()
    change(world)
    const scene = sceneOf(world, { policy: policyOf({ routes: [toC9] }) })
    expect((await ask(status, '', scene)).split('\n')[0]).toBe(first)
  })

  test('says who leads, and what the policy ignores, and waits for no board of a channel that refuses', async () => {
    const world = worldOf({ alerts: ['1', '2', '3'].map((number) => alert(number)) })
    world.setFact('shut', { C9: { sinceMs: nowMs, why: 'not_in_channel', nextMs: nowMs } })
    world.setFact('polled', { atMs: nowMs, unreadable: 0 })
    world.put('posts', postOf({ id: 'board:C9', kind: 'board', channel: 'C9', state: 'new', createdMs: 0 }))
    const scene = sceneOf(world, { policy: policyOf({ routes: [toC9], ignore: [{}] }) })
    const lines = (await ask(status, '', scene)).split('\n')
    expect(lines.slice(2)).toEqual([
      `bot-a leads · 3 open alerts ignored by the policy · Mutes made elsewhere can't be seen here · Last good poll ${date(nowMs)}`,
    ])
  })
})

describe('oncall', () => {
  test('without a calendar', async () => {
    expect(await ask(oncall, '', sceneOf(worldOf()))).toBe(
      "I don't know who's on call: no calendar is set up",
    )
  })

  test('now, and who comes next', async () => {
    const world = worldOf()
    const shift = (person: string, from: number) => ({
      fromMs: nowMs + from * hour,
      untilMs: nowMs + (from + 8) * hour,
      person,
      name: person,
    })
    world.setFact('oncall', {
      atMs: nowMs,
      unread: 0,
      why: null,
      shifts: [shift('name:Bob', 7), shift('U1', -1)],
    })
    const end = date(nowMs + 7 * hour)
    expect((await ask(oncall, '', sceneOf(world))).split('\n')).toEqual([
      `📟 <@U1> is on call until ${end}, then Bob`,
    ])
  })
})
