/** Durations as people type them: `90s`, `30m`, `1h30m`, `2d`, `30 min`, `2 hours`; a unit is always needed. */
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
