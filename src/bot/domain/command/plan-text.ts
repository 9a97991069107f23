/**
 * Parses when a mute is to begin and how long its windows last: `from tomorrow 22:00 for 2h`, `every tue 02:00-04:00`. Once a text
 * begins as one, it must be understood to its end, so that a mistyped plan never mutes at once.
 */
import type { PlannedLength, PlannedRule, Weekday } from '../mute/planned.ts'
import { leadingClock, leadingDuration } from './time-text.ts'
import { invalid, type Misread, type Words } from './words.ts'

/** Which day a window begins on; null: the next one on which the clock shows its time. `date`: that day's midnight, as if in UTC. */
export type AskedDay =
  | { readonly inDays: 0 | 1 }
  | { readonly weekday: Weekday }
  | { readonly dateMs: number }

/** Of one window. */
export type AskedOnce = {
  readonly is: 'once'
  readonly day: AskedDay | null
  readonly minute: number
  readonly length: PlannedLength
}

/**
 * From a form, which gives the moment: once, or on so many days of the week at that time of the day; `same`: the day of the moment.
 */
export type AskedFromMoment = {
  readonly is: 'moment'
  readonly startMs: number
  readonly days: readonly Weekday[] | 'same' | null
  readonly length: PlannedLength
}

export type AskedPlan = AskedOnce | Extract<PlannedRule, { is: 'weekly' }> | AskedFromMoment

type ReadPlan = { readonly plan: AskedPlan; readonly reason: string }

/** What was expected after `from`, and after `every`. */
const fromExpected =
  'a time and an end: from 22:00 for 2h, from tomorrow 22:00 until 02:00, or from 2026-12-01 22:00 for 2h. A reason that begins so needs a duration before it'
const everyExpected =
  'days and times: every tue 02:00-04:00, every day 22:00 for 1h, every weekday, every mon,wed or every 1st sun 02:00-04:00. A reason that begins so needs a duration before it'

const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const weekday = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?'
const wordEnd = '(?=[\\s,;:]|$)'
const dash = '\\s*(?:-+|–|—|to(?=\\s))\\s*'
const everyDay = [0, 1, 2, 3, 4, 5, 6] as const satisfies readonly Weekday[]
const workdays = [1, 2, 3, 4, 5] as const satisfies readonly Weekday[]
const weekends = [6, 0] as const satisfies readonly Weekday[]

const planBegins = {
  from: new RegExp(`^(?:\\d|(?:today|tonight|tomorrow|(?:next\\s+)?${weekday})${wordEnd})`, 'i'),
  every: new RegExp(
    `^(?:\\d|(?:other|single|first|second|third|fourth|last|days?|nights?|mornings?|evenings?|week(?:day|end)?s?|months?|hours?|${weekday})(?=[\\s,;:&-]|$))`,
    'i',
  ),
}
/** What names a time soon after may be a plan with a mistyped day. */
const clockSoon = /^(?:\S+\s+){0,3}\d{1,2}:\d{2}/

/** Null: the words do not plan anything, and nothing of them is taken. */
export function askedPlan(words: Words): ReadPlan | Misread | null {
  const typed = words.left()
  const [, keyword = '', after = ''] = /^(from|every)\s+(.*)$/is.exec(typed) ?? []
  const kind = keyword.toLowerCase()
  if (kind !== 'from' && kind !== 'every') return null
  if (!planBegins[kind].test(after) && !clockSoon.test(after)) return null
  words.text()
  const read = kind === 'from' ? onceIn(openText(after)) : weeklyIn(openText(after))
  return read ?? invalid(kind === 'from' ? fromExpected : everyExpected, typed)
}

/** The days and times of the policy file, without the word `every`; null: not understood. */
export function parseEvery(text: string): Extract<PlannedRule, { is: 'weekly' }> | null {
  const read = weeklyIn(openText(text.trim()))
  return read === null || read.reason !== '' ? null : read.plan
}

/** A date and a time of the policy file, such as `2026-12-01 22:00`; null: not understood. */
export function parseFrom(text: string): { readonly dateMs: number; readonly minute: number } | null {
  const from = openText(text.trim())
  const day = dayIn(from)
  const minute = clockIn(from)
  if (day === null || day === 'no_day' || !('dateMs' in day) || minute === null || from.rest() !== '')
    return null
  return { dateMs: day.dateMs, minute }
}

type Text = ReturnType<typeof openText>

/** A text that is read from its front. */
function openText(text: string) {
  let left = text
  const cut = (end: number) => {
    left = left.slice(end).trimStart()
  }
  return {
    rest: () => left,
    cut,
    /** Takes this if it comes next, and returns what matched. */
    take: (shape: string): RegExpExecArray | null => {
      const found = new RegExp(`^(?:${shape})`, 'i').exec(left)
      if (found !== null) cut(found[0].length)
      return found
    },
  }
}

