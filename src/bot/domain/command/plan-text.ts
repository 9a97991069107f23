/**
 * Parses when a mute is to begin and how long its windows last: `from tomorrow 22:00 for 2h`, `every tue 02:00-04:00`. Once a text
 * begins with a time, as one of these or in any other words, it must be understood to its end: what is meant for later never mutes
 * at once.
 */
import type { PlannedLength, PlannedRule, Weekday } from '../mute/planned.ts'
import {
  amends,
  begins,
  dash,
  joins,
  limits,
  ofMonth,
  oftenBehind,
  ordinal,
  ordinals,
  otherwiseLater,
  timeEnd,
  unplanned,
  weekdays,
  wordEnd,
} from './plan-shapes.ts'
import { isDayNext, leadingClock, leadingDuration, weekday } from './time-text.ts'
import { invalid, type Misread, openWords, type Words } from './words.ts'

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

type TextPlan = { readonly plan: Exclude<AskedPlan, AskedFromMoment>; readonly reason: string }

/** What was expected of one window, and of several. */
const fromExpected =
  'a time and an end in your time zone (from 22:00 for 2h, from tomorrow 22:00 until 02:00, from 2026-12-01 22:00 for 2h), or a duration before the reason'
const everyExpected =
  'days and times in your time zone (every tue 02:00-04:00, every day 22:00 for 1h, every weekday 22:00-23:00, every mon,wed 22:00-02:00, every 1st sun 02:00-04:00), or a duration before the reason'
const midnightExpected =
  'a day and 00:00 or another time: the midnight after Saturday is sun 00:00, as 24:00 is only an end'

const everyDay = [0, 1, 2, 3, 4, 5, 6] as const satisfies readonly Weekday[]
const workdays = [1, 2, 3, 4, 5] as const satisfies readonly Weekday[]
const weekends = [6, 0] as const satisfies readonly Weekday[]
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** Null: the words do not plan anything, and nothing of them is taken. */
export function askedPlan(words: Words): TextPlan | Misread | null {
  const typed = words.left()
  const read = planIn(typed)
  if (read === null) return null
  words.text()
  if (typeof read === 'string') return invalid(read, typed)
  return read.plan.minute === midnight ? invalid(midnightExpected, typed) : read
}

/** A text: what was expected. Null: no plan. */
function planIn(typed: string): TextPlan | string | null {
  if (!isLater(typed)) return null
  const kind = begins.weekly.test(typed) ? 'weekly' : 'once'
  const text = openText(typed.replace(begins[kind], ''))
  const read = kind === 'weekly' ? weeklyIn(text) : onceIn(text)
  const more = read?.reason.replace(joins, '') ?? ''
  const isOften = begins.weekly.test(more) || oftenBehind.test(more)
  const isAmended =
    isOften || amends.test(more) || [read?.reason ?? '', more].some(isDayBehind) || isLater(more)
  const isLimited = read?.plan.is === 'weekly' && limits.test(read.reason)
  if (read !== null && !isAmended && !isLimited) return read
  return kind === 'weekly' || isOften ? everyExpected : fromExpected
}

/** As behind a time: there 12.1 is a date, but at the beginning 1.5 may be of a duration. */
function isDayBehind(text: string): boolean {
  return isDayNext(text) && !/^next\s/i.test(text)
}

/** Does a text begin with a time that is not now? */
function isLater(text: string): boolean {
  const isDay = isDayBehind(text) && !/^\d+[./]\d/.test(text)
  return isDay || [begins.weekly, begins.once, otherwiseLater].some((shape) => shape.test(text))
}

const onlyOften = new RegExp(`^(?:${unplanned})$`, 'i')
const counted = /^from\s+\d+\s+(?!(?:for|to|and|until|[ap]\.?m\.?)\s)[a-z]/i
const sentence = /\s(?:is|are|was|were|will|has|have|had)\s/i

/** After an end, does a text say only when, or begin with another time? A sentence tells of something: `tomorrow it is gone`. */
export function isSecondTime(text: string): boolean {
  if (text === '') return false
  if (onlyOften.test(text) || otherwiseLater.exec(text)?.[0] === text) return true
  const ends = ['', ' for 1h', ' 22:00 for 1h']
  if (ends.some((end) => isWholePlan(text + end) || isWholePlan(`from ${text}${end}`))) return true
  const isOnce = begins.once.test(`${text} for 1h`) && !counted.test(text)
  const isOften = begins.weekly.test(text) && /\d:\d{2}/.test(text)
  return (isOnce || isOften || hasTimes(text)) && !sentence.test(text)
}

/** Does a text begin as a plan, but not go on as one? */
export function isHalfPlan(text: string): boolean {
  return typeof planIn(text) === 'string'
}

/** Does a text begin with a time and an end? */
export function hasTimes(text: string): boolean {
  return timesIn(openText(text)) !== null
}

/** Is the whole text a plan, without a reason? */
export function isWholePlan(text: string): boolean {
  const read = planIn(openWords(text).left())
  return read !== null && typeof read !== 'string' && read.reason === ''
}

/** The days and times of the policy file, without the word `every`; null: not understood. */
export function parseEvery(text: string): Extract<PlannedRule, { is: 'weekly' }> | null {
  const read = weeklyIn(openText(text.trim()))
  return read === null || read.reason !== '' || read.plan.minute === midnight ? null : read.plan
}

