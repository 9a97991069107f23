/** In the thread of a card nothing has to be named: each command means its alert; a storm's asks which; a name beats the thread. */
import { expect, test } from 'vitest'
import { openDesk } from './desk.ts'

/** On the card of web-2 somebody types; web-2 and web-3 stand on a storm; web-1 has a card of its own. */
function openCards(closedMs: number | null = null) {
  const desk = openDesk({ pager: 'webhook' })
  const alert = desk.open('8398', 'web-2', { metric: 'cpu_busy', closedMs })
  desk.stand([alert, desk.open('2874', 'web-3')], { kind: 'list' })
  desk.open('100', 'web-1')
  const type = (typed: string, threadPost = `alert:${alert.id}:C0`) =>
    desk.type('UBEN', typed, { channel: 'C0', threadPost })
  return { world: desk.world, offers: desk.offers, alert, type }
}

test.each([
  ['ack', 'acknowledge CPU busy on web-2'],
  ['take', 'take_over CPU busy on web-2'],
  ['snooze 2h', 'snooze CPU busy on web-2'],
  ['mute 1h', 'mute web-2'],
  ['note rotating logs', 'note CPU busy on web-2'],
  ['hand @ana', 'hand CPU busy on web-2'],
  ['hand to ana please look', 'hand CPU busy on web-2'],
  ['page oncall help', 'page whoever is on call'],
  ['ack web-1', 'acknowledge CPU busy on web-1'],
  ['mute web-1 1h', 'mute web-1'],
  ['hand web-1 @ana', 'hand CPU busy on web-1'],
])('%s', async (typed, act) => {
  const desk = openCards()
  await desk.type(typed)
  expect([...desk.world.acts.values()].map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([act])
  if (typed.startsWith('page')) expect([...desk.world.acts.values()][0]?.alert).toBe(desk.alert.id)
})

test('unack, unmute, timeline and chart', async () => {
  const desk = openCards()
  await desk.type('ack')
  expect((await desk.type('unack')).said).toBe('👐 You handed back *CPU busy* on web-2; nobody is on it')
  await desk.type('mute 1h')
  expect((await desk.type('unmute')).said).toContain('🔔 *web-2* was muted')
  expect((await desk.type('timeline')).said).toBe("I put the timeline in the alert's thread")
  expect((await desk.type('chart')).said).toBe("I put the chart in the alert's thread")
  expect((await desk.type('chart 2d')).said).toContain('no data of `CPU busy` on `web-2`')
})

test.each([
  ['ack', ['ack #8398', 'ack #2874']],
  ['ack please', ['ack #8398', 'ack #2874']],
  ['take', ['take #8398', 'take #2874']],
  ['unack', ['unack #8398', 'unack #2874']],
  ['snooze 2h', ['snooze #8398 2h', 'snooze #2874 2h']],
  ['mute 1h', ['mute web-2 1h', 'mute web-3 1h']],
  ['mute this 1h', ['mute 1h']],
  ['note slow', ['note #8398 slow', 'note #2874 slow']],
  ['hand @ana', ['hand #8398 @ana', 'hand #2874 @ana']],
  ['timeline', ['timeline #8398', 'timeline #2874']],
  ['chart', ['chart #8398', 'chart #2874']],
  ['chart 2d', ['chart #8398 2d', 'chart #2874 2d']],
])('of a storm: %s', async (typed, offers) => {
  const desk = openCards()
  expect(desk.offers(await desk.type(typed, 'list:1:C0'))).toEqual(offers)
  expect(desk.world.acts.size).toBe(0)
})

test('of a storm a page asks nothing at such a moment, and names none of its alerts', async () => {
  const desk = openCards()
  await desk.type('page oncall help', 'list:1:C0')
  expect([...desk.world.effects.values()][0]?.data.text).toBe('Ben Miller pages whoever is on call: help')
})

test('of a card whose alert is closed', async () => {
  const desk = openCards(1)
  for (const typed of ['ack', 'snooze 2h', 'hand @ana'])
    expect((await desk.type(typed)).said).toBe('⚠️ CPU busy on web-2 is closed.')
  expect((await desk.type('chart')).said).toBe("I put the chart in the alert's thread")
})

test("of a mute's message, *unmute* ends it", async () => {
  const desk = openCards()
  await desk.type('mute web-9 1h')
  const message = [...desk.world.posts.keys()].at(-1)
  expect((await desk.type('unmute', message)).said).toContain('🔔 *web-9* was muted')
})

test('a form that no mention can open is a button away', async () => {
  const desk = openDesk({ noForm: 'it needs a button' })
  const alert = desk.open('8398', 'web-2')
  const place = { channel: 'C0', threadPost: `alert:${alert.id}:C0` }
  const answer = await desk.type('UBEN', 'note', place)
  expect(answer.said).toContain("Couldn't open the form: it needs a button.")
  const { form } = await desk.press('UBEN', answer.blocks, 'offer_1', place)
  await desk.fill('UBEN', form, { text: 'rotating logs' })
  expect(desk.told()).toEqual(['line C0: 📝 @ben noted on it: rotating logs'])
})
