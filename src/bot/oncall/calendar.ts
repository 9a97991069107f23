/** Reads the shifts of a calendar (RFC 5545): repetitions, exceptions and zones by ICAL. */
import ICAL from 'ical.js'
import type { ListedShifts, Shift } from '../domain/oncall/shift.ts'
import { componentsOf, dayMs, type EventLines, mayMatter, propertyOf, type Span } from './components.ts'
import { namedBy } from './named.ts'
import { clockOf, fromWallClock, registerZones } from './zones.ts'

export type CalendarAsked = Span & {
  readonly text: string
  /** Of times and days without a zone, if the calendar names none: IANA. */
  readonly zone: string
  /** E-mails and names that the policy knows, in lower case. */
  readonly known: readonly string[]
}

/** Around now; a calendar with more is no calendar of shifts. */
const eventsMax = 5_000
const zoneCharsMax = 100
/** Beyond what two zones differ by. */
const zonesMs = 2 * dayMs
/** A shift every hour for eleven years; a rule beyond that repeats by the second. */
const repetitionsMax = 100_000

type Event = { readonly event: ICAL.Event; readonly createdMs: number; readonly at: number }

/** The shifts that overlap this time; or, as a text, why it cannot be read. */
export function shiftsOf({ text, zone, known, ...span }: CalendarAsked): ListedShifts | string {
  const parts = componentsOf(text)
  if (parts === null) return 'it is no calendar, or not all of one'
  const near = parts.events.filter((event) => mayMatter(event, span))
  if (near.length > eventsMax) return `it has more than ${eventsMax} events around now`
  registerZones(new Set(near.flatMap(zonesIn)), parts.zones)
  const clock = clockOf(parts.zone ?? '') ?? clockOf(zone)
  if (clock === null) return 'its time zone is not known'
  const skipped: string[] = []
  const names = new Set(known)
  const around = { fromMs: span.fromMs - zonesMs, toMs: span.toMs + zonesMs, clock, names }
  const read = near.flatMap((lines, at): Event[] => {
    const event = eventOf(lines)
    const unknown = zonesIn(lines).find((one) => !ICAL.TimezoneService.has(one))
    if (event !== null && unknown === undefined) return [{ event, createdMs: createdMs(lines), at }]
    if (event === null || mayOccur(event, around))
      skipped.push(
        unknown === undefined ? 'no begin or no end' : `unknown time zone ${unknown.slice(0, zoneCharsMax)}`,
      )
    return []
  })
  const shifts = series(read)
    .toSorted((a, b) => a.createdMs - b.createdMs || a.at - b.at)
    .flatMap(({ event }) => {
      const found = tried(() => occurrences(event, { ...span, clock, names }))
      if (found === null) skipped.push('a rule that cannot be followed')
      return found ?? []
    })
  return { shifts, skipped: skipped.length, skippedWhy: skipped[0] ?? null }
}

/** May an event of an unknown zone be a shift in this time? As if in the calendar's own zone, so that what is long over is no doubt for ever. */
function mayOccur(event: ICAL.Event, around: Reading): boolean {
  // An exception also takes away the place that it had.
  return event.isRecurrenceException() || tried(() => occurrences(event, around))?.length !== 0
}

/** The series with their exceptions; an exception without its series stands alone. */
function series(read: readonly Event[]): readonly Event[] {
  const masters = read.filter(({ event }) => !event.isRecurrenceException())
  const byUid = new Map(masters.map((one) => [one.event.uid, one.event]))
  const alone = read.filter((one) => {
    if (!one.event.isRecurrenceException()) return false
    const master = byUid.get(one.event.uid)
    if (master === undefined || !master.isRecurring()) return true
    master.relateException(one.event)
    return false
  })
  return [...masters, ...alone]
}

type Reading = Span & { readonly clock: (ms: number) => number; readonly names: ReadonlySet<string> }

