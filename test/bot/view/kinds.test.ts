import { expect, test } from 'vitest'
import { pictureOf } from '../../../src/bot/view/alert.ts'
import { actions, button, confirmation } from '../../../src/bot/view/blocks.ts'
import { muteForm, serversForm } from '../../../src/bot/view/forms.ts'
import { viewHash, viewOf } from '../../../src/bot/view/view.ts'
import { checkBlocks } from '../../../src/workspace/blocks/check.ts'
import { alertOf, postOf } from '../worlds/builders.ts'
import { at, cellsOf, nowMs, pressable, sceneOf, seen, shownPost } from './seen.ts'

const route = { match: {}, channel: 'C1', mention: null }

test('monbot says hello in three lines, and where alerts go if not there', () => {
  const hello = postOf({ id: 'hello:C2', kind: 'hello', channel: 'C2' })
  const lines = seen(hello, { policy: { routes: [route] } }).split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toBe('No route leads here: alerts go to <#C0> until the policy file names this channel')
  expect(seen({ ...hello, channel: 'C1' }, { policy: { routes: [route] } })).toContain(
    'Alerts routed to this channel',
  )
})

test('a change of shift names who comes, until when, and whom they follow', () => {
  const shifts = [
    { fromMs: at('00:00'), untilMs: at('01:00'), person: 'UANA', name: 'Ana' },
    { fromMs: at('01:00'), untilMs: at('08:00'), person: 'name:Ben', name: 'Ben' },
  ]
  const shift = (atMs: number) =>
    postOf({ id: 'shift:1:C0', kind: 'shift', createdMs: nowMs, data: { atMs } })
  const facts = { oncall: { atMs: 0, unread: 0, why: null, shifts } }
  expect(seen(shift(at('01:00')), { facts })).toBe('📟 Ben is on call until 08:00, after @ana')
  expect(seen(shift(at('08:00')), { facts })).toBe('📟 Nobody is on call from 08:00, after Ben')
})

test('with a handoff it says what the shift before brought', () => {
  const shifts = [
    { fromMs: at('00:00'), untilMs: at('01:00'), person: 'UANA', name: 'Ana' },
    { fromMs: at('01:00'), untilMs: at('08:00'), person: 'UBEN', name: 'Ben' },
  ]
  const open = [
    ['UANA', 1],
    [null, 1],
  ] as const
  const handoff = { fromMs: at('00:00'), opened: 3, closed: 1, open }
  const data = { atMs: at('01:00'), handoff }
  const shift = postOf({ id: 'shift:1:C0', kind: 'shift', createdMs: nowMs, data })
  const facts = { oncall: { atMs: 0, unread: 0, why: null, shifts } }
  expect(seen(shift, { facts })).toBe(
    '📟 @ben is on call until 08:00, after @ana\nFrom 00:00 3 alerts opened and 1 closed; 2 open at its end: nobody was on 1 and @ana on 1',
  )
})

test('a report names the noisiest rules first', () => {
  const cpu = (server: string, closedAfterMs: number | null) =>
    alertOf({ number: server, server, plugin: 'CPU', title: '', startedMs: at('00:30'), closedAfterMs })
  const disk = alertOf({
    plugin: 'Disk /',
    metric: 'disk_used_percent',
    severity: 'critical',
    startedMs: at('00:40'),
  })
  const report = postOf({ id: 'report:1:C0', kind: 'report', createdMs: nowMs, data: { atMs: at('01:00') } })
  const policy = { report: { days: [1], atMinutes: 60, channel: 'C0' } }
  const records = { alerts: [disk, cpu('web-2', 16_000), cpu('vm', 20_000)], policy }
  expect(cellsOf(viewOf(report, sceneOf(records)))).toEqual([
    ['Rule', 'Alerts', 'Critical', 'Typically open', 'Servers'],
    ['CPU busy', '2', '–', '16 s', 'vm and web-2'],
    ['Disk / used', '1', '1', '–', 'web-1'],
  ])
  expect(seen(report, records)).toBe(
    [
      '📊 *3 alerts opened* 11-16 01:00 – 11-23 01:00, by 2 rules',
      '• *CPU busy*: 2 alerts on vm and web-2, typically open 16 s',
      '• *Disk / used*: 1 alert on web-1, 1 critical',
      'Too noisy? Raise the limit or ignore it in the policy file',
    ].join('\n'),
  )
})

