/** An alert as `alerts.json` tells it: the specification's fields, and more where more is known (docs/api.md#more-than-the-plain-api). */
import { lifecycleOf } from '../ledger.ts'
import { rounded } from '../metrics.ts'
import type { MutedBy, Source, StoredAlert } from '../source.ts'
import type { Links } from '../web.ts'

/** Labels over these are left out, never cut: a rule would match half of one. */
const labelLimits = { count: 40, chars: 256, bytes: 4096 }
const descriptionCharsMax = 300
const severityCharsMax = 50

export function recordOf(alert: StoredAlert, parts: { links: Links; source: Source }): object {
  const lifecycle = lifecycleOf(alert)
  const {
    severity,
    triggerId,
    labels,
    description = '',
    links = [],
    trouble,
    units = '',
    limit,
    side,
  } = alert
  const mutedBy = lifecycle === 'start' ? (alert.mutedBy ?? []) : []
  const isOneoff = lifecycle === 'oneoff'
  return {
    id: alert.id,
    time: new Date(alert.startedMs).toISOString(),
    server_name: alert.host,
    server_hostname: alert.host,
    lifecycle,
    title: alert.title,
    plugin_name: alert.plugin,
    metric_name: isOneoff ? null : alert.metric,
    metric_value: isOneoff || alert.value === null ? null : rounded(alert.value),
    url: parts.links.page(alert.id),
    sparkline_url: parts.links.picture(alert.id),
    ...(triggerId === undefined ? {} : { trigger_id: triggerId }),
    ...(severity === undefined ? {} : { severity: severity.slice(0, severityCharsMax) }),
    ...(labels === undefined ? {} : { labels: toldLabels(labels) }),
    ...(description === '' ? {} : { description: shortened(description) }),
    ...(links.length === 0 ? {} : { links }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(mutedBy.length === 0 ? {} : { muted_by: mutedBy.map(toldMute) }),
    ...(units === '' ? {} : { units }),
    ...(limit === undefined || side === undefined ? {} : { limit, limit_side: side }),
    ...(parts.source.mutes === null || isOneoff ? {} : { can_mute: true }),
  }
}

function toldLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  let bytes = 0
  const told = Object.entries(labels).filter(([name, value]) => {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value)
    const fits = Math.max(name.length, value.length) <= labelLimits.chars && bytes + size <= labelLimits.bytes
    if (fits) bytes += size
    return fits
  })
  return Object.fromEntries(told.slice(0, labelLimits.count))
}

function shortened(text: string): string {
  const chars = [...text]
  return chars.length > descriptionCharsMax ? `${chars.slice(0, descriptionCharsMax - 1).join('')}…` : text
}

function toldMute({ kind, id, by, untilMs, why, isOurs }: MutedBy): object {
  return {
    kind,
    ...(id === null ? {} : { id }),
    ...(by === null ? {} : { by }),
    ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
    ...(why === null ? {} : { why }),
    ours: isOurs,
  }
}
