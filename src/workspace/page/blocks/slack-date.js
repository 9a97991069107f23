/**
 * Slack's dates (`<!date^…>`) as words in the viewer's zone, which is the browser's, by the tokens that the bot uses.
 * All of them: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */

const dayMs = 86_400_000
/** Slack leaves the year out of a date that is less than six months away. */
const yearlessMs = 182 * dayMs

/** @type {(options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat} */
const words = (options) => new Intl.DateTimeFormat('en-US', { hourCycle: 'h23', ...options })
const clock = words({ hour: '2-digit', minute: '2-digit' })
const exactClock = words({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const shortDay = words({ month: 'short', day: 'numeric' })
const longDay = words({ dateStyle: 'full' })
const withYear = words({ month: 'short', day: 'numeric', year: 'numeric' })

/** `3 minutes ago`, `in 1 hour`; a moment of this minute is `just now`.  @type {(ms: number) => string} */
function ago(ms) {
  const spans = /** @type {const} */ ([
    ['day', dayMs],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ])
  const [unit, spanMs] = spans.find(([, spanMs]) => Math.abs(ms) >= spanMs) ?? []
  if (unit === undefined || spanMs === undefined) return 'just now'
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
  const dayOf = (/** @type {number} */ ms) => new Date(ms).toDateString()
  const short = (Math.abs(atMs - nowMs) < yearlessMs ? shortDay : withYear).format(atMs)
  const days = { today: 0, yesterday: -dayMs, tomorrow: dayMs }
  const near = Object.entries(days).find(([, shiftMs]) => dayOf(nowMs + shiftMs) === dayOf(atMs))?.[0]
  /** @type {Record<string, string>} */
  const tokens = {
    date_short: short,
    date_short_pretty: near ?? short,
    date_long: longDay.format(atMs),
    time: clock.format(atMs),
    time_secs: exactClock.format(atMs),
    ago: ago(atMs - nowMs),
  }
  return format.replace(/\{([a-z_]+)\}/g, (token, /** @type {string} */ name) => tokens[name] ?? token)
}
