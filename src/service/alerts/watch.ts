/** Goes through every trigger and every metric it watches, and opens and closes alerts. */
import { type MetricKey, pluginNameOf, textOf } from '../metrics/metric-key.ts'
import type { Readings } from '../metrics/readings.ts'
import type { Registry, Server } from '../store/registry.ts'
import type { AlertLog, AlertRecord } from './alert-log.ts'
import { calm, limitMet, type Standing, step, type Trigger, titleOf } from './triggers.ts'

export type Watch = {
  /** One evaluation of everything, now. */
  evaluate(): void
}

type Case = { standing: Standing; alertId: number | null }

/** Takes up the open alerts that the log already has, so that a restart neither closes nor repeats them. */
export function openWatch(parts: {
  readonly registry: Registry
  readonly readings: Readings
  readonly log: AlertLog
  readonly triggers: readonly Trigger[]
  readonly nowMs: () => number
}): Watch {
  const { registry, readings, log, triggers, nowMs } = parts
  const cases = new Map<string, Case>()

  const caseKey = (triggerId: number, hostname: string, key: MetricKey): string =>
    JSON.stringify([triggerId, hostname, textOf(key)])

  for (const alert of log.openAlerts()) {
    if (alert.triggerId === null || alert.key === null) continue
    cases.set(caseKey(alert.triggerId, alert.hostname, alert.key), {
      standing: { phase: 'open' },
      alertId: alert.id,
    })
  }

  function evaluateOne(trigger: Trigger, server: Server, key: MetricKey, known: Case | undefined): Case {
    const value = readings.valueNow(server.hostname, key)
    // Closed by hand meanwhile: the trigger starts afresh.
    const isGone = known?.alertId != null && log.get(known.alertId)?.isOpen !== true
    const before = known === undefined || isGone ? { standing: calm, alertId: null } : known
    const { next, happens } = step(trigger, before.standing, value, nowMs())
    if (happens === 'opens' && value !== null) {
      return { standing: next, alertId: open(trigger, server, key, value).id }
    }
    if (happens === 'closes' && before.alertId !== null) log.close(before.alertId, value)
    return { standing: next, alertId: happens === 'closes' ? null : before.alertId }
  }

  function open(trigger: Trigger, server: Server, key: MetricKey, value: number): AlertRecord {
    const side = limitMet(trigger, value) ?? 'max'
    const limit = side === 'low' ? (trigger.lowValue ?? trigger.maxValue) : trigger.maxValue
    return log.open({
      hostname: server.hostname,
      serverName: server.name,
      title: titleOf(key, side, limit, value),
      plugin: pluginNameOf(key),
      metric: key.metric,
      value,
      key,
      limit,
      triggerId: trigger.id,
      closesAtMs: null,
    })
  }

  /** Open alerts whose server, metric or trigger is gone can never recover by themselves. */
  function closeOrphans(seen: Map<string, Case>): void {
    for (const [key, one] of cases) {
      const alert = one.alertId === null ? undefined : log.get(one.alertId)
      if (seen.has(key) || alert === undefined) continue
      const server = registry.server(alert.hostname)
      const isTriggered = triggers.some(({ id }) => id === alert.triggerId)
      // Right after a restart this machine has not been measured yet, and its metrics are not known for that reason only.
      const isEarly = server?.kind === 'machine' && readings.lastReportMs(server.hostname) === null
      if (isTriggered && isEarly) seen.set(key, one)
      else log.close(alert.id)
    }
  }

  return {
    evaluate() {
      const seen = new Map<string, Case>()
      for (const server of registry.servers()) {
        const keys = readings.keysOf(server.hostname)
        for (const trigger of triggers) {
          if (!watches(trigger, server)) continue
          for (const key of keys) {
            if (!covers(trigger, key)) continue
            const at = caseKey(trigger.id, server.hostname, key)
            seen.set(at, evaluateOne(trigger, server, key, cases.get(at)))
          }
        }
      }
      closeOrphans(seen)
      cases.clear()
      for (const [key, one] of seen) cases.set(key, one)
      for (const { id, closesAtMs } of log.openAlerts()) {
        if (closesAtMs !== null && closesAtMs <= nowMs()) log.close(id)
      }
      log.prune()
    },
  }
}

/** Whether a trigger looks at a server. */
export function watches(trigger: Trigger, server: Server): boolean {
  return trigger.servers === 'all' || trigger.servers === server.kind
}

/** Whether a trigger looks at a metric. */
export function covers(trigger: Trigger, key: MetricKey): boolean {
  return (
    trigger.type === key.type &&
    trigger.metric === key.metric &&
    (trigger.source === undefined || trigger.source === key.source)
  )
}
