/** `/mon cover`: somebody is on call for a while in place of whoever is, wherever that is asked, and one message tells it to its end. */
import { expect, test } from 'vitest'
import { hour, minute } from '../../../src/bot/clock.ts'
import { mentionOf } from '../../../src/bot/decide/standing.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import { step } from '../decide/little.ts'
import { type Desk, openDesk } from './desk.ts'

/** 01:00. Ben is on call until 11:00, then Cleo until 21:00. */
function openShifts(options: Parameters<typeof openDesk>[0] = {}): Desk {
  const desk = openDesk(options)
  readCalendar(desk)
  return desk
}

function readCalendar({ world, clock }: Desk): void {
  const nowMs = clock.nowMs()
  const shift = (person: string, from: number, until: number) => {
    return { person, name: person, fromMs: nowMs + from * hour, untilMs: nowMs + until * hour }
  }
  const shifts = [shift('UBEN', -2, 10), shift('UCLEO', 10, 20)]
  world.setFact('oncall', { atMs: nowMs, unread: 0, why: null, shifts })
}

async function wait(desk: Desk, ms: number): Promise<void> {
  await desk.clock.runFor(ms)
  announce(desk.scene())
}

const posts = ({ world }: Desk) => [...world.posts.values()].filter(({ kind }) => kind === 'shift')
const told = (desk: Desk) => posts(desk).map(({ id, channel }) => `${channel}: ${desk.post(id)}`)
const called = ({ world }: Desk) => [...world.effects.values()].map(({ data }) => data.to)

test.each([
  ['cover 2h', '📟 @ana covers for @ben until 11-28 03:00, then @ben'],
  ['cover for 2h', '📟 @ana covers for @ben until 11-28 03:00, then @ben'],
  ['cover until 18:00', '📟 @ana covers for @ben and @cleo until 11-28 18:00, then @cleo'],
  ['cover <@UBENZ> until 18:00', '📟 @benz covers for @ben and @cleo until 11-28 18:00, then @cleo'],
  ['cover Ben Zeta for 90m', '📟 @benz covers for @ben until 11-28 02:30, then @ben'],
  ['cover Ben Miller until tomorrow 9:00', '📟 @ben covers for @cleo until 11-29 09:00'],
])('%s', async (typed, said) => {
  const desk = openShifts()
  expect((await desk.type('UANA', typed)).said).toBe(said)
  expect((await desk.type('UBEN', 'oncall')).said).toContain(said)
  expect(told(desk)).toHaveLength(1)
})

test.each([
  ['cover', 'Until when?', ['cover 2h', 'cover 4h', 'cover until 18:00']],
  ['cover ana', 'Until when?', ['cover <@UANA> 2h', 'cover <@UANA> 4h', 'cover <@UANA> until 18:00']],
  ['cover ana until 6', 'I take 24 hours.', ['cover <@UANA> until 06:00', 'cover <@UANA> until 18:00']],
  ['cover until 00:30', "00:30 has just passed. Tomorrow's?", ['cover until tomorrow 00:30']],
  ['cover 30', "I don't understand `30`.", ['cover 30m']],
  ['cover 18:00', "I don't understand `18:00`.", ['cover until 18:00']],
  ['cover until fine', "I don't understand `until fine`.", ['cover 2h']],
  ['cover 2h dentist', "I don't understand `dentist`.", ['cover 2h']],
  ['cover 8d', 'At most 7 days.', ['cover 7d']],
  ['cover ben 2h', 'Several people have that name.', ['cover <@UBEN> 2h', 'cover <@UBENZ> 2h']],
  ['cover Zoe 2h', 'No person', []],
  ['cover @monbot 2h', "That's an app; choose a person.", []],
  ['cover <@UGONE> 2h', '@gone has left this workspace.', []],
  ['cover end', 'Nobody covers now.', []],
])('%s changes nothing', async (typed, why, offers) => {
  const desk = openShifts()
  const answer = await desk.type('UANA', typed)
  expect(answer.said).toContain(why)
  expect(desk.offers(answer)).toEqual(offers)
  expect(desk.world.fact('covers')).toBeUndefined()
  expect(told(desk)).toEqual([])
})

