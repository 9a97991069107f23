/** The numbers beside an axis, all in the unit that suits the largest. */
import { scaled } from '../base/amount.ts'

export type Ticks = {
  /** `GB` where a series of bytes reaches billions; the ticks do not repeat it. */
  readonly units: string
  /** `step`: between two ticks, no two of which are called the same. */
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
