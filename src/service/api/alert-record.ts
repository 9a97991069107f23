/** An alert as `alerts.json` tells it: the specification's fields, and more where more is known (docs/api.md#more-than-the-plain-api). */
import { lifecycleOf } from '../ledger.ts'
import { rounded } from '../metrics.ts'
import type { MutedBy, Source, StoredAlert } from '../source.ts'
import type { Links } from '../web.ts'

/** Labels over these are left out, never cut: a rule would match half of one. */
const labelLimits = { count: 40, chars: 256, bytes: 4096 }
const descriptionCharsMax = 300
const severityCharsMax = 50

const records = new WeakMap<StoredAlert, object>()

/** Made once for each state of an alert, as a list of thousands is read again and again. */
export function recordOf(alert: StoredAlert, parts: { links: Links; source: Source }): object {
  const record = records.get(alert) ?? recordFor(alert, parts)
  records.set(alert, record)
  return record
}

function recordFor(alert: StoredAlert, parts: { links: Links; source: Source }): object {
  const { id, host, labels, description, links = [], mutedBy = [], value } = alert
  const lifecycle = lifecycleOf(alert)
  const isOneoff = lifecycle === 'oneoff'
  // What is undefined is left out of the JSON.
  return {
    id,
    time: new Date(alert.startedMs).toISOString(),
    server_name: host,
    server_hostname: host,
    lifecycle,
    title: alert.title,
    plugin_name: alert.plugin,
    metric_name: isOneoff ? null : alert.metric,
    metric_value: isOneoff || value === null ? null : rounded(value),
    url: parts.links.page(id),
    sparkline_url: parts.links.picture(id),
    trigger_id: alert.triggerId,
    severity: alert.severity?.slice(0, severityCharsMax),
    labels: labels && toldLabels(labels),
    description: description ? shortened(description) : undefined,
    links: links.length > 0 ? links : undefined,
    trouble: alert.trouble,
    muted_by: mutedBy.length > 0 ? mutedBy.map(toldMute) : undefined,
    units: alert.units || undefined,
    limit: alert.limit,
    limit_side: alert.side,
    can_mute: parts.source.mutes === null || isOneoff ? undefined : true,
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
  const until = untilMs === null ? undefined : new Date(untilMs).toISOString()
  return { kind, id: id ?? undefined, by: by ?? undefined, until, why: why ?? undefined, ours: isOurs }
}
