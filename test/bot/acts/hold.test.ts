/** Who is on an alert: acknowledge, take over, snooze, hand back, hand to somebody, note, close; by command and on the card. */
import { expect, test } from 'vitest'
import { heardPage } from '../../../src/bot/acts/hold.ts'
import { effectOf, policyOf, postOf } from '../worlds/builders.ts'
import { openDesk } from './desk.ts'

test('whoever acknowledges is on it, and the card alone says so', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  expect((await desk.type('UANA', 'ack web-2')).said).toBe("👀 You're on *CPU busy* on web-2")
  expect(desk.card(alert)).toContain('👀 @ana is on it')
  expect(desk.told()).toEqual([])
  const acts = [...desk.world.acts.values()].map(({ kind, by, data }) => ({ kind, by, data }))
  expect(acts).toEqual([{ kind: 'acknowledge', by: 'UANA', data: {} }])
})

test('the history keeps a name as it is, and a message escapes it once', async () => {
  const desk = openDesk()
  desk.open('8398', 'a&b')
  await desk.type('UANA', 'ack #8398')
  expect([...desk.world.acts.values()].map(({ subject }) => subject)).toEqual(['CPU busy on a&b'])
})

test('a pressed button is answered by the card', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const { count } = await desk.press('UANA', desk.cardBlocks(alert), 'acknowledge')
  expect([count, desk.world.alerts.get(alert.id)?.holder]).toEqual([0, 'UANA'])
})

test('of two who press the second one sees the first', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const blocks = desk.cardBlocks(alert)
  await desk.press('UANA', blocks, 'acknowledge')
  expect((await desk.press('UBEN', blocks, 'acknowledge')).said).toContain('This changed meanwhile.')
  expect(desk.world.alerts.get(alert.id)?.holder).toBe('UANA')
})

test('who acknowledges what somebody else is on is told, and takes nothing away', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  await desk.type('UANA', 'ack web-2')
  const answer = await desk.type('UBEN', 'ack web-2')
  expect(answer.said).toBe('⚠️ @ana is on *CPU busy* on web-2.\n[Take over]')
  expect(desk.world.alerts.get(alert.id)?.holder).toBe('UANA')
})

test('`ack` alone lists what nobody is on, with buttons', async () => {
  const desk = openDesk()
  const [first] = [desk.open('8398', 'web-2'), desk.open('2874', 'web-1', { holder: 'UBEN' })]
  const list = await desk.type('UANA', 'ack')
  expect((await desk.type('UANA', 'ack all')).said).toBe(list.said)
  expect(list.said).toContain('web-2')
  expect(list.said).not.toContain('web-1')
  await desk.press('UANA', list.blocks, 'acknowledge')
  expect(desk.world.alerts.get(first.id)?.holder).toBe('UANA')
})

test('nobody has to be asked for where somebody is on each', async () => {
  const desk = openDesk()
  desk.open('8398', 'web-2', { holder: 'UBEN' })
  expect((await desk.type('UANA', 'ack')).said).toContain('*No open alerts that nobody is on*')
})

test('a take-over names whom it was taken from, in the thread', async () => {
  const desk = openDesk()
  desk.open('8398', 'web-2', { holder: 'UBEN' })
  expect((await desk.type('UANA', 'take web-2')).said).toBe('👀 You took over *CPU busy* on web-2')
  expect(desk.told()).toEqual(['line C0: 👀 @ana took over it from @ben'])
})

test.each([
  ['snooze web-2', '11-28 03:00'],
  ['snooze #8398 1h30', '11-28 02:30'],
  ['snooze CPU busy on web-2 for 2 days', '11-30 01:00'],
  ['snooze web-2 until 16:00', '11-28 16:00'],
])('%s', async (typed, until) => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  expect((await desk.type('UANA', typed)).said).toBe(`👀 You snoozed *CPU busy* on web-2 until ${until}`)
  expect(desk.card(alert)).toContain(`👀 @ana snoozed it until ${until}`)
  expect(desk.told()).toEqual([])
  expect((await desk.type('UBEN', 'alerts')).said).toContain(`👀 @ana, snoozed until ${until}`)
  expect((await desk.type('UBEN', 'audit')).said).toContain(`@ana snoozed *CPU busy on web-2* until ${until}`)
})

