/**
 * Slack's dates (`<!date^…>` and the rich_text date) as words in the viewer's zone.
 * Tokens: https://docs.slack.dev/messaging/formatting-message-text#date-formatting and, for rich_text only,
 * https://docs.slack.dev/reference/block-kit/block-elements/date-element
 *
 * @typedef {{ nowMs: number, timeZone?: string | undefined }} Clock An unknown zone is a RangeError of Intl that names it.
 * @typedef {{ weekday: string, month: string, year: string, day: string, hour: string, minute: string, second: string }} Parts
 */

const dayMs = 86_400_000
/** Slack leaves the year out of a date that is less than six months away. */
const yearlessMs = 182 * dayMs

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/** Making one costs more than all the rest.  @type {(timeZone: string | undefined) => Intl.DateTimeFormat} */
function formatFor(timeZone) {
  const known = formats.get(timeZone ?? '')
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    month: 'long',
    year: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  formats.set(timeZone ?? '', made)
  return made
}

/** A moment as the calendar and clock of a zone say it.  @type {(atMs: number, timeZone: string | undefined) => Parts} */
function partsOf(atMs, timeZone) {
  const given = new Map(
    formatFor(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [/** @type {string} */ (type), value]),
  )
  const part = (/** @type {string} */ name) => given.get(name) ?? ''
  return {
    weekday: part('weekday'),
    month: part('month'),
    year: part('year'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** @type {(day: number) => string} */
function ordinal(day) {
  const teen = day % 100 >= 11 && day % 100 <= 13
  return `${day}${(teen ? undefined : ['th', 'st', 'nd', 'rd'][day % 10]) ?? 'th'}`
}

/** `2014-02-18`, as date inputs want it.  @type {(atMs: number, timeZone: string | undefined) => string} */
export function isoDay(atMs, timeZone) {
  const { year, month, day } = partsOf(atMs, timeZone)
  return `${year.padStart(4, '0')}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** `18:39`, as time inputs want it.  @type {(atMs: number, timeZone: string | undefined) => string} */
export function clockTime(atMs, timeZone) {
  const { hour, minute } = partsOf(atMs, timeZone)
  return `${hour}:${minute}`
}

/**
 * The moment at which a zone's clocks show `2014-02-18T18:39`, in epoch milliseconds; a time that the clocks skip is
 * taken as the one before the gap. NaN for anything else.
 *
 * @type {(wall: string, timeZone: string | undefined) => number}
 */
export function momentOf(wall, timeZone) {
  const wanted = Date.parse(`${wall}Z`)
  if (Number.isNaN(wanted)) return Number.NaN
  let guess = wanted
  // The offset at the guess may not be the one at the moment itself, so look twice.
  for (let look = 0; look < 2; look += 1) {
    const shown = Date.parse(`${isoDay(guess, timeZone)}T${clockTime(guess, timeZone)}Z`)
    guess += wanted - shown
  }
  return guess
}

/** @type {(atMs: number, clock: Clock) => string | undefined} */
function nearDay(atMs, { nowMs, timeZone }) {
  const day = isoDay(atMs, timeZone)
  /** @type {[string, number][]} */
  const names = [
    ['today', 0],
    ['yesterday', -dayMs],
    ['tomorrow', dayMs],
  ]
  return names.find(([, shiftMs]) => isoDay(nowMs + shiftMs, timeZone) === day)?.[0]
}

/** @type {[unit: Intl.RelativeTimeFormatUnit, seconds: number][]} */
const spans = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** @type {(atMs: number, nowMs: number) => string} */
function ago(atMs, nowMs) {
  const seconds = Math.round((atMs - nowMs) / 1_000)
  const [unit, size] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return new Intl.RelativeTimeFormat('en').format(
    Math.trunc(seconds / size),
    /** @type {Intl.RelativeTimeFormatUnit} */ (unit),
  )
}

/**
 * The format with its tokens filled in; undefined when the second is no moment, so that the fallback is shown.
 *
 * @type {(unixSeconds: number, format: string, clock: Clock) => string | undefined}
 */
export function formatDate(unixSeconds, format, clock) {
  const atMs = unixSeconds * 1_000
  if (!Number.isInteger(unixSeconds) || Number.isNaN(new Date(atMs).getTime())) return undefined
  const { timeZone, nowMs } = clock
  const { weekday, month, year, day, hour, minute, second } = partsOf(atMs, timeZone)
  const number = Number(day)
  const inYear = Math.abs(atMs - nowMs) < yearlessMs ? '' : `, ${year}`
  const date = `${month} ${ordinal(number)}${inYear}`
  const short = `${month.slice(0, 3)} ${number}${inYear}`
  const long = `${weekday}, ${month} ${ordinal(number)}`
  const near = nearDay(atMs, clock)
  const iso = isoDay(atMs, timeZone)
  const thisYear = isoDay(nowMs, timeZone).startsWith(iso.slice(0, 4))
  const tokens = new Map([
    ['date_num', iso],
    ['date_slash', iso.split('-').reverse().join('/')],
    ['date', date],
    ['date_pretty', near ?? date],
    ['date_short', short],
    ['date_short_pretty', near ?? short],
    ['date_long', `${long}, ${year}`],
    ['date_long_pretty', near ?? `${long}, ${year}`],
    ['date_long_full', `${month} ${number}, ${year}`],
    ['day_divider_pretty', near ?? (thisYear ? long : `${long}, ${year}`)],
    ['time', `${hour}:${minute}`],
    ['time_secs', `${hour}:${minute}:${second}`],
    ['ago', ago(atMs, nowMs)],
  ])
  return format.replace(/\{([a-z_]+)\}/g, (token, /** @type {string} */ name) => tokens.get(name) ?? token)
}
