/** What was: handoff, report, and the files of both and of a timeline. */
import { describe, expect, test } from 'vitest'
import type { Reads } from '../../../src/bot/acts/action.ts'
import { timeline } from '../../../src/bot/acts/card.ts'
import { contentOf, type FileSources } from '../../../src/bot/acts/files.ts'
import { handoff, report } from '../../../src/bot/acts/reports.ts'
import { day, hour, minute } from '../../../src/bot/clock.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import { date } from '../../../src/bot/view/words.ts'
import type { EffectData } from '../../../src/bot/world/types.ts'
import { policyOf, postOf } from '../worlds/builders.ts'
import { act, alert, ask, closed, contextOf, mute, nowMs, sceneOf, told, worldOf } from './records.ts'

async function fileOf(data: EffectData, scene: Scene, reads: Partial<Reads> = {}) {
  const draw = async () => new Uint8Array([1])
  const sources: FileSources = { ...contextOf(scene, reads).reads, draw }
  const file = await contentOf(data, () => scene, sources)
  return file === null ? null : { name: file.name, text: Buffer.from(file.bytes).toString('utf8') }
}

const disk = { plugin: 'Disk /', metric: 'disk_used_percent', host: 'db-1', server: 'db-1' }

test('A handoff says what is open and muted, what happened and what was done', async () => {
  const world = worldOf({
    alerts: [
      alert('90', { startedMs: nowMs - 3 * day }),
      alert('101'),
      closed('102', 4 * minute, disk),
      alert('103', { plugin: 'Noise' }),
    ],
    mutes: [mute('m', 'server:db-1')],
    acts: [
      act('1', { kind: 'marker', subject: 'a marker', data: { text: 'deploy' } }),
      act('2', { by: 'monbot', kind: 'mute_ended' }),
      act('4', { by: 'name:investigator', kind: 'investigated', data: { text: '# Cause' } }),
      act('3', { kind: 'marker', subject: 'a marker', atMs: nowMs - day }),
    ],
  })
  const fromMs = nowMs - 12 * hour
  const scene = sceneOf(world, { policy: policyOf({ ignore: [{ plugin: ['noise'] }] }) })
  expect((await ask(handoff, '', scene)).split('\n')).toEqual([
    '🔴 *2 open alerts* · nobody is on 2',
    `🔴 web-2 CPU busy *97%* · since ${date(nowMs - 10 * minute)} · *nobody is on it* · #101`,
    `🔴 web-2 CPU busy *97%* · since ${date(nowMs - 3 * day)} · *nobody is on it* · #90`,
    `🔕 <@U1> muted *db-1* until ${date(nowMs + hour)}`,
    `*From ${date(fromMs)} 2 alerts opened and 1 closed; 2 open at its end: nobody was on 2*`,
    '• *Disk / used*: 1 alert on db-1, typically open 4 min',
    '• *CPU busy*: 1 alert on web-2',
    '*1 action, the latest first*',
    `${date(nowMs - minute)} · 📍 <@U1> dropped a marker: deploy`,
  ])
})

test('A storm is one row of a handoff', async () => {
  const storm = ['1', '2', '3', '4'].map((number) =>
    alert(number, { host: `web-${number}`, server: `web-${number}` }),
  )
  const shows = storm.map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs }))
  const world = worldOf({ alerts: storm })
  world.put('posts', postOf({ id: 'list:1:C1', kind: 'list', state: 'live', shows }))
  const [, row, next] = (await ask(handoff, '', sceneOf(world))).split('\n')
  expect([row?.includes('4 × CPU busy'), next?.startsWith('*From')]).toEqual([true, true])
})

describe('a report', () => {
  test('counts by rule', async () => {
    const older = closed('80', minute, { startedMs: nowMs - 15 * day })
    const alerts = [closed('101', 16_000), closed('102', 16_000, { host: 'vm', server: 'vm' })]
    const text = await ask(report, '7d', sceneOf(worldOf({ alerts })), { pastAlerts: async () => [older] })
    expect(text.split('\n').slice(1)).toEqual([
      '• *CPU busy*: 2 alerts on vm and web-2, typically open 16 s',
      'Too noisy? Raise the limit or ignore it in the policy file',
    ])
  })

  test('says that what it knows may be old', async () => {
    const world = worldOf()
    world.setFact('failing', { sinceMs: nowMs, count: 3, why: 'timed out', toldMs: null })
    const [first] = (await ask(report, '', sceneOf(world))).split('\n')
    expect(first).toBe(`⚠️ *Monitoring has been down since ${date(nowMs)}*: timed out`)
  })

  test.each([
    ['soon', "I don't understand `soon`. Try `/mon report 12h`"],
    ['31d', 'I look back at most 30 days. Try `/mon report 12h`'],
  ])('%s', async (words, text) => {
    expect(await ask(report, words, sceneOf(worldOf()))).toBe(text)
  })
})

