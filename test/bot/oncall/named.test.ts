/** Whom an event names: of guests, an organizer among them, and of several in a title. */
import { expect, test } from 'vitest'
import { shiftsOf } from '../../../src/bot/oncall/calendar.ts'
import { event, google } from './calendars.ts'

const span = { fromMs: Date.UTC(2026, 2, 20), toMs: Date.UTC(2026, 3, 20) }

/** The e-mail or else the name of who is called; null: nobody whom the event names. */
function named(words: string, known: readonly string[]): string | null {
  const text = google([event(`DTSTART:20260328T200000Z\nDTEND:20260329T080000Z\n${words}`)])
  const read = shiftsOf({ text, zone: 'UTC', known, ...span })
  if (typeof read === 'string') throw new Error(read)
  const [shift] = read.shifts
  if (shift === undefined) throw new Error('no shift')
  return shift.isUnclear ? null : (shift.who.email ?? shift.who.name)
}

/** As Google lists a guest. */
const guest = (name: string, status = 'ACCEPTED') =>
  `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=${status};CN=${name};X-NUM-GUESTS=0:mailto:${name.toLowerCase()}@example.com`
const boss = 'ORGANIZER;CN=Boss:mailto:Boss@example.com'
const byMail = (...names: readonly string[]) => names.map((name) => `${name}@example.com`)

test.each([
  ['neither known', []],
  ['both known', byMail('boss', 'ana')],
  ['the organizer known', byMail('boss')],
  ['the organizer known by name', ['boss']],
  ['the guest known', byMail('ana')],
])('a guest goes before the organizer, who is listed as one: %s', (_, known) => {
  const guests = [guest('Boss'), guest('Ana', 'NEEDS-ACTION')]
  for (const listed of [guests, guests.toReversed()])
    expect(named([boss, ...listed, 'SUMMARY:On call'].join('\n'), known)).toBe('ana@example.com')
})

test.each([
  ['alone', [guest('Boss')], 'On call', 'boss@example.com'],
  [
    'with a room',
    [guest('Boss'), guest('Room').replace('INDIVIDUAL', 'RESOURCE')],
    'On call',
    'boss@example.com',
  ],
  ['whose guest declined', [guest('Boss'), guest('Ana', 'DECLINED')], 'On call', 'boss@example.com'],
  ['who declined', [guest('Boss', 'DECLINED')], 'On call', null],
  ['who declined, as all did', [guest('Boss', 'DECLINED'), guest('Ana', 'DECLINED')], 'On call', null],
  ['who declined, but no guest', [guest('Boss', 'DECLINED'), guest('Cleo')], 'On call', 'cleo@example.com'],
  ['beside a title that says who', [guest('Boss')], 'Ben on call', 'Ben'],
  ['beside a title that says who is there for them', [guest('Boss')], 'Ben for Boss', 'Ben'],
  ['who is no guest', [], 'On call', null],
])('the organizer is meant only where nothing else says who: %s', (_, guests, title, who) => {
  expect(named([boss, ...guests, `SUMMARY:${title}`].join('\n'), ['ben', ...byMail('ana')])).toBe(who)
})

test.each([
  ['by e-mail', byMail('ben'), 'ben@example.com'],
  ['by name', ['ben'], 'ben@example.com'],
  ['both, so the first', ['ben', ...byMail('cleo')], 'ben@example.com'],
  ['not at all, so the first', ['be', 'ben@example.co'], 'ana@example.com'],
])('of guests the one in `people` counts: %s', (_, known, who) => {
  expect(named([guest('Ana'), guest('Ben'), guest('Cleo'), 'SUMMARY:x'].join('\n'), known)).toBe(who)
})

test.each([
  ['Ana (backup Ben)', ['ben'], 'ana@example.com'],
  ['Ana on call', byMail('ben', 'cleo'), 'ana@example.com'],
  ['ben@example.com, backup Cleo', byMail('cleo'), 'ben@example.com'],
  ['Susana on call', ['ben'], 'ben@example.com'],
])('the guest whom the title names goes before one in `people`: %s', (title, known, who) => {
  expect(named([guest('Ben'), guest('Cleo'), guest('Ana'), `SUMMARY:${title}`].join('\n'), known)).toBe(who)
})

