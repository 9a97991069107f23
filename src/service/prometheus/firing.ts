/** What fires now, combined from the rules of the engine and the list of the Alertmanagers. Pure. */
import type { MutedBy } from '../alerts/alert-records.ts'
import { Refusal } from '../refusal.ts'
import type { EngineAlert, EngineRule } from './engine.ts'
import { withoutReplica } from './identity.ts'
import type { MutesOf } from './muted-by.ts'
import { type Labels, withoutPort } from './naming.ts'
import { both, fingerprintOf, type ManagedAlert } from './records.ts'
import type { AlertRule } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'

export type Firing = {
  /** The Alertmanager's; computed from the labels if no Alertmanager has the alert, or several Prometheuses send it. */
  readonly fingerprint: string
  /** The Alertmanager's, of the copies that several Prometheuses send; none if it is its own. */
  readonly copies: readonly string[]
  /** Whether one of several Prometheuses sends it, or may do so: the end of one copy is not that of the other. */
  readonly isOfPair?: boolean
  /** Without those that tell copies apart. */
  readonly labels: Labels
  readonly annotations: Labels
  readonly startsAtMs: number
  /** Value of the rule's expression at its last evaluation; null if the engine does not report it. */
  readonly value: number | null
  readonly rule: AlertRule | null
  /** The engine's own alert; null if it has none with these labels. */
  readonly engineAlert: EngineAlert | null
  /** Empty if the Alertmanager notifies somebody of it. */
  readonly mutedBy: readonly MutedBy[]
}

/** The engine's evidence about an alert that is no longer in any list. */
export type Evidence =
  /** Its rule was evaluated successfully, and the alert is not there. */
  | 'over'
  /** It is firing or pending, or its rule could not be evaluated. */
  | 'there'
  /** The engine cannot tell: another sender's alert, a deleted rule, or labels other than those that the engine gave it. */
  | 'unknown'

export type EngineView = {
  /** Whether part of a rule could not be read. */
  readonly isPartial: boolean
  /** Whether some ruler did not answer: what is listed is so, and what is not listed proves nothing. */
  readonly isInDoubt: boolean
  /** Alerts that fire, each with its rule. */
  readonly firing: readonly { readonly alert: EngineAlert; readonly rule: EngineRule }[]
  /** `isIts`: whether the engine has had an alert with these labels before, so that it would have it now. */
  evidence(labels: Labels, isIts: boolean): Evidence
  /**
   * Whether the engine has an alert, firing or pending, whose labels are all among these but for some: those of the exporter that
   * reports it, which may be another one now. `except`: alerts that are listed as others.
   */
  hasBut(labels: Labels, but: readonly string[], except: ReadonlySet<unknown>): boolean
  /**
   * The engine's own alert with these labels: the Alertmanager's also have the external labels, and often a server label whose
   * port was cut off on the way (`alert_relabel_configs`).
   */
  find(labels: Labels): { readonly alert: EngineAlert; readonly rule: EngineRule } | null
  /** The labels that stay the same, whichever Prometheus of a pair sends the alert and wherever its exporter runs; those given if all do. */
  steady(labels: Labels, held: Held | null): Labels
}

/** Names of labels that are others after a restart of the exporter that reports this, and say nothing of what it reports about. */
export type PassingOf = (labels: Labels) => readonly string[]

const enginePrefix = 'engine '

/** An alert without a fingerprint from an Alertmanager. */
export function engineFingerprint(labels: Labels): string {
  return enginePrefix + fingerprintOf(labels)
}

export function isOfEngine(fingerprint: string): boolean {
  return fingerprint.startsWith(enginePrefix)
}

type Held = { readonly alert: EngineAlert; readonly rule: EngineRule }

const nameIn = (labels: Labels): string => labels.alertname ?? ''

/** Whether every label of the first is also in the second. */
export function isPart(part: Labels, whole: Labels): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value)
}

export function withoutNames(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)))
}

/** The labels without the port of the server label. */
export function withoutPorts(labels: Labels, serverLabel: string): Labels {
  const server = labels[serverLabel]
  return server === undefined ? labels : { ...labels, [serverLabel]: withoutPort(server) }
}

