/** Rules and alerts as an engine and an Alertmanager say them, for tests that need no real one. */
import { openAlertLog } from '../../../src/service/alerts/alert-log.ts'
import type { MutedBy } from '../../../src/service/alerts/alert-records.ts'
import { openAlerts, resentMs } from '../../../src/service/prometheus/alerts.ts'
import type { EngineRule } from '../../../src/service/prometheus/engine.ts'
import { firingOf, viewOf } from '../../../src/service/prometheus/firing.ts'
import { type Labels, namingByLabel } from '../../../src/service/prometheus/naming.ts'
import type { ManagedAlert } from '../../../src/service/prometheus/records.ts'
import { openRuleCache } from '../../../src/service/prometheus/rules.ts'
import type { PrometheusSettings } from '../../../src/service/prometheus/settings.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'

export const settings: PrometheusSettings = {
  engine: { url: 'http://127.0.0.1:1', authorization: null },
  alertmanagers: [],
  serverLabel: 'instance',
  roleLabels: ['role', 'job'],
  environmentLabel: 'env',
  serviceless: 'job',
  metrics: {},
}

/** The settings of a service in front of these. */
export function settingsOf(at: {
  readonly prometheus: string
  readonly alertmanagers: readonly string[]
}): PrometheusSettings {
  const endpoint = (url: string) => ({ url, authorization: null })
  return { ...settings, engine: endpoint(at.prometheus), alertmanagers: at.alertmanagers.map(endpoint) }
}

export function ruleOf(name: string, given: Partial<EngineRule> = {}): EngineRule {
  return {
    name,
    query: 'node_load1 > 4',
    duration: 0,
    labels: {},
    annotations: {},
    alerts: [],
    health: 'ok',
    lastEvaluation: '2026-11-22T10:00:00Z',
    ...given,
  }
}

export function engineAlert(labels: Labels, state = 'firing', value = '5e+00'): EngineRule['alerts'][number] {
  return { labels: { ...labels }, annotations: {}, state, activeAt: '2026-11-22T09:59:00Z', value }
}

export function managed(labels: Labels, given: Partial<ManagedAlert> = {}): ManagedAlert {
  return {
    fingerprint: JSON.stringify(labels),
    labels: { ...labels },
    annotations: {},
    startsAtMs: Date.UTC(2026, 10, 22, 9, 59),
    endsAtMs: Date.UTC(2026, 10, 22, 10, 3),
    updatedAtMs: Date.UTC(2026, 10, 22, 9, 59),
    state: 'active',
    silencedBy: [],
    inhibitedBy: [],
    ...given,
  }
}

export const startMs = Date.UTC(2026, 10, 22, 10)
export const load: Labels = { alertname: 'LoadHigh', instance: 'web-1:9100', job: 'node' }
export const firing = ruleOf('LoadHigh', { alerts: [engineAlert(load)] })
export const calm = ruleOf('LoadHigh')

/** Silences that are called `ours…` are; of others nothing but their names is known. */
function mutesOf({ state, silencedBy, inhibitedBy }: ManagedAlert): readonly MutedBy[] {
  const unknown = { id: null, by: null, untilMs: null, why: null, isOurs: false }
  if (state !== 'suppressed') return []
  return [
    ...silencedBy.map((id) => ({ ...unknown, kind: 'silence' as const, id, isOurs: id.startsWith('ours') })),
    ...inhibitedBy.map((by) => ({ ...unknown, kind: 'inhibition' as const, by })),
  ]
}

/** `silent`: servers of which no target answers. */
export function openAlertTown(silent: readonly string[] = [], ledger = memoryLedger()) {
  let nowMs = startMs
  let deleted: readonly string[] = []
  const bearingOf = () => ({})
  const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs: () => nowMs })
  const isDeleted = (hostname: string) => deleted.includes(hostname)
  const alerts = openAlerts({
    ledger,
    log,
    names: { ...namingByLabel(settings), bearingOf, isReporterAway: () => false },
    isDeleted,
    nowMs: () => nowMs,
  })
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
      const all = firingOf({ view, alerts: listed, ruleOf: rules.of, mutesOf, nowMs })
      alerts.take({
        firing: all,
        view,
        silent: new Set(silent),
        managedSinceMs: listed === null ? null : nowMs - upForMs,
      })
    },
    /** What mutes each open alert. */
    mutes: () =>
      log.list('start', 0).map(({ upstream }) => (upstream?.mutedBy ?? []).map(({ id, by }) => id ?? by)),
    open: () => log.list('start', 0).map(({ hostname, plugin }) => `${plugin} on ${hostname}`),
    over: () => log.list('end', 0).map(({ hostname, plugin }) => `${plugin} on ${hostname}`),
  }
}
