/**
 * The data source of the API: the service's own measurements, or a Prometheus with its Alertmanagers. Alerts, servers, roles,
 * switches and markers are in the log and the registry either way; a source keeps them up to date, and carries out
 * requested changes on the other side.
 */
import type { AlertRecord } from './alerts/alert-records.ts'
import type { Trigger } from './alerts/triggers.ts'
import type { MetricsAnswer, MetricsQuestion } from './metrics/metrics-query.ts'
import type { Server } from './store/registry.ts'

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
  /** Its part of `GET /control/state`. */
  state(): object
  stop(): Promise<void>
}
