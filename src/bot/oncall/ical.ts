/**
 * Reads the shifts of a calendar (RFC 5545). A series is worked out on the clock of its own zone, so a shift from 20:00 to 08:00 is one in
 * each night, those of daylight saving too. An event that cannot be read is counted, never taken for nothing.
 */
import ICAL from 'ical.js'
import { findIana } from 'windows-iana'
import { day, isZone, momentOf, second, wallOf } from '../clock.ts'
import { type Named, namedBy, type Span } from './read.ts'

/** As a source lists them: they may overlap, and then the later one of the list counts. */
export type ListedShift = { readonly fromMs: number; readonly untilMs: number; readonly who: Named }
export type Listed = {
  readonly shifts: readonly ListedShift[]
  readonly unread: number
  readonly why: string | null
}
export type CalendarSpan = Span & {
  /** Of what names none, where the calendar does not say either. */
  readonly zone: string
  /** Names and e-mails that the policy knows, in lower case. */
  readonly known: ReadonlySet<string>
}

/** An event whose times all stand on the clock of one zone, so that the library can compare them without knowing zones. */
type Entry = { readonly event: ICAL.Event; readonly uid: string; readonly zone: string }

class Unread extends Error {}

const eventsMax = 20_000
/** A shift every hour for a year. */
const repetitionsMax = 10_000

/** Throws an `Error` in words where it is no calendar. */
export function readCalendar(text: string, span: CalendarSpan): Listed {
  const calendar = calendarIn(text)
  const own = zoneCalled(textIn(calendar, 'x-wr-timezone')) ?? span.zone
  const events = calendar.getAllSubcomponents('vevent')
  if (events.length > eventsMax) throw new Error(`it has more than ${eventsMax} events`)
  const problems: string[] = []
  function readEach<In, Out>(all: readonly In[], read: (one: In) => Out[]): Out[] {
    return all.flatMap((one) => {
      try {
        return read(one)
      } catch (error) {
        problems.push(error instanceof Unread ? error.message : 'a rule that cannot be followed')
        return []
      }
    })
  }
  const [exceptions = [], masters = []] = [true, false].map((wanted) =>
    events.filter((event) => event.hasProperty('recurrence-id') === wanted && mayMatter(event, span)),
  )
  const series = readEach(masters, (event) => [entryOf(event, own, null)])
  const zones = new Map(series.map(({ uid, zone }) => [uid, zone]))
  const replaced = readEach(exceptions, (event) => [entryOf(event, own, zones)])
  const byUid = Map.groupBy(replaced, ({ uid }) => uid)
  const found = readEach(series, (entry) => {
    const ownExceptions = byUid.get(entry.uid) ?? []
    byUid.delete(entry.uid)
    return shiftsOf(entry, ownExceptions, span)
  })
  // An exception whose series is not here stands alone.
  const alone = readEach([...byUid.values()].flat(), (entry) => shiftsOf(entry, [], span))
  const shifts = [...found, ...alone].sort((a, b) => a.createdMs - b.createdMs)
  return { shifts, unread: problems.length, why: problems[0] ?? null }
}

function calendarIn(text: string): ICAL.Component {
  try {
    const calendar = new ICAL.Component(ICAL.parse(text))
    if (calendar.name === 'vcalendar') return calendar
  } catch {
    // It says so itself, in the library's words.
  }
  throw new Error('it is no calendar, or not all of one')
}

/** Judged by its days alone, and never wrongly said no: what has a rule or an exception may. */
function mayMatter(event: ICAL.Component, { fromMs, untilMs }: CalendarSpan): boolean {
  if (event.hasProperty('recurrence-id')) return true
  if (isCancelled(event)) return false
  const dayMs = (name: string) => Date.parse(textIn(event, name).slice(0, 10))
  if (dayMs('dtstart') > untilMs + 2 * day) return false
  if (event.hasProperty('rrule') || event.hasProperty('rdate')) return true
  return !(dayMs('dtend') < fromMs - 2 * day)
}