test.each([
  ['snooze web-2 soon', "⚠️ I don't understand `soon`.\n[snooze #8398 2h]"],
  ['snooze web-2 30', "⚠️ I don't understand `30`.\n[snooze #8398 30m]"],
  ['snooze web-2 10m because', "⚠️ I don't understand `because`.\n[snooze #8398 10m]"],
  ['snooze web-2 8d', '⚠️ At most 7 days.\n[snooze #8398 7d]'],
  ['snooze web-2', '⚠️ @ben is on *CPU busy* on web-2.\n[Take over]'],
])('%s changes nothing', async (typed, said) => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2', { holder: typed === 'snooze web-2' ? 'UBEN' : null })
  expect((await desk.type('UANA', typed)).said).toBe(said)
  expect(desk.world.alerts.get(alert.id)).toBe(alert)
})

test.each([
  ['UANA', 'ack web-2', '@ana is on it'],
  ['UANA', 'take web-2', '@ana is on it'],
  ['UANA', 'unack web-2', 'Nobody is on it'],
  ['UBEN', 'take web-2', '@ben is on it'],
  ['UANA', 'hand web-2 <@UBEN>', '@ben is on it'],
])('a snooze ends with %s typing %s', async (person, typed, whose) => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  await desk.type('UANA', 'snooze web-2')
  await desk.type(person, typed)
  expect(desk.card(alert)).toContain(whose)
  expect(desk.world.alerts.get(alert.id)?.snooze).toBeNull()
})

test('handed back, it is nobody’s, and its next round can begin', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2', { holder: 'UANA' })
  await desk.press('UANA', desk.cardBlocks(alert), 'hand_back')
  expect(desk.world.alerts.get(alert.id)).toMatchObject({ holder: null, round: null })
  expect(desk.told()).toEqual(['line C0: 👐 @ana handed it back; nobody is on it'])
  expect((await desk.type('UANA', 'unack web-2')).said).toBe('⚠️ Nobody is on *CPU busy* on web-2.')
})

test.each([
  ['hand web-2 <@UBEN> please look', 'UBEN', '— please look'],
  ['hand web-2 Ben Miller please look', 'UBEN', '— please look'],
  ['hand web-2 <@UBENZ>', 'UBENZ', ''],
])('%s', async (typed, to, why) => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const { said } = await desk.type('UANA', typed)
  expect(said).toContain(`You handed *CPU busy* on web-2 to @${to.slice(1).toLowerCase()}`)
  expect(said).toContain(why)
  expect(desk.world.alerts.get(alert.id)?.holder).toBe(to)
  expect(desk.told().map((line) => line.split(':')[0])).toEqual(['line C0', `dm ${to}`])
})

test('of two Bens it asks which, and a button gives the note along', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const answer = await desk.type('UANA', 'hand web-2 ben please look')
  expect(desk.offers(answer)).toEqual(['hand #8398 <@UBEN> please look', 'hand #8398 <@UBENZ> please look'])
  expect(desk.world.alerts.get(alert.id)?.holder).toBeNull()
  await desk.press('UANA', answer.blocks, 'offer_2')
  expect(desk.world.alerts.get(alert.id)?.holder).toBe('UBENZ')
})

test('nobody hands an alert to the bot, or to somebody whom nobody knows', async () => {
  const desk = openDesk()
  desk.open('8398', 'web-2')
  expect((await desk.type('UANA', 'hand web-2 monbot')).said).toBe("⚠️ That's an app; choose a person.")
  expect((await desk.type('UANA', 'hand web-2 Zoe now')).said).toContain('No person')
  expect((await desk.type('UANA', 'hand web-2 <@UGONE> now')).said).toBe('⚠️ @gone has left this workspace.')
  const permissions = { ...policyOf().permissions, acknowledge: ['UANA'] }
  desk.usePolicy({ permissions })
  const barred = '⚠️ @ben may not acknowledge alerts, by the policy file.'
  expect((await desk.type('UANA', 'hand web-2 <@UBEN>')).said).toBe(barred)
})

