/**
 * What stands behind the API: what the service measures itself, or a Prometheus with its Alertmanagers. Alerts, servers, roles,
 * switches and markers are in the log and the registry either way; a source keeps them up to date, and carries out what is
 * asked for on the other side.
 */
import type { AlertRecord } from './alerts/alert-log.ts'
import type { Trigger } from './alerts/triggers.ts'
import type { MetricsAnswer, MetricsQuestion } from './metrics/metrics-query.ts'
import type { Server } from './store/registry.ts'

/** Each method rejects with a `Refusal`; where the other side cannot be asked, with one of 502 to 504, and nothing has changed. */
export type Source = {
  /** Begins. Rejects where the other side does not let the service in; one that is away is waited for, and that is reported. */
  start(): Promise<void>
  /** Resolves when log, registry and triggers say what is so now, at most a second ago. */
  refresh(): Promise<void>
  triggers(): readonly Trigger[]
  metrics(question: MetricsQuestion): Promise<MetricsAnswer>
  /** The picture of an alert, as SVG. */
  picture(alert: AlertRecord): Promise<string>
  setServerNotifications(server: Server, on: boolean): Promise<void>
  setAccountNotifications(on: boolean): Promise<void>
  deleteServer(server: Server): Promise<void>
  deleteCustomMetrics(names: readonly string[]): Promise<void>
  /** What `GET /control/state` tells of it. */
  state(): object
  stop(): Promise<void>
}
