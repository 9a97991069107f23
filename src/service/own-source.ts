/** The service's own source: it scrapes, accepts pushes, measures this machine and simulates servers. */
import type { AlertLog } from './alerts/alert-log.ts'
import type { Trigger } from './alerts/triggers.ts'
import type { Generated } from './metrics/generated.ts'
import { answerMetrics } from './metrics/metrics-query.ts'
import type { Readings } from './metrics/readings.ts'
import type { SeriesStore } from './metrics/series.ts'
import { quoted, Refusal } from './refusal.ts'
import type { Source } from './source.ts'
import type { Ledger } from './store/ledger.ts'
import type { Registry } from './store/registry.ts'
import { sparklineSvg } from './web/sparkline.ts'

export function openOwnSource(parts: {
  readonly ledger: Ledger
  readonly registry: Registry
  readonly readings: Readings
  readonly generated: Generated
  readonly series: SeriesStore
  readonly log: AlertLog
  readonly triggers: () => readonly Trigger[]
  readonly nowMs: () => number
}): Source {
  const { ledger, registry, readings, generated, series, log, nowMs } = parts
  return {
    async start() {},
    // Local data is always current.
    async refresh() {},
    triggers: parts.triggers,
    metrics: (question) => answerMetrics(question, { registry, readings, nowMs: nowMs() }),
    async picture(alert) {
      return sparklineSvg(alert, { readings, markers: registry.markers(), nowMs: nowMs() })
    },
    async setServerNotifications(server, on) {
      registry.update(server, { notifications: on })
    },
    async setAccountNotifications(on) {
      registry.setAccountNotifications(on)
    },
    async deleteServer({ hostname }) {
      ledger.together(() => {
        registry.deleteServer(hostname)
        generated.removeServer(hostname)
        series.drop(hostname)
        // A server that is gone never recovers.
        for (const alert of log.openAlerts()) {
          if (alert.hostname === hostname) log.close(alert.id)
        }
      })
    },
    /** All or none: one unknown name refuses the whole request. */
    async deleteCustomMetrics(names) {
      const known = new Set(
        registry
          .servers()
          .flatMap(({ hostname }) => readings.keysOf(hostname))
          .flatMap(({ type, metric }) => (type === 'custom_metric' ? [metric] : [])),
      )
      refuseUnknown(names.filter((name) => !known.has(name)))
      ledger.together(() => {
        for (const name of names) {
          registry.deleteCustomMetric(name)
          generated.removeCustomMetric(name)
        }
      })
    },
    state: () => ({ kind: 'own' }),
    async stop() {},
  }
}

/** Throws a 404 that names the unknown custom metrics. */
export function refuseUnknown(names: readonly string[]): void {
  if (names.length === 0) return
  throw new Refusal(
    404,
    `metrics: no custom metric is called ${names.map(quoted).join(', ')}; none was deleted`,
  )
}
