/** Clock times in people's time zones; daylight saving and odd offsets are left to Intl. */
import { hourMs, minuteMs, secondMs } from './duration.ts'

/** What a clock in the zone shows, as if it were UTC: epoch milliseconds. Throws a `RangeError` on an unknown zone. */
export function wallClock(zone: string): (ms: number) => number {
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
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const day = Date.UTC(part('year'), part('month') - 1, part('day'))
    return (
      day + part('hour') * hourMs + part('minute') * minuteMs + part('second') * secondMs + (ms % secondMs)
    )
  }
}
