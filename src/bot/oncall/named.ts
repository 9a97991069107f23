/** Whom an event of an on-call calendar names (docs/settings.md#who-is-on-call). */
import type { Property } from './ical.ts'

/** `isUnclear`: only the title of an event that names nobody; it counts where no other does. */
export type Named = { readonly email: string | null; readonly name: string; readonly isUnclear: boolean }

const nameCharsMax = 100

/**
 * Its first guest: one whom its title names before one whom the policy knows before others. Else the first e-mail or known name in the
 * title, or PagerDuty's "On Call - Ana - Schedule". Whoever keeps the calendar counts as a guest only where the title names them or
 * nothing else names anybody.
 */
export function namedBy(event: readonly Property[], known: ReadonlySet<string>): Named {
  const title = textOf(event.find(([name]) => name === 'summary')?.[3])
  const organizer = mailOf(event.find(([name]) => name === 'organizer')?.[3])
  const attendees = event.filter(([name]) => name === 'attendee').flatMap(guestOf)
  const guests = attendees.filter(({ email }) => email !== organizer)
  const isKnown = ({ email, name }: Named) => known.has(email ?? '') || known.has(name.toLowerCase())
  const titled = attendees
    .map((guest) => ({ guest, at: placeIn(title, guest, known) }))
    .filter(
      ({ guest, at }) => at >= 0 && (guest.email !== organizer || isKnown(guest) || guests.length === 0),
    )
    .sort((a, b) => a.at - b.at)[0]?.guest
  const named = titled ?? guests.find(isKnown) ?? guests[0] ?? namedIn(title, known) ?? attendees[0]
  return named ?? { email: null, name: cut(title) || 'an event without a title', isUnclear: true }
}

/** Where the title names this guest, by e-mail, name, or a word of theirs that the policy knows; -1 where it does not. */
function placeIn(title: string, { email, name }: Named, known: ReadonlySet<string>): number {
  const own = `${(email ?? '').replace(/@.*/, '')} ${name}`.toLowerCase()
  const words = [email ?? '', name.toLowerCase(), ...[...known].filter((word) => wordAt(own, word) >= 0)]
  const places = words.map((word) => wordAt(title.toLowerCase(), word)).filter((at) => at >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}

function namedIn(title: string, known: ReadonlySet<string>): Named | null {
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[A-Za-z]{2,}/.exec(title)
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]
  const lower = title.toLowerCase()
  const [first] = [...known]
    .map((word) => ({ word, at: wordAt(lower, word) }))
    .filter(({ word, at }) => at >= 0 && !word.includes('@'))
    .sort((a, b) => a.at - b.at || b.word.length - a.word.length)
  if (email !== null && (first === undefined || email.index <= first.at)) {
    const address = email[0].toLowerCase()
    return { email: address, name: address, isUnclear: false }
  }
  if (ofPagerDuty !== undefined) return { email: null, name: cut(ofPagerDuty.trim()), isUnclear: false }
  if (first === undefined) return null
  const spelled = title.slice(first.at, first.at + first.word.length)
  return { email: null, name: cut(spelled), isUnclear: false }
}

/** Calendars, rooms and what was imported have addresses that reach nobody. */
const noPerson = /@(?:group|resource|import)\.calendar\.google\.com$/

/** None for a room or a group, or for somebody who declined. */
function guestOf([, parameters, , value]: Property): Named[] {
  const isRoom = /^(?:ROOM|RESOURCE|GROUP)$/i.test(String(parameters.cutype ?? ''))
  const email = mailOf(value)
  const hasDeclined = /^DECLINED$/i.test(String(parameters.partstat ?? ''))
  if (isRoom || hasDeclined || email === null || noPerson.test(email)) return []
  return [{ email, name: cut(textOf(parameters.cn)) || email, isUnclear: false }]
}

function mailOf(value: unknown): string | null {
  return /^mailto:(.+@.+)$/i.exec(String(value ?? ''))?.[1]?.toLowerCase() ?? null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() : ''
}

function cut(name: string): string {
  return name.slice(0, nameCharsMax).toWellFormed()
}

/** Where the text first has this word whole; -1 if it does not. */
function wordAt(text: string, word: string): number {
  if (word === '') return -1
  const isEdge = (char: string | undefined) => char === undefined || !/[\p{L}\p{N}]/u.test(char)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (isEdge(text[at - 1]) && isEdge(text[at + word.length])) return at
  return -1
}
