/** Units of time, and durations and counts in words. */

export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const weekMs = 7 * dayMs

/** The two largest units of a duration: `45 s`, `12 min`, `1 h 5 min`, `3 d 4 h`. Never negative. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms / secondMs)) * secondMs
  if (whole < minuteMs) return `${whole / secondMs} s`
  if (whole < hourMs) {
    const seconds = Math.floor((whole % minuteMs) / secondMs)
    const minutes = `${Math.floor(whole / minuteMs)} min`
    return whole < 10 * minuteMs && seconds > 0 ? `${minutes} ${seconds} s` : minutes
  }
  if (whole < dayMs) return twoUnits(whole, hourMs, 'h', minuteMs, 'min')
  return twoUnits(whole, dayMs, 'd', hourMs, 'h')
}

/** A duration without seconds from a minute on: `46 s`, `4 min`. */
export function formatRoughly(ms: number): string {
  return formatDuration(ms < minuteMs ? ms : Math.floor(ms / minuteMs) * minuteMs)
}

/** `once`, `twice`, `3 times`. */
export function timesWords(times: number): string {
  return { 1: 'once', 2: 'twice' }[times] ?? `${times} times`
}

function twoUnits(ms: number, largeMs: number, large: string, smallMs: number, small: string): string {
  const rest = Math.floor((ms % largeMs) / smallMs)
  const first = `${Math.floor(ms / largeMs)} ${large}`
  return rest > 0 ? `${first} ${rest} ${small}` : first
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`. */
export function ordinal(n: number): string {
  const tail = n % 100
  if (tail >= 11 && tail <= 13) return `${n}th`
  return `${n}${{ 1: 'st', 2: 'nd', 3: 'rd' }[n % 10] ?? 'th'}`
}
