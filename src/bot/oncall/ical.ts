/**
 * Reads the shifts of a calendar (RFC 5545). Repetitions are worked out on the clock of the event's zone, so a shift from 20:00 to 08:00 is
 * one in each night, those of daylight saving too. An event that cannot be read is counted, never taken for nothing.
 */
import ICAL from 'ical.js'
import { findIana } from 'windows-iana'
import { z } from 'zod'
import { day, second } from '../clock.ts'
import { isZone, momentOf, wallOf } from '../zone.ts'
import { type Named, namedBy } from './named.ts'

/** As a source lists them: they may overlap, and then the later one of the list counts. */
export type ListedShift = { readonly fromMs: number; readonly untilMs: number; readonly who: Named }
export type Listed = {
  readonly shifts: readonly ListedShift[]
  readonly unread: number
  readonly why: string | null
}
export type CalendarSpan = {
  readonly fromMs: number
  readonly untilMs: number
  /** Of what names none, where the calendar does not say either. */
  readonly zone: string
  /** Names and e-mails that the policy knows, in lower case. */
  readonly known: ReadonlySet<string>
}

const property = z.tuple([z.string(), z.record(z.string(), z.unknown()), z.string()]).rest(z.unknown())
const component = z.tuple([z.string(), z.array(property), z.array(z.unknown())])
export type Property = z.infer<typeof property>

/** An event as its lines say it. */
type Entry = {
  readonly properties: readonly Property[]
  readonly zone: string
  readonly fromWall: number
  readonly lengthMs: number
  readonly rank: readonly [createdMs: number, at: number]
}

const eventsMax = 20_000
/** A shift every hour for a year; a rule beyond that repeats by the second. */
const repetitionsMax = 10_000
const unfollowed = 'a rule that cannot be followed'

/** Throws an `Error` in words where it is no calendar. */
export function readCalendar(text: string, span: CalendarSpan): Listed {
  const { properties, events } = partsOf(text)
  const own = zoneOf(valueIn(properties, 'x-wr-timezone')) ?? span.zone
  const problems: string[] = []
  const entries = events.flatMap((event, at) => {
    if (!mayMatter(event, span)) return []
    const entry = entryOf(event, own, at)
    if (typeof entry !== 'string') return entry
    problems.push(entry)
    return []
  })
  const isException = ({ properties: lines }: Entry) => has(lines, 'recurrence-id')
  const exceptions = entries.filter(isException)
  const masters = entries.filter((entry) => !isException(entry))
  const byUid = Map.groupBy(exceptions, ({ properties: lines }) => valueIn(lines, 'uid'))
  const found = masters.flatMap((master) => {
    const uid = valueIn(master.properties, 'uid')
    const ownExceptions = byUid.get(uid) ?? []
    byUid.delete(uid)
    try {
      return shiftsOf(master, ownExceptions, span)
    } catch {
      problems.push(unfollowed)
      return []
    }
  })
  // An exception whose series is not here stands alone.
  const alone = [...byUid.values()].flat().flatMap((entry) => shiftAt(entry, entry.fromWall, span))
  const ranked = [...found, ...alone].sort(byRank).map(({ shift }) => shift)
  return { shifts: ranked, unread: problems.length, why: problems[0] ?? null }
}

function partsOf(text: string): { properties: Property[]; events: Property[][] } {
  const root = component.safeParse(parsed(text))
  if (!root.success || root.data[0] !== 'vcalendar') throw new Error('it is no calendar, or not all of one')
  const [, properties, parts] = root.data
  const events = parts.flatMap((part) => {
    const read = component.safeParse(part)
    return read.success && read.data[0] === 'vevent' ? [read.data[1]] : []
  })
  if (events.length > eventsMax) throw new Error(`it has more than ${eventsMax} events`)
  return { properties, events }
}

function parsed(text: string): unknown {
  try {
    return ICAL.parse(text)
  } catch {
    return null
  }
}

/** Judged by its days alone, and never wrongly said no: what has a rule or an exception may. */
function mayMatter(event: readonly Property[], { fromMs, untilMs }: CalendarSpan): boolean {
  if (/^cancelled$/i.test(valueIn(event, 'status')) && !has(event, 'recurrence-id')) return false
  const startMs = Date.parse(valueIn(event, 'dtstart').slice(0, 10))
  if (startMs > untilMs + 2 * day) return false
  if (has(event, 'rrule') || has(event, 'rdate') || has(event, 'recurrence-id')) return true
  const endMs = Date.parse(valueIn(event, 'dtend').slice(0, 10))
  return !(endMs < fromMs - 2 * day)
}

/** A text says why it cannot be read. */
function entryOf(event: readonly Property[], calendarZone: string, at: number): Entry | string {
  const start = event.find(([name]) => name === 'dtstart')
  if (start === undefined) return 'an event without a begin'
  const zone = zoneOfTime(start, calendarZone)
  if (zone === null) return `the unknown time zone ${String(start[1].tzid).slice(0, 60)}`
  const fromWall = wallIn(start, zone, calendarZone)
  const lengthMs = fromWall === null ? null : lengthOf(event, fromWall, zone, calendarZone)
  if (fromWall === null || lengthMs === null) return 'an event without a begin or an end'
  const range = event.find(([name]) => name === 'recurrence-id')?.[1].range
  if (range !== undefined) return unfollowed
  const createdMs = Date.parse(valueIn(event, 'created')) || 0
  return { properties: event, zone, fromWall, lengthMs, rank: [createdMs, at] }
}