/** `isInDoubt`: rules, or alerts of those given, may be missing. `cluster`: of the engine, whose own alerts lack that label. */
export function viewOf(
  rules: readonly EngineRule[],
  settings: PrometheusSettings,
  isInDoubt = false,
  cluster = '',
  passingOf: PassingOf = () => [],
): EngineView {
  const byName = Map.groupBy(rules, ({ name }) => name)
  const held = rules.flatMap((rule) => rule.alerts.map((alert): Held => ({ alert, rule })))
  const firing = held.filter(({ alert }) => alert.state === 'firing')
  // What fires comes first: of several with the same labels the first one counts.
  const all = [...firing, ...held.filter(({ alert }) => alert.state !== 'firing')]

  const { serverLabel } = settings
  const located = (labels: Labels, { rule }: Held): Labels => inCluster(labels, rule, cluster)
  const bare = (labels: Labels): Labels => withoutPorts(labels, serverLabel)
  const plain = openIndexes(all, (labels) => labels, bare)
  /** Other clusters behind the same Alertmanager have the same rules, and alerts with the same labels otherwise. */
  const within = openIndexes(all, located, (labels, held) => bare(located(labels, held)))

  function find(labels: Labels): Held | null {
    const { exact, portless } = labels.cluster ? within : plain
    const found = exact(labels)
    const server = labels[serverLabel]
    if (found !== null || server === undefined || withoutPort(server) !== server) return found
    return portless(labels)
  }

  return {
    isPartial: rules.some(({ health }) => health === 'unreadable'),
    isInDoubt,
    firing,
    find,
    steady(labels, held) {
      const passing = passingOf(labels)
      const sent = withoutReplica(labels, held)
      return passing.length === 0 ? sent : withoutNames(sent, passing)
    },
    hasBut(labels, but, except) {
      const isIt = ({ alert, rule }: Held): boolean =>
        !except.has(alert) && isPart(withoutNames(inCluster(alert.labels, rule, cluster), but), labels)
      return (byName.get(nameIn(labels)) ?? []).some((rule) =>
        rule.alerts.some((alert) => isIt({ alert, rule })),
      )
    },
    evidence(labels, isIts) {
      if (isInDoubt && isIts) return 'there'
      const own = byName.get(nameIn(labels)) ?? []
      if (own.length === 0) return 'unknown'
      const isSure = own.every(
        ({ health, lastEvaluation }) => health === 'ok' && wasEvaluated(lastEvaluation),
      )
      if (!isSure || find(labels) !== null) return 'there'
      return isIts ? 'over' : 'unknown'
    },
  }
}

type Index = (labels: Labels) => Held | null
type LabelsOf = (labels: Labels, held: Held) => Labels

/** Made when they are needed first. */
function openIndexes(all: readonly Held[], exactOf: LabelsOf, portlessOf: LabelsOf) {
  let exact: Index | null = null
  let portless: Index | null = null
  return {
    exact(labels: Labels): Held | null {
      exact ??= indexOf(all, exactOf)
      return exact(labels)
    },
    portless(labels: Labels): Held | null {
      portless ??= indexOf(all, portlessOf)
      return portless(labels)
    },
  }
}

/** An engine in front of several clusters says with the rule, or with the alert, which one it is of. */
function inCluster(labels: Labels, rule: EngineRule, own: string): Labels {
  const { cluster = '' } = rule.labels
  const of = labels.cluster || (cluster.includes('{{') ? '' : cluster) || own
  return of === '' ? labels : { ...labels, cluster: of }
}

/**
 * Finds the first alert whose labels are all among the given ones, fast even if many have one name: indexed by each set of
 * label names that alerts of that name have, of which there are few.
 */
function indexOf(all: readonly Held[], labelsOf: LabelsOf): Index {
  type Shape = { readonly names: readonly string[]; readonly byValues: Map<string, Held> }
  const shapes = new Map<string, Map<string, Shape>>()
  for (const held of all) {
    // The labels of an alert in the log are without them.
    const labels = labelsOf(withoutReplica(held.alert.labels, held), held)
    const names = Object.keys(labels).sort()
    const ofName = shapes.get(nameIn(labels)) ?? new Map<string, Shape>()
    shapes.set(nameIn(labels), ofName)
    const text = JSON.stringify(names)
    const shape = ofName.get(text) ?? { names, byValues: new Map<string, Held>() }
    ofName.set(text, shape)
    const values = JSON.stringify(names.map((name) => labels[name]))
    if (!shape.byValues.has(values)) shape.byValues.set(values, held)
  }
  return (labels) => {
    for (const { names, byValues } of shapes.get(nameIn(labels))?.values() ?? []) {
      const found = byValues.get(JSON.stringify(names.map((name) => labels[name])))
      if (found !== undefined) return found
    }
    return null
  }
}

