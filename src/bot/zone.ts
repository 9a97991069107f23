/** Clock times in people's time zones. A wall time is what a clock in the zone shows, as if it were UTC: epoch milliseconds. */
import { day, hour, minute, second } from './clock.ts'

/** Each takes a while to make. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** An IANA name; an offset such as `+02:00` is right nowhere all year. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}

export function wallOf(ms: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const midnight = Date.UTC(part('year'), part('month') - 1, part('day'))
  const time = part('hour') * hour + part('minute') * minute + part('second') * second
  return midnight + time + (((ms % second) + second) % second)
}

/** The first moment at which the clock shows this; where it leaps over it, the moment of the leap. */
export function momentOf(wallMs: number, zone: string): number {
  const offsetAt = (ms: number) => wallOf(ms, zone) - ms
  const [before, after] = [offsetAt(wallMs - day), offsetAt(wallMs + day)]
  const shown = [wallMs - before, wallMs - after].filter((ms) => wallOf(ms, zone) === wallMs)
  if (shown.length > 0) return Math.min(...shown)
  let early = wallMs - day
  let late = wallMs + day
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(middle) === before) early = middle
    else late = middle
  }
  return late
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
