/**
 * Parses times as people type them: durations (`90s`, `1h30m`, `30 min`, `2 hours`, always with a unit), and clock times
 * (`15:00`, `3:00 pm`, `3pm`) with the words that would make them a different time.
 */
import parseDuration from 'parse-duration'
import { dayMs, hourMs, minuteMs, secondMs } from '../base/duration.ts'

export const durationTextMaxMs = 366 * dayMs
const textCharsMax = 40

/** What was expected when `parseDurationText` returned null. */
export const durationExpected = 'a duration with a unit, such as 90s, 1h30m or 30d'

const unit = '(?:ms|secs?|seconds?|s|mins?|minutes?|m|hrs?|hours?|h|days?|d|weeks?|w)'
const part = `\\d{1,9}(?:\\.\\d{1,3})?[ \\t]*${unit}`
const whole = new RegExp(`^${part}(?:[ \\t]*${part})*[ \\t]*$`, 'i')
const leading = new RegExp(`^${part}(?:[ \\t]*${part})*(?=[\\s,;:]|$)`, 'i')
const trailing = new RegExp(`^(|.*?\\s)(${part}(?:[ \\t]*${part})*)\\s*$`, 'is')
// parse-duration reads `1M` as a minute, but the writer may have meant a month.
const bareM = /\d[ \t]*M(?![A-Za-z])/

/** Whole milliseconds, more than 0 and at most 366 days; null for anything else (a number alone, a sign, other units). */
export function parseDurationText(text: string): number | null {
  const ms = msOf(text)
  return ms === null || ms > durationTextMaxMs ? null : ms
}

function msOf(text: string): number | null {
  if (text.length > textCharsMax || !whole.test(text) || bareM.test(text)) return null
  const ms = Math.round(parseDuration(text.toLowerCase()) ?? 0)
  return ms > 0 ? ms : null
}

/**
 * The longest duration at the start of a text, and where it ends; null if there is none. A century is read as a little more than
 * the longest, so that whoever asks hears the limit of what they asked for.
 */
export function leadingDuration(text: string): { readonly ms: number; readonly end: number } | null {
  const found = leading.exec(text)?.[0]
  if (found === undefined) return null
  const ms = msOf(found)
  return ms === null ? null : { ms: Math.min(ms, durationTextMaxMs + dayMs), end: found.length }
}

/** The longest duration at the end of a text, however long it lasts, and where it begins; null if there is none. */
export function trailingDuration(text: string): { readonly ms: number; readonly start: number } | null {
  const tail = text.slice(-textCharsMax)
  const cut = text.length - tail.length
  const [, before = '', found = ''] = trailing.exec(tail) ?? []
  // Where the text was cut, a word may have begun before.
  if (before === '' && cut > 0) return null
  const ms = found === '' || bareM.test(found) ? 0 : Math.round(parseDuration(found.toLowerCase()) ?? 0)
  return ms > 0 ? { ms, start: cut + before.length } : null
}

const units = [
  ['w', 7 * dayMs],
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', secondMs],
  ['ms', 1],
] as const

/** Short, and read back by `parseDurationText` as the same: `1h30m`. For whole milliseconds above 0. */
export function formatDurationText(ms: number): string {
  let rest = ms
  let text = ''
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    if (count === 0) continue
    text += `${count}${name}`
    rest -= count * size
  }
  return text
}

const time = /^(\d{1,2})(?::(\d{2}))?(?:[ \t]*([ap])\.?m\.?)?(?=[\s,;]|$)/i

/** The time at the start of a text, in 24-hour form, and where it ends; null if there is none. */
export function leadingClock(
  text: string,
): { readonly hour: number; readonly minute: number; readonly end: number } | null {
  const found = time.exec(text)
  if (found === null) return null
  const [all, hours, minutes, half] = found
  // A bare number may mean anything.
  if (minutes === undefined && half === undefined) return null
  const [typed, minute] = [Number(hours), Number(minutes ?? 0)]
  if (minute > 59) return null
  if (half === undefined) return typed > 23 ? null : { hour: typed, minute, end: all.length }
  if (typed < 1 || typed > 12) return null
  return { hour: (typed % 12) + (half.toLowerCase() === 'p' ? 12 : 0), minute, end: all.length }
}

/** A day of the week, whole or short, without its `day`. */
export const weekdayStem = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)'
/** A day of the week. */
export const weekday = `${weekdayStem}(?:day)?`
/** A month's name, whole or short. */
export const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
// Asia/Pacific is a part of the world.
const zone = `(?:${[
  '(?:etc/)?(?:utc|gmt|cest|cet|[ecmp][sd]t|bst|ist|jst|eest|eet|msk|sgt|hkt|kst|wib|sast|ac[sd]t|ae[sd]t|aw[sd]t|nz[sd]t|ak[sd]t)(?:[+-]\\d{1,2}(?::?\\d{2})?|/[a-z]{2,4})?',
  '[+−-](?:\\d{1,2}:\\d{2}|\\d{4})',
  // Before other words these are of a reason: `west wing`.
  '(?:wes?t|a[sd]t|h[sd]t|pht|[ecmp]t|z|zulu|[+−-]\\d{1,2})(?=[ \\t]*(?:[,;:.!)\\]]|$))',
  '(?:local|eastern|central|mountain|pacific|british|uk|us|indian?|london|berlin|paris|moscow|tokyo|sydney|new[ \\t]+york)(?:[ \\t]+(?:standard|daylight|summer))?[ \\t]+time',
  '(?:africa|america|antarctica|arctic|asia|atlantic|australia|europe|indian|pacific)/(?!pacific)[\\w/+-]+',
  '(?:us|canada)/(?:eastern|central|mountain|pacific|atlantic|alaska|arizona|hawaii)',
].join('|')})`
const day = new RegExp(
  `^(?:[,;:][ \\t]*|[-–—]+[ \\t]+)?[([]?(?:${[
    'today|tonight|tomorrow|next|(?:the[ \\t]+)?day[ \\t]+after[ \\t]+tomorrow|all[ \\t]+(?:day|week|month)',
    `(?:on[ \\t]+|this[ \\t]+|coming[ \\t]+)*${weekday}`,
    '(?:mo|tu|we|th|fr|sa|su)[-–/](?:mo|tu|we|th|fr|sa|su)',
    `(?:on[ \\t]+)?(?:the[ \\t]+)?\\d{1,2}(?:st|nd|rd|th|\\.)?[ \\t]+(?:of[ \\t]+)?${month}`,
    `(?:on[ \\t]+)?${month}\\.?[ \\t]+\\d{1,2}(?:st|nd|rd|th)?`,
    '(?:on[ \\t]+)?the[ \\t]+\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}(?:st|nd|rd|th)(?=[ \\t]*(?:[,;:.!)\\]]|$))',
    // Of these one is a size: `1.5 TB`.
    '(?:on[ \\t]+)?(?:\\d{1,4}([-/])\\d{1,2}\\1\\d{1,4}|(?!\\d+\\.\\d+[ \\t]*(?:[kmgt]i?b|%))\\d{1,2}[./]\\d{1,2}(?:[./]\\d{0,4})?)',
    "in[ \\t]+the[ \\t]+(?:morning|afternoon|evening)|at[ \\t]+night|o['’]?clock",
    `(?:in[ \\t]+)?${zone}`,
  ].join('|')})(?=[\\s,;:.!)\\]]|$)`,
  'i',
)

/** Does a text begin with a day, a part of the day or a time zone? After a clock time these are not a reason. */
export function isDayNext(text: string): boolean {
  return day.test(text)
}
