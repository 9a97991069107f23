/**
 * Reads who is on call, as the fact `oncall`. What cannot be read is never "nobody": what was said last stays, for up to a month, with
 * the reason beside it. Shifts come out one after the other: of two that overlap the one that began last counts.
 */
import type ICAL from 'ical.js'
import type { Dispatcher } from 'undici'
import { call, NoAnswer } from '../call.ts'
import { day } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import type { OnCall, Shift } from '../world/facts.ts'
import type { Listed, ListedShift } from './ical.ts'
import { readSchedule } from './pagerduty.ts'

export type Span = { readonly fromMs: number; readonly untilMs: number }
/** Throws an `Error` whose message is fit for people. */
export type OnCallSource = (span: Span) => Promise<Listed>

/** As long as a line that told a change is shown; the rest is who comes next. */
const beforeMs = 15 * day
const aheadMs = 31 * day
const keptMs = 31 * day

/** Null where no calendar is set. */
export function onCallSourceOf(
  { onCallIcalUrl, pagerdutyApi }: Pick<Config, 'onCallIcalUrl' | 'pagerdutyApi'>,
  { onCall, timezone: zone }: Pick<Policy, 'onCall' | 'timezone'>,
  dispatcher: Dispatcher,
): OnCallSource | null {
  const { token, url } = pagerdutyApi
  if (onCall?.pagerduty && token !== null) {
    const schedule = onCall.pagerduty
    return (span) => readSchedule({ url, token, schedule }, span, dispatcher)
  }
  const address = onCall?.ical ?? onCallIcalUrl?.reveal() ?? null
  if (address === null) return null
  const known = new Set(Object.keys(onCall?.people ?? {}).map((name) => name.toLowerCase()))
  return async (span) => {
    const { status, body } = await call(dispatcher, address, { headers: { accept: 'text/calendar' } })
    if (status !== 200) throw new Error(`it returned HTTP ${status}`)
    // Only here: its tables of time zones are large.
    const { readCalendar } = await import('./ical.ts')
    return readCalendar(body.toString(), { ...span, zone, known })
  }
}

export type OnCallParts = {
  readonly source: OnCallSource
  /** The policy's: member ids by name or e-mail. */
  readonly people: Readonly<Record<string, string>>
  readonly personByEmail: (email: string) => Promise<string | null>
  readonly before: OnCall | null
  readonly nowMs: number
}

/** Never throws. */
export async function readOnCall(parts: OnCallParts): Promise<OnCall> {
  const { source, before, nowMs } = parts
  try {
    const listed = await source({ fromMs: nowMs - beforeMs, untilMs: nowMs + aheadMs })
    const flat = oneAfterTheOther(listed.shifts)
    const ids = await idsOf(flat, parts)
    // Whom Slack cannot be asked for now was found before.
    const found = new Map((before?.shifts ?? []).map(({ name, person }) => [name, person]))
    const shifts = flat.map(({ fromMs, untilMs, who: { name, email } }): Shift => {
      const person = ids.get(email ?? name) ?? found.get(name) ?? `name:${name}`
      return { fromMs, untilMs, person, name }
    })
    const { unread } = listed
    return { atMs: nowMs, unread, why: unread === 0 ? null : listed.why, shifts }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    const why = error instanceof NoAnswer ? `it ${words}` : words
    const isOld = before === null || nowMs - before.atMs > keptMs
    return isOld ? { atMs: before?.atMs ?? 0, unread: 0, why, shifts: [] } : { ...before, why }
  }
}

/** Member ids by e-mail, or by name where there is none. */
async function idsOf(
  shifts: readonly ListedShift[],
  { people, personByEmail }: OnCallParts,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map(Object.entries(people).map(([name, id]) => [name.toLowerCase(), id]))
  const ids = new Map<string, string>()
  const named = new Map(shifts.map(({ who }) => [who.email ?? who.name, who]))
  for (const [key, { email, name }] of named) {
    const own = known.get(email ?? '') ?? known.get(name.toLowerCase())
    const id = own ?? (email === null ? null : await personByEmail(email))
    if (id !== null) ids.set(key, id)
  }
  return ids
}

/**
 * The shifts without overlaps: at each moment the one that began last, of those that begin at once the later one of the list, and one
 * that names nobody only where no other is.
 */
export function oneAfterTheOther(listed: readonly ListedShift[]): ListedShift[] {
  const edges = [...new Set(listed.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))].sort((a, b) => a - b)
  const flat: ListedShift[] = []
  for (const [at, fromMs] of edges.entries()) {
    const untilMs = edges[at + 1]
    if (untilMs === undefined) break
    const there = listed.filter((shift) => shift.fromMs <= fromMs && shift.untilMs >= untilMs)
    const clear = there.filter(({ who }) => !who.isUnclear)
    const [first, ...others] = clear.length > 0 ? clear : there
    if (first === undefined) continue
    const { who } = others.reduce((best, one) => (one.fromMs >= best.fromMs ? one : best), first)
    const last = flat.at(-1)
    const isSame = last?.untilMs === fromMs && last.who.email === who.email && last.who.name === who.name
    if (isSame) flat.push({ ...(flat.pop() ?? last), untilMs })
    else flat.push({ fromMs, untilMs, who })
  }
  return flat
}

/** `isUnclear`: only the title of an event that names nobody; it counts where no other does. */
export type Named = { readonly email: string | null; readonly name: string; readonly isUnclear: boolean }

const nameCharsMax = 100

/** Whom its title names first; else its first guest, one whom the policy knows before others, and the keeper of the calendar last. */
export function namedBy(event: ICAL.Component, people: ReadonlySet<string>): Named {
  const title = textOf(event.getFirstPropertyValue('summary'))
  const ofPagerDuty = /^On Call - (.+?) - .+$/i.exec(title)?.[1]
  const keeper = mailOf(event.getFirstPropertyValue('organizer'))
  const invited = event.getAllProperties('attendee')
  const attendees = invited.flatMap(guestOf)
  const away = invited.filter(hasDeclined).map((guest) => `${mailOf(guest.getFirstValue())} ${nameIn(guest)}`)
  const isAway = (word: string) => away.some((own) => wordAt(own.toLowerCase(), word) >= 0)
  const known = new Set([...people].filter((word) => !isAway(word)))
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
  if (isRoom || hasDeclined(guest) || email === null || noPerson.test(email)) return []
  return [{ ...nameOnly(nameIn(guest) || email), email }]
}

function hasDeclined(guest: ICAL.Property): boolean {
  return /^DECLINED$/i.test(guest.getFirstParameter('partstat'))
}

function nameIn(guest: ICAL.Property): string {
  return textOf(guest.getFirstParameter('cn'))
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
