/** Accepts pushes from agents: finds their servers, stores their series, and reports what it could not accept. */
import { pushedSilentMs } from '../alerts/usual-triggers.ts'
import { openAwakeClock } from '../clocks.ts'
import { type MetricKey, textOf } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import { Refusal } from '../refusal.ts'
import type { ExposedSample } from '../scrape/exposition.ts'
import { hostnameFault, type Registry, type Server } from '../store/registry.ts'
import { exposed, isHostMetric } from './host-metrics.ts'
import type { Push, PushedPoint, PushedResource } from './otlp.ts'
import { openSenders, type Senders, sendersMax } from './senders.ts'

/** After a start the set of processes is unknown until each has had time to push. */
const settlesMs = 75_000

const tooMany = 'more metrics than are kept of one server'

export type Taken = {
  readonly rejected: number
  /** One sentence for each reason. */
  readonly reasons: readonly string[]
}

export type Receiver = {
  take(push: Push): Taken
  /** When a server last pushed in this run, counting silence only while this process was running; null: not yet. */
  lastMs(hostname: string): number | null
  /** How long a server has been silent in this run, counted likewise: since its last push, or since the start. */
  silentMs(hostname: string): { readonly ms: number; readonly isSincePush: boolean }
}

/** `lastMs` is on the clock that counts only while this process runs. */
type Host = { readonly senders: Senders; lastMs: number }

/** Rejected data points, and why. */
type Refused = { readonly why: string; readonly count: number }

/** Custom metrics of a host that must be summed, each with its number of points in this push. */
type Touched = Map<string, { readonly key: MetricKey; count: number }>

/** `isKept`: whether a metric with one of OpenTelemetry's own names that is not one of the API's becomes a custom metric. */
export function openReceiver(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly isKept: (name: string) => boolean
  /** Whether the exporter of a server shows this already. */
  readonly isScraped: (hostname: string, key: MetricKey) => boolean
  readonly nowMs: () => number
}): Receiver {
  const { registry, series, isKept, isScraped, nowMs } = parts
  const awakeMs = openAwakeClock(nowMs, pushedSilentMs / 2)
  const openedMs = awakeMs()
  const isCustom = (name: string): boolean => !isHostMetric(name) || isKept(name)
  const hosts = openHosts(registry, isCustom, awakeMs)

  /** Stores the data of one process, and notes which custom metrics must be summed. */
  function take(resource: PushedResource, touched: Touched): Refused[] {
    const { hostname, environment, points } = resource
    const all = (why: string): Refused[] => [{ why, count: points.length }]
    const fault = hostnameFault(hostname)
    if (fault !== null) return all(`host.name: expected a hostname; came one of which ${fault}`)
    const server = serverOf(registry, hostname, environment)
    if (typeof server === 'string') return all(server)
    const host = hosts.of(hostname)
    host.lastMs = awakeMs()
    const sender = host.senders.of(resource.sender)
    if (sender === null) return all(`more than ${sendersMax} processes of one host`)

    const isTwice = ({ name }: PushedPoint): boolean => isCustom(name) && isScraped(hostname, customKey(name))
    const twice = points.filter(isTwice).length
    const cumulative = points.filter((point) => !isTwice(point)).map(sender.summed)
    const custom = cumulative.filter(({ name }) => isCustom(name))
    // What an exporter provides is not accepted from a second source.
    const own = server.kind === 'pushed' ? exposed(cumulative) : []
    const samples = [...own, ...custom.map(asExposed)]
    const mapped = sender.metrics.map({ samples, unreadable: new Set() }, timeOf(points))
    sender.prune()

    const countOf = pointCounter(custom)
    let leftOut = mapped.leftOut.reduce((sum, key) => sum + countOf(key), 0)
    for (const { key, value } of mapped.samples) {
      if (key.type !== 'custom_metric') {
        if (!series.add(hostname, key, nowMs(), value)) leftOut += countOf(key)
        continue
      }
      const text = textOf(key)
      sender.say(text, value)
      const one = touched.get(text) ?? { key, count: 0 }
      one.count += countOf(key)
      touched.set(text, one)
    }
    return [
      { why: `the exporter of ${hostname} shows a metric of this name already`, count: twice },
      { why: tooMany, count: leftOut },
    ]
  }

  function addUp(hostname: string, touched: Touched): Refused[] {
    const senders = hosts.of(hostname).senders.all()
    let leftOut = 0
    for (const [text, { key, count }] of touched) {
      // Without a part that is not known yet, the sum would be too small.
      const isOld = series.has(hostname, key) && series.lastMs(hostname, key) === null
      if (isOld && awakeMs() - openedMs < settlesMs) continue
      const sum = senders.reduce((all, { said }) => all + (said(text) ?? 0), 0)
      if (!series.add(hostname, key, nowMs(), sum)) leftOut += count
    }
    return [{ why: tooMany, count: leftOut }]
  }

  return {
    take({ resources, rejected, reasons }) {
      const sums = new Map<string, Touched>()
      const refused = resources.flatMap((resource) => {
        if (resource.points.length === 0) return []
        const touched: Touched = sums.get(resource.hostname) ?? new Map()
        sums.set(resource.hostname, touched)
        return take(resource, touched)
      })
      for (const [hostname, touched] of sums) if (touched.size > 0) refused.push(...addUp(hostname, touched))
      const real = refused.filter(({ count }) => count > 0)
      return {
        rejected: real.reduce((sum, { count }) => sum + count, rejected),
        reasons: [...new Set([...reasons, ...real.map(({ why }) => why)])],
      }
    },
    lastMs(hostname) {
      const silentMs = hosts.silentMs(hostname)
      return silentMs === null ? null : nowMs() - silentMs
    },
    silentMs(hostname) {
      const ms = hosts.silentMs(hostname)
      return ms === null ? { ms: awakeMs() - openedMs, isSincePush: false } : { ms, isSincePush: true }
    },
  }
}

