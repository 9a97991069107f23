/**
 * Reads an export of OTLP/HTTP as JSON (opentelemetry.io/docs/specs/otlp/#otlphttp, opentelemetry-proto's
 * `ExportMetricsServiceRequest`): by host, each data point as a number with its name and labels. Data is checked
 * point by point: an unreadable one is counted, and the others are accepted.
 */
import { z } from 'zod'
import { textOfLabels } from '../metrics/metric-key.ts'
import { Refusal } from '../refusal.ts'

export type PushedPoint = {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
  /** A monotonic sum: `cumulative` since some start, or `delta` since the previous point. */
  readonly counter: 'cumulative' | 'delta' | null
  /** On the sender's clock. */
  readonly atMs: number
  /** When a counter began, on the same clock; null if unknown. */
  readonly startMs: number | null
}

/** Data points of one process about the host that it runs on. */
export type PushedResource = {
  readonly hostname: string
  readonly environment: string | null
  /** Identifies the process: two of them on one host have separate counters. */
  readonly sender: string
  readonly points: readonly PushedPoint[]
}

export type Push = {
  readonly resources: readonly PushedResource[]
  /** Number of rejected data points, and why: one sentence for each reason. */
  readonly rejected: number
  readonly reasons: readonly string[]
}

/** Most data points per request; far more than the metrics of a host. */
const pointsMax = 50_000

