/** Numbers with their units, as charts and their alt text write them. */

export type Amounts = {
  /** Of the ticks: `GB` where a series of bytes reaches billions. */
  readonly units: string
  /** `97.2 %`, `1.5 GB`, `480 MB`, `12,400`. */
  with(value: number): string
  /** In `units`, which are not repeated; `step`: between two ticks, no two of which are called the same. */
  tick(value: number, step: number): string
}

const sizes = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const
const ofSize = /^(b|bytes?|kb|mb|gb|tb|pb)(\/s(?:ec)?)?$/i
/** A larger number of a unit takes the next one. */
const sameUnitBelow = 1_000
const unitCharsMax = 12
const fineDecimalsMax = 2

/** How to write the numbers of one series. `decimals`: keep so many at least, if there are any. */
export function amountsOf(values: readonly number[], units: string, decimals = 0): Amounts {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const given = units.slice(0, unitCharsMax)
  const { factor, unit } = scaled(largest, given)
  return {
    units: unit,
    with: (value) => {
      const own = scaled(Math.abs(value), given)
      return `${digits(value / own.factor, decimals)}${own.unit === '' ? '' : ` ${own.unit}`}`
    },
    tick: (value, step) => tick(value / factor, step / factor, largest / factor),
  }
}

function scaled(largest: number, units: string): { readonly factor: number; readonly unit: string } {
  const [, size = '', rate = ''] = ofSize.exec(units) ?? []
  let at = size === '' ? -1 : sizes.findIndex((name) => name[0] === size[0]?.toUpperCase())
  let factor = 1
  while (at >= 0 && at < sizes.length - 1 && largest / factor >= sameUnitBelow) {
    factor *= 1_000
    at += 1
  }
  return { factor, unit: factor === 1 ? units : `${sizes[at]}${rate}` }
}

function digits(value: number, decimals: number): string {
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(1)
  return new Intl.NumberFormat('en', {
    notation: size >= 100_000 ? 'compact' : 'standard',
    maximumFractionDigits: size >= 100_000 ? 1 : Math.max(decimalsOf(size), decimals),
  }).format(value)
}

function decimalsOf(size: number): number {
  if (size === 0 || size >= 100) return 0
  if (size >= 10) return 1
  return size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)))
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
