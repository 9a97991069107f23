/** Times in words, as the pane says them. */

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const shortClock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** `14:03:20`, local. @param {number} ms @returns {string} */
export const clockTime = (ms) => clock.format(ms)

/** `14:03`, local. @param {number} ms @returns {string} */
export const shortTime = (ms) => shortClock.format(ms)

/** `8 s`, `5 min`, `3 h`, `2 d`; never negative. @param {number} ms @returns {string} */
export function spanWords(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 100) return `${seconds} s`
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}
