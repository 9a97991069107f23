/** Whom an event of an on-call calendar names (docs/settings.md#who-is-on-call). */
import type ICAL from 'ical.js'

/** `isUnclear`: only the title of an event that names nobody; it counts where no other does. */
export type Named = { readonly email: string | null; readonly name: string; readonly isUnclear: boolean }

const nameCharsMax = 100

/** Whom its title names first; else its first guest, one whom the policy knows before others, and the keeper of the calendar last. */
export function namedBy(event: ICAL.Component, known: ReadonlySet<string>): Named {
  const title = textOf(event.getFirstPropertyValue('summary'))
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]
  const keeper = mailOf(event.getFirstPropertyValue('organizer'))
  const attendees = event.getAllProperties('attendee').flatMap(guestOf)
  const guests = attendees.filter(({ email }) => email !== keeper)
  const isKnown = ({ email, name }: Named) => known.has(email ?? '') || known.has(name.toLowerCase())
  const named = namedIn(ofPagerDuty ?? title, attendees, known) ?? guests.find(isKnown) ?? guests[0]
  if (named !== undefined) return named
  if (ofPagerDuty !== undefined) return nameOnly(ofPagerDuty)
  return attendees[0] ?? { ...nameOnly(title || 'an event without a title'), isUnclear: true }
}

/** A guest by their e-mail, their name, or a word of it that the policy knows; any e-mail; a name of the policy. */
function namedIn(title: string, guests: readonly Named[], known: ReadonlySet<string>): Named | undefined {
  const lower = title.toLowerCase()
  const email = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[a-z]{2,}/.exec(lower)
  const names = [...known].filter((word) => !word.includes('@')).sort((a, b) => b.length - a.length)
  const ofGuest = (guest: Named) => {
    const own = `${guest.email?.replace(/@.*/, '')} ${guest.name}`.toLowerCase()
    const words = [
      guest.email ?? '',
      guest.name.toLowerCase(),
      ...names.filter((one) => wordAt(own, one) >= 0),
    ]
    return words.map((word) => ({ at: wordAt(lower, word), who: guest }))
  }
  const ofPolicy = names.map((word) => {
    const at = wordAt(lower, word)
    return { at, who: nameOnly(title.slice(at, at + word.length)) }
  })
  const ofEmail = email === null ? [] : [{ at: email.index, who: { ...nameOnly(email[0]), email: email[0] } }]
  const found = [...guests.flatMap(ofGuest), ...ofEmail, ...ofPolicy].filter(({ at }) => at >= 0)
  return found.sort((a, b) => a.at - b.at)[0]?.who
}

function nameOnly(name: string): Named {
  return { email: null, name: name.trim().slice(0, nameCharsMax).toWellFormed(), isUnclear: false }
}

/** Calendars, rooms and what was imported have addresses that reach nobody. */
const noPerson = /@(?:group|resource|import)\.calendar\.google\.com$/

/** None for a room or a group, or for somebody who declined. */
function guestOf(guest: ICAL.Property): Named[] {
  const email = mailOf(guest.getFirstValue())
  const isRoom = /^(?:ROOM|RESOURCE|GROUP)$/i.test(guest.getFirstParameter('cutype'))
  const hasDeclined = /^DECLINED$/i.test(guest.getFirstParameter('partstat'))
  if (isRoom || hasDeclined || email === null || noPerson.test(email)) return []
  return [{ ...nameOnly(textOf(guest.getFirstParameter('cn')) || email), email }]
}

function mailOf(value: unknown): string | null {
  return /^mailto:(.+@.+)$/i.exec(String(value ?? ''))?.[1]?.toLowerCase() ?? null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() : ''
}

/** Where the text first has this word whole; -1 if it does not. */
function wordAt(text: string, word: string): number {
  const isEdge = (char: string | undefined) => char === undefined || !/[\p{L}\p{N}]/u.test(char)
  for (let at = text.indexOf(word); word !== '' && at >= 0; at = text.indexOf(word, at + 1))
    if (isEdge(text[at - 1]) && isEdge(text[at + word.length])) return at
  return -1
}
