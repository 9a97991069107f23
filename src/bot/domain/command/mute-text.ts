/** Parses how long and why, as typed after `mute <server>`: `2h deploying`, `until 15:00`, `until healthy`. */

import type { MuteEnd } from '../request/named.ts'
import { askedPlan, hasTimes, isHalfPlan, isSecondTime, isWholePlan } from './plan-text.ts'
import { durationExpected, formatDurationText, parseDurationText } from './time-text.ts'
import { invalid, type Misread, openWords, type Words } from './words.ts'

type AskedMute = { readonly end: MuteEnd; readonly reason: string }

/** What was expected after `until`. */
const untilExpected = 'until 15:00 (in your time zone), until healthy or until unmuted'
const clockExpected =
  'until 15:00 or until 3 pm, which is the next one in your time zone; for another day a duration, such as 2d'
const oneTimeExpected =
  'one time: 2h or until 15:00 to mute now, from 22:00 for 2h for later, or every tue 02:00-04:00; in quotes it is a reason (2h "friday deploy")'
const wordsExpected = `${durationExpected}; or until unmuted`

const numberWord =
  '(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half|some|few|several|couple|of|and)[ \\t-]+)+'
const inWords = new RegExp(
  `^(?:${numberWord}(?:sec(?:ond)?|min(?:ute)?|hour|hr|day|week|month|year)s?|for[ -]?ever|indefinitely|permanently)(?=[\\s,;:.!]|$)`,
  'i',
)
const calendarUnit = /^\d+(?:\.\d+)?\s*(?:months?|mos?|years?|yrs?|y|quarters?|fortnights?)(?![A-Za-z])/i

/**
 * The end, then the reason. Text that begins with a number, or with a time in words, is an end and must be understood; a
 * reason that begins with a number therefore needs an end before it. So a mistyped end never becomes a reason.
 */
