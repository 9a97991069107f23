/** `/mon page`: somebody is called by the pager until somebody is on it; the message says how far that is. */
import { expect, test } from 'vitest'
import { heardPage } from '../../../src/bot/acts/hold.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import { type Desk, openDesk } from './desk.ts'

const events = ({ world }: Desk) => [...world.effects.values()].map(({ data }) => data)
const messageOf = ({ world }: Desk) => [...world.posts.keys()].at(-1) ?? ''

test('whoever is paged acknowledges on the message, and the call ends', async () => {
  const desk = openDesk({ pager: 'webhook' })
  const { said } = await desk.type('UANA', 'page Ben Miller the database is down')
  expect(said).toBe('📟 @ana paged @ben — the database is down\n[Acknowledge]')
  expect(events(desk)).toMatchObject([
    { type: 'triggered', to: 'UBEN', text: 'Ana Novak pages Ben Miller: the database is down' },
  ])
  announce(desk.scene())
  const buttons = desk.blocksOf(messageOf(desk))
  await desk.press('UBEN', buttons, 'acknowledge_page')
  announce(desk.scene())
  expect(desk.told()).toEqual(['said C0: 📟 @ana paged @ben — the database is down\n👀 @ben is on it'])
  expect(events(desk)).toMatchObject([
    { type: 'triggered' },
    { type: 'acknowledged', by: 'UBEN' },
    { type: 'resolved' },
  ])
  expect(new Set(events(desk).map(({ dedupKey }) => dedupKey)).size).toBe(1)
  expect((await desk.press('UANA', buttons, 'acknowledge_page')).said).toContain('This changed meanwhile')
})

test('so does an acknowledgement in the pager', async () => {
  const desk = openDesk({ pager: 'webhook' })
  await desk.type('UANA', 'page oncall please call me')
  const [{ dedupKey = '' } = {}] = events(desk)
  expect(heardPage(desk.scene(), dedupKey, 'Ben')).toBe('acknowledged')
  expect(heardPage(desk.scene(), dedupKey, 'Cleo')).toBe('nothing')
  announce(desk.scene())
  expect(desk.told()[0]).toBe('said C0: 📟 @ana paged whoever is on call — please call me\n👀 Ben is on it')
  expect(events(desk).at(-1)).toMatchObject({ type: 'resolved' })
})

test('until the pager has said yes, the message says so', async () => {
  const desk = openDesk({ pager: 'webhook', api: 'is silent' })
  await desk.type('UANA', 'page oncall please call me')
  expect(desk.post(messageOf(desk))).toContain("The pager hasn't confirmed it yet")
  const [act] = desk.world.acts.values()
  desk.world.patch('acts', act?.id ?? '', { outcome: 'failed', data: { ...act?.data, why: 'HTTP 400' } })
  expect(desk.post(messageOf(desk))).toContain('📟 @ana paged whoever is on call — please call me')
  expect(desk.post(messageOf(desk))).toContain('⚠️ The pager refused it: HTTP 400. Call them another way')
})

test('in the thread of a card it is about that alert, and told there', async () => {
  const desk = openDesk({ pager: 'webhook' })
  const alert = desk.open('8398', 'web-2')
  await desk.type('UANA', 'page oncall please help', { channel: 'C0', threadPost: `alert:${alert.id}:C0` })
  expect(events(desk)[0]?.text).toBe('Ana Novak pages whoever is on call: please help (CPU busy on web-2)')
  expect(desk.world.posts.get(messageOf(desk))).toMatchObject({
    kind: 'line',
    thread: `alert:${alert.id}:C0`,
  })
})

test.each([
  ['page ben the database is down', 'Several people have that name. Which one?'],
  ['page Zoe now', 'No person'],
  ['page monbot now', "That's an app; choose a person."],
  ['page oncall', 'Whom, and about what?'],
  ['page', 'Whom, and about what?'],
])('%s calls nobody', async (typed, why) => {
  const desk = openDesk({ pager: 'webhook' })
  expect((await desk.type('UANA', typed)).said).toContain(why)
  expect(events(desk)).toEqual([])
})

test('without a pager it says so', async () => {
  expect((await openDesk().type('UANA', 'page oncall now')).said).toBe(
    "⚠️ I can't call anybody: no pager is set up.",
  )
})

test('*Page now…* on a card, by form: nobody chosen is whoever is on call', async () => {
  const desk = openDesk({ pager: 'webhook' })
  const alert = desk.open('8398', 'web-2')
  const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'more', { option: 'page' })
  expect((await desk.fill('UANA', form, { text: '' })).problems).toMatchObject({
    text: expect.stringContaining('Whom'),
  })
  await desk.fill('UANA', form, { text: 'the disk is full' })
  await desk.fill('UANA', form, { text: 'help', person: 'UBEN' })
  expect(events(desk).map(({ text }) => text)).toEqual([
    'Ana Novak pages whoever is on call: the disk is full (CPU busy on web-2)',
    'Ana Novak pages Ben Miller: help (CPU busy on web-2)',
  ])
  expect(desk.told()).toHaveLength(2)
})
