/**
 * The data source of the API: the service's own measurements, or a Prometheus with its Alertmanagers. Alerts, servers, roles,
 * switches and markers are in the log and the registry either way; a source keeps them up to date, and carries out
 * requested changes on the other side.
 */
import type { AlertLog } from './alerts/alert-log.ts'
import type { AlertRecord } from './alerts/alert-records.ts'
import type { Trigger } from './alerts/triggers.ts'
import type { Generated } from './metrics/generated.ts'
import { answerMetrics, type MetricsAnswer, type MetricsQuestion } from './metrics/metrics-query.ts'
import type { Readings } from './metrics/readings.ts'
import type { SeriesStore } from './metrics/series.ts'
import type { Mutes } from './prometheus/mutes.ts'
import { quoted, Refusal } from './refusal.ts'
import type { Ledger } from './store/ledger.ts'
import type { Registry, Server } from './store/registry.ts'
import { sparklineSvg } from './web/sparkline.ts'

/** Each method rejects with a `Refusal`; if the other side is unavailable, with 502 to 504, and nothing has changed. */
export type Source = {
  /** Starts. Rejects if the other side refuses access; reports one that is unavailable, and waits for it. */
  start(): Promise<void>
  /** Resolves when log, registry and triggers are current, at most a second old. */
  refresh(): Promise<void>
  triggers(): readonly Trigger[]
  metrics(question: MetricsQuestion): Promise<MetricsAnswer>
  /** The picture of an alert, as SVG. */
  picture(alert: AlertRecord): Promise<string>
  setServerNotifications(server: Server, on: boolean): Promise<void>
  setAccountNotifications(on: boolean): Promise<void>
  deleteServer(server: Server): Promise<void>
  deleteCustomMetrics(names: readonly string[]): Promise<void>
  /** Mutes of single alerts; null: nothing behind the service can mute one alone. */
  readonly mutes: Mutes | null
  /** Its part of `targets.json` and `GET /control/state`: what it is, and its trouble; never a secret. */
  state(): { readonly kind: string } & Readonly<Record<string, unknown>>
  /** Why its alerts or servers may not be all that there are, for people; null: nothing says so. */
  doubt(): string | null
  /** For `/metrics`. `lastGoodMs`: of the last good reading of what is behind it; null: none yet; undefined: nothing is behind it. */
  figures(): {
    readonly hidden: number
    readonly lastGoodMs: number | null | undefined
    readonly doubts: number
    readonly silences: number
  }
  stop(): Promise<void>
}

/** The service's own source: it scrapes, accepts pushes, measures this machine and simulates servers. */
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
        removeServer(hostname, { registry, log })
        generated.removeServer(hostname)
        series.drop(hostname)
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
    mutes: null,
    state: () => ({ kind: 'own' }),
    doubt: () => null,
    figures: () => ({ hidden: 0, lastGoodMs: undefined, doubts: 0, silences: 0 }),
    async stop() {},
  }
}

/** Removes a server and closes its alerts: a server that is gone never recovers. */
export function removeServer(
  hostname: string,
  { registry, log }: { registry: Registry; log: AlertLog },
): void {
  registry.deleteServer(hostname)
  for (const alert of log.openAlerts()) if (alert.hostname === hostname) log.close(alert.id)
}

/** Throws a 404 that names the unknown custom metrics. */
export function refuseUnknown(names: readonly string[]): void {
  if (names.length === 0) return
  throw new Refusal(
    404,
    `metrics: no custom metric is called ${names.map(quoted).join(', ')}; none was deleted`,
  )
}
