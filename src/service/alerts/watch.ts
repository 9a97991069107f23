/** Evaluates every trigger on every metric it watches, and opens and closes alerts. */
import { type MetricKey, pluginNameOf, textOf } from '../metrics/metric-key.ts'
import type { Readings } from '../metrics/readings.ts'
import { isMeasured, type Registry, type Server } from '../store/registry.ts'
import type { AlertDraft, AlertLog } from './alert-log.ts'
import type { AlertRecord } from './alert-records.ts'
import { calm, limitMet, type Standing, step, type Trigger, titleOf } from './triggers.ts'

export type Watch = {
  /** Evaluates everything now. */
  evaluate(): void
}

/**
 * If a server reports but no longer shows a metric, the metric's alert closes after this long. An exporter that lost a part
 * of its data (a network disk that hangs) is back within the hour or restarted; an unmounted disk is not.
 */
export const goneMs = 60 * 60_000

type Case = {
  readonly standing: Standing
  readonly alertId: number | null
  /** How long its server has reported without it; null: the server does not report, or the metric is there. */
  readonly absent: { readonly sinceMs: number; readonly seenMs: number } | null
}

type WatchParts = {
  readonly registry: Registry
  readonly readings: Readings
  readonly log: AlertLog
  readonly triggers: () => readonly Trigger[]
  readonly nowMs: () => number
}

/** Adopts the open alerts in the log, so that a restart neither closes nor repeats them. */
export function openWatch(parts: WatchParts): Watch {
  const { registry, readings, log, nowMs } = parts
  const evaluateOne = caseEvaluator(parts)
  let cases = new Map<string, Case>()

  for (const { id, triggerId, key, hostname } of log.openAlerts()) {
    if (triggerId === null || key === null) continue
    cases.set(caseKey(triggerId, hostname, key), {
      standing: { phase: 'open' },
      alertId: id,
      absent: null,
    })
  }

  /**
   * Changing the file does not end the trouble: an alert whose trigger was removed continues under another one that
   * watches the same metric, unless the value is known to be within that one's limits.
   */
  function adopt(triggers: readonly Trigger[]): void {
    for (const [at, one] of [...cases]) {
      const alert = one.alertId === null ? undefined : log.get(one.alertId)
      if (alert?.isOpen !== true || holderOf(alert, triggers) !== undefined) continue
      const heir = triggers.find((trigger) => {
        if (!holds(trigger, alert) || alert.key === null) return false
        const value = readings.valueNow(alert.hostname, alert.key)
        const own = cases.get(caseKey(trigger.id, alert.hostname, alert.key))
        return own?.alertId == null && (value === null || limitMet(trigger, value) !== null)
      })
      if (heir === undefined || alert.key === null) continue
      log.adopt(alert.id, heir.id)
      cases.delete(at)
      cases.set(caseKey(heir.id, alert.hostname, alert.key), one)
    }
  }

  function holds(trigger: Trigger, { hostname, key }: AlertRecord): boolean {
    const server = registry.server(hostname)
    return key !== null && server !== undefined && covers(trigger, key) && watches(trigger, server, registry)
  }

  function holderOf(alert: AlertRecord, triggers: readonly Trigger[]): Trigger | undefined {
    return triggers.find((trigger) => trigger.id === alert.triggerId && holds(trigger, alert))
  }

  /** Closes open alerts whose server, trigger or metric is gone, as they can never recover. */
  function settleOrphans(seen: Map<string, Case>, triggers: readonly Trigger[]): void {
    for (const [at, one] of cases) {
      const alert = one.alertId === null ? undefined : log.get(one.alertId)
      if (seen.has(at) || alert?.isOpen !== true) continue
      const server = registry.server(alert.hostname)
      const trigger = holderOf(alert, triggers)
      const { key } = alert
      const isDeleted = key?.type === 'custom_metric' && registry.isCustomMetricDeleted(key.metric)
      // A measured metric may just not have been seen yet, for example right after a start.
      const mayCome = isMeasured(server) && !isDeleted
      if (server === undefined || trigger === undefined || key === null || !mayCome) log.close(alert.id)
      else seen.set(at, evaluateOne(trigger, server, key, one))
    }
  }

  function closeAbsent(seen: Map<string, Case>): void {
    for (const [at, { alertId, absent }] of seen) {
      if (alertId === null || absent === null || nowMs() - absent.sinceMs < goneMs) continue
      log.close(alertId)
      seen.delete(at)
    }
  }

  return {
    evaluate() {
      const seen = new Map<string, Case>()
      const triggers = parts.triggers()
      adopt(triggers)
      for (const server of registry.servers()) {
        const watching = triggers.filter((trigger) => watches(trigger, server, registry))
        for (const key of watching.length === 0 ? [] : readings.keysOf(server.hostname)) {
          for (const trigger of watching) {
            if (!covers(trigger, key)) continue
            const at = caseKey(trigger.id, server.hostname, key)
            seen.set(at, evaluateOne(trigger, server, key, cases.get(at)))
          }
        }
      }
      settleOrphans(seen, triggers)
      closeAbsent(seen)
      cases = seen
      for (const { id, closesAtMs } of log.openAlerts()) {
        if (closesAtMs !== null && closesAtMs <= nowMs()) log.close(id)
      }
      log.prune()
    },
  }
}

