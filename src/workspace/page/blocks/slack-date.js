/**
 * Slack's dates (`<!date^…>`) as words in the viewer's zone, which is the browser's.
 * Tokens: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */

const dayMs = 86_400_000
/** Slack leaves the year out of a date that is less than six months away. */
const yearlessMs = 182 * dayMs

const words = new Intl.DateTimeFormat('en-US', {
  weekday: 'long',
  month: 'long',
  year: 'numeric',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
// Swedes write `2014-02-18`.
const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' })

/** @type {(day: number) => string} */
function ordinal(day) {
  const teen = day % 100 >= 11 && day % 100 <= 13
  return `${day}${(teen ? undefined : ['th', 'st', 'nd', 'rd'][day % 10]) ?? 'th'}`
}

const spans = /** @type {const} */ ([
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
])

/** `3 minutes ago`, `in 1 hour`; a moment of this minute is `just now`.  @type {(ms: number) => string} */
function ago(ms) {
  const span = spans.find(([, spanMs]) => Math.abs(ms) >= spanMs)
  if (span === undefined) return 'just now'
  const [unit, spanMs] = span
  const count = Math.floor(Math.abs(ms) / spanMs)
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`
  return ms < 0 ? `${words} ago` : `in ${words}`
}

/**
 * The format with its tokens filled in; undefined when the second is no moment, so that the fallback is shown.
 *
 * @type {(unixSeconds: number, format: string, nowMs: number) => string | undefined}
 */
export function formatDate(unixSeconds, format, nowMs) {
  const atMs = unixSeconds * 1_000
  if (!Number.isInteger(unixSeconds) || Number.isNaN(new Date(atMs).getTime())) return undefined
  const parts = new Map(words.formatToParts(atMs).map(({ type, value }) => [String(type), value]))
  const [year, month = '', day, hour, minute] = ['year', 'month', 'day', 'hour', 'minute'].map((one) =>
    parts.get(one),
  )
  const inYear = Math.abs(atMs - nowMs) < yearlessMs ? '' : `, ${year}`
  const tokens = new Map([
    ['date_num', isoDay.format(atMs)],
    ['date', `${month} ${ordinal(Number(day))}${inYear}`],
    ['date_short', `${month.slice(0, 3)} ${day}${inYear}`],
    ['date_long', `${parts.get('weekday')}, ${month} ${ordinal(Number(day))}, ${year}`],
    ['time', `${hour}:${minute}`],
    ['time_secs', `${hour}:${minute}:${parts.get('second')}`],
    ['ago', ago(atMs - nowMs)],
  ])
  const days = { today: 0, yesterday: -dayMs, tomorrow: dayMs }
  const near = Object.entries(days).find(
    ([, shiftMs]) => isoDay.format(nowMs + shiftMs) === isoDay.format(atMs),
  )?.[0]
  return format.replace(
    /\{([a-z_]+?)(_pretty)?\}/g,
    (token, /** @type {string} */ name, /** @type {string | undefined} */ pretty) =>
      (pretty && near) ?? tokens.get(name) ?? token,
  )
}
