/** Takes what agents push: finds their servers, keeps their series, and says what it could not take. */
import type { Sample } from '../metrics/machine.ts'
import { textOf } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import { Refusal } from '../refusal.ts'
import type { ExposedSample } from '../scrape/exposition.ts'
import { type NodeMetrics, openNodeMetrics } from '../scrape/node-metrics.ts'
import { hostnameFault, type Registry, type Server } from '../store/registry.ts'
import { exposed, isHostMetric } from './host-metrics.ts'
import type { Push, PushedPoint, PushedResource } from './otlp.ts'

/** A sender that was silent for so long has gone, or has begun anew when it comes back. SDKs send once a minute. */
const silentMsMax = 5 * 60_000
/** Processes of one host that push beside each other. */
const sendersMax = 200

export type Taken = {
  readonly rejected: number
  /** One sentence for each reason. */
  readonly reasons: readonly string[]
}

type Sender = {
  readonly metrics: NodeMetrics
  /** What its deltas add up to, by series. */
  readonly totals: Map<string, number>
  lastMs: number
  samples: readonly Sample[]
}

/** `isKept`: is a metric with one of OpenTelemetry's own names, that is none of the API's, to be a custom metric? */
export function openReceiver(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly isKept: (name: string) => boolean
  readonly nowMs: () => number
}): (push: Push) => Taken {
  const { registry, series, isKept, nowMs } = parts
  const senders = new Map<string, Map<string, Sender>>()
  const isCustom = (name: string): boolean => !isHostMetric(name) || isKept(name)

  function senderOf({ hostname, sender }: PushedResource): Sender | null {
    const own = senders.get(hostname) ?? new Map<string, Sender>()
    senders.set(hostname, own)
    for (const [name, { lastMs }] of own) if (nowMs() - lastMs > silentMsMax) own.delete(name)
    const known = own.get(sender)
    if (known !== undefined) return known
    if (own.size >= sendersMax) return null
    const fresh: Sender = {
      metrics: openNodeMetrics(isCustom, silentMsMax),
      totals: new Map(),
      lastMs: nowMs(),
      samples: [],
    }
    own.set(sender, fresh)
    return fresh
  }

  function take(resource: PushedResource): string | null {
    const { hostname, environment, points } = resource
    const fault = hostnameFault(hostname)
    if (fault !== null) return `host.name: expected a hostname; came one of which ${fault}`
    const server = serverOf(registry, hostname, environment)
    if (typeof server === 'string') return server
    const sender = senderOf(resource)
    if (sender === null) return `more than ${sendersMax} processes of one host`
    const cumulative = points.map((point) => summed(point, sender.totals))
    const custom = cumulative.filter(({ name }) => isCustom(name)).map(asExposed)
    // What an exporter is asked for anyway is not taken from two sides.
    const own = server.kind === 'pushed' ? exposed(cumulative) : []
    const atMs = points.reduce((latest, point) => Math.max(latest, point.atMs), 0)
    const { samples, leftOut } = sender.metrics.map(
      { samples: [...own, ...custom], unreadable: new Set() },
      atMs,
    )
    sender.lastMs = nowMs()
    sender.samples = samples
    for (const { key } of samples) {
      const parts = [...(senders.get(hostname)?.values() ?? [])].flatMap((one) =>
        one.samples.filter((sample) => textOf(sample.key) === textOf(key)),
      )
      const isSum = key.type === 'custom_metric'
      const value = isSum
        ? parts.reduce((sum, part) => sum + part.value, 0)
        : samples.find((one) => one.key === key)?.value
      if (value !== undefined) series.add(hostname, key, nowMs(), value)
    }
    return leftOut > 0 ? 'more metrics than are kept of one server' : null
  }

  return ({ resources, rejected, reasons }) => {
    const refused = resources.flatMap((resource) => {
      if (resource.points.length === 0) return []
      const why = take(resource)
      return why === null ? [] : [{ why, count: resource.points.length }]
    })
    return {
      rejected: refused.reduce((sum, { count }) => sum + count, rejected),
      reasons: [...new Set([...reasons, ...refused.map(({ why }) => why)])],
    }
  }
}

/** A server that was deleted and pushes again is there again. Answers why not where it cannot be. */
function serverOf(registry: Registry, hostname: string, environment: string | null): Server | string {
  const known = registry.server(hostname)
  if (known !== undefined) {
    const isTaken = known.kind === 'fleet' || known.kind === 'extra'
    return isTaken ? `${hostname} is a simulated server here` : known
  }
  try {
    return registry.addServer({ hostname, environment: environment ?? 'production', kind: 'pushed' }, [])
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/** A delta becomes the sum of all so far, so that both kinds are the same from here on. */
function summed(point: PushedPoint, totals: Map<string, number>): PushedPoint {
  if (point.counter !== 'delta') return point
  const id = JSON.stringify([point.name, ...[...point.labels].sort(([a], [b]) => (a < b ? -1 : 1))])
  const value = (totals.get(id) ?? 0) + point.value
  totals.set(id, value)
  return { ...point, value, counter: 'cumulative' }
}

function asExposed({ name, labels, value, counter }: PushedPoint): ExposedSample {
  return { name, labels, value, isCounter: counter !== null }
}
