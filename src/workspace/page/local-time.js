/** Times as a person reads them, in the browser's own zone. A timestamp is Slack's: seconds, a dot, six digits. */

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const exactClock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium', hourCycle: 'h23' })
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dayMs = 86_400_000

/** @type {(ts: string) => number} Epoch milliseconds. */
export const msOf = (ts) => Math.floor(Number.parseFloat(ts) * 1_000)

/** @type {(ms: number) => string} `14:05` */
export const clockOf = (ms) => clock.format(ms)

/** @type {(ms: number) => string} `14:05:20` */
export const exactClockOf = (ms) => exactClock.format(ms)

/** @type {(ms: number) => string} Everything, for a title. */
export const fullTimeOf = (ms) => full.format(ms)

/** The local day, equal for two moments of one day.  @type {(ms: number) => string} */
export const dayOf = (ms) => new Date(ms).toDateString()

/** @type {(ms: number, nowMs: number) => string} `Today`, `Yesterday`, `Friday 3 January` */
export function dayName(ms, nowMs) {
  if (dayOf(ms) === dayOf(nowMs)) return 'Today'
  if (dayOf(ms) === dayOf(nowMs - dayMs)) return 'Yesterday'
  return longDay.format(ms)
}

/** @type {(ms: number, nowMs: number) => string} `today at 14:05`, `3 Jan at 14:05` */
export function shortTimeOf(ms, nowMs) {
  const at = `at ${clockOf(ms)}`
  return dayOf(ms) === dayOf(nowMs) ? `today ${at}` : `${shortDay.format(ms)} ${at}`
}

/** `8 s`, `5 min`, `3 h`, `2 d`; never negative. @param {number} ms @returns {string} */
export function spanWords(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 100) return `${seconds} s`
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}