function lengthOf(event: readonly Property[], fromWall: number, zone: string, own: string): number | null {
  const end = event.find(([name]) => name === 'dtend')
  if (end !== undefined) {
    const untilWall = wallIn(end, zone, own)
    return untilWall === null ? null : untilWall - fromWall
  }
  if (has(event, 'duration')) return ICAL.Duration.fromString(valueIn(event, 'duration')).toSeconds() * second
  return valueIn(event, 'dtstart').length === 10 ? day : 0
}

type Ranked = { readonly shift: ListedShift; readonly rank: readonly number[] }

/** Of two that begin at once the one that was created later counts, or stands later in the file; an exception over its series. */
function byRank(a: Ranked, b: Ranked): number {
  const first = a.rank.findIndex((value, at) => value !== b.rank[at])
  return (a.rank[first] ?? 0) - (b.rank[first] ?? 0)
}

function shiftsOf(master: Entry, exceptions: readonly Entry[], span: CalendarSpan): Ranked[] {
  const { properties, zone } = master
  const placesOf = (lines: readonly Property[], name: string) =>
    lines.filter((one) => one[0] === name).flatMap((one) => wallsIn(one, zone))
  const gone = new Set([
    ...placesOf(properties, 'exdate'),
    ...exceptions.flatMap((one) => placesOf(one.properties, 'recurrence-id')),
  ])
  const walls = [...occurrencesOf(master, span), ...placesOf(properties, 'rdate')]
  return [
    ...walls.filter((wall) => !gone.has(wall)).flatMap((wall) => shiftAt(master, wall, span)),
    ...exceptions.flatMap((one) =>
      shiftAt({ ...one, rank: [...master.rank, 1] as never }, one.fromWall, span),
    ),
  ]
}

/** Wall times of the zone, up to the end of the span. */
function occurrencesOf({ properties, fromWall, lengthMs, zone }: Entry, span: CalendarSpan): number[] {
  const rule = properties.find(([name]) => name === 'rrule')?.[3]
  if (rule === undefined) return [fromWall]
  const data = { ...(rule as Record<string, unknown>) }
  // An end in UTC is compared with clock times, so it becomes one.
  if (typeof data.until === 'string') {
    const untilWall = wallOfText(data.until, zone)
    data.until = untilWall === null ? data.until : ICAL.Time.fromJSDate(new Date(untilWall), true)
  }
  const iterator = ICAL.Recur.fromData(data).iterator(ICAL.Time.fromJSDate(new Date(fromWall), true))
  const walls: number[] = []
  for (let count = 0; ; count += 1) {
    const next: ICAL.Time | null = iterator.next()
    if (next === null) return walls
    if (count > repetitionsMax) throw new RangeError(`expected at most ${repetitionsMax} repetitions`)
    const wall = Date.UTC(next.year, next.month - 1, next.day, next.hour, next.minute, next.second)
    if (wall > span.untilMs + 2 * day) return walls
    if (wall + lengthMs > span.fromMs - 2 * day) walls.push(wall)
  }
}

function shiftAt(entry: Entry, wall: number, { fromMs, untilMs, known }: CalendarSpan): Ranked[] {
  if (/^cancelled$/i.test(valueIn(entry.properties, 'status'))) return []
  const shift = {
    fromMs: momentOf(wall, entry.zone),
    untilMs: momentOf(wall + entry.lengthMs, entry.zone),
    who: namedBy(entry.properties, known),
  }
  const isWithin = shift.untilMs > shift.fromMs && shift.untilMs > fromMs && shift.fromMs < untilMs
  return isWithin ? [{ shift, rank: entry.rank }] : []
}

/** Its zone: UTC, the one it names, or the calendar's own; null where it names one that nobody knows. */
function zoneOfTime([, parameters, , value]: Property, own: string): string | null {
  if (typeof value === 'string' && value.endsWith('Z')) return 'UTC'
  return parameters.tzid === undefined ? own : zoneOf(String(parameters.tzid))
}

/** By its IANA name, one that ends with it, as some programs write, or that of Windows (`W. Europe Standard Time`). */
function zoneOf(name: string): string | null {
  const last = name.split('/').slice(-2).join('/')
  return [name, last, findIana(name, '001')[0] ?? ''].find((one) => one !== '' && isZone(one)) ?? null
}

/** What a clock in `zone` shows at the time that a property gives. */
function wallIn(time: Property, zone: string, own: string): number | null {
  const named = zoneOfTime(time, own)
  const value = String(time[3] ?? '')
  const wall = wallOfText(value.replace(/Z$/, ''), zone)
  if (wall === null || named === null) return null
  return named === zone || value.length === 10 ? wall : wallOf(momentOf(wall, named), zone)
}

/** All times of an EXDATE, RDATE or RECURRENCE-ID on the clock of a series. */
function wallsIn(time: Property, zone: string): number[] {
  const [name, parameters, type, ...values] = time
  return values.flatMap((value) => wallIn([name, parameters, type, value], zone, zone) ?? [])
}

/** `2026-11-21T08:00:00`, with `Z` a time in UTC; or a day. */
function wallOfText(text: string, zone: string): number | null {
  const ms = Date.parse(text.length === 10 || text.endsWith('Z') ? text : `${text}Z`)
  if (Number.isNaN(ms)) return null
  return text.endsWith('Z') ? wallOf(ms, zone) : ms
}

function has(properties: readonly Property[], wanted: string): boolean {
  return properties.some(([name]) => name === wanted)
}

function valueIn(properties: readonly Property[], wanted: string): string {
  const value = properties.find(([name]) => name === wanted)?.[3]
  return typeof value === 'string' ? value : ''
}
