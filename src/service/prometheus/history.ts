/**
 * Imports the past: on the first start, up to 15 days are read from the engine's own `ALERTS` series,
 * a day at a time, and become closed alerts.
 */
import { z } from 'zod'
import type { AlertLog } from '../alerts/alert-log.ts'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { type BearingOf, draftOf } from './alerts.ts'
import { inPart } from './answers.ts'
import { upstreamStatus } from './ask.ts'
import type { Engine, EngineSeries } from './engine.ts'
import { engineFingerprint, isPart, withoutPorts } from './firing.ts'
import { withoutReplica } from './identity.ts'
import type { Labels, Naming } from './naming.ts'
import type { AlertRule, RuleCache } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'

const dayMs = 24 * 60 * 60_000
const daysMax = 15
/** Shorter alerts may be missed. */
const stepMs = 60_000
/** A gap no longer than this, such as a restart of the engine, does not end an alert. */
const holeMaxMs = 5 * stepMs
/** Of alerts that come and go all day, only this many recent ones are kept. */
const spansMax = 20_000
const expression = 'ALERTS{alertstate="firing"}'
const documentKey = 'history'

export type Span = { readonly labels: Labels; readonly fromMs: number; untilMs: number }

/** Did an earlier run of the service leave a ledger with its past? */
export function knowsPast(ledger: Ledger): boolean {
  return ledger.load('upstream', z.object({})).some(({ key }) => key === documentKey)
}

/**
 * Imports it once per ledger, before any alerts are listed: later, they would look new. A day that the engine cannot answer for
 * is skipped and reported; if the engine is unreachable, this rejects and is tried again.
 */
export async function learnHistory(parts: {
  readonly engine: Engine
  readonly ledger: Ledger
  readonly log: AlertLog
  readonly settings: PrometheusSettings
  readonly naming: Naming
  readonly bearingOf: BearingOf
  readonly rules: RuleCache
  readonly nowMs: () => number
  readonly report: (line: string) => void
}): Promise<void> {
  const { engine, ledger, log, settings, naming, bearingOf, rules, nowMs, report } = parts
  // Without a file every start is the first one, and alerts already listed would come again under other ids.
  if (!ledger.isKept || knowsPast(ledger)) return
  const untilMs = Math.floor(nowMs() / stepMs) * stepMs
  const spans = new Map<string, Span[]>()
  for (let day = daysMax; day >= 1; day -= 1) {
    const fromMs = untilMs - day * dayMs
    try {
      const { value: found } = await inPart(
        engine.queryRange(expression, { fromMs, untilMs: fromMs + dayMs, stepMs }),
      )
      for (const series of found) addSpans(spans, series, rules.all())
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === upstreamStatus.away) throw error
      report(`what fired in the past is known in part only: ${error.message}`)
    }
  }
  // Those that fire now are not over; the readings know their start.
  const open = log.openAlerts().flatMap(({ upstream }) => (upstream === undefined ? [] : [upstream.labels]))
  const isOpen = (labels: Labels): boolean => {
    const bare = withoutPorts(labels, settings.serverLabel)
    return open.some((listed) => isPart(labels, listed) || isPart(bare, listed))
  }
  const over = [...spans.values()]
    .flat()
    .filter(({ labels, untilMs: endMs }) => endMs < untilMs - holeMaxMs || !isOpen(labels))
    .sort((a, b) => a.fromMs - b.fromMs)
    .slice(-spansMax)
  ledger.together(() => {
    for (const { labels, fromMs, untilMs: endMs } of over) {
      const rule = ruleOf(labels, rules.all())
      const fingerprint = engineFingerprint(labels)
      const draft = draftOf(
        {
          fingerprint,
          labels,
          annotations: {},
          startsAtMs: fromMs,
          value: null,
          rule,
          engineAlert: null,
          copies: [],
          mutedBy: [],
        },
        naming,
        new Set(),
        bearingOf,
      )
      log.addClosed(draft, endMs)
    }
    ledger.put('upstream', documentKey, { atMs: nowMs() })
  })
}

/** The rule that an alert of the past came from; null if there is none, or several with one name could be it. */
function ruleOf(labels: Labels, rules: readonly AlertRule[]): AlertRule | null {
  const [first, ...others] = rules.filter((rule) => {
    const isOwn = ([name, value]: readonly [string, string]): boolean =>
      labels[name] === undefined || labels[name] === value || value.includes('{{')
    return rule.name === labels.alertname && Object.entries(rule.labels).every(isOwn)
  })
  return first !== undefined && others.every(({ expression }) => expression === first.expression)
    ? first
    : null
}

/** Adds the times in which a series existed; adjoining ones continue from the day before. */
function addSpans(
  spans: Map<string, Span[]>,
  { metric, values }: EngineSeries,
  rules: readonly AlertRule[],
): void {
  const { __name__: _name, alertstate: _state, ...told } = metric
  const rule = ruleOf(told, rules) ?? { labels: {} }
  const labels = withoutReplica(told, { alert: { labels: told }, rule })
  const key = engineFingerprint(labels)
  const own = spans.get(key) ?? []
  spans.set(key, own)
  for (const [seconds] of values) {
    const atMs = Math.round(seconds * 1_000)
    const last = own.at(-1)
    if (last !== undefined && atMs - last.untilMs <= holeMaxMs) last.untilMs = atMs
    else own.push({ labels, fromMs: atMs, untilMs: atMs })
  }
}