/** A date and a time of the policy file, such as `2026-12-01 22:00`; null: not understood. */
export function parseFrom(text: string): { readonly dateMs: number; readonly minute: number } | null {
  const from = openText(text.trim())
  const day = dayIn(from)
  const minute = clockIn(from)
  if (day === null || day === 'no_day' || !('dateMs' in day)) return null
  if (minute === null || minute === midnight || from.rest() !== '') return null
  return { dateMs: day.dateMs, minute }
}

/** As `clockIn` reads `24:00`: the first or the last moment of a day. An end is the next one. */
const midnight = 24 * 60

/** Without a day that is named, or on every day, it is plain which midnight is meant. */
function onAnyDay(times: Times): Times {
  return { ...times, minute: times.minute % midnight }
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

function onceIn(text: Text): TextPlan | null {
  const day = dayIn(text)
  text.take(`(?:at|from)${wordEnd}`)
  const times = timesIn(text)
  if (times === null || day === 'no_day') return null
  const reason = reasonIn(text)
  // How often may come last: `from 02:00 to 04:00 on weekdays`.
  if (day === null && begins.weekly.test(reason)) {
    const after = openText(reason.replace(begins.weekly, ''))
    const days = daysIn(after)
    after.take(`only${wordEnd}`)
    if (days !== null) return { plan: weeklyOf(days, times), reason: reasonIn(after) }
  }
  return { plan: { is: 'once', day, ...(day === null ? onAnyDay(times) : times) }, reason }
}

function weeklyIn(text: Text) {
  const days = daysIn(text)
  if (days === null) return null
  text.take(`(?:at|from)${wordEnd}`)
  const times = timesIn(text)
  if (times === null) return null
  return { plan: weeklyOf(days, times), reason: reasonIn(text) }
}

function weeklyOf(days: Days, times: Times) {
  return { is: 'weekly' as const, ...days, ...(days.days.length === 7 ? onAnyDay(times) : times) }
}

/** `no_day`: a date that its month does not have. */
function dayIn(text: Text): AskedDay | 'no_day' | null {
  const soon = text.take(`(today|tonight|tomorrow)${wordEnd}`)?.[1]?.toLowerCase()
  if (soon !== undefined) return { inDays: soon === 'tomorrow' ? 1 : 0 }
  const name = text.take(`(?:next\\s+)?(${weekday})${wordEnd}`)?.[1]
  if (name !== undefined) return { weekday: weekdayOf(name) }
  const found = text.take(`(\\d{4})-(\\d{2})-(\\d{2})(?:T(?=\\d)|${wordEnd})`)
  if (found === null) return null
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]
  const dateMs = Date.UTC(year, month - 1, day)
  return new Date(dateMs).getUTCDate() === day && new Date(dateMs).getUTCMonth() === month - 1
    ? { dateMs }
    : 'no_day'
}

type Times = Pick<AskedOnce, 'minute' | 'length'>
type Days = Pick<Extract<PlannedRule, { is: 'weekly' }>, 'days' | 'nth'>

function daysIn(text: Text): Days | null {
  if (text.take(`(?:days?|nights?|daily|nightly)${wordEnd}`) !== null) return { days: everyDay, nth: null }
  if (text.take(`weekdays?${wordEnd}`) !== null) return { days: workdays, nth: null }
  if (text.take(`weekends?${wordEnd}`) !== null) return { days: weekends, nth: null }
  const which = text.take(`(${ordinal})${wordEnd}`)?.[1]?.toLowerCase()
  const nth = which === undefined ? null : ordinals[which as keyof typeof ordinals]
  const days = new Set<Weekday>()
  do {
    const first = text.take(`(${weekdays})(?=[\\s,;:&-]|–|$)`)?.[1]
    if (first === undefined) return null
    const from = weekdayOf(first)
    const last = text.take(`${dash}(${weekdays})${wordEnd}`)?.[1]
    const to = last === undefined ? from : weekdayOf(last)
    for (let day = from; ; day = ((day + 1) % 7) as Weekday) {
      days.add(day)
      if (day === to) break
    }
  } while (text.take('(?:,\\s*(?:and\\s+)?|and\\s+|&\\s*)') !== null)
  if (nth !== null && days.size > 1) return null
  if (nth !== null) text.take(ofMonth)
  return { days: [...days].toSorted((a, b) => a - b), nth }
}

function weekdayOf(typed: string): Weekday {
  return weekdayNames.findIndex((name) => typed.toLowerCase().startsWith(name)) as Weekday
}

/** `02:00-04:00`, `02:00 for 2h`, `22:00 until 02:00`. */
function timesIn(text: Text): Times | null {
  const minute = clockIn(text)
  if (minute === null) return null
  const isRange = text.take(dash) !== null || text.take('(?:until|till|til|and)\\s+') !== null
  if (isRange) {
    const end = clockIn(text)
    if (end === null || (end - minute) % midnight === 0 || /^[-–—]+\d/.test(text.rest())) return null
    return { minute, length: { untilMinute: end % midnight } }
  }
  text.take('for\\s+')
  const found = leadingDuration(text.rest())
  if (found === null) return null
  text.cut(found.end)
  return { minute, length: { ms: found.ms } }
}

/** Minutes after midnight; see `midnight`. */
function clockIn(text: Text): number | null {
  if (text.take(`(?:24:00|midnight)${timeEnd}`) !== null) return midnight
  if (text.take(`(?:noon|midday)${timeEnd}`) !== null) return 12 * 60
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
