/** Time zones for ICAL: those that Intl knows by name, else as the calendar defines them, else by what Windows calls them. */
import ICAL from 'ical.js'
import { findIana } from 'windows-iana'
import { wallClock } from '../domain/base/wall-clock.ts'

/** Epoch milliseconds of what a clock in the zone shows (`wallMs`: as if it were UTC). In a gap of daylight saving: as long after it. */
export function fromWallClock(clock: (ms: number) => number, wallMs: number): number {
  // The offsets before and after any change of this day.
  const before = clock(wallMs - dayMs) - (wallMs - dayMs)
  const after = clock(wallMs + dayMs) - (wallMs + dayMs)
  // RFC 5545, 3.3.5: of a time that comes twice the first is meant, and of one that does not come the offset before it counts.
  for (const offset of [before, after]) if (clock(wallMs - offset) === wallMs) return wallMs - offset
  return wallMs - before
}

const dayMs = 24 * 3_600_000

type ZoneClock = (ms: number) => number

/** The clock of a zone by its IANA name, or by that of Windows (`W. Europe Standard Time`); null if neither is known. */
export function clockOf(name: string): ZoneClock | null {
  // 001: the world. Of the cities that share a name of Windows CLDR gives the one that it stands for.
  return intlClock(name) ?? intlClock(findIana(name, '001')[0] ?? '')
}

function intlClock(name: string): ZoneClock | null {
  if (!/^[A-Za-z]/.test(name)) return null
  try {
    return wallClock(name)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return null
  }
}

const blockMs = 16 * dayMs

/** A zone whose offsets Intl gives. */
class IntlZone extends ICAL.Timezone {
  readonly #clock: ZoneClock
  /** Offsets by block, null where one changes: a rule asks for one at each of its thousands of repetitions. */
  readonly #offsets = new Map<number, number | null>()

  constructor(tzid: string, clock: ZoneClock) {
    super({ tzid, component: new ICAL.Component('vtimezone') })
    this.#clock = clock
  }

  override utcOffset({ year, month, day, hour, minute, second }: ICAL.Time): number {
    const wallMs = Date.UTC(year, month - 1, day, hour, minute, second)
    const block = Math.floor(wallMs / blockMs)
    const known = this.#offsets.get(block)
    const offset = known === undefined ? this.#offsetIn(block) : known
    this.#offsets.set(block, offset)
    return (offset ?? wallMs - fromWallClock(this.#clock, wallMs)) / 1_000
  }

  #offsetIn(block: number): number | null {
    const [before, after] = [block * blockMs - dayMs, (block + 1) * blockMs + dayMs].map(
      (ms) => this.#clock(ms) - ms,
    )
    return before === after && before !== undefined ? before : null
  }
}

/** Makes the zones known to ICAL: all that `named` names and the file or Intl can tell. */
export function registerZones(named: ReadonlySet<string>, defined: readonly string[]): void {
  ICAL.TimezoneService.reset()
  for (const text of defined) {
    const zone = attempted(text)
    if (zone !== null) ICAL.TimezoneService.register(zone)
  }
  for (const name of named) {
    // What the file itself says of a name of Windows is nearer than a table.
    const clock = ICAL.TimezoneService.has(name) ? intlClock(name) : clockOf(name)
    if (clock !== null) ICAL.TimezoneService.register(new IntlZone(name, clock), name)
  }
}

/** A definition that cannot be read is none: its events are then counted as unreadable. */
function attempted(text: string): ICAL.Timezone | null {
  try {
    return new ICAL.Timezone(new ICAL.Component(ICAL.parse(text)))
  } catch {
    return null
  }
}