/** The hosts that pushed in this run; a deleted one is forgotten when another comes. */
function openHosts(registry: Registry, isCustom: (name: string) => boolean, awakeMs: () => number) {
  const hosts = new Map<string, Host>()
  return {
    of(hostname: string): Host {
      const known = hosts.get(hostname)
      if (known !== undefined) return known
      for (const other of hosts.keys()) if (registry.server(other) === undefined) hosts.delete(other)
      const fresh: Host = { senders: openSenders(isCustom, awakeMs), lastMs: awakeMs() }
      hosts.set(hostname, fresh)
      return fresh
    },
    /** Counts only while this process runs; null: it has not pushed. */
    silentMs(hostname: string): number | null {
      const host = hosts.get(hostname)
      return host === undefined ? null : awakeMs() - host.lastMs
    },
  }
}

/** The time in the middle: one point whose clock is stuck or years ahead must not decide for the others. */
function timeOf(points: readonly PushedPoint[]): number {
  const times = points.map(({ atMs }) => atMs).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
}

/** A deleted server that pushes again is added again. Returns the reason if it cannot be. */
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

function customKey(name: string): MetricKey {
  return { type: 'custom_metric', source: name, metric: name }
}

/** Of how many points a metric was made. A host metric combines several, whose number is unknown: it counts as one. */
function pointCounter(custom: readonly PushedPoint[]): (key: MetricKey) => number {
  const counts = new Map<string, number>()
  for (const { name } of custom) counts.set(name, (counts.get(name) ?? 0) + 1)
  return ({ type, metric }) => (type === 'custom_metric' ? (counts.get(metric) ?? 1) : 1)
}

function asExposed({ name, labels, value, counter, startMs }: PushedPoint): ExposedSample {
  return { name, labels, value, isCounter: counter !== null, ...(startMs === null ? {} : { startMs }) }
}