const text = z.string()
/** 64-bit integers are strings in JSON (protobuf's JSON mapping), but numbers from some senders. */
const numeric = z.union([z.number(), z.string().regex(/^-?\d{1,20}$/)]).transform(Number)
const attribute = z.object({
  key: text,
  // Other values (a list, a map, null) are not labels.
  value: z
    .object({
      stringValue: text.nullish(),
      boolValue: z.boolean().nullish(),
      intValue: numeric.nullish(),
      doubleValue: z.number().nullish(),
    })
    .nullish(),
})
const attributes = z.array(attribute).nullish()
const nanos = z.union([z.number(), z.string().regex(/^\d{1,20}$/)])
const point = z.object({
  attributes,
  timeUnixNano: nanos,
  // 0 if the sender does not know it (opentelemetry-proto, `NumberDataPoint`); an unreadable one counts as missing.
  startTimeUnixNano: z.unknown().optional(),
  asDouble: z.number().optional(),
  asInt: numeric.optional(),
  flags: z.number().optional(),
})
const metric = z.object({
  name: z.string().min(1).max(300),
  gauge: z.object({ dataPoints: z.array(z.unknown()).optional() }).optional(),
  sum: z
    .object({
      dataPoints: z.array(z.unknown()).optional(),
      // The JSON encoding requires numbers; protobuf's own printers write names.
      aggregationTemporality: z.union([z.number(), text]).optional(),
      isMonotonic: z.boolean().optional(),
    })
    .optional(),
  histogram: z.unknown().optional(),
  exponentialHistogram: z.unknown().optional(),
  summary: z.unknown().optional(),
})
const request = z.object({ resourceMetrics: z.array(z.unknown()).nullish() })
const resourceShape = z.object({
  resource: z.object({ attributes }).nullish(),
  scopeMetrics: z
    .array(
      z.object({
        scope: z.object({ name: text.nullish() }).nullish(),
        metrics: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish(),
})

/** The point has no value (opentelemetry-proto, `DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK`). */
const noValueFlag = 1
const nanosPerMs = 1_000_000

/** Throws a 422 `Refusal` if it is not an export at all. */
export function readPush(body: unknown): Push {
  const parsed = request.safeParse(body)
  if (!parsed.success) {
    throw new Refusal(
      422,
      'body: expected an ExportMetricsServiceRequest of OTLP as JSON; came something else',
    )
  }
  const reasons = new Set<string>()
  let rejected = 0
  let taken = 0
  const reject = (count: number, why: string): void => {
    rejected += count
    if (count > 0) reasons.add(why)
  }

  function pointsOf(value: unknown, scope: string): PushedPoint[] {
    const found = metric.safeParse(value)
    if (!found.success) {
      reject(1, 'a metric without a name, or of a form that the protocol does not have')
      return []
    }
    const { name, gauge, sum, ...others } = found.data
    for (const kind of ['histogram', 'exponentialHistogram', 'summary'] as const) {
      reject(countOf(others[kind]), 'histograms and summaries are not kept, only gauges and sums')
    }
    const counter = sum?.isMonotonic === true ? temporalityOf(sum.aggregationTemporality) : null
    const values = [...(gauge?.dataPoints ?? []), ...(sum?.dataPoints ?? [])]
    return values.flatMap((one) => {
      const read = point.safeParse(one)
      const number = read.data?.asDouble ?? read.data?.asInt
      if (read.data === undefined || number === undefined || !Number.isFinite(number)) {
        const isSilent = read.data !== undefined && ((read.data.flags ?? 0) & noValueFlag) !== 0
        if (!isSilent) reject(1, 'a data point without a number or a time')
        return []
      }
      taken += 1
      if (taken > pointsMax) {
        reject(1, `more than ${pointsMax} data points in one request`)
        return []
      }
      const atMs = Number(read.data.timeUnixNano) / nanosPerMs
      const startMs = Number(nanos.safeParse(read.data.startTimeUnixNano).data ?? 0) / nanosPerMs || null
      const labels = labelsOf(read.data.attributes)
      // Two parts of one process may each have a metric with the same name.
      if (scope !== '') labels.set('otel.scope.name', scope)
      return [{ name, labels, value: number, counter, atMs, startMs }]
    })
  }

  const byProcess = new Map<string, PushedResource & { readonly points: PushedPoint[] }>()
  for (const one of parsed.data.resourceMetrics ?? []) {
    const found = resourceShape.safeParse(one)
    if (!found.success) {
      reject(1, 'a resource of a form that the protocol does not have')
      continue
    }
    const labels = labelsOf(found.data.resource?.attributes)
    const points = (found.data.scopeMetrics ?? []).flatMap(({ scope, metrics }) =>
      (metrics ?? []).flatMap((value) => pointsOf(value, scope?.name ?? '')),
    )
    const hostname = labels.get('host.name') ?? ''
    if (hostname === '') {
      reject(points.length, 'expected the resource attribute host.name, which names the server; came none')
      continue
    }
    const environment = labels.get('deployment.environment.name') ?? labels.get('deployment.environment')
    const sender = textOfLabels(labels)
    // The Collector splits one host's data into a block for each of its scrapers.
    const known = byProcess.get(sender)
    if (known === undefined)
      byProcess.set(sender, { hostname, environment: environment ?? null, sender, points })
    else for (const point of points) known.points.push(point)
  }
  return { resources: [...byProcess.values()], rejected, reasons: [...reasons] }
}

function labelsOf(found: z.output<typeof attributes>): Map<string, string> {
  return new Map(
    (found ?? []).flatMap(({ key, value }): [string, string][] => {
      const one = value?.stringValue ?? value?.boolValue ?? value?.intValue ?? value?.doubleValue
      return one === undefined || one === null ? [] : [[key, String(one)]]
    }),
  )
}

/** A sum without a temporality cannot become a rate: it counts as the kind that most senders use. */
function temporalityOf(temporality: number | string | undefined): 'cumulative' | 'delta' {
  return temporality === 1 || temporality === 'AGGREGATION_TEMPORALITY_DELTA' ? 'delta' : 'cumulative'
}

const withPoints = z.object({ dataPoints: z.array(z.unknown()) })

function countOf(kind: unknown): number {
  if (kind === undefined || kind === null) return 0
  return withPoints.safeParse(kind).data?.dataPoints.length ?? 1
}
