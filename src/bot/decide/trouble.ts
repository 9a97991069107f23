/** Which alerts are the same trouble, and which are of one kind. */
import type { Alert } from '../world/types.ts'

type Described = Pick<Alert, 'host' | 'plugin' | 'metric' | 'title' | 'value' | 'details'>

/** Records never change, so what was derived from one stays right. */
const troubles = new WeakMap<Described, string>()

/**
 * The same text for the same trouble, however often it opens. Only the metric's own value may differ within one trouble: `/data1` is
 * not `/data2`.
 */
export function troubleOf(alert: Described): string {
  const known = troubles.get(alert)
  if (known !== undefined) return known
  const { host, plugin, metric, title, value, details } = alert
  const trouble =
    details.trouble === null
      ? JSON.stringify([host, plugin, metric, details.triggerId, withoutValue(title, value)])
      : `t ${details.trouble}`
  troubles.set(alert, trouble)
  return trouble
}

/** What a list is a list of: alerts of one plugin and metric. */
export function kindOf({ plugin, metric }: Pick<Alert, 'plugin' | 'metric'>): string {
  return JSON.stringify([plugin, metric])
}

/** What the history calls an alert. */
export function namedAlert({ title, server }: Pick<Alert, 'title' | 'server'>): string {
  return `${title} on ${server}`
}

/** The title with its own value taken out, however it was rounded. */
export function withoutValue(title: string, value: number | null): string {
  if (value === null) return title
  return title.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => {
    const decimals = number.split('.')[1]?.length ?? 0
    return Math.abs(Number(number) - value) < 10 ** -decimals ? '#' : number
  })
}
