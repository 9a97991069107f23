/** The processes that push for one host, and the last data of each. */
import { pushedSilentMs } from '../alerts/usual-triggers.ts'
import { textOfLabels } from '../metrics/metric-key.ts'
import { type NodeMetrics, openNodeMetrics } from '../scrape/node-metrics.ts'
import type { PushedPoint } from './otlp.ts'

/** A process with a known interval counts as gone after missing this many pushes. */
const missedMax = 2.5
/** Most processes per host. */
export const sendersMax = 200
/** Most deltas per process; more than one push can have. */
const totalsMax = 50_000

type Said = { readonly value: number; readonly lastMs: number }

export type Sender = {
  readonly metrics: NodeMetrics
  /** Converts a delta to a running total, so that both kinds are handled alike from here on. */
  summed(point: PushedPoint): PushedPoint
  /** Its values of a custom metric. */
  say(metric: string, value: number): void
  /** Its value of a custom metric; null if it has not sent any in time. */
  said(metric: string): number | null
  /** Drops data that it has not sent for too long. */
  prune(): void
}

export type Senders = {
  /** Null if there are too many already. */
  of(name: string): Sender | null
  all(): readonly Sender[]
}

/** `isCustom`: whether a metric of this name becomes a custom metric. `nowMs`: a monotonic clock. */
export function openSenders(isCustom: (name: string) => boolean, nowMs: () => number): Senders {
  type Known = { readonly sender: Sender; lastMs: number; everyMs: number | null }
  const known = new Map<string, Known>()

  function isGone({ lastMs, everyMs }: Known): boolean {
    const patienceMs = everyMs === null ? pushedSilentMs : Math.min(pushedSilentMs, everyMs * missedMax)
    return nowMs() - lastMs > patienceMs
  }

  return {
    of(name) {
      for (const [other, one] of known) if (other !== name && isGone(one)) known.delete(other)
      const one = known.get(name)
      // After this long a silence, a process counts as restarted.
      if (one !== undefined && nowMs() - one.lastMs <= pushedSilentMs) {
        one.everyMs = Math.max(1_000, nowMs() - one.lastMs)
        one.lastMs = nowMs()
        return one.sender
      }
      if (known.size >= sendersMax) return null
      const sender = openSender(isCustom, nowMs)
      known.set(name, { sender, lastMs: nowMs(), everyMs: null })
      return sender
    },
    all: () => [...known.values()].map(({ sender }) => sender),
  }
}

function openSender(isCustom: (name: string) => boolean, nowMs: () => number): Sender {
  /** Totals of deltas by series; the most recent ones come last. */
  const totals = new Map<string, Said>()
  const values = new Map<string, Said>()
  const isOld = (one: Said): boolean => nowMs() - one.lastMs > pushedSilentMs
  return {
    metrics: openNodeMetrics(isCustom, pushedSilentMs),
    summed(point) {
      if (point.counter !== 'delta') return point
      const id = point.name + textOfLabels(point.labels)
      const value = (totals.get(id)?.value ?? 0) + point.value
      totals.delete(id)
      totals.set(id, { value, lastMs: nowMs() })
      // Each delta starts where the previous one ended, so their total never resets.
      return { ...point, value, counter: 'cumulative', startMs: null }
    },
    say: (metric, value) => void values.set(metric, { value, lastMs: nowMs() }),
    said(metric) {
      const one = values.get(metric)
      return one === undefined || isOld(one) ? null : one.value
    },
    prune() {
      for (const [metric, one] of values) if (isOld(one)) values.delete(metric)
      for (const [id, one] of totals) if (isOld(one) || totals.size > totalsMax) totals.delete(id)
    },
  }
}
