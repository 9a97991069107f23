/** Whom an event of an on-call calendar names. */
import type ICAL from 'ical.js'
import type { Named } from '../domain/oncall/shift.ts'

/** Who it is, and whether that is only the event's title. */
export type NamedBy = { readonly who: Named; readonly isUnclear: boolean }

const nameCharsMax = 100

/**
 * By its guests, else by its title: an e-mail or a name that `known` has (in lower case), or PagerDuty's "On Call - Ana -
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
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[A-Za-z]{2,}/.exec(title)?.[0].toLowerCase()
  if (email !== undefined) return { email, name: email }
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]?.trim()
  if (ofPagerDuty !== undefined) return { email: null, name: short(ofPagerDuty) }
  const lower = title.toLowerCase()
  const [name] = [...known].filter((one) => !one.includes('@') && isWordIn(one, lower)).sort(longestFirst)
  return name === undefined ? null : { email: null, name: short(titled(title, name)) }
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

function isWordIn(word: string, text: string): boolean {
  const at = text.indexOf(word)
  const isEdge = (char: string | undefined) => char === undefined || !/[\p{L}\p{N}]/u.test(char)
  return at >= 0 && isEdge(text[at - 1]) && isEdge(text[at + word.length])
}

/** The name as the title spells it. */
function titled(title: string, lower: string): string {
  const at = title.toLowerCase().indexOf(lower)
  return title.slice(at, at + lower.length)
}

function short(name: string): string {
  return name.slice(0, nameCharsMax)
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length
}
