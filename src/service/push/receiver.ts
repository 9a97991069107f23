/** Takes what agents push: finds their servers, keeps their series, and says what it could not take. */
import { type MetricKey, textOf, textOfLabels } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import { Refusal } from '../refusal.ts'
import type { ExposedSample } from '../scrape/exposition.ts'
import { type NodeMetrics, openNodeMetrics } from '../scrape/node-metrics.ts'
import { hostnameFault, type Registry, type Server } from '../store/registry.ts'
import { exposed, isHostMetric } from './host-metrics.ts'
import type { Push, PushedPoint, PushedResource } from './otlp.ts'

/** A process that was silent for so long has gone, or has begun anew when it comes back. SDKs push once a minute. */
const goneMs = 3 * 60_000
/** One whose rhythm is known has gone when it left out so many pushes. */
const missedMax = 2.5
/** Processes of one host that push beside each other. */
const sendersMax = 200
/** After a start it is not known which processes there are until each has had the time to push. */
const settlesMs = 75_000

export type Taken = {
  readonly rejected: number
  /** One sentence for each reason. */
  readonly reasons: readonly string[]
}

export type Receiver = {
  take(push: Push): Taken
  /** When a server last pushed in this run; null: not yet. */
  lastMs(hostname: string): number | null
}

type Sender = {
  readonly metrics: NodeMetrics
  /** What its deltas add up to, by series. */
  readonly totals: Map<string, number>
  lastMs: number
  /** Between its last two pushes; null: it pushed once. */
  everyMs: number | null
  /** What it said last of each custom metric, and when. */
  readonly values: Map<string, { readonly value: number; readonly atMs: number }>
}

type Host = { readonly senders: Map<string, Sender>; lastMs: number }

/** `isKept`: is a metric with one of OpenTelemetry's own names, that is none of the API's, to be a custom metric? */
export function openReceiver(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly isKept: (name: string) => boolean
  /** Does the exporter of a server show this already? */
  readonly isScraped: (hostname: string, key: MetricKey) => boolean
  readonly nowMs: () => number
}): Receiver {
  const { registry, series, isKept, isScraped, nowMs } = parts
  const openedMs = nowMs()
  const hosts = new Map<string, Host>()
  const isCustom = (name: string): boolean => !isHostMetric(name) || isKept(name)

  function senderOf({ senders }: Host, name: string): Sender | null {
    for (const [other, { lastMs, everyMs }] of senders) {
      const patienceMs = everyMs === null ? goneMs : Math.min(goneMs, everyMs * missedMax)
      if (nowMs() - lastMs > patienceMs && other !== name) senders.delete(other)
    }
    const known = senders.get(name)
    if (known !== undefined && nowMs() - known.lastMs <= goneMs) {
      known.everyMs = Math.max(1_000, nowMs() - known.lastMs)
      known.lastMs = nowMs()
      return known
    }
    if (senders.size >= sendersMax) return null
    const fresh: Sender = {
      metrics: openNodeMetrics(isCustom, goneMs),
      totals: new Map(),
      lastMs: nowMs(),
      everyMs: null,
      values: new Map(),
    }
    senders.set(name, fresh)
    return fresh
  }

  /** Keeps what is one process's own, and notes of which custom metrics the sum is to be made. Answers what is refused of it. */
  function take(resource: PushedResource, sums: Map<string, Map<string, MetricKey>>): string | null {
    const { hostname, environment, points } = resource
    const fault = hostnameFault(hostname)
    if (fault !== null) return `host.name: expected a hostname; came one of which ${fault}`
    const server = serverOf(registry, hostname, environment)
    if (typeof server === 'string') return server
    const host = hosts.get(hostname) ?? { senders: new Map<string, Sender>(), lastMs: nowMs() }
    hosts.set(hostname, host)
    host.lastMs = nowMs()
    const sender = senderOf(host, resource.sender)
    if (sender === null) return `more than ${sendersMax} processes of one host`
    const cumulative = points.map((point) => summed(point, sender.totals))
    const custom = cumulative.filter(({ name }) => isCustom(name)).map(asExposed)
    // What an exporter is asked for anyway is not taken from two sides.
    const own = server.kind === 'pushed' ? exposed(cumulative) : []
    const mapped = sender.metrics.map({ samples: [...own, ...custom], unreadable: new Set() }, timeOf(points))
    const touched = sums.get(hostname) ?? new Map<string, MetricKey>()
    sums.set(hostname, touched)
    let isTwice = false
    for (const { key, value } of mapped.samples) {
      if (key.type !== 'custom_metric') series.add(hostname, key, nowMs(), value)
      else if (isScraped(hostname, key)) isTwice = true
      else {
        const text = textOf(key)
        sender.values.set(text, { value, atMs: nowMs() })
        touched.set(text, key)
      }
    }
    if (isTwice) return `the exporter of ${hostname} shows a metric of this name already`
    return mapped.leftOut > 0 ? 'more metrics than are kept of one server' : null
  }

  function addUp(hostname: string, touched: ReadonlyMap<string, MetricKey>): void {
    const senders = [...(hosts.get(hostname)?.senders.values() ?? [])]
    for (const [text, key] of touched) {
      // A part that is not known yet would make the sum smaller than it is.
      const isOld = series.has(hostname, key) && series.lastMs(hostname, key) === null
      if (isOld && nowMs() - openedMs < settlesMs) continue
      const said = senders.flatMap(({ values }) => values.get(text) ?? [])
      const sum = said.reduce((all, { value, atMs }) => (nowMs() - atMs > goneMs ? all : all + value), 0)
      series.add(hostname, key, nowMs(), sum)
    }
  }

  return {
    take({ resources, rejected, reasons }) {
      const sums = new Map<string, Map<string, MetricKey>>()
      const refused = resources.flatMap((resource) => {
        if (resource.points.length === 0) return []
        const why = take(resource, sums)
        return why === null ? [] : [{ why, count: resource.points.length }]
      })
      for (const [hostname, touched] of sums) addUp(hostname, touched)
      return {
        rejected: refused.reduce((sum, { count }) => sum + count, rejected),
        reasons: [...new Set([...reasons, ...refused.map(({ why }) => why)])],
      }
    },
    lastMs: (hostname) => hosts.get(hostname)?.lastMs ?? null,
  }
}

/** The time of most of them: one point whose clock stands still or is years ahead says nothing of the others. */
function timeOf(points: readonly PushedPoint[]): number {
  const times = points.map(({ atMs }) => atMs).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
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
  const id = point.name + textOfLabels(point.labels)
  const value = (totals.get(id) ?? 0) + point.value
  totals.set(id, value)
  return { ...point, value, counter: 'cumulative' }
}

function asExposed({ name, labels, value, counter }: PushedPoint): ExposedSample {
  return { name, labels, value, isCounter: counter !== null }
}
