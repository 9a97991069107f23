/** Finds the limit that an alert has met, and those of a metric, from the account's triggers. */
import type { Alert } from '../alert/alert.ts'
import type { Limit } from '../alert/reading.ts'
import { factsOfTitle } from '../alert/title-facts.ts'

/** What a limit is found by; the fields of a trigger (docs/api.md#triggers). */
type Watching = {
  readonly triggerId: string
  readonly metric: string
  readonly maxValue: number | null
  readonly lowValue: number | null
}

/** Nothing that is measured is as large, so that it stands for none. */
const noneAlone = 1e15
/** The protocol requires an upper limit, so one this large and this far above the lower one stands for none. */
const noneFrom = { value: 1e9, timesLow: 1_000 }

const lowWords = /\b(?:below|beneath|under|less than|low|lower|drop\w*|fell|decreas\w*)\b/i
const highWords = /\b(?:above|over|beyond|more than|greater than|high|higher|exceed\w*|increas\w*)\b/i

/**
 * The limit that an alert has met: by the API's own word, or from its title, unless that has other units than the metric; else of
 * its own trigger; else of those of its metric, on the side that its title or value indicates. Null if there is any doubt, or if the alert's value does
 * not meet it: a wrong line is worse than none.
 */
export function limitOf(
  alert: Pick<Alert, 'metric' | 'triggerId' | 'title' | 'value' | 'details'>,
  triggers: readonly Watching[],
  units = '',
): Limit | null {
  const isIn = (own: string) => own === '' || units === '' || own === units
  const { limit: told, units: ofTold = '' } = alert.details ?? {}
  // In other units, it is right all the same, and whatever else is found would be a guess.
  if (told !== undefined) return isIn(ofTold) ? told : null
  const said = factsOfTitle(alert.title)
  if (said !== null && isIn(said.units)) return said.limit
  const found = limitOfTriggers(alert, triggers)
  return found !== null && (alert.value === null || isMet(found, alert.value)) ? found : null
}

function limitOfTriggers(alert: Parameters<typeof limitOf>[0], triggers: readonly Watching[]): Limit | null {
  const own = triggers.find(({ triggerId }) => triggerId === alert.triggerId)
  const watching = own ? [own] : triggers.filter(({ metric }) => metric === alert.metric)
  const all = distinct(watching.flatMap(limitsOfTrigger))
  const side = sideIn(alert.title)
  const fitting = all.filter((limit) => side === null || limit.side === side)
  if (fitting.length <= 1) return fitting[0] ?? null
  const numbers = new Set(alert.title.match(/-?\d+(?:\.\d+)?/g)?.map(Number))
  const met = fitting.filter(({ value }) => numbers.has(value))
  if (met.length > 0) return met.length === 1 ? (met[0] ?? null) : null
  const reached = own === undefined ? [] : fitting.filter((limit) => isMet(limit, alert.value))
  return reached.length === 1 ? (reached[0] ?? null) : null
}

/** The limits of a metric, at most one a side: a side for which triggers differ has none. */
export function limitsOfMetric(metric: string, triggers: readonly Watching[]): readonly Limit[] {
  const all = distinct(triggers.filter((one) => one.metric === metric).flatMap(limitsOfTrigger))
  return all.filter(({ side }) => all.filter((other) => other.side === side).length === 1)
}

function limitsOfTrigger({ maxValue, lowValue }: Watching): Limit[] {
  const hasHigh =
    maxValue !== null &&
    maxValue < noneAlone &&
    !(lowValue !== null && maxValue >= noneFrom.value && maxValue >= noneFrom.timesLow * Math.abs(lowValue))
  return [
    ...(hasHigh ? [{ value: maxValue, side: 'high' as const }] : []),
    ...(lowValue === null ? [] : [{ value: lowValue, side: 'low' as const }]),
  ]
}

function distinct(limits: readonly Limit[]): readonly Limit[] {
  return [...new Map(limits.map((limit) => [`${limit.side} ${limit.value}`, limit])).values()]
}

function sideIn(title: string): Limit['side'] | null {
  const [isLow, isHigh] = [lowWords.test(title), highWords.test(title)]
  if (isLow === isHigh) return null
  return isLow ? 'low' : 'high'
}

function isMet({ value: limit, side }: Limit, value: number | null): boolean {
  return value !== null && (side === 'high' ? value >= limit : value <= limit)
}