test('an organizer whom nobody knows, as a mailbox, goes before no guest in `people`', () => {
  const words = ['ORGANIZER:mailto:on-call@example.com', guest('On-call'), guest('Ana'), 'SUMMARY:On-call']
  expect(named(words.join('\n'), ['ana'])).toBe('ana@example.com')
})

test.each([
  ['Ana (backup: Benjamin)', 'Ana'],
  ['BENJAMIN, then Ana', 'BENJAMIN'],
  ['Ana Maria / Benjamin', 'Ana Maria'],
  ['Susana / Ana', 'Ana'],
  ['Anastasia, Ana-Lena', 'Ana'],
  ['Susana, Anastasia', null],
  ['Benjamina (Ana', 'Ana'],
  ['Ana (backup: cleo@example.com)', 'Ana'],
  ['cleo@example.com, backup Ana', 'cleo@example.com'],
  ['ana@example.com', 'ana@example.com'],
  ['On Call - Cleo - Team Ana', 'Cleo'],
])('the first that a title names counts: %s', (title, who) => {
  expect(named(`SUMMARY:${title}`, ['', 'ana', 'ana maria', 'benjamin', 'cleo@example.com'])).toBe(who)
})

test.each([
  ['a calendar', 'ATTENDEE:mailto:c_1@group.calendar.google.com', 'Ana on call', 'Ana'],
  ['a team, so the title says who', 'ATTENDEE:mailto:team@x.com', 'Ana on call', 'ana@x.com'],
  ['a team and the e-mail in the title', 'ATTENDEE:mailto:team@x.com', 'ANA@x.com on call', 'ana@x.com'],
  ['a team, and nobody in the title', 'ATTENDEE:mailto:team@x.com', 'On call', 'team@x.com'],
  ['somebody before them in the title', guest('Cleo'), 'Cleo on call, then Ana', 'cleo@example.com'],
  ['somebody after them in the title', guest('Cleo'), 'Ana on call, then Cleo', 'ana@x.com'],
  ['a part of another word', guest('Cleo'), 'Susana on call', 'cleo@example.com'],
  ['somebody known', guest('Ben'), 'Ana on call', 'ana@x.com'],
  ['somebody known, and nobody in the title', guest('Ben'), 'On call', 'ben@example.com'],
  ['somebody known, who is their backup', guest('Ben'), 'Ana (backup Ben)', 'ana@x.com'],
])('an organizer who is on call themself, beside %s', (_, other, title, who) => {
  const words = ['ORGANIZER:mailto:ana@x.com', 'ATTENDEE:mailto:ana@x.com', other, `SUMMARY:${title}`]
  expect(named(words.join('\n'), ['ana', 'ana@x.com', 'ben@example.com'])).toBe(who)
})

test.each([[[]], [['boss@example.com']]])('an organizer is named by their own name, too: %j', (known) => {
  expect(named([boss, guest('Boss'), guest('Team'), 'SUMMARY:Boss on call'].join('\n'), known)).toBe(
    'boss@example.com',
  )
})

test.each([
  guest('Room').replace('INDIVIDUAL', 'ROOM'),
  guest('Van').replace('INDIVIDUAL', 'resource'),
  guest('Team').replace('INDIVIDUAL', 'GROUP'),
  'ATTENDEE;CN=Room:mailto:c_1@resource.calendar.google.com',
  'ATTENDEE;CN=Team:mailto:C_1@group.calendar.google.com',
  'ATTENDEE;CN=Old:mailto:c_1@import.calendar.google.com',
])('what is no person is never on call: %s', (guests) => {
  expect(named([guests, 'SUMMARY:On call'].join('\n'), [])).toBeNull()
  expect(named([boss, guest('Boss'), guests, 'SUMMARY:On call'].join('\n'), [])).toBe('boss@example.com')
})

test('a name whose lower case is longer is found as `people` has it', () => {
  const [ipek, ali] = ['İpek'.toLowerCase(), 'ali']
  expect(named('SUMMARY:İpek on call', [ipek])).toBe(ipek)
  expect(named('SUMMARY:İSTANBUL: Ali on call', [ali])).toBe(ali)
})
