/** @type {(options: Intl.DateTimeFormatOptions) => Intl.DateTimeFormat} */
const format = (options) => new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', ...options })
const clock = format({ hour: '2-digit', minute: '2-digit' })
const full = format({ dateStyle: 'full', timeStyle: 'medium' })
const longDay = format({ weekday: 'long', day: 'numeric', month: 'long' })

/** @type {(ts: string) => number} Epoch milliseconds. */
export const msOf = (ts) => Math.floor(Number.parseFloat(ts) * 1_000)

/** @type {(ms: number) => string} `14:05` */
export const clockOf = (ms) => clock.format(ms)

/** @type {(ms: number) => string} Everything, for a title. */
export const fullTimeOf = (ms) => full.format(ms)

/** The local day, equal for two moments of one day.  @type {(ms: number) => string} */
export const dayOf = (ms) => new Date(ms).toDateString()

/** @type {(ms: number) => string} `Today`, `Friday 3 January` */
export const dayName = (ms) => (dayOf(ms) === dayOf(Date.now()) ? 'Today' : longDay.format(ms))

/** `8 s`, `5 min`; never negative. @type {(ms: number) => string} */
export function spanWords(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
