/** Formats measured values for people: `97 %`, `1.5 GB`, `31 s`, `0.0034`. */
import { formatDuration } from './duration.ts'

/** A value in a unit in which it has few digits; `factor` is what it was multiplied by. */
type Scaled = { readonly value: number; readonly units: string; readonly factor: number }

const minuteSeconds = 60
/** From here on a time is easier to read in minutes. */
const secondsMax = 2 * minuteSeconds
const exponentFrom = 1e15
const exponentBelow = 1e-6
/** Smaller than anything that is measured. */
const nothingBelow = 1e-12
const decimalsAtMost = 8

/**
 * A value, rounded, with its unit. `beside`: the limit that it is compared with; as many digits are kept as are needed to see on
 * which side of it the value is, and how far.
 */
export function formatAmount(value: number, units: string | null, beside: number | null = null): string {
  return (
    durationWords(value, units) ??
    withUnits(scaled(value, units ?? ''), (one) => {
      const distance = beside === null ? 0 : Math.abs(value - beside) * one.factor
      return rounded(one, distance)
    })
  )
}

/** A limit, with the digits that somebody gave it. */
export function formatLimit(value: number, units: string | null): string {
  return (
    durationWords(value, units) ??
    withUnits(scaled(value, units ?? ''), (one) =>
      one.factor === 1 ? exact(one.value) : Number(one.value.toPrecision(3)),
    )
  )
}

function withUnits(one: Scaled, round: (one: Scaled) => number): string {
  const number = plain(round(one))
  return one.units === '' ? number : `${number} ${one.units}`
}

const sizes: readonly string[] = ['', 'K', 'M', 'G', 'T', 'P']
const bytes = /^(?<size>[kmgtp]?)(?<binary>i?)B(?<per>\/s)?$/i
const inBytes = /^bytes?(?<per>\/s)?$/i

/** Bytes in the size that suits them; a small `b` alone may be bits, and stays as it is. */
export function scaled(value: number, units: string): Scaled {
  const plainUnits = units.trim()
  const same = { value, units: plainUnits, factor: 1 }
  const found = inBytes.exec(plainUnits) ?? (plainUnits.endsWith('b') ? null : bytes.exec(plainUnits))
  if (/b\/s$/.test(plainUnits) || found === null) return same
  const { size = '', binary = '', per = '' } = found.groups ?? {}
  const step = binary === '' ? 1_000 : 1_024
  const first = sizes.indexOf(size.toUpperCase())
  let at = first
  // Divided once: after several divisions a thousand may be a little less.
  const inSize = () => value / step ** (at - first)
  while (Math.abs(inSize()) >= step && at < sizes.length - 1) at += 1
  while (Math.abs(inSize()) < 1 && value !== 0 && at > 0) at -= 1
  return {
    value: inSize(),
    units: `${sizes[at] ?? ''}${at === 0 ? '' : binary}B${per}`,
    factor: step ** (first - at),
  }
}

const seconds = new Map([
  ['s', 1],
  ['sec', 1],
  ['second', 1],
  ['seconds', 1],
  ['min', minuteSeconds],
  ['minutes', minuteSeconds],
  ['ms', 0.001],
  ['milliseconds', 0.001],
])

/** `5 min` for 300 s, `1.5 s` for 1,500 ms; null where the unit is good as it is. */
function durationWords(value: number, units: string | null): string | null {
  const each = seconds.get(units?.trim().toLowerCase() ?? '')
  if (each === undefined || !(value > 0) || value >= exponentFrom) return null
  const inSeconds = value * each
  if (inSeconds >= secondsMax) return formatDuration(inSeconds * 1_000)
  return each < 1 && inSeconds >= 1 ? `${plain(rounded({ value: inSeconds, units: 's' }, 0))} s` : null
}

/** Two significant digits, and whole numbers from ten on; more where they make a difference. */
function rounded({ value, units }: Pick<Scaled, 'value' | 'units'>, distance: number): number {
  const size = Math.abs(value)
  if (size < exponentBelow || size >= exponentFrom) return value
  let decimals = size >= 10 ? 0 : Math.max(0, 1 - Math.floor(Math.log10(size)))
  const most = Math.min(decimals + 3, decimalsAtMost)
  const isOff = (shown: number) =>
    (distance > 0 && Math.abs(shown - value) > distance / 10) ||
    // Nearly all is not all.
    (units === '%' && value < 100 && shown >= 100)
  while (decimals < most && isOff(fixed(value, decimals))) decimals += 1
  return fixed(value, decimals)
}

function exact(value: number): number {
  return Math.abs(value) >= 100_000 ? Math.round(value) : Number(value.toPrecision(6))
}

function fixed(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}

function plain(value: number): string {
  const size = Math.abs(value)
  if (size < nothingBelow) return '0'
  if (size >= exponentFrom || size < exponentBelow) {
    return value.toExponential(1).replace('.0', '').replace('+', '')
  }
  grouped ??= new Intl.NumberFormat('en', { maximumFractionDigits: decimalsAtMost })
  return grouped.format(value)
}

/** Made once, when it is first needed: making one takes longer than writing the line that uses it. */
let grouped: Intl.NumberFormat | null = null
