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

/** An event with its exceptions, by the instant of the occurrence that each stands for. */
type Series = { readonly event: ICAL.Event; readonly exceptions: ReadonlyMap<number, ICAL.Event> }
/** Of a series, or of the zone in which a place in one is told. */
const unfollowed = 'a rule that cannot be followed'
const noExceptions: Series['exceptions'] = new Map()

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
  const shifts = seriesOf(read, clock, skipped)
    .toSorted((a, b) => a.createdMs - b.createdMs || a.at - b.at)
    .flatMap((series) => {
      const found = tried(() => occurrences(series, { ...span, clock, names }))
      if (found === null) skipped.push(unfollowed)
      return found ?? []
    })
  return { shifts, skipped: skipped.length, skippedWhy: skipped[0] ?? null }
}

/** May an event of an unknown zone be a shift in this time? As if in the calendar's own zone, so that what is long over is no doubt for ever. */
function mayOccur(event: ICAL.Event, around: Reading): boolean {
  // An exception also takes away the place that it had.
  if (event.isRecurrenceException()) return true
  return tried(() => occurrences({ event, exceptions: noExceptions }, around))?.length !== 0
}

/**
 * The series with their exceptions, of which the last revision counts; an exception without its series stands alone.
 * To `skipped` comes why one has no place.
 */
function seriesOf(read: readonly Event[], clock: Clock, skipped: string[]): readonly (Event & Series)[] {
  const masters = read
    .filter(({ event }) => !event.isRecurrenceException())
    .map((one) => ({ ...one, exceptions: new Map<number, ICAL.Event>() }))
  const byUid = new Map(
    masters.filter(({ event }) => event.isRecurring()).map((one) => [one.event.uid, one] as const),
  )
  const alone = read
    .filter(({ event }) => event.isRecurrenceException())
    .toSorted((a, b) => Number(a.event.sequence ?? 0) - Number(b.event.sequence ?? 0))
    .flatMap((one) => {
      const master = byUid.get(one.event.uid)
      if (master === undefined) return [{ ...one, exceptions: noExceptions }]
      const atMs = tried(() => placeMs(one.event.recurrenceId, master.event.startDate, clock))
      if (atMs === null) skipped.push(unfollowed)
      else master.exceptions.set(atMs, one.event)
      return []
    })
  return [...masters, ...alone]
}

/** When the occurrence is that a series has at this time (RECURRENCE-ID or EXDATE), whatever zone it is told in. */
function placeMs(time: ICAL.Time, start: ICAL.Time, clock: Clock): number {
  if (zoneOf(time) !== null) return utcMsOf(time, clock)
  // Without a zone it is told as the series itself is, and a day means its occurrence of that day.
  const { hour, minute, second } = time.isDate ? start : time
  return utcMsOf(start, clock, Date.UTC(time.year, time.month - 1, time.day, hour, minute, second))
}

/** Lets ICAL move all later occurrences, too: it compares and subtracts clocks, so the exception has to name its place by that of the series. */
function relateRange(
  series: ICAL.Event,
  range: ICAL.Event,
  { atMs, clock }: { readonly atMs: number; readonly clock: Clock },
): void {
  const zone = zoneOf(series.startDate)
  const place = ICAL.Time.fromJSDate(new Date(zone === null ? clock(atMs) : atMs), true)
  range.recurrenceId = zone === null ? place : place.convertToZone(zone)
  series.relateException(range)
}

type Clock = (ms: number) => number
type Reading = Span & { readonly clock: Clock; readonly names: ReadonlySet<string> }

function occurrences({ event, exceptions }: Series, reading: Reading): readonly Shift[] {
  if (isCancelled(event)) return []
  const { component, startDate } = event
  const first = { item: event, start: startDate }
  if (!event.isRecurring() || event.isRecurrenceException()) return shiftOf(first, reading)
  const { clock, fromMs, toMs } = reading
  for (const [atMs, one] of exceptions) if (one.modifiesFuture()) relateRange(event, one, { atMs, clock })
  const shifts: Shift[] = []
  const gone = new Set(exceptions.keys())
  for (const time of component.getAllProperties('exdate').flatMap((one) => one.getValues()))
    if (time instanceof ICAL.Time) gone.add(placeMs(time, startDate, clock))
  // ICAL leaves out the first time of what has dates, but no rule.
  if (!component.hasProperty('rrule') && !gone.has(utcMsOf(startDate, clock)))
    shifts.push(...shiftOf(first, reading))
  const iterator = event.iterator()
  const ranges = Object.values(event.exceptions)
  const lengthMs = Math.max(0, ...[event, ...ranges].map((one) => roughLengthMs(one)))
  const movedMs = ranges.map((one) => Math.abs(wallMsOf(one.startDate) - wallMsOf(one.recurrenceId)))
  const marginMs = Math.max(0, ...movedMs) + zonesMs
  let next = iterator.next()
  for (let count = 0; next; next = iterator.next(), count += 1) {
    if (count > repetitionsMax) throw new RangeError('too many repetitions')
    const atMs = wallMsOf(next)
    if (atMs > toMs + marginMs) break
    if (atMs + lengthMs < fromMs - marginMs || gone.has(utcMsOf(next, clock))) continue
    const { item, startDate: start } = event.getOccurrenceDetails(next)
    // ICAL moves a day by the hours, but lets it stay a day.
    if (item !== event) start.isDate = item.startDate.isDate
    if (!isCancelled(item)) shifts.push(...shiftOf({ item, start }, reading))
  }
  // By their own times, wherever their place in the series is; after it, because they lie over it.
  for (const item of exceptions.values())
    if (!isCancelled(item)) shifts.push(...shiftOf({ item, start: item.startDate }, reading))
  return shifts
}

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
function endMsOf(item: ICAL.Event, start: ICAL.Time, clock: Clock): number {
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
function utcMsOf(time: ICAL.Time, clock: Clock, wallMs = wallMsOf(time)): number {
  const zone = zoneOf(time)
  if (zone === null) return fromWallClock(clock, wallMs)
  const moved = ICAL.Time.fromJSDate(new Date(wallMs), true)
  return wallMs - zone.utcOffset(moved) * 1_000
}

/** Null for a day, and for a time without one. */
function zoneOf({ isDate, zone }: ICAL.Time): ICAL.Timezone | null {
  return isDate || zone === ICAL.Timezone.localTimezone ? null : (zone ?? null)
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
    const times = [event.startDate, event.endDate, event.recurrenceId ?? event.startDate]
    if (!times.every((time) => Number.isFinite(wallMsOf(time)))) throw new RangeError('no time')
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