test('it is told in each channel, quietly; once it is over its message says so, and who is on call again', async () => {
  const desk = openShifts({ policy: { routes: [{ match: {}, channel: 'C1', mention: null }] } })
  await desk.type('UANA', 'cover 2h')
  expect(told(desk)).toEqual(
    ['C0', 'C1'].map((channel) => `${channel}: 📟 @ana covers for @ben until 03:00\n[End cover]`),
  )
  expect(posts(desk).some(({ isLoud, mention }) => isLoud || mention !== null)).toBe(false)
  expect(mentionOf(desk.scene(), 'oncall')).toBe('<@UANA>')
  expect((await desk.type('UBEN', 'status')).said).toContain('📟 @ana covers for @ben until')
  await wait(desk, 2 * hour + minute)
  expect(told(desk).filter((line) => line.startsWith('C0'))).toEqual([
    'C0: 📟 @ana covered for @ben 01:00 – 03:00',
    'C0: 📟 @ben is on call until 11:00, after @ana',
  ])
  expect(mentionOf(desk.scene(), 'oncall')).toBe('<@UBEN>')
})

test('its button ends it, and another cover takes its place', async () => {
  const desk = openShifts()
  await desk.type('UANA', 'cover 8h')
  const [first = ''] = posts(desk).map(({ id }) => id)
  const buttons = desk.blocksOf(first)
  await wait(desk, hour)
  await desk.type('UBEN', 'cover <@UBENZ> 8h', { channel: 'C0' })
  expect(told(desk)).toEqual([
    'C0: 📟 @ana covered for @ben 01:00 – 02:00',
    'C0: 📟 @benz covers for @ben until 10:00\n[End cover]',
  ])
  expect((await desk.press('UCLEO', buttons, 'end_cover')).said).toContain('This changed meanwhile')
  await wait(desk, hour)
  await desk.press('UCLEO', desk.blocksOf(posts(desk)[1]?.id ?? ''), 'end_cover')
  expect(told(desk).slice(1)).toEqual([
    'C0: 📟 @benz covered for @ben 02:00 – 03:00',
    'C0: 📟 @ben is on call until 11:00, after @benz',
  ])
  expect((await desk.type('UANA', 'audit')).said.split('\n').slice(1)).toEqual([
    '11-28 03:00 · 📟 @cleo ended the cover of *Ben Zeta*',
    '11-28 02:00 · 📟 @ben put *Ben Zeta* on call until 11-28 10:00',
    '11-28 01:00 · 📟 @ana put *Ana Novak* on call until 11-28 09:00',
  ])
})

test('without a calendar it is all that is known of who is on call', async () => {
  const desk = openDesk()
  expect((await desk.type('UANA', 'cover 2h')).said).toBe('📟 @ana is on call until 11-28 03:00')
  expect((await desk.type('UBEN', 'oncall')).said).toBe('📟 @ana is on call until 11-28 03:00')
  await wait(desk, hour)
  expect((await desk.type('UBEN', 'cover end')).said).toBe('Nobody covers now.')
  expect(told(desk)).toEqual(['C0: 📟 @ana was on call 01:00 – 02:00'])
  await desk.type('UANA', 'cover 2h')
  readCalendar(desk)
  expect((await desk.type('UBEN', 'oncall')).said).toContain('📟 @ana covers for @ben')
})

test('a pager that can call a person calls whoever covers', async () => {
  const desk = openShifts({ pager: 'webhook', policy: { reminders: [{ ...step, afterMs: 0, page: true }] } })
  await desk.type('UBEN', 'page oncall help')
  await desk.type('UANA', 'cover 2h')
  expect((await desk.type('UBEN', 'page oncall help')).said).toContain('📟 @ben paged @ana — help')
  const alert = desk.open('8398', 'web-2', { round: { count: 1, fromMs: desk.clock.nowMs() }, rounds: 1 })
  announce(desk.scene())
  expect(desk.world.alerts.get(alert.id)?.holder).toBeNull()
  expect(called(desk)).toEqual([undefined, 'UANA', 'UANA'])
})

test('PagerDuty goes on by its own schedule, and whoever asked hears so', async () => {
  const desk = openShifts({ pager: 'pagerduty' })
  expect((await desk.type('UANA', 'cover 2h')).said).toContain('PagerDuty goes by its own schedule')
  await desk.type('UBEN', 'page oncall help')
  expect(called(desk)).toEqual([undefined])
})

test('only who may acknowledge covers', async () => {
  const { permissions } = openDesk().scene().policy
  const desk = openShifts({ policy: { permissions: { ...permissions, acknowledge: ['UANA'] } } })
  await desk.type('UANA', 'cover 2h')
  const [post = ''] = posts(desk).map(({ id }) => id)
  for (const { said } of [
    await desk.type('UBEN', 'cover 2h'),
    await desk.press('UBEN', desk.blocksOf(post), 'end_cover'),
  ])
    expect(said).toContain('You may not do this')
  expect(told(desk)).toEqual(['C0: 📟 @ana covers for @ben until 03:00\n[End cover]'])
})
