/** Computes the ticks of a chart's axes: values in a suitable unit, times in the reader's zone. */
import { scaled } from '../domain/base/amount.ts'
import { dayMs, hourMs, minuteMs } from '../domain/base/duration.ts'
import { wallClock } from '../domain/base/wall-clock.ts'

/** A limit is within reach if it is of the size of the points, within this factor, */
const reachTimes = 5
/** or if the points, with it on the axis, still fill this share of the height. */
const reachShare = 0.2
/** An axis of percent that ends at 100 would hide everything below a limit this low. */
const smallShare = 10

type Range = readonly [low: number, high: number]

/**
 * The range of the value axis: 0 to 100 for percent, otherwise what the points need. A limit is included unless that would make
 * the points flat: then it is named at the edge (`isBeyond`).
 */
export function heights(values: readonly number[], limits: readonly number[], units: string): Range {
  if (units === '%' && isPercentage(values, limits)) return [0, 100]
  if (values.length === 0) return fitted(limits)
  const [low, high] = fitted(values)
  const near = limits.filter((limit) => {
    const [least, most] = fitted([...extent(values), limit])
    const size = Math.max(...extent(values).map(Math.abs))
    const isOfSize = Math.abs(limit) <= size * reachTimes && Math.abs(limit) * reachTimes >= size
    return isOfSize || (high - low) / (most - least) >= reachShare
  })
  return near.length === 0 ? [low, high] : fitted([...extent(values), ...near])
}

/** Is a limit off an axis, and on which side? */
export function isBeyond(limit: number, [low, high]: Range): 'above' | 'below' | null {
  if (limit > high) return 'above'
  return limit < low ? 'below' : null
}

function isPercentage(values: readonly number[], limits: readonly number[]): boolean {
  const [low, high] = extent(values)
  if (values.length > 0 && (low < 0 || high > 100)) return false
  return !(values.length > 0 && high < smallShare && limits.some((limit) => Math.abs(limit) < smallShare))
}

/** The range of these values: never empty, and it includes zero if zero is near. */
function fitted(values: readonly number[]): Range {
  if (values.length === 0) return [0, 1]
  const [least, most] = extent(values)
  const span = most - least
  // Values that vary little far from zero get a range of their own; others start at zero, or their size would mislead.
  const isFar = span > 0 && Math.min(Math.abs(least), Math.abs(most)) > 3 * span && least * most > 0
  if (isFar) return [least - span * 0.15, most + span * 0.15]
  const [low, high] = [Math.min(0, least), Math.max(0, most)]
  if (high === low) return [0, 1]
  return [low < 0 ? low * 1.08 : low, high > 0 ? high * 1.08 : high]
}

function extent(values: readonly number[]): Range {
  return values.reduce<Range>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
}

const steps = [1, 2, 5, 10, 15, 30].map((n) => n * minuteMs)
const longSteps = [1, 2, 3, 6, 12]
  .map((n) => n * hourMs)
  .concat([1, 2, 7, 14, 30, 60, 90].map((n) => n * dayMs))

/** Ticks of the time axis: at most `ticksMax`, on whole minutes, hours or days of the zone. */
export function timeTicks(
  fromMs: number,
  toMs: number,
  zone: string,
  ticksMax = 7,
): { atMs: number; label: string }[] {
  const stepMs =
    [...steps, ...longSteps].find((step) => (toMs - fromMs) / step <= ticksMax) ??
    365 * dayMs * Math.ceil((toMs - fromMs) / ticksMax / (365 * dayMs))
  const write = writer(toMs - fromMs, zone)
  const wallOf = wallClock(zone)
  // Offsets are whole minutes and change with daylight saving: every tick uses the offset at its own time.
  const atWall = (wallMs: number): number => {
    const nearMs = wallMs - (wallOf(fromMs) - fromMs)
    return wallMs - (wallOf(nearMs) - nearMs)
  }
  const ticks: { atMs: number; label: string }[] = []
  for (let wallMs = Math.ceil(wallOf(fromMs) / stepMs) * stepMs; ; wallMs += stepMs) {
    const atMs = atWall(wallMs)
    if (atMs > toMs) return ticks
    // An hour that the clocks skip gets no tick.
    if (atMs >= fromMs && wallOf(atMs) === wallMs) ticks.push({ atMs, label: write(atMs, stepMs) })
  }
}

function writer(spanMs: number, zone: string): (atMs: number, stepMs: number) => string {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short' })
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'short' })
  return (atMs, stepMs) => {
    if (stepMs >= dayMs) return day.format(atMs)
    return spanMs > dayMs ? `${weekday.format(atMs)} ${clock.format(atMs)}` : clock.format(atMs)
  }
}

/** `21 Nov 2026 · Europe/Berlin (UTC+1)`: the days that an axis shows, and whose clock it follows. */
export function dateAndZone(fromMs: number, toMs: number, zone: string): string {
  const days = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
  return `${days.formatRange(fromMs, toMs)} · ${zoneWords(toMs, zone)}`
}

/** `03:20`, or with its day if the chart has several. */
export function timeIn(zone: string, spanMs: number): (atMs: number) => string {
  const write = writer(spanMs, zone)
  return (atMs) => write(atMs, minuteMs)
}

function zoneWords(atMs: number, zone: string): string {
  if (/^(?:Etc\/)?UTC$/.test(zone)) return 'UTC'
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(
    atMs,
  )
  const offset = parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
  return `${zone.replaceAll('_', ' ')} (${offset.replace('GMT', 'UTC')})`
}

/** The numbers beside an axis, all in the unit that suits the largest. */
export type Ticks = {
  /** `GB` where a series of bytes reaches billions; the ticks do not repeat it. */
  readonly units: string
  /** A value's label. `step` is the distance between ticks, so that no two get the same label. */
  write(value: number, step: number): string
}

const fineDecimalsMax = 2

/** How to write the ticks of an axis that shows these values. */
export function ticksOf(values: readonly number[], measuredIn: string): Ticks {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const { value: most, units, factor } = scaled(largest, measuredIn)
  return { units, write: (value, step) => tick(value * factor, step * factor, most) }
}

const suffixes = [
  ['T', 1e12],
  ['B', 1e9],
  ['M', 1e6],
  ['K', 1e3],
] as const

function tick(value: number, step: number, largest: number): string {
  const size = Math.max(Math.abs(value), largest)
  if (size >= 1e15 || (size !== 0 && size < 1e-4)) return value === 0 ? '0' : value.toExponential(1)
  const [suffix, by] = size < 10_000 ? ['', 1] : (suffixes.find(([, from]) => size >= from) ?? ['', 1])
  const decimals = decimalsFor(step / by)
  if (decimals > fineDecimalsMax) return written(value, decimalsFor(step))
  return value === 0 ? '0' : `${written(value / by, decimals)}${suffix}`
}

function decimalsFor(step: number): number {
  return step > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : 0
}

function written(value: number, decimals: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: decimals }).format(value)
}
