/** Measured values for people: `97%`, `1.5 GB`, `31 s`, `5 min`, `0.0034`. */
import { minute, second } from '../clock.ts'
import { duration, number } from './words.ts'

const sizes = ['', 'k', 'M', 'G', 'T', 'P']
const secondsOf = new Map([
  ['s', 1],
  ['sec', 1],
  ['seconds', 1],
  ['ms', 0.001],
  ['min', 60],
])
/** From here on a time is easier to read in minutes. */
const secondsMax = (2 * minute) / second
const decimalsMax = 6

/** `beside`: a value that it is compared with, so the two are never rounded to the same. Not escaped. */
export function amount(value: number, units: string | null, beside: number | null = null): string {
  const unit = (units ?? '').trim()
  const others = beside === null ? [] : [beside]
  const seconds = secondsOf.get(unit.toLowerCase())
  if (seconds !== undefined && value * seconds >= secondsMax && value * seconds < 1e9)
    return duration(value * seconds * second)
  const [isBytes, per = ''] = /^(?:[Bb]ytes?|B)(\/s)?$/.exec(unit) ?? []
  if (isBytes !== undefined) {
    let at = 0
    while (Math.abs(value) / 1000 ** at >= 1000 && at < sizes.length - 1) at += 1
    const scaled = (n: number) => n / 1000 ** at
    return `${rounded(scaled(value), others.map(scaled))} ${sizes[at]}B${per}`
  }
  // Nearly all is not all.
  if (unit === '%') return `${rounded(value, [...others, 100])}%`
  return `${rounded(value, others)} ${unit}`.trim()
}

/** Whole from ten on, two digits below; more where it would look equal to one of the others. */
function rounded(value: number, others: readonly number[]): string {
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toExponential(1)
  let decimals = size >= 10 || size === 0 ? 0 : Math.min(decimalsMax, 1 - Math.floor(Math.log10(size)))
  const fixed = (n: number) => Number(n.toFixed(decimals))
  const looksEqual = () => others.some((other) => other !== value && fixed(other) === fixed(value))
  while (decimals < decimalsMax && looksEqual()) decimals += 1
  return number(fixed(value))
}
