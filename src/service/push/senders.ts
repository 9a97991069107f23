/** The processes that push for one host: which of them there are, and what each said last. */
import { pushedSilentMs } from '../alerts/usual-triggers.ts'
import { textOfLabels } from '../metrics/metric-key.ts'
import { type NodeMetrics, openNodeMetrics } from '../scrape/node-metrics.ts'
import type { PushedPoint } from './otlp.ts'

/** One whose rhythm is known has gone when it left out so many pushes. */
const missedMax = 2.5
/** Processes of one host that push beside each other. */
export const sendersMax = 200
/** Deltas of one process; more than one push can hold. */
const totalsMax = 50_000

type Said = { readonly value: number; readonly lastMs: number }

export type Sender = {
  readonly metrics: NodeMetrics
  /** A delta becomes the sum of all so far, so that both kinds are the same from here on. */
  summed(point: PushedPoint): PushedPoint
  /** What it says of a custom metric. */
  say(metric: string, value: number): void
  /** Of a custom metric; null where it has not said anything in time. */
  said(metric: string): number | null
  /** Forgets what it has not said for too long. */
  prune(): void
}

export type Senders = {
  /** Null where there are too many already. */
  of(name: string): Sender | null
  all(): readonly Sender[]
}

/** `isCustom`: is a metric of this name to be a custom metric? `nowMs`: a clock that nobody sets. */
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
      // One that was silent for so long has begun anew when it comes back.
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
  /** What deltas add up to, by series; those that came last stand last. */
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
      // Each delta begins where the one before it ended; their sum does not begin anew.
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
