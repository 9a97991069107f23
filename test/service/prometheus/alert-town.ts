/** Readings given one by one to what keeps the log of alerts, by a clock of its own. */
import { openAlertLog } from '../../../src/service/alerts/alert-log.ts'
import { openAlerts, resentMs } from '../../../src/service/prometheus/alerts.ts'
import type { EngineRule } from '../../../src/service/prometheus/engine.ts'
import { firingOf, viewOf } from '../../../src/service/prometheus/firing.ts'
import type { Labels } from '../../../src/service/prometheus/naming.ts'
import type { ManagedAlert } from '../../../src/service/prometheus/records.ts'
import { openRuleCache } from '../../../src/service/prometheus/rules.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { engineAlert, ruleOf, settings } from './made.ts'

export const startMs = Date.UTC(2026, 10, 22, 10)
export const load: Labels = { alertname: 'LoadHigh', instance: 'web-1:9100', job: 'node' }
export const firing = ruleOf('LoadHigh', { alerts: [engineAlert(load)] })
export const calm = ruleOf('LoadHigh')

export function openAlertTown() {
  let nowMs = startMs
  let deleted: readonly string[] = []
  const ledger = memoryLedger()
  const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs: () => nowMs })
  const isDeleted = (hostname: string) => deleted.includes(hostname)
  const alerts = openAlerts({ ledger, log, settings, isDeleted, nowMs: () => nowMs })
  const rules = openRuleCache()
  return {
    log,
    delete: (hostname: string) => {
      deleted = [...deleted, hostname]
    },
    later(ms: number) {
      nowMs += ms
    },
    /** One good reading; `alerts` null: there is no Alertmanager. */
    read(given: readonly EngineRule[], listed: readonly ManagedAlert[] | null, upForMs = resentMs) {
      nowMs += 5_000
      const view = viewOf(given, settings)
      rules.take(given)
      const isOurs = (id: string) => id.startsWith('ours')
      const all = firingOf({ view, alerts: listed, ruleOf: rules.of, isOurs, nowMs })
      alerts.take({ firing: all, view, managedSinceMs: listed === null ? null : nowMs - upForMs })
    },
    open: () => log.list('start', 0).map(({ hostname, plugin }) => `${plugin} on ${hostname}`),
    over: () => log.list('end', 0).map(({ hostname, plugin }) => `${plugin} on ${hostname}`),
  }
}
