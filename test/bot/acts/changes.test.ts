/** Roles, markers, no-data groups, deletions, silences of others: what is asked, what the API is asked for, what people read. */
import { expect, test } from 'vitest'
import { type Desk, openDesk } from './desk.ts'

const effects = ({ world }: Desk) => [...world.effects.values()].map(({ does, data }) => ({ does, ...data }))

function deskWithRoles(): Desk {
  const desk = openDesk()
  desk.world.setFact('roles', { atMs: 0, servers: { web: ['web-2'], app: [] } })
  return desk
}

test('a marker is dropped, and says who dropped it', async () => {
  const desk = openDesk()
  const { said } = await desk.type('UANA', 'marker deploy 1.2.3')
  expect(said).toBe('📍 @ana dropped a marker: deploy 1.2.3')
  expect(desk.told()).toEqual([`said C0: ${said}`])
  expect(effects(desk)).toEqual([{ does: 'marker', notes: 'deploy 1.2.3 (Ana Novak)' }])
  expect([...desk.world.acts.values()].at(-1)?.data.name).toBe('Ana Novak')
})

test('while the API is silent, that it is not confirmed is said', async () => {
  const desk = openDesk({ api: 'is silent' })
  const { said } = await desk.type('UANA', 'marker deploy 1.2.3')
  expect(said).toBe("📍 @ana dropped a marker: deploy 1.2.3 (the monitoring hasn't confirmed it yet)")
})

test('known roles are added at once, in any way that several are written', async () => {
  const desk = deskWithRoles()
  expect((await desk.type('UANA', 'role add web-2 web, app')).said).toBe(
    '🏷️ @ana added roles to *web-2*: *web* and *app*',
  )
  expect(effects(desk)).toEqual([{ does: 'add_roles', host: 'web-2', names: ['web', 'app'] }])
})

test('*Add roles…* on a card', async () => {
  const desk = deskWithRoles()
  const alert = desk.open('8398', 'web-2')
  const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'roles' })
  await desk.fill('UANA', form, { roles: 'app' })
  expect(effects(desk)).toEqual([{ does: 'add_roles', host: 'web-2', names: ['app'] }])
})

test('two who press *Investigate* ask once, as long as no answer came', async () => {
  const desk = openDesk({ policy: { investigate: { url: 'https://i.example/', secret: null } } })
  const blocks = desk.cardBlocks(desk.open('8398', 'web-2'))
  for (const who of ['UANA', 'UBEN'] as const)
    await desk.press(who, blocks, 'more', { option: 'investigate' })
  expect(desk.world.effects.size).toBe(1)
  const [id = ''] = desk.world.effects.keys()
  desk.world.patch('effects', id, { state: 'failed' })
  await desk.press('UBEN', blocks, 'more', { option: 'investigate' })
  expect(desk.world.effects.size).toBe(2)
})

test('who hears when a server sends no data', async () => {
  const desk = deskWithRoles()
  await desk.type('UANA', 'nodata web-2 "on-call team"')
  expect(effects(desk)).toEqual([{ does: 'no_data', host: 'web-2', group: 'on-call team' }])
})

test.each([
  ['server delete web-2', 'confirm_server', { does: 'delete_server', host: 'web-2', names: ['web-2'] }],
  ['metric delete jobs, mails', 'confirm_metric', { does: 'delete_metric', names: ['jobs', 'mails'] }],
])("%s asks with Slack's own red dialog, and names what goes", async (typed, id, effect) => {
  const desk = deskWithRoles()
  const question = await desk.type('UANA', typed)
  expect(effects(desk)).toEqual([])
  const [button] = question.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
  expect(button).toMatchObject({ confirm: { style: 'danger' } })
  for (const name of effect.names) expect(question.said).toContain(`*${name}*`)
  await desk.press('UANA', question.blocks, id)
  expect(effects(desk)).toEqual([effect])
})

test.each([
  ['server delete', 'Name one server'],
  ['server delete web-1 web-2', 'Name one server'],
  ['server delete wbe-2', 'Did you mean web-2?'],
  ['metric delete', 'Name 1 to 20 custom metrics'],
  ['role add web-2', 'Name a server and its roles'],
  ['role add web-2 <!channel>', "can't be a role"],
  ['nodata web-2', 'Name a server and a group'],
])('%s changes nothing', async (typed, why) => {
  const desk = deskWithRoles()
  expect((await desk.type('UANA', typed)).said).toContain(why)
  expect(effects(desk)).toEqual([])
})

test('a silence of others is ended after a question', async () => {
  const desk = openDesk({ canMuteAlerts: true })
  const value = JSON.stringify({ mutes: ['silence-1'], words: 'namespace="pay"' })
  const button = {
    type: 'button',
    action_id: 'end_silence',
    text: { type: 'plain_text', text: 'End…' },
    value,
  } as const
  const question = await desk.press('UANA', [{ type: 'actions', elements: [button] }], 'end_silence')
  expect(question.said).toContain('End the silence *namespace="pay"* at the Alertmanager, for everybody?')
  await desk.press('UANA', question.blocks, 'confirm_silence')
  expect(effects(desk)).toEqual([{ does: 'end_silence', silence: 'silence-1' }])
  expect(desk.told()).toEqual(['said C0: 🔔 @ana ended the silence *namespace="pay"*'])
})

test('in a channel without alerts it is told in the default one', async () => {
  const desk = openDesk()
  await desk.type('UANA', 'marker deploy', { channel: 'C9' })
  expect(desk.told()[0]).toMatch(/^said C0: /)
})

test('each press of *Chart* draws it anew, in the thread', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const blocks = desk.cardBlocks(alert)
  for (const person of ['UANA', 'UBEN'])
    expect((await desk.press(person, blocks, 'chart')).said).toBe("I put the chart in the alert's thread")
  const charts = [...desk.world.posts.values()].filter(({ kind }) => kind === 'chart')
  expect(charts.map(({ thread }) => thread)).toEqual([`alert:${alert.id}:C0`, `alert:${alert.id}:C0`])
})