test('a chart in the thread is its picture, and says so where none could be drawn', () => {
  const alert = alertOf({ plugin: 'CPU', title: '' })
  const chart = shownPost({ id: 'chart:x', kind: 'chart', picture: { file: 'F01234567', key: 'k' } }, alert)
  const words = 'Chart of CPU busy on web-1: 97%, limit 90%'
  expect(seen(chart, { alerts: [alert] })).toBe(words)
  expect(seen({ ...chart, picture: null }, { alerts: [alert] })).toBe(`⚠️ Couldn't draw it: ${words}`)
})

test('a card has a picture of its alert, where the policy wants pictures, and a list has none', () => {
  const alert = alertOf({ startedMs: at('01:00') })
  const scene = sceneOf({ alerts: [alert], policy: { images: true } })
  expect(pictureOf(shownPost({}, alert), scene)?.alert).toBe(alert.id)
  expect(pictureOf(shownPost({}, alert), sceneOf({ alerts: [alert], policy: { images: false } }))).toBeNull()
  expect(pictureOf(shownPost({ kind: 'list' }, alert), scene)).toBeNull()
})

test('times within twelve hours of a message stand without their day, and others with it', () => {
  const alert = alertOf({ startedMs: at('01:00') })
  expect(seen(shownPost({}, alert), { alerts: [alert] })).toContain('Since 01:00')
  expect(seen(shownPost({ createdMs: at('13:30') }, alert), { alerts: [alert] })).toContain(
    'Since 11-23 01:00',
  )
})

test('a view has the same hash for the same world, and another one once something is shown differently', () => {
  const alert = alertOf()
  const hashOf = (shown = alert) => viewHash(viewOf(shownPost({}, alert), sceneOf({ alerts: [shown] })))
  expect(hashOf()).toBe(hashOf())
  expect(hashOf({ ...alert, missing: 1 })).toBe(hashOf())
  expect(hashOf({ ...alert, holder: 'UBEN' })).not.toBe(hashOf())
})

test('what was deleted from the world is said to be too old, without buttons', () => {
  for (const kind of ['alert', 'list', 'lines', 'said', 'dm'] as const) {
    const { text, blocks } = viewOf(
      postOf({ kind, shows: [{ alert: 'x', isQuiet: false, atMs: 0 }] }),
      sceneOf(),
    )
    expect([kind, text, pressable(blocks)]).toEqual([
      kind,
      expect.stringContaining('too old to be shown'),
      [],
    ])
  }
})

test("a deletion asks by Slack's own red dialog, within its limits whatever is deleted", () => {
  const confirm = confirmation('Delete 2 servers?', `*${'a'.repeat(400)}*`, 'Delete for good')
  const press = button({ id: 'confirm_delete', label: 'Delete', value: {}, style: 'danger', confirm })
  expect(checkBlocks(actions('confirm', [press]))).toEqual([])
  expect(confirm).toMatchObject({ style: 'danger', confirm: { text: 'Delete for good' } })
})

test('forms name what they mute, and the fields by which they are read', () => {
  const alerts = ['web-10', 'web-9'].map((server) => alertOf({ server, host: server }))
  const view = serversForm(alerts, { post: 'list:1:C0' }, sceneOf())
  const ids = view.blocks.map(({ block_id }) => block_id).filter((id) => id !== undefined)
  expect([view.callback_id, ...ids]).toEqual(['mute_servers', 'servers', 'end', 'end_text', 'reason'])
  expect(JSON.stringify(view.blocks[0])).toContain('2 servers: web-9 and web-10')
  expect(JSON.stringify(muteForm(alertOf(), {}, sceneOf()))).toContain('This alert, in Slack only')
})
