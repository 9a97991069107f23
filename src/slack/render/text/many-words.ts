/** What the cards of many alerts share, while they are open and once they are over. */
import type { Alert } from '../../../domain/alert/alert.ts'
import type { Counted } from '../../../domain/base/counts.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { Count } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'

/** How many came to be on one card: `fired at once`. */
export function came(kind: CardView<'summary' | 'storm'>['kind'], count: number): string {
  if (kind === 'storm') return 'fired at once'
  return `${count === 1 ? 'was' : 'were'} found open`
}

/** What only happened has no end to wait for. */
export function lasting(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ state }) => state !== 'oneoff')
}

/** `CPU ×5, Disk ×3 and 2 more`: the most frequent names first. `lengthMax`: of each, once it is escaped. */
export function countWords({ most, names }: Counted, lengthMax: number): string {
  const rest = names - most.length
  return `${frequent(most, lengthMax)}${rest > 0 ? ` and ${rest} more` : ''}`
}

export function frequent(counts: readonly Count[], lengthMax: number): string {
  return counts.map(({ name, count }) => `${nameWithin(name, lengthMax)} ×${count}`).join(', ')
}

export function nameWithin(name: string, lengthMax: number): string {
  return escapedWithin(name, lengthMax) || '(no name)'
}

/** The least and the greatest; there may be too many to be arguments. */
export function extremes(times: readonly number[]): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    least = Math.min(least, time)
    most = Math.max(most, time)
  }
  return [least, most]
}
