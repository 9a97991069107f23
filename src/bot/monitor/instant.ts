/** Parses times as APIs write them, if they are unambiguous: `03/04/2026` may be March or April and is rejected. */
import { dayMs } from '../domain/base/duration.ts'

/** Epoch seconds, milliseconds, micro- and nanoseconds are distinguished by size: within a thousand years their ranges do not overlap. */
const units = [
  { from: 9e8, below: 1e10, msPerUnit: 1_000 },
  { from: 9e11, below: 1e13, msPerUnit: 1 },
  { from: 9e14, below: 1e16, msPerUnit: 1e-3 },
  { from: 9e17, below: 1e19, msPerUnit: 1e-6 },
] as const

const clock = String.raw`(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,30}))?)?)?`
const offset = String.raw`(?: ?(?:UTC|GMT))? ?(?<sign>[+\-−])(?<offsetHour>\d\d):?(?<offsetMinute>\d\d)?(?: \(?[A-Z]{2,5}\)?)?`
/** A zone name beside an offset adds nothing; a name alone is ambiguous, unless it is UTC's. */
const zone = String.raw`(?:(?: ?(?:Z|UTC|GMT|UT)|${offset})(?:\[[\w/+\-]{1,40}\])?)?`
const month = '(?<word>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?'

/** Each has a day and a time of day; a time without a zone is UTC, as the specification says all times are. */
const shapes = [
  String.raw`(?<year>\d{4})(?<bar>[-/])(?<month>\d\d)\k<bar>(?<day>\d\d)[T ]${clock}${zone}`,
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)[T ]${clock}${zone}`,
  String.raw`(?<year>\d{4})-?(?<dayOfYear>\d{3})[T ]${clock}${zone}`,
  String.raw`(?<year>\d{4})-?W(?<week>\d\d)-?(?<weekday>[1-7])[T ]${clock}${zone}`,
  // RFC 2822 and HTTP dates; the output of `date` and C; and what people write.
  String.raw`${weekday}(?<day>\d{1,2})[ -]${month}[ -](?<year>\d{4}),? ${clock}${zone}`,
  String.raw`${weekday}${month} (?<day>\d{1,2}) ${clock}${zone} (?<year>\d{4})`,
  String.raw`${weekday}${month} (?<day>\d{1,2}),? (?<year>\d{4}),? ${clock}${zone}`,
].map((shape) => new RegExp(`^${shape}$`, 'i'))

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const textCharsMax = 80

/**
 * Epoch milliseconds of an ISO 8601 time (calendar, ordinal or week date, extended or basic, any offset), an RFC 2822 or
 * HTTP date, or an epoch count as a number or text. Null for anything else, including days that do not exist.
 */
export function parseInstant(value: unknown): number | null {
  if (typeof value === 'number') return epoch(value)
  if (typeof value !== 'string' || value.length > textCharsMax) return null
  const text = value.trim().replaceAll(/\s+/g, ' ')
  if (/^\d{9,19}(?:\.\d{1,9})?$/.test(text)) return epoch(Number(text))
  const parts = partsOf(text)
  if (parts === null) return null
  const day = dayOf(parts)
  const time = timeOf(parts)
  return day === null || time === null ? null : day + time
}

type Parts = Readonly<Record<string, string | undefined>>

function partsOf(text: string): Parts | null {
  for (const shape of shapes) {
    const found = shape.exec(text)
    if (found?.groups !== undefined) return found.groups
  }
  return null
}

function epoch(count: number): number | null {
  const unit = units.find(({ from, below }) => count >= from && count < below)
  return unit === undefined ? null : Math.floor(count * unit.msPerUnit)
}

function dayOf(parts: Parts): number | null {
  const year = Number(parts.year)
  if (parts.week !== undefined) return dayOfWeek(year, Number(parts.week), Number(parts.weekday))
  if (parts.dayOfYear !== undefined) {
    const ms = Date.UTC(year, 0, Number(parts.dayOfYear))
    return new Date(ms).getUTCFullYear() === year && Number(parts.dayOfYear) > 0 ? ms : null
  }
  const at = parts.word === undefined ? Number(parts.month) - 1 : months.indexOf(parts.word.toLowerCase())
  const ms = Date.UTC(year, at, Number(parts.day))
  // Date rolls over days that the month does not have; 2026-02-30 must not become a day in March.
  const date = new Date(ms)
  return date.getUTCMonth() === at && date.getUTCDate() === Number(parts.day) ? ms : null
}

/** The first week of a year is the one that contains January 4th. */
function dayOfWeek(year: number, week: number, weekday: number): number | null {
  const fourth = Date.UTC(year, 0, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs
  const ms = monday + ((week - 1) * 7 + weekday - 1) * dayMs
  const thursday = new Date(ms + (4 - weekday) * dayMs)
  return week > 0 && thursday.getUTCFullYear() === year ? ms : null
}

function timeOf(parts: Parts): number | null {
  const [hour, minute, second, offsetHour, offsetMinute] = [
    parts.hour,
    parts.minute,
    parts.second,
    parts.offsetHour,
    parts.offsetMinute,
  ].map((part) => Number(part ?? 0)) as [number, number, number, number, number]
  // A leap second is read as the first second after it.
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const fractionMs = Number((parts.fraction ?? '0').padEnd(3, '0').slice(0, 3))
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000
  const wallMs = ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs
  return wallMs - (parts.sign === '+' || parts.sign === undefined ? offsetMs : -offsetMs)
}