function occurrences(event: ICAL.Event, reading: Reading): readonly Shift[] {
  if (isCancelled(event)) return []
  const first = { item: event, start: event.startDate }
  if (!event.isRecurring() || event.isRecurrenceException()) return shiftOf(first, reading)
  const shifts: Shift[] = []
  const { component } = event
  // ICAL leaves out the first time of what has dates, but no rule.
  if (!component.hasProperty('rrule')) shifts.push(...shiftOf(first, reading))
  const iterator = event.iterator()
  const lengthMs = Math.max(
    0,
    ...[event, ...Object.values(event.exceptions)].map((one) => roughLengthMs(one)),
  )
  let next = iterator.next()
  for (let count = 0; next; next = iterator.next(), count += 1) {
    if (count > repetitionsMax) throw new RangeError('too many repetitions')
    const atMs = wallMsOf(next)
    if (atMs > reading.toMs + marginMs) break
    if (atMs + lengthMs < reading.fromMs - marginMs) continue
    const { item, startDate } = event.getOccurrenceDetails(next)
    if (!isCancelled(item)) shifts.push(...shiftOf({ item, start: startDate }, reading))
  }
  return shifts
}

/** Beyond any offset, and what an exception is usually moved by. */
const marginMs = 8 * dayMs

function shiftOf(
  { item, start }: { readonly item: ICAL.Event; readonly start: ICAL.Time },
  { fromMs, toMs, clock, names }: Reading,
): readonly Shift[] {
  const startMs = utcMsOf(start, clock)
  const endMs = endMsOf(item, start, clock)
  if (endMs <= startMs || endMs <= fromMs || startMs >= toMs) return []
  return [{ startMs, endMs, ...namedBy(item.component, names) }]
}

/**
 * When an occurrence ends. A shift from 20:00 to 08:00 ends at 08:00 in every night, also in those of daylight saving; ICAL
 * would give it the hours of its first night.
 */
function endMsOf(item: ICAL.Event, start: ICAL.Time, clock: (ms: number) => number): number {
  const own = item.startDate
  const wallMs = wallMsOf(start)
  const given = item.component.getFirstPropertyValue('duration')
  if (given instanceof ICAL.Duration) {
    // RFC 5545, 3.3.6: days are those of the calendar, hours are exact.
    const days = given.weeks * 7 + given.days
    const exactMs = ((given.hours * 60 + given.minutes) * 60 + given.seconds) * 1_000
    return utcMsOf(start, clock, wallMs + days * dayMs) + exactMs
  }
  if (!item.component.hasProperty('dtend')) {
    return own.isDate ? utcMsOf(start, clock, wallMs + dayMs) : utcMsOf(start, clock)
  }
  const end = item.endDate
  if (end.zone?.tzid !== own.zone?.tzid)
    return utcMsOf(start, clock) + utcMsOf(end, clock) - utcMsOf(own, clock)
  return utcMsOf(start, clock, wallMs + wallMsOf(end) - wallMsOf(own))
}

/** Epoch milliseconds of a time; `clock` is that of times without a zone. `wallMs`: of another time in its zone. */
function utcMsOf(time: ICAL.Time, clock: (ms: number) => number, wallMs = wallMsOf(time)): number {
  const zone = time.zone
  if (time.isDate || zone === null || zone === undefined || zone === ICAL.Timezone.localTimezone)
    return fromWallClock(clock, wallMs)
  const moved = ICAL.Time.fromJSDate(new Date(wallMs), true)
  return wallMs - zone.utcOffset(moved) * 1_000
}

function wallMsOf({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function roughLengthMs(event: ICAL.Event): number {
  return Math.max(0, event.duration.toSeconds() * 1_000) + dayMs
}

function isCancelled({ component }: ICAL.Event): boolean {
  return /^CANCELLED$/i.test(String(component.getFirstPropertyValue('status') ?? ''))
}

/** Null: it cannot be read. Its times in a zone that is not known are as if they named none. */
function eventOf(lines: EventLines): ICAL.Event | null {
  return tried(() => {
    const text = ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')
    const event = new ICAL.Event(new ICAL.Component(ICAL.parse(text)))
    if (!Number.isFinite(wallMsOf(event.startDate)) || !Number.isFinite(wallMsOf(event.endDate)))
      throw new RangeError('no time')
    return event
  })
}

/** The zones that its times name. */
function zonesIn(lines: EventLines): readonly string[] {
  return lines.flatMap((line) => {
    if (!/^(?:DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE);/i.test(line)) return []
    const [, quoted, plain] = /;TZID=(?:"([^"]*)"|([^;:]*))/i.exec(line) ?? []
    return quoted ?? plain ?? []
  })
}

function createdMs(lines: EventLines): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(propertyOf(lines, 'CREATED') ?? '')?.map(Number) ?? []
  if (year === undefined || month === undefined) return 0
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** What one bad event throws ends that event alone. */
function tried<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
