/** The fields of an alert that the plain API does not have (docs/api.md#more-than-the-plain-api), each only where it is known. */
import { wordsOf } from '../metrics/metric-key.ts'
import { shortened } from '../prometheus/annotations.ts'
import { troubleOf } from '../prometheus/identity.ts'
import type { AlertLink, AlertRecord, MutedBy } from './alert-records.ts'
import { heartbeatKey } from './triggers.ts'

const labelLimits = { countMax: 40, charsMax: 256, bytesMax: 4_096 } as const
const descriptionCharsMax = 300

/** What the API says of it; each at most so long as docs/api.md says. */
export type Details = {
  labels?: Record<string, string>
  description?: string
  links?: AlertLink[]
  trouble?: string
  muted_by?: {
    kind: MutedBy['kind']
    id?: string
    by?: string
    until?: string
    why?: string
    ours: boolean
  }[]
  units?: string
  limit?: number
  limit_side?: 'high' | 'low'
}

type Upstream = NonNullable<AlertRecord['upstream']>

export function detailsOf(record: AlertRecord): Details {
  const { upstream, isOpen, limit, limitSide } = record
  const units = unitsOf(record)
  const mutedBy = isOpen ? (upstream?.mutedBy ?? []) : []
  return {
    ...(upstream === undefined ? {} : lastingOf(upstream).told),
    ...(mutedBy.length === 0 ? {} : { muted_by: mutedBy.map(toldMute) }),
    ...(units === '' ? {} : { units }),
    ...(limit === null || limitSide === undefined ? {} : { limit, limit_side: limitSide }),
  }
}

/** How many labels of these alerts are not told, because they are over a limit. */
export function labelsLeftOut(records: Iterable<AlertRecord>): number {
  let count = 0
  for (const { upstream } of records) count += upstream === undefined ? 0 : lastingOf(upstream).leftOut
  return count
}

/** Of value and limit; empty if there are none, or they are not known. */
export function unitsOf({ key, upstream }: AlertRecord): string {
  // The value of a rule's alert is in the unit of its expression, not of the metric; but a server's silence is a time.
  const isOfRule = upstream !== undefined && key?.metric !== heartbeatKey.metric
  return isOfRule ? (upstream.units ?? '') : key === null ? '' : wordsOf(key).units
}

type Lasting = { readonly told: Details; readonly leftOut: number }

/** Cached, because thousands are listed again and again; a change of what mutes one makes a new object. */
const known = new WeakMap<Upstream, Lasting>()

function lastingOf(upstream: Upstream): Lasting {
  const found = known.get(upstream)
  if (found !== undefined) return found
  const { labels, leftOut } = toldLabels(upstream.labels)
  const { description = '', links = [] } = upstream
  const told: Details = {
    labels,
    ...(description === '' ? {} : { description: shortened(description, descriptionCharsMax) }),
    ...(links.length === 0 ? {} : { links: [...links] }),
    trouble: troubleOf(upstream.labels, upstream.bearing),
  }
  const made = { told, leftOut }
  known.set(upstream, made)
  return made
}

/** A label that is too long is left out, never cut: a rule would match half of it. */
function toldLabels(labels: Upstream['labels']): {
  readonly labels: Upstream['labels']
  readonly leftOut: number
} {
  const { countMax, charsMax, bytesMax } = labelLimits
  const told: [string, string][] = []
  let bytes = 0
  let leftOut = 0
  for (const [name, value] of Object.entries(labels)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value)
    const isFit = Math.max(name.length, value.length) <= charsMax
    if (!isFit || told.length === countMax || bytes + size > bytesMax) leftOut += 1
    else {
      told.push([name, value])
      bytes += size
    }
  }
  return { labels: Object.fromEntries(told), leftOut }
}

function toldMute({ kind, id, by, untilMs, why, isOurs }: MutedBy) {
  return {
    kind,
    ...(id === null ? {} : { id }),
    ...(by === null ? {} : { by }),
    ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
    ...(why === null ? {} : { why }),
    ours: isOurs,
  }
}
