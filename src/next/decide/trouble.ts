/** Which alerts are the same trouble, and which are of one kind. */
import type { Alert } from '../world/types.ts'

type Described = Pick<Alert, 'host' | 'plugin' | 'metric' | 'title' | 'value' | 'details'>

/**
 * The same text for the same trouble, however often it opens. Only the metric's own value may differ within one trouble: `/data1` is
 * not `/data2`.
 */
export function troubleOf({ host, plugin, metric, title, value, details }: Described): string {
  if (details.trouble !== null) return `t ${details.trouble}`
  return JSON.stringify([host, plugin, metric, details.triggerId, withoutValue(title, value)])
}

/** What a list is a list of: alerts of one plugin and metric. */
export function kindOf({ plugin, metric }: Pick<Alert, 'plugin' | 'metric'>): string {
  return JSON.stringify([plugin, metric])
}

/** The title with its own value taken out, however it was rounded. */
function withoutValue(title: string, value: number | null): string {
  if (value === null) return title
  return title.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => {
    const decimals = number.split('.')[1]?.length ?? 0
    return Math.abs(Number(number) - value) < 10 ** -decimals ? '#' : number
  })
}
