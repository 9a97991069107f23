/** Rules and alerts as an engine and an Alertmanager say them, for tests that need no real one. */

import type { EngineRule } from '../../../src/service/prometheus/engine.ts'
import type { Labels } from '../../../src/service/prometheus/naming.ts'
import type { ManagedAlert } from '../../../src/service/prometheus/records.ts'
import type { PrometheusSettings } from '../../../src/service/prometheus/settings.ts'

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