describe('a CSV', () => {
  test.each([
    [handoff, '8h csv', 'handoff_csv', 8 * hour],
    [report, 'csv', 'report_csv', 7 * day],
  ])('goes to the asker: %#', async (command, words, file, forMs) => {
    const scene = sceneOf(worldOf())
    await ask(command, words, scene)
    expect([...scene.world.effects.values()].map(({ data }) => data)).toEqual([{ file, forMs, to: 'U1' }])
  })

  test('has what opened or closed in that time', async () => {
    const old = closed('90', minute, { startedMs: nowMs - 3 * day })
    const over = closed('91', 3 * day, { startedMs: nowMs - 3 * day - hour })
    const scene = sceneOf(worldOf({ alerts: [alert('101'), old, over] }))
    const file = await fileOf({ file: 'report_csv', forMs: day }, scene)
    expect(file?.text.split('\r\n').map((row) => row.split(',')[0])).toEqual(['alert', '101', '91', ''])
  })
})

describe('a timeline', () => {
  const first = closed('101', 4 * minute, { title: 'CPU *busy* <97>' })
  const again = alert('102', { startedMs: nowMs - 2 * minute })
  const shows = [first, again].map(({ id }) => ({ alert: id, isQuiet: false, atMs: nowMs }))
  const acts = [
    act('1', { alert: again.id, kind: 'note', data: { text: 'see <@U2>' } }),
    act('2', { host: 'web-2', kind: 'unmute', subject: 'web-2' }),
    act('3', { host: 'db-1', kind: 'unmute', subject: 'db-1' }),
    act('4', { host: 'web-2', kind: 'unmute', subject: 'web-2', atMs: nowMs - hour }),
  ]
  const scene = () => {
    const world = worldOf({ alerts: [first, again], acts })
    world.put('posts', postOf({ id: 'card', state: 'live', shows }))
    const bob = { ...contextOf(sceneOf(world)).ask.person, id: 'U1', name: 'ana' }
    world.setFact('people', { U1: bob })
    return sceneOf(world, { policy: policyOf({ timezone: 'Europe/Berlin' }) })
  }

  test("goes into the thread of the alert's card", async () => {
    const now = scene()
    await ask(timeline, '#102', now)
    expect([...now.world.effects.values()].map(({ data }) => data)).toEqual([
      { file: 'timeline', alert: again.id, post: 'card' },
    ])
  })

  test('is answered with what became of it', async () => {
    const now = scene()
    const reply = await timeline.command?.('#102', contextOf(now))
    const id = [...now.world.effects.keys()][0] ?? ''
    const texts = (['asked', 'done', 'failed'] as const).map((state) => {
      now.world.patch('effects', id, { state, why: state === 'failed' ? 'no access' : null })
      return reply === undefined ? '' : told(reply, now)
    })
    expect(texts).toEqual([
      "I'm making the file; it comes in a moment",
      "I put the timeline in the alert's thread",
      "Couldn't send the file: no access",
    ])
  })

  test('tells all that happened on its card and to its server, in order', async () => {
    const file = await fileOf({ file: 'timeline', alert: again.id, post: 'card' }, scene())
    expect(file?.name).toBe('timeline-web-2-102.md')
    expect(file?.text.split('\n')).toEqual([
      '# CPU busy is 97% on web-2',
      '',
      'Alert 102, warning. Made 2026-11-21 13:00:00; times are of Europe/Berlin.',
      '',
      '- 2026-11-21 11:00:00 · It opened',
      '- 2026-11-21 11:04:00 · It closed after 4 min',
      '- 2026-11-21 12:58:00 · It opened',
      '- 2026-11-21 12:59:00 · 📝 @ana noted on CPU busy on web-2: see \\<@U2\\>',
      '- 2026-11-21 12:59:00 · 🔔 @ana unmuted web-2',
      '',
    ])
  })

  test('of what is no longer known is no file', async () => {
    expect(await fileOf({ file: 'timeline', alert: 'gone', post: 'card' }, scene())).toBeNull()
  })
})