function onceIn(text: Text): { readonly plan: AskedOnce; readonly reason: string } | null {
  const day = dayIn(text)
  text.take(`at${wordEnd}`)
  const times = timesIn(text)
  if (times === null || day === 'no_day') return null
  return { plan: { is: 'once', day, ...times }, reason: reasonIn(text) }
}

function weeklyIn(text: Text) {
  const days = daysIn(text)
  if (days === null) return null
  text.take(`at${wordEnd}`)
  const times = timesIn(text)
  if (times === null) return null
  return { plan: { is: 'weekly' as const, ...days, ...times }, reason: reasonIn(text) }
}

/** `no_day`: a date that its month does not have. */
function dayIn(text: Text): AskedDay | 'no_day' | null {
  const near = text.take(`(today|tonight|tomorrow)${wordEnd}`)?.[1]?.toLowerCase()
  if (near !== undefined) return { inDays: near === 'tomorrow' ? 1 : 0 }
  const name = text.take(`(?:on\\s+|next\\s+)?(${weekday})${wordEnd}`)?.[1]
  if (name !== undefined) return { weekday: weekdayOf(name) }
  const date = text.take(`(\\d{4})-(\\d{2})-(\\d{2})(?:T(?=\\d)|${wordEnd})`)
  if (date === null) return null
  const [year, month, day] = [Number(date[1]), Number(date[2]), Number(date[3])]
  const dateMs = Date.UTC(year, month - 1, day)
  return new Date(dateMs).getUTCDate() === day && new Date(dateMs).getUTCMonth() === month - 1
    ? { dateMs }
    : 'no_day'
}

type Days = Pick<Extract<PlannedRule, { is: 'weekly' }>, 'days' | 'nth'>

const ordinals = {
  '1st': 1,
  first: 1,
  '2nd': 2,
  second: 2,
  '3rd': 3,
  third: 3,
  '4th': 4,
  fourth: 4,
  last: 'last',
} as const

function daysIn(text: Text): Days | null {
  if (text.take(`(?:days?|nights?)${wordEnd}`) !== null) return { days: everyDay, nth: null }
  if (text.take(`weekdays?${wordEnd}`) !== null) return { days: workdays, nth: null }
  if (text.take(`weekends?${wordEnd}`) !== null) return { days: weekends, nth: null }
  const ordinal = text.take(`(${Object.keys(ordinals).join('|')})${wordEnd}`)?.[1]?.toLowerCase()
  const nth = ordinal === undefined ? null : ordinals[ordinal as keyof typeof ordinals]
  const days = new Set<Weekday>()
  do {
    const first = text.take(`(${weekday})(?=[\\s,;:&-]|–|$)`)?.[1]
    if (first === undefined) return null
    const from = weekdayOf(first)
    const last = text.take(`${dash}(${weekday})${wordEnd}`)?.[1]
    const to = last === undefined ? from : weekdayOf(last)
    for (let day = from; ; day = ((day + 1) % 7) as Weekday) {
      days.add(day)
      if (day === to) break
    }
  } while (text.take('(?:,\\s*(?:and\\s+)?|and\\s+|&\\s*)') !== null)
  if (nth !== null && days.size > 1) return null
  return { days: [...days].toSorted((a, b) => a - b), nth }
}

function weekdayOf(typed: string): Weekday {
  return weekdayNames.findIndex((name) => typed.toLowerCase().startsWith(name)) as Weekday
}

/** `02:00-04:00`, `02:00 for 2h`, `22:00 until 02:00`. */
function timesIn(text: Text): { readonly minute: number; readonly length: PlannedLength } | null {
  const minute = clockIn(text)
  if (minute === null) return null
  const isRange = text.take(dash) !== null || text.take('(?:until|till|til)\\s+') !== null
  if (isRange) {
    const untilMinute = clockIn(text)
    if (untilMinute === null || untilMinute === minute || /^[-–—]+\d/.test(text.rest())) return null
    return { minute, length: { untilMinute } }
  }
  text.take('for\\s+')
  const found = leadingDuration(text.rest())
  if (found === null) return null
  text.cut(found.end)
  return { minute, length: { ms: found.ms } }
}

/** Minutes after midnight. */
function clockIn(text: Text): number | null {
  if (text.take(`24:00${wordEnd}`) !== null) return 0
  const alone = /^\d{1,2}(?::\d{2})?(?:[ \t]*[ap]\.?m\.?)?/i.exec(text.rest())?.[0] ?? ''
  const found = leadingClock(alone)
  if (found === null || found.end !== alone.length) return null
  // What goes on, such as `22:000`, is no time.
  if (/^[\w:]/.test(text.rest().slice(alone.length))) return null
  text.cut(alone.length)
  return found.hour * 60 + found.minute
}

function reasonIn(text: Text): string {
  return text.rest().replace(/^(?:[,;:]|[-–—]+(?=\s))\s*/, '')
}
