/** What a monitoring lists, in few words. */
import type { ApiAlert } from '../../../src/bot/api/port.ts'
import type { Listing } from '../../../src/bot/decide/reconcile.ts'

export type Said = {
  readonly number: string
  readonly host: string
  readonly plugin: string
  readonly title: string
  readonly startedMs: number
  readonly severity: string | null
  readonly isOver: boolean
  readonly isOneoff: boolean
  readonly value: number | null
}

export function saidOf(over: Partial<Said> = {}): Said {
  const plugin = over.plugin ?? 'cpu'
  const said = { number: '1', host: 'web-1', plugin, title: `${plugin} is bad`, startedMs: 0 }
  return { ...said, severity: null, isOver: false, isOneoff: false, value: null, ...over }
}

export function apiAlertOf(said: Said, over: Partial<ApiAlert> = {}): ApiAlert {
  const { number, host, plugin, title, startedMs, severity, value } = said
  const open = said.isOver ? 'end' : 'start'
  const lifecycle = said.isOneoff ? 'oneoff' : open
  const rest = { labels: {}, description: null, links: [], trouble: null, triggerId: null, units: null }
  return {
    ...{
      number,
      key: `${number}@${startedMs}`,
      lifecycle,
      startedMs,
      hasTime: true,
      host,
      server: host,
      title,
    },
    ...{ plugin, metric: plugin, value, url: null, sparklineUrl: null, mutedBy: [], endedMs: null },
    details: { ...rest, severity, limit: null, side: null, canMute: false },
    content: JSON.stringify([lifecycle, said]),
    ...over,
  }
}

/** Both lists of these records, complete. */
export function listingOf(said: readonly Said[], over: { doubt?: string; isWhole?: boolean } = {}): Listing {
  const all = said.map((one) => apiAlertOf(one))
  const whole = { unreadable: 0, doubt: over.doubt ?? null }
  return {
    start: { ...whole, alerts: all.filter(({ lifecycle }) => lifecycle === 'start') },
    head: { ...whole, alerts: all, isWhole: over.isWhole ?? true },
  }
}