/** Evaluates one trigger on one metric of one server, and opens and closes its alert. */
function caseEvaluator({ readings, log, nowMs }: Pick<WatchParts, 'readings' | 'log' | 'nowMs'>) {
  /** Only a server that reports proves that a metric is missing; a sleep of this process proves nothing. */
  function absence(hostname: string, key: MetricKey, before: Case['absent']): Case['absent'] {
    const freshMs = readings.freshMsOf(hostname, key)
    const lastMs = readings.lastReportMs(hostname)
    if (lastMs === null || nowMs() - lastMs > freshMs) return null
    const isSame = before !== null && nowMs() >= before.seenMs && nowMs() - before.seenMs <= freshMs
    return { sinceMs: isSame ? before.sinceMs : nowMs(), seenMs: nowMs() }
  }

  return (trigger: Trigger, server: Server, key: MetricKey, known: Case | undefined): Case => {
    const { hostname } = server
    const value = readings.valueNow(hostname, key)
    // Closed by hand meanwhile: the trigger starts over.
    const isGone = known?.alertId != null && log.get(known.alertId)?.isOpen !== true
    const before = known === undefined || isGone ? { standing: calm, alertId: null, absent: null } : known
    const { next, happens } = step(
      trigger,
      before.standing,
      value,
      nowMs(),
      readings.freshMsOf(hostname, key),
    )
    const absent = value === null ? absence(hostname, key, before.absent) : null
    if (happens === 'opens' && value !== null) {
      return { standing: next, alertId: log.open(draftOf(trigger, server, key, value)).id, absent }
    }
    if (happens === 'closes' && before.alertId !== null) log.close(before.alertId, value)
    return { standing: next, alertId: happens === 'closes' ? null : before.alertId, absent }
  }
}

function draftOf(trigger: Trigger, server: Server, key: MetricKey, value: number): AlertDraft {
  const side = limitMet(trigger, value) ?? 'max'
  const limit = side === 'low' ? (trigger.lowValue ?? trigger.maxValue) : trigger.maxValue
  return {
    hostname: server.hostname,
    serverName: server.name,
    title: titleOf(key, side, limit, value),
    plugin: pluginNameOf(key),
    metric: key.metric,
    value,
    key,
    limit,
    limitSide: side === 'low' ? 'low' : 'high',
    triggerId: trigger.id,
    closesAtMs: null,
  }
}

function caseKey(triggerId: number, hostname: string, key: MetricKey): string {
  return JSON.stringify([triggerId, hostname, textOf(key)])
}

/** Whether a trigger applies to a server. */
export function watches(trigger: Trigger, server: Server, registry: Pick<Registry, 'isIn'>): boolean {
  return (
    isOfKind(trigger.servers, server.kind) &&
    trigger.isNamed(server.hostname) &&
    (trigger.roles === undefined || trigger.roles.some((role) => registry.isIn(server.hostname, role)))
  )
}

function isOfKind(servers: Trigger['servers'], kind: Server['kind']): boolean {
  if (servers === 'real') return kind === 'scraped' || kind === 'pushed'
  if (servers === 'steady') return kind !== 'pushed'
  return servers === 'all' || servers === kind
}

/** Whether a trigger applies to a metric. */
export function covers(trigger: Trigger, key: MetricKey): boolean {
  return (
    trigger.type === key.type &&
    trigger.metric === key.metric &&
    (trigger.source === undefined || trigger.source === key.source)
  )
}
