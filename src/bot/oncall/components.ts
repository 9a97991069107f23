/**
 * Takes a calendar file apart into its events and time zones, in one pass: ICAL needs minutes for a file of some MB, and is
 * given only the events around now.
 */

/** An event: its unfolded lines, without those of its alarms. */
export type EventLines = readonly string[]

export type Components = {
  readonly events: readonly EventLines[]
  /** Each whole, as text. */
  readonly zones: readonly string[]
  /** `X-WR-TIMEZONE`, the zone of what names none; null if the file does not say. */
  readonly zone: string | null
}

/** Null: it is no calendar, or not all of one. */
export function componentsOf(text: string): Components | null {
  // RFC 5545, 3.1: a line that begins with white space continues the one before.
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  const events: string[][] = []
  const zones: string[][] = []
  const open: string[] = []
  let zone: string | null = null
  let isEnded = false
  for (const line of lines) {
    if (line.trim() === '') continue
    const begins = /^BEGIN:(\S+)/i.exec(line)?.[1]?.toUpperCase()
    if (isEnded ? begins !== 'VCALENDAR' : open.length === 0 && begins !== 'VCALENDAR') return null
    const [, within] = open
    if (begins !== undefined) {
      open.push(begins)
      isEnded = false
      if (open.length === 2 && begins === 'VEVENT') events.push([])
      if (open.length === 2 && begins === 'VTIMEZONE') zones.push([])
    }
    if (within === 'VTIMEZONE' || open[1] === 'VTIMEZONE') zones.at(-1)?.push(line)
    const ends = /^END:(\S+)/i.exec(line)?.[1]?.toUpperCase()
    if (ends !== undefined) {
      if (open.pop() !== ends) return null
      isEnded = open.length === 0
    } else if (begins === undefined && open.length === 2 && within === 'VEVENT') events.at(-1)?.push(line)
    else if (open.length === 1) zone ??= /^X-WR-TIMEZONE:(.+)$/i.exec(line)?.[1]?.trim() ?? null
  }
  return isEnded ? { events, zones: zones.map((one) => one.join('\r\n')), zone } : null
}

/** The value of a property with this name, its parameters left out; null if there is none. */
export function propertyOf(event: EventLines, name: string): string | null {
  const start = new RegExp(`^${name}[;:]`, 'i')
  const line = event.find((one) => start.test(one))
  // A parameter's value may be quoted and hold a colon.
  return line === undefined ? null : (/^[^:"]*(?:"[^"]*"[^:"]*)*:(.*)$/.exec(line)?.[1] ?? null)
}

export type Span = { readonly fromMs: number; readonly toMs: number }

/** 24 hours of exact time; a day of the calendar may be longer or shorter. */
export const dayMs = 24 * 3_600_000
/** Zones reach 14 h from UTC, so that a day is known to two. */
const marginMs = 2 * dayMs
/** No shift of a series is longer. */
const longestMs = 366 * dayMs

/** May the event matter in this time? Judged by its days alone, and never wrongly said no. */
export function mayMatter(event: EventLines, { fromMs, toMs }: Span): boolean {
  const startMs = dayOf(propertyOf(event, 'DTSTART'))
  if (startMs === null) return true
  const endMs = dayOf(propertyOf(event, 'DTEND'))
  const duration = propertyOf(event, 'DURATION')
  const lengthMs = duration !== null ? lengthMaxMs(duration) : Math.max(0, (endMs ?? startMs) - startMs)
  if (startMs > toMs + marginMs && propertyOf(event, 'RECURRENCE-ID') === null) return false
  if (propertyOf(event, 'RECURRENCE-ID') !== null) {
    // One that is moved away or made shorter matters as much: its place in the series is empty, and only the series says how long it was.
    const movedMs = dayOf(propertyOf(event, 'RECURRENCE-ID')) ?? startMs
    const isLater = event.some((line) => /^RECURRENCE-ID;[^:]*RANGE=THISANDFUTURE/i.test(line))
    return isLater || isNear(startMs) || isNear(movedMs, longestMs)
  }
  const rule = propertyOf(event, 'RRULE')
  if (propertyOf(event, 'RDATE') !== null) return true
  if (rule === null) return isNear(startMs)
  const untilMs = dayOf(/UNTIL=([0-9TZ]+)/i.exec(rule)?.[1] ?? null)
  return untilMs === null || untilMs + lengthMs >= fromMs - marginMs

  function isNear(ms: number, longMs = lengthMs): boolean {
    return ms + longMs >= fromMs - marginMs && ms <= toMs + marginMs
  }
}

/** Midnight of its day in UTC; null: no date. */
function dayOf(value: string | null): number | null {
  // Some do not quote a zone with a colon: `TZID=(UTC+01:00) Berlin:20260328T200000`.
  const [, year, month, day] = /(?:^|:)(\d{4})(\d\d)(\d\d)/.exec(value ?? '') ?? []
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day))
}

/** At least as long as the duration, by its largest unit. */
function lengthMaxMs(duration: string): number {
  const weeks = Number(/(\d{1,4})W/.exec(duration)?.[1] ?? 0)
  const days = Number(/(\d{1,5})D/.exec(duration)?.[1] ?? 0)
  const hours = Number(/(\d{1,6})H/.exec(duration)?.[1] ?? 0)
  return (weeks * 7 + days + Math.ceil(hours / 24) + 1) * dayMs
}