/** An engine that has just started reports the year 1. */
function wasEvaluated(at: string): boolean {
  return at === '' || Date.parse(at) > 0
}

/**
 * Combines both. `alerts` null: there is no Alertmanager, or none of the engine's alerts reaches it; then the engine's own alerts
 * count. Copies that differ only by the Prometheus that sends them are one.
 */
export function firingOf(parts: {
  readonly view: EngineView
  readonly alerts: readonly ManagedAlert[] | null
  readonly ruleOf: (rule: EngineRule) => AlertRule | null
  readonly mutesOf: MutesOf
  readonly nowMs: number
}): readonly Firing[] {
  const { view, alerts, ruleOf, mutesOf, nowMs } = parts
  if (alerts === null) {
    if (view.isPartial) {
      throw new Refusal(502, 'Prometheus lists a rule that cannot be read, so that what fires is not known')
    }
    const found = new Map<string, Firing>()
    for (const held of view.firing) {
      const { alert, rule } = held
      const fingerprint = engineFingerprint(view.steady(alert.labels, held))
      if (found.has(fingerprint)) continue
      const whole = engineFingerprint(alert.labels)
      found.set(fingerprint, {
        fingerprint,
        copies: whole === fingerprint ? [] : [whole],
        labels: withoutReplica(alert.labels, held),
        annotations: alert.annotations,
        startsAtMs: timeOf(alert.activeAt) ?? nowMs,
        value: numberOf(alert.value),
        rule: ruleOf(rule),
        engineAlert: view.find(alert.labels)?.alert ?? null,
        mutedBy: [],
      })
    }
    return [...found.values()]
  }
  return uniteCopies(alerts, view).map(({ alert, held, copies, isOfPair = false }) => ({
    fingerprint: alert.fingerprint,
    copies,
    isOfPair,
    labels: alert.labels,
    annotations: alert.annotations,
    startsAtMs: alert.startsAtMs,
    value: held === null ? null : numberOf(held.alert.value),
    rule: held === null ? null : ruleOf(held.rule),
    engineAlert: held?.alert ?? null,
    mutedBy: mutesOf(alert),
  }))
}

type Listed = {
  /** With the labels of the newest, but those that tell Prometheuses of a pair apart; its fingerprint is that of the steady ones. */
  readonly alert: ManagedAlert
  readonly held: Held | null
  readonly copies: readonly string[]
  readonly isOfPair?: boolean
}

/**
 * Copies are one alert: those that the Prometheuses of a pair send, and those that an exporter reports from where it was and from where
 * it is, which a rule that looks back for minutes has side by side.
 */
function uniteCopies(alerts: readonly ManagedAlert[], view: EngineView): readonly Listed[] {
  const listed = alerts.map((alert) => {
    const held = view.find(alert.labels)
    return { alert, held, steady: view.steady(alert.labels, held) }
  })
  const isAsSent = ({ alert, steady }: (typeof listed)[number]): boolean => steady === alert.labels
  const one = ({ alert, held }: (typeof listed)[number]): Listed => ({ alert, held, copies: [] })
  // Few have such labels, and hashing thousands takes its time.
  if (listed.every(isAsSent)) return listed.map(one)
  const groups = Map.groupBy(listed, ({ steady }) => fingerprintOf(steady))
  return [...groups].flatMap(([fingerprint, group]): readonly Listed[] => {
    if (group.every(isAsSent)) return group.map(one)
    const newest = group.reduce((a, b) => (b.alert.startsAtMs > a.alert.startsAtMs ? b : a))
    const { labels, annotations } = newest.alert
    const united = group.map(({ alert }) => alert).reduce(both)
    return [
      {
        alert: { ...united, annotations, fingerprint, labels: withoutReplica(labels, newest.held) },
        held: newest.held ?? group.find(({ held }) => held !== null)?.held ?? null,
        copies: group.map(({ alert }) => alert.fingerprint),
        isOfPair: group.some(({ alert, held }) => withoutReplica(alert.labels, held) !== alert.labels),
      },
    ]
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
