/** Whom an event of an on-call calendar names. */
import type ICAL from 'ical.js'
import type { Named } from '../domain/oncall/shift.ts'

/** Who it is, and whether that is only the event's title. */
export type NamedBy = { readonly who: Named; readonly isUnclear: boolean }

const nameCharsMax = 100

/**
 * By its guests, of whom the title may name one, else by its title: the first e-mail, or name that `known` has (in lower case), or
 * PagerDuty's "On Call - Ana - Schedule". The organizer is whoever keeps the calendar, and meant only as a guest whom the title
 * names, or where nothing else says who it is; one that is not known may be a mailbox, and goes before nobody who is.
 */
export function namedBy(component: ICAL.Component, known: ReadonlySet<string>): NamedBy {
  const organizer = mailOf(component.getFirstProperty('organizer'))
  const attendees = component.getAllProperties('attendee').flatMap(attendeeOf)
  const guests = attendees.filter(({ email }) => email !== organizer)
  const isKnown = ({ email, name }: Named) => known.has(email ?? '') || known.has(name.toLowerCase())
  const title = textOf(component.getFirstPropertyValue('summary'))
  const [guest] = guests
  const titled = (people: readonly Named[]) => titledOf(people, title, known)
  const likely = attendees.filter((one) => one.email !== organizer || isKnown(one))
  const ofGuests = guest && (titled(likely) ?? guests.find(isKnown) ?? titled(attendees) ?? guest)
  const who = ofGuests ?? namedIn(title, known) ?? attendees[0]
  if (who !== undefined) return { who, isUnclear: false }
  return { who: { email: null, name: short(title) || 'an event without a title' }, isUnclear: true }
}

/** Of these the one whom the title names first: by e-mail, name, or a known name that is a word of theirs. */
function titledOf(people: readonly Named[], title: string, known: ReadonlySet<string>): Named | undefined {
  const lower = title.toLowerCase()
  const found = people.flatMap((person) => {
    const [email, name] = [person.email ?? '', person.name.toLowerCase()]
    const own = `${email.replace(/@.*/, '')} ${name}`
    const names = [email, name, ...[...known].filter((one) => wordIn(one, own).length > 0)]
    return names.flatMap((one) => wordIn(one, lower).map(({ at }) => ({ at, person })))
  })
  return found.sort((a, b) => a.at - b.at)[0]?.person
}

function namedIn(title: string, known: ReadonlySet<string>): Named | null {
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[A-Za-z]{2,}/.exec(title)
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]?.trim()
  if (email === null && ofPagerDuty !== undefined) return { email: null, name: short(ofPagerDuty) }
  const lower = title.toLowerCase()
  const [first] = [...known]
    .flatMap((word) => (word.includes('@') ? [] : wordIn(word, lower)))
    .sort((a, b) => a.at - b.at || b.word.length - a.word.length)
  if (email !== null && (first === undefined || email.index <= first.at)) {
    const address = email[0].toLowerCase()
    return { email: address, name: address }
  }
  if (first === undefined) return null
  // As the title spells it, if it has the same places: the lower case of İ is longer.
  const spelled = title.slice(first.at, first.at + first.word.length)
  return { email: null, name: short(lower.length === title.length ? spelled : first.word) }
}

/** Whom no e-mail reaches: calendars, rooms and what was imported. */
const noPerson = /@(?:group|resource|import)\.calendar\.google\.com$/

/** None for a room or a group, or for somebody who declined. */
function attendeeOf(property: ICAL.Property): Named[] {
  const parameter = (name: string) => String(property.getParameter(name) ?? '')
  if (/^(?:ROOM|RESOURCE|GROUP)$/i.test(parameter('cutype')) || /^DECLINED$/i.test(parameter('partstat')))
    return []
  const email = mailOf(property)
  if (email === null || noPerson.test(email)) return []
  const name = parameter('cn').trim()
  return [{ email, name: name === '' ? email : short(name) }]
}

/** The e-mail of a guest or organizer; null: none. */
function mailOf(property: ICAL.Property | null): string | null {
  const value = String(property?.getFirstValue() ?? '').trim()
  return /^mailto:(.+@.+)$/i.exec(value)?.[1]?.toLowerCase() ?? null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : ''
}

/** Where the text first has this word whole; none if it does not. */
function wordIn(word: string, text: string): { readonly at: number; readonly word: string }[] {
  if (word === '') return []
  const isEdge = (char: string | undefined) => char === undefined || !/[\p{L}\p{N}]/u.test(char)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (isEdge(text[at - 1]) && isEdge(text[at + word.length])) return [{ at, word }]
  return []
}

function short(name: string): string {
  return name.slice(0, nameCharsMax)
}