test('*Hand to…* on the card opens a form, which hands it over', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'hand' })
  await desk.fill('UANA', form, { person: 'UBEN', text: 'yours?' })
  expect(desk.world.alerts.get(alert.id)?.holder).toBe('UBEN')
  expect(desk.told()[1]).toContain('👀 @ana handed you *CPU busy* on web-2 — yours?')
})

test('*Snooze* in the menu; a card shows its menus unchosen again', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const post = `alert:${alert.id}:C0`
  const ids = () => desk.cardBlocks(alert).flatMap((block) => block.block_id ?? [])
  const before = ids()
  await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'timeline', post })
  expect(ids()).not.toEqual(before)
  await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'snooze 4', post })
  expect(desk.card(alert)).toContain('👀 @ana snoozed it until 11-28 05:00')
})

test('an investigator is asked from the menu', async () => {
  const investigate = { url: 'https://i.example/look?key=hush', secret: null }
  const desk = openDesk({ api: 'is silent', policy: { investigate } })
  const alert = desk.open('1', 'web-1')
  const { said } = await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'investigate' })
  expect(said).toBe("🔎 I asked; what it finds comes into the alert's thread")
  const asked = [...desk.world.effects.values()].map(({ does, data }) => [does, data.post, data.by])
  expect(asked).toEqual([['investigate', `alert:${alert.id}:C0`, 'UANA']])
})

test('a note stands in the thread and on the card', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  expect((await desk.type('UANA', 'note web-2 rotating logs')).said).toContain('rotating logs')
  expect(desk.told()).toEqual(['line C0: 📝 @ana noted on it: rotating logs'])
  expect(desk.card(alert)).toContain('“rotating logs” (@ana)')
})

test('in the thread of a card a note is about it, closed or not', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2', { closedMs: 1 })
  desk.open('2874', 'web-1')
  await desk.type('UANA', 'note it was the disk', { threadPost: `alert:${alert.id}:C0` })
  expect(desk.told()).toEqual(['line C0: 📝 @ana noted on it: it was the disk'])
})

test('a storm is acknowledged as it is now, but for what somebody is on', async () => {
  const desk = openDesk()
  const alerts = ['1', '2', '3', '4'].map((number) => desk.open(number, `web-${number}`))
  desk.stand(alerts, { kind: 'list', data: { of: '["CPU","cpu_busy"]' } })
  const blocks = desk.blocksOf('list:1:C0')
  await desk.type('UBEN', 'ack web-1')
  await desk.press('UANA', blocks, 'acknowledge_all', { post: 'list:1:C0' })
  const holders = alerts.map(({ id }) => desk.world.alerts.get(id)?.holder)
  expect(holders).toEqual(['UBEN', 'UANA', 'UANA', 'UANA'])
})

test.each([
  ['UBEN', 'still_on', ['UBEN', 'UBEN', 'UANA'], 'still_on'],
  ['UANA', 'still_on', ['UANA', 'UANA', 'UANA'], 'take_over'],
  ['UBEN', 'hand_back', [null, null, 'UANA'], 'hand_back'],
])('%s answers *%s* to a question about several', async (person, action, holders, kind) => {
  const desk = openDesk()
  const alerts = ['1', '2', '3'].map((number) =>
    desk.open(number, `web-${number}`, { holder: 'UBEN', heldMs: 5 }),
  )
  desk.stand(alerts, { id: 'forgotten:list:1:C0:5', kind: 'forgotten' })
  const blocks = desk.blocksOf('forgotten:list:1:C0:5')
  // Somebody took one of them meanwhile.
  desk.world.patch('alerts', alerts[2]?.id ?? '', { holder: 'UANA', heldMs: 6 })
  await desk.press(person, blocks, action)
  expect(alerts.map(({ id }) => desk.world.alerts.get(id)?.holder)).toEqual(holders)
  expect([...desk.world.acts.values()].map((act) => act.kind)).toEqual([kind, kind])
  expect((await desk.press(person, blocks, action)).said).toContain('This changed meanwhile')
})

