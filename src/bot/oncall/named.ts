/** Whom an event of an on-call calendar names. */
import type ICAL from 'ical.js'
import type { Named } from '../domain/oncall/shift.ts'

/** Who it is, and whether that is only the event's title. */
export type NamedBy = { readonly who: Named; readonly isUnclear: boolean }

const nameCharsMax = 100

/**
 * By its attendees, else by its title: an e-mail or a name that `known` has (in lower case), PagerDuty's "On Call - Ana - Schedule",
 * or any e-mail. The organizer is whoever keeps the calendar, and never asked.
 */
export function namedBy(component: ICAL.Component, known: ReadonlySet<string>): NamedBy {
  const attendees = component.getAllProperties('attendee').flatMap(attendeeOf)
  const [attendee] = [...attendees.filter(({ email }) => known.has(email ?? '')), ...attendees]
  if (attendee !== undefined) return { who: attendee, isUnclear: false }
  const title = textOf(component.getFirstPropertyValue('summary'))
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[A-Za-z]{2,}/.exec(title)?.[0].toLowerCase()
  if (email !== undefined) return { who: { email, name: email }, isUnclear: false }
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]?.trim()
  if (ofPagerDuty !== undefined) return { who: { email: null, name: short(ofPagerDuty) }, isUnclear: false }
  const lower = title.toLowerCase()
  const [name] = [...known].filter((one) => !one.includes('@') && isWordIn(one, lower)).sort(longestFirst)
  if (name !== undefined) return { who: { email: null, name: short(titled(title, name)) }, isUnclear: false }
  return { who: { email: null, name: short(title) || 'an event without a title' }, isUnclear: true }
}

/** None for a room, or for somebody who declined. */
function attendeeOf(property: ICAL.Property): Named[] {
  const parameter = (name: string) => String(property.getParameter(name) ?? '')
  if (/^(?:ROOM|RESOURCE)$/i.test(parameter('cutype')) || /^DECLINED$/i.test(parameter('partstat'))) return []
  const email = /^mailto:(.+@.+)$/i.exec(String(property.getFirstValue()).trim())?.[1]?.toLowerCase()
  if (email === undefined) return []
  const name = parameter('cn').trim()
  return [{ email, name: name === '' ? email : short(name) }]
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