export function askedMute(words: Words): AskedMute | Misread {
  const typed = words.left()
  // It is what a mute does anyhow.
  if (!words.phrase('from now') && !words.phrase('starting now')) words.keyword('now')
  const asked = endAndReason(words)
  // In quotes it is a reason, whatever it says.
  const isPlain = !/["”'’]\s*$/.test(typed)
  if ('why' in asked || !isPlain) return asked
  return isSecondTime(asked.reason) || isSecondEnd(asked.reason) ? invalid(oneTimeExpected, typed) : asked
}

/** `22h for 2h` would mute for 22 hours from now. */
function isSecondEnd(reason: string): boolean {
  const again = endAndReason(openWords(reason))
  if ('why' in again || again.end.kind === 'default') return false
  return again.reason === '' || /^(?:for|until|till|til)\s/i.test(reason)
}

function endAndReason(words: Words): AskedMute | Misread {
  const typed = words.left()
  if (words.keyword('until', 'till', 'til') !== null) {
    const end = untilNext(words)
    if (end === null) return invalid(untilExpected, typed)
    if (end.kind === 'at' && words.isDayNext()) return invalid(clockExpected, typed)
    return { end, reason: reasonOf(words) }
  }
  const isForGiven = words.keyword('for') !== null
  const isNumberNext = words.isNumberNext()
  const ms = words.duration()
  if (ms !== null) {
    const reason = reasonOf(words)
    return /^\d+$/.test(reason) ? withoutUnit(reason) : { end: { kind: 'for', ms }, reason }
  }
  if (isForGiven || isNumberNext) {
    const left = words.text()
    const came = unread(left)
    return came === left && bareNumber.test(left) ? withoutUnit(left) : invalid(durationExpected, came)
  }
  return inWords.test(typed)
    ? invalid(wordsExpected, typed)
    : { end: { kind: 'default' }, reason: reasonOf(words) }
}

function unread(came: string): string {
  if (came === '') return ''
  if (/^\d+(?:\.\d+)?\s*M(?![A-Za-z])/.test(came)) return `${came} (M is no unit: m means minutes)`
  if (calendarUnit.test(came)) return `${came} (an unknown unit: the longest is the week)`
  return came
}

const bareNumber = /^\d{1,6}(?:\.\d{1,3})?(?=\s|$)/

function withoutUnit(left: string): Misread {
  const [number = left] = bareNumber.exec(left) ?? []
  return { why: 'no_unit', number, left, meant: null }
}

/** The same for a separate text, such as a form field or what a command gave before a form was opened. */
export function parseAskedMute(text: string): AskedMute | Misread {
  return askedMute(openWords(text))
}

/** An end as it would be typed; empty if a duration or a clock time does not say it. */
export function endText(end: MuteEnd): string {
  switch (end.kind) {
    case 'for':
      return formatDurationText(end.ms)
    case 'at':
      return `until ${twoDigits(end.hour)}:${twoDigits(end.minute)}`
    case 'default':
    case 'healthy':
    case 'unmuted':
      return ''
  }
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0')
}

function untilNext(words: Words): MuteEnd | null {
  const kind = words.keyword('healthy', 'unmuted')
  if (kind !== null) return { kind }
  const time = words.clock()
  return time === null ? null : { kind: 'at', ...time }
}

/** Without what separates it from the duration: `2h: deploying`, `2h - deploying`. */
function reasonOf(words: Words): string {
  return words.text().replace(/^(?:[,;:]|[-–—]+(?=\s))\s*/, '')
}

/**
 * An end or a plan within or after a reason: `deploying 2h`, `deploying until 15:00`, `deploying at 22:00 for 2h`. Null if there is
 * none; `end` is null if it is given, but not understood to its end.
 */
export function endInReason(reason: string): { readonly end: string | null; readonly reason: string } | null {
  // What more it says of when, such as `weekly`, must not be left to the reason.
  let isUnread = false
  for (const { index } of reason.matchAll(wordStarts)) {
    const when = reason.slice(index)
    const plan = [when, `from ${when}`].find(isWholePlan) ?? null
    // Without its end: `at 22:00`, `at 22:00 tomorrow`.
    const ended = when.replace(/^at\s+\d{1,2}(?::\d{2}|\s*[ap]\.?m\.?)/i, '$& for 1h')
    const isUnended =
      isWholePlan(`${when} for 1h`) || (ended !== when && (isWholePlan(ended) || isHalfPlan(ended)))
    if (plan !== null || isUnended || hasTimes(when))
      return { end: isUnread ? null : plan, reason: beforeAt(reason, index) }
    isUnread ||= isHalfPlan(when)
  }
  const until = lastUntil.exec(reason)
  if (until !== null) {
    const [, before = '', end = ''] = until
    const asked = parseAskedMute(end)
    const isUnderstood = !('why' in asked) && asked.reason === ''
    return { end: isUnderstood ? end : null, reason: before }
  }
  // The earliest position from which the rest is a duration, so that `1h 30m` is not read as 30 minutes.
  for (const { index } of reason.matchAll(wordStarts)) {
    const end = reason.slice(index)
    const isInWords = inWords.exec(end)?.[0] === end
    if (!isInWords && parseDurationText(end) === null) continue
    return { end: isInWords ? null : end, reason: beforeAt(reason, index) }
  }
  return null
}

/** An end or a plan, then the reason, as it would be typed; null if that would be read as anything else. */
export function endBefore(end: string, reason: string): string | null {
  const read = (text: string) => askedPlan(openWords(text)) ?? parseAskedMute(text)
  const meant = JSON.stringify({ ...read(end), reason })
  const typed = [' ', ', '].map((between) => `${end}${between}${reason}`.trim())
  return typed.find((text) => JSON.stringify(read(text)) === meant) ?? null
}

function beforeAt(reason: string, index: number): string {
  return reason.slice(0, index).replace(/[\s,;:–—-]*(?:\bfor)?\s*$/i, '')
}

const lastUntil = /^(?:(.*?)[\s,;:–—-]+)?((?:until|till|til)(?:\s.*)?)$/is
const wordStarts = /(?<=^|[\s,;:(])\S/g
