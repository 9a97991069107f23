/** What fires now, put together from the rules of the engine and the list of the Alertmanagers. Pure. */
import { createHash } from 'node:crypto'
import { textOfLabels } from '../metrics/metric-key.ts'
import type { ManagedAlert } from './alertmanagers.ts'
import type { EngineAlert, EngineRule } from './engine.ts'
import { type Labels, nameOf } from './naming.ts'
import type { AlertRule } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'

export type Firing = {
  /** Of the Alertmanager; of the labels where there is none, or none that has it. */
  readonly fingerprint: string
  readonly labels: Labels
  readonly annotations: Labels
  readonly startsAtMs: number
  /** What the rule's expression was at its last evaluation; null where the engine does not say. */
  readonly value: number | null
  readonly rule: AlertRule | null
  /** Silenced by somebody else, or inhibited: not told, so not open here. */
  readonly isHidden: boolean
}

/** What the engine says of an alert that no list holds any more. */
export type Evidence =
  /** It has been evaluated, well, and the alert is not there. */
  | 'over'
  /** It fires or is on its way, or its rule could not be evaluated. */
  | 'there'
  /** No rule of this engine has this name: it is somebody else's, or its rule was deleted. */
  | 'unknown'

export type EngineView = {
  /** Alerts that fire, each with its rule. */
  readonly firing: readonly { readonly alert: EngineAlert; readonly rule: EngineRule }[]
  evidence(labels: Labels): Evidence
  /** The engine's own alert of these labels: the Alertmanager's have the external labels beside. */
  find(labels: Labels): { readonly alert: EngineAlert; readonly rule: EngineRule } | null
}

const enginePrefix = 'engine '

/** An alert that no Alertmanager has named. */
export function engineFingerprint(labels: Labels): string {
  const text = textOfLabels(new Map(Object.entries(labels)))
  return enginePrefix + createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export function isOfEngine(fingerprint: string): boolean {
  return fingerprint.startsWith(enginePrefix)
}

type Held = { readonly alert: EngineAlert; readonly rule: EngineRule }

const nameIn = (labels: Labels): string => labels.alertname ?? ''

/** Whether every label of the one is one of the other. */
export function isPart(part: Labels, whole: Labels): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value)
}

export function viewOf(rules: readonly EngineRule[], settings: PrometheusSettings): EngineView {
  const byName = new Map<string, EngineRule[]>()
  const byPlace = new Map<string, Held[]>()
  // Two labels that nearly every alert differs in keep each comparison short.
  const placeOf = (labels: Labels): string =>
    JSON.stringify([nameIn(labels), nameOf(labels, settings).hostname])
  const firing: Held[] = []
  for (const rule of rules) {
    byName.set(rule.name, [...(byName.get(rule.name) ?? []), rule])
    for (const alert of rule.alerts) {
      const place = placeOf(alert.labels)
      const held = byPlace.get(place)
      if (held === undefined) byPlace.set(place, [{ alert, rule }])
      else held.push({ alert, rule })
      if (alert.state === 'firing') firing.push({ alert, rule })
    }
  }

  const find = (labels: Labels): Held | null => {
    const found = (byPlace.get(placeOf(labels)) ?? []).filter(({ alert }) => isPart(alert.labels, labels))
    return found.find(({ alert }) => alert.state === 'firing') ?? found[0] ?? null
  }

  return {
    firing,
    find,
    evidence(labels) {
      const own = byName.get(nameIn(labels)) ?? []
      if (own.length === 0) return 'unknown'
      const isSure = own.every(
        ({ health, lastEvaluation }) => health === 'ok' && wasEvaluated(lastEvaluation),
      )
      return isSure && find(labels) === null ? 'over' : 'there'
    },
  }
}

/** An engine that has just started says the year 1. */
function wasEvaluated(at: string): boolean {
  return at === '' || Date.parse(at) > 0
}

/** `alerts` null: there is no Alertmanager, or none of the engine's alerts comes to it; then the engine's own are what fires. */
export function firingOf(parts: {
  readonly view: EngineView
  readonly alerts: readonly ManagedAlert[] | null
  readonly ruleOf: (rule: EngineRule) => AlertRule | null
  readonly isOurs: (silenceId: string) => boolean
  readonly nowMs: number
}): readonly Firing[] {
  const { view, alerts, ruleOf, isOurs, nowMs } = parts
  if (alerts === null) {
    return view.firing.map(({ alert, rule }) => ({
      fingerprint: engineFingerprint(alert.labels),
      labels: alert.labels,
      annotations: alert.annotations,
      startsAtMs: timeOf(alert.activeAt) ?? nowMs,
      value: numberOf(alert.value),
      rule: ruleOf(rule),
      isHidden: false,
    }))
  }
  return alerts.map((alert) => {
    const held = view.find(alert.labels)
    return {
      fingerprint: alert.fingerprint,
      labels: alert.labels,
      annotations: alert.annotations,
      startsAtMs: alert.startsAtMs,
      value: held === null ? null : numberOf(held.alert.value),
      rule: held === null ? null : ruleOf(held.rule),
      isHidden:
        alert.state === 'suppressed' &&
        (alert.inhibitedBy.length > 0 || alert.silencedBy.some((id) => !isOurs(id))),
    }
  })
}

function timeOf(text: string): number | null {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms <= 0 ? null : ms
}

function numberOf(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}
