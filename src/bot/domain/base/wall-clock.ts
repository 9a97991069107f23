/** Clock times in people's time zones; daylight saving and odd offsets are left to Intl. */
import { dayMs, hourMs, minuteMs, secondMs } from './duration.ts'

/** Each takes a while to make, and there are only so many zones. */
const known = new Map<string, (ms: number) => number>()

/** What a clock in the zone shows, as if it were UTC: epoch milliseconds. Throws a `RangeError` on an unknown zone. */
export function wallClock(zone: string): (ms: number) => number {
  const wallOf = known.get(zone) ?? newWallClock(zone)
  known.set(zone, wallOf)
  return wallOf
}

function newWallClock(zone: string): (ms: number) => number {
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

/** The moments at which the clock shows `wallMs`: one, two where it is set back, and where it is set forward the leap. */
export function momentsOf(wallMs: number, wallOf: (ms: number) => number): number[] {
  const offsetAt = (ms: number) => wallOf(ms) - ms
  const before = offsetAt(wallMs - dayMs)
  const after = offsetAt(wallMs + dayMs)
  const shown = [wallMs - before, wallMs - after].filter((ms) => wallOf(ms) === wallMs)
  if (shown.length > 0) return shown
  let early = wallMs - dayMs
  let late = wallMs + dayMs
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(middle) === before) early = middle
    else late = middle
  }
  return [late]
}
