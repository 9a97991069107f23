/** Positions and labels of a chart's ticks: values with their size, times in the reader's zone. */
import { wallClock } from '../domain/base/wall-clock.ts'

/** A range of values worth drawing: its height is never zero, and it includes zero if zero is near. */
export function heights(values: readonly number[]): [low: number, high: number] {
  if (values.length === 0) return [0, 1]
  const least = values.reduce((low, value) => Math.min(low, value))
  const most = values.reduce((high, value) => Math.max(high, value))
  const span = most - least
  // A value that hovers far from zero is drawn where it moves; one near zero is drawn from zero, or its size would mislead.
  const isFar = span > 0 && Math.min(Math.abs(least), Math.abs(most)) > 3 * span && least * most > 0
  if (isFar) return [least - span * 0.15, most + span * 0.15]
  const [low, high] = [Math.min(0, least), Math.max(0, most)]
  if (high === low) return [0, 1]
  return [low < 0 ? low * 1.08 : low, high > 0 ? high * 1.08 : high]
}

/** `3.5`, `12,400`, `1.2M`: short enough for an axis. */
export function amount(value: number, units: string, precision: number): string {
  const size = Math.abs(value)
  const isExtreme = size !== 0 && (size >= 1e15 || size < 1e-4)
  const digits = isExtreme
    ? value.toExponential(1)
    : new Intl.NumberFormat('en', {
        notation: size >= 100_000 ? 'compact' : 'standard',
        maximumFractionDigits: size >= 100_000 ? 1 : Math.max(decimalsOf(size), precision),
      }).format(value)
  const unit = units.slice(0, 12)
  return unit === '' || unit === '%' ? `${digits}${unit}` : `${digits} ${unit}`
}

function decimalsOf(size: number): number {
  if (size === 0 || size >= 100) return 0
  if (size >= 1) return 2
  return Math.min(6, 2 - Math.floor(Math.log10(size)))
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const steps = [1, 2, 5, 10, 15, 30].map((n) => n * minuteMs)
const longSteps = [1, 2, 3, 6, 12]
  .map((n) => n * hourMs)
  .concat([1, 2, 7, 14, 30, 60, 90].map((n) => n * dayMs))

const ticksMax = 7

/** At most seven times, each with its label, on whole minutes, hours and days of the zone. */
export function timeTicks(fromMs: number, toMs: number, zone: string): { atMs: number; label: string }[] {
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

/** `UTC+1`, `UTC`: the label at the end of the axis. */
export function zoneName(atMs: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(
    atMs,
  )
  return (parts.find((part) => part.type === 'timeZoneName')?.value ?? zone)
    .replace('GMT', 'UTC')
    .replace('+0', '')
}
