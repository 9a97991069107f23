/**
 * Slack's dates (`<!date^…>`) as words in the viewer's zone.
 * Tokens: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 *
 * @typedef {{ nowMs: number, timeZone?: string | undefined }} Clock An unknown zone is a RangeError of Intl that names it.
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

/** A moment as the calendar and clock of a zone say it.  @type {(atMs: number, timeZone: string | undefined) => Record<string, string>} */
const partsOf = (atMs, timeZone) =>
  Object.fromEntries(
    formatFor(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** @type {(atMs: number, timeZone: string | undefined) => string} */
function isoDay(atMs, timeZone) {
  const { year = '', month = '', day = '' } = partsOf(atMs, timeZone)
  return `${year.padStart(4, '0')}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** @type {(day: number) => string} */
function ordinal(day) {
  const teen = day % 100 >= 11 && day % 100 <= 13
  return `${day}${(teen ? undefined : ['th', 'st', 'nd', 'rd'][day % 10]) ?? 'th'}`
}

/** @type {(atMs: number, clock: Clock) => string | undefined} */
function nearDay(atMs, { nowMs, timeZone }) {
  const day = isoDay(atMs, timeZone)
  const shifts = { today: 0, yesterday: -dayMs, tomorrow: dayMs }
  return Object.entries(shifts).find(([, shiftMs]) => isoDay(nowMs + shiftMs, timeZone) === day)?.[0]
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
  const { weekday, month = '', year, day, hour, minute, second } = partsOf(atMs, timeZone)
  const inYear = Math.abs(atMs - nowMs) < yearlessMs ? '' : `, ${year}`
  const date = `${month} ${ordinal(Number(day))}${inYear}`
  const short = `${month.slice(0, 3)} ${day}${inYear}`
  const long = `${weekday}, ${month} ${ordinal(Number(day))}, ${year}`
  const near = nearDay(atMs, clock)
  const tokens = new Map([
    ['date_num', isoDay(atMs, timeZone)],
    ['date', date],
    ['date_pretty', near ?? date],
    ['date_short', short],
    ['date_short_pretty', near ?? short],
    ['date_long', long],
    ['date_long_pretty', near ?? long],
    ['time', `${hour}:${minute}`],
    ['time_secs', `${hour}:${minute}:${second}`],
    ['ago', ago(atMs, nowMs)],
  ])
  return format.replace(/\{([a-z_]+)\}/g, (token, /** @type {string} */ name) => tokens.get(name) ?? token)
}
