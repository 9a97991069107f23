/** The lengths of time for which the API gives metrics (docs/api.md#metrics). */
import { hour } from '../clock.ts'

const durations = [
  ['5 hours', 5],
  ['12 hours', 12],
  ['1 day', 24],
  ['1 week', 7 * 24],
  ['2 weeks', 14 * 24],
  ['1 month', 30 * 24],
  ['3 months', 91 * 24],
  ['6 months', 182 * 24],
  ['1 year', 365 * 24],
] as const

/** The shortest of the API's nine durations that covers so much. */
export function durationFor(ms: number): string {
  return durations.find(([, hours]) => hours * hour >= ms)?.[0] ?? '1 year'
}