test('what came onto a storm after somebody saw it is not acknowledged with it', async () => {
  const desk = openDesk()
  const alerts = ['1', '2', '3'].map((number) => desk.open(number, `web-${number}`))
  const list = { kind: 'list', data: { of: 'cpu' } } as const
  desk.stand(alerts.slice(0, 2), list)
  const blocks = desk.blocksOf('list:1:C0')
  desk.stand(alerts, list)
  await desk.press('UANA', blocks, 'acknowledge_all', { post: 'list:1:C0' })
  expect(alerts.map(({ id }) => desk.world.alerts.get(id)?.holder)).toEqual(['UANA', 'UANA', null])
})

test('a row of a storm acknowledges what it shows, and where it shows only a part, nothing', async () => {
  const desk = openDesk()
  const kinds = ['cpu_busy', 'cpu_busy', 'load', 'load']
  const alerts = kinds.map((metric, at) => desk.open(`${at}`, `web-${at}`, { metric }))
  for (const id of desk.world.posts.keys()) desk.world.remove('posts', id, 'gone')
  const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: 0 }))
  const live = { state: 'live', ts: '1.1', channelId: 'C0' } as const
  desk.world.put('posts', postOf({ kind: 'list', shows, data: { of: null }, ...live }))
  expect((await desk.type('UANA', 'alerts web-0,web-1,web-2')).said.match(/Acknowledge \d/g)).toEqual([
    'Acknowledge 2',
  ])
  await desk.press('UANA', (await desk.type('UANA', 'alerts web-0,web-1')).blocks, 'acknowledge_all')
  expect(alerts.map(({ id }) => desk.world.alerts.get(id)?.holder)).toEqual(['UANA', 'UANA', null, null])
})

test('a form that was opened before somebody else took the alert hands it to nobody', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2')
  const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'hand' })
  await desk.type('UCLEO', 'ack web-2')
  expect((await desk.fill('UANA', form, { person: 'UBEN' })).problems).toMatchObject({
    person: expect.stringContaining('changed'),
  })
  expect(desk.world.alerts.get(alert.id)?.holder).toBe('UCLEO')
})

test('whoever acknowledges a call in the pager is on all that it was about', () => {
  const desk = openDesk()
  const alerts = ['1', '2', '3'].map((number) => desk.open(number, `web-${number}`))
  const called = {
    type: 'triggered',
    dedupKey: 'k',
    post: `alert:${alerts[0]?.id}:C0`,
    alerts: alerts.map(({ id }) => id),
  } as const
  desk.world.put('effects', effectOf({ does: 'page', data: called }))
  desk.world.patch('alerts', alerts[1]?.id ?? '', { holder: 'UANA' })
  expect(heardPage(desk.scene(), 'k', 'Ben')).toBe('acknowledged')
  expect(alerts.map(({ id }) => desk.world.alerts.get(id)?.holder)).toEqual([
    'pager:Ben',
    'UANA',
    'pager:Ben',
  ])
})

test('a person closes only what the monitoring no longer lists', async () => {
  const desk = openDesk()
  const alert = desk.open('8398', 'web-2', { unlistedMs: 1 })
  const blocks = desk.cardBlocks(alert)
  desk.world.patch('alerts', alert.id, { unlistedMs: null })
  expect((await desk.press('UANA', blocks, 'close')).said).toContain('lists this alert as open')
  desk.world.patch('alerts', alert.id, { unlistedMs: 1 })
  await desk.press('UANA', blocks, 'close')
  expect(desk.world.alerts.get(alert.id)).toMatchObject({ closedBy: 'UANA' })
  expect(desk.told()).toEqual(['line C0: 🟢 @ana closed it'])
})
