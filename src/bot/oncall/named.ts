/** Whom an event of an on-call calendar names. */
import type ICAL from 'ical.js'
import type { Named } from '../domain/oncall/shift.ts'

/** Who it is, and whether that is only the event's title. */
export type NamedBy = { readonly who: Named; readonly isUnclear: boolean }

const nameCharsMax = 100

/**
 * By its guests, else by its title: the first e-mail, or name that `known` has (in lower case), or PagerDuty's "On Call - Ana -
 * Schedule". The organizer is whoever keeps the calendar, and meant only as a guest where nothing else says who it is.
 */
export function namedBy(component: ICAL.Component, known: ReadonlySet<string>): NamedBy {
  const organizer = mailOf(component.getFirstProperty('organizer'))
  const attendees = component.getAllProperties('attendee').flatMap(attendeeOf)
  const guests = attendees.filter(({ email }) => email !== organizer)
  const isKnown = ({ email, name }: Named) => known.has(email ?? '') || known.has(name.toLowerCase())
  const title = textOf(component.getFirstPropertyValue('summary'))
  const who = guests.find(isKnown) ?? guests[0] ?? namedIn(title, known) ?? attendees[0]
  if (who !== undefined) return { who, isUnclear: false }
  return { who: { email: null, name: short(title) || 'an event without a title' }, isUnclear: true }
}

function namedIn(title: string, known: ReadonlySet<string>): Named | null {
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[A-Za-z]{2,}/.exec(title)
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]?.trim()
  if (email === null && ofPagerDuty !== undefined) return { email: null, name: short(ofPagerDuty) }
  const lower = title.toLowerCase()
  const [first] = [...known]
    .flatMap((one) => (one === '' || one.includes('@') ? [] : wordIn(one, lower)))
    .sort((a, b) => a.at - b.at || b.length - a.length)
  if (email !== null && (first === undefined || email.index <= first.at)) {
    const address = email[0].toLowerCase()
    return { email: address, name: address }
  }
  // As the title spells it.
  return first === undefined
    ? null
    : { email: null, name: short(title.slice(first.at, first.at + first.length)) }
}

/** None for a room, or for somebody who declined. */
function attendeeOf(property: ICAL.Property): Named[] {
  const parameter = (name: string) => String(property.getParameter(name) ?? '')
  if (/^(?:ROOM|RESOURCE)$/i.test(parameter('cutype')) || /^DECLINED$/i.test(parameter('partstat'))) return []
  const email = mailOf(property)
  if (email === null) return []
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
function wordIn(word: string, text: string): { readonly at: number; readonly length: number }[] {
  const isEdge = (char: string | undefined) => char === undefined || !/[\p{L}\p{N}]/u.test(char)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (isEdge(text[at - 1]) && isEdge(text[at + word.length])) return [{ at, length: word.length }]
  return []
}

function short(name: string): string {
  return name.slice(0, nameCharsMax)
}