/** `zones`: of the series, by uid, whose clock an exception is read on. */
function entryOf(event: ICAL.Component, own: string, zones: ReadonlyMap<string, string> | null): Entry {
  const uid = textIn(event, 'uid')
  const start = event.getFirstProperty('dtstart')
  if (start === null) throw new Unread('an event without a begin')
  const zone = zones?.get(uid) ?? zoneOf(start, own)
  for (const name of ['dtstart', 'dtend', 'exdate', 'rdate', 'recurrence-id'])
    for (const property of event.getAllProperties(name)) {
      const named = zoneOf(property, own)
      const times = property.getValues().map((time: ICAL.Time) => onClock(time, named, zone))
      property.removeParameter('tzid')
      if (property.isMultiValue) property.setValues(times)
      else property.setValue(times[0])
    }
  const rule = event.getFirstPropertyValue('rrule')
  if (rule instanceof ICAL.Recur && rule.until) rule.until = onClock(rule.until, zone, zone)
  return { event: new ICAL.Event(event, { exceptions: [] }), uid, zone }
}

/** What a clock in `zone` shows at a time that is in UTC or in the zone `named`. */
function onClock(time: ICAL.Time, named: string, zone: string): ICAL.Time {
  const isUtc = time.zone === ICAL.Timezone.utcTimezone
  if (time.isDate || (named === zone && !isUtc)) {
    time.zone = ICAL.Timezone.localTimezone
    return time
  }
  const ms = isUtc ? wallIn(time) : momentOf(wallIn(time), named)
  const wall = ICAL.Time.fromJSDate(new Date(wallOf(ms, zone)), true)
  wall.zone = ICAL.Timezone.localTimezone
  return wall
}

function wallIn(time: ICAL.Time): number {
  return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
}

type Shift = ListedShift & { readonly createdMs: number }

function shiftsOf({ event, zone }: Entry, exceptions: readonly Entry[], span: CalendarSpan): Shift[] {
  const shifts: Shift[] = []
  function add(item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): void {
    const fromMs = momentOf(wallIn(start), zone)
    const untilMs = momentOf(wallIn(end), zone)
    const isWithin = untilMs > fromMs && untilMs > span.fromMs && fromMs < span.untilMs
    if (!isWithin || isCancelled(item.component)) return
    const createdMs = Date.parse(textIn(item.component, 'created')) || 0
    shifts.push({ fromMs, untilMs, who: namedBy(item.component, span.known), createdMs })
  }
  for (const exception of exceptions) event.relateException(exception.event)
  const unmet = new Set(exceptions.map((exception) => exception.event))
  if (event.isRecurrenceException()) unmet.add(event)
  const lengthMs = event.duration.toSeconds() * second
  const occurrences = event.iterator()
  for (let count = 0; ; count += 1) {
    const next: ICAL.Time | null = occurrences.next()
    if (!next || wallIn(next) > span.untilMs + 2 * day) break
    if (count > repetitionsMax) throw new RangeError(`expected at most ${repetitionsMax} repetitions`)
    if (wallIn(next) + lengthMs < span.fromMs - 2 * day) continue
    const { item, startDate, endDate } = event.getOccurrenceDetails(next)
    unmet.delete(item)
    add(item, startDate, endDate)
  }
  // One that brings a later shift forward, or stands alone.
  for (const exception of unmet) add(exception, exception.startDate, exception.endDate)
  return shifts
}

function zoneOf(time: ICAL.Property, own: string): string {
  const named = time.getFirstParameter('tzid')
  // A series in UTC knows no summer time, whatever the calendar's zone (RFC 5545, 3.3.5).
  const [first] = time.getValues()
  if (!named) return first instanceof ICAL.Time && first.zone === ICAL.Timezone.utcTimezone ? 'UTC' : own
  const zone = zoneCalled(named)
  if (zone === null) throw new Unread(`the unknown time zone ${named.slice(0, 60)}`)
  return zone
}

/** By its IANA name, one that ends with it, as some programs write, or that of Windows (`W. Europe Standard Time`). */
function zoneCalled(name: string): string | null {
  const last = name.split('/').slice(-2).join('/')
  return [name, last, findIana(name, '001')[0] ?? ''].find((one) => one !== '' && isZone(one)) ?? null
}

function isCancelled(event: ICAL.Component): boolean {
  return /^cancelled$/i.test(textIn(event, 'status'))
}

/** As it stands there, whatever it is; empty where it is missing. */
function textIn(component: ICAL.Component, name: string): string {
  const value: unknown = component.getFirstProperty(name)?.jCal[3]
  return typeof value === 'string' ? value : ''
}
