/**
 * Which alerts are the same: by their labels, without those that only say who reports. And what proves that one which nobody lists is
 * over: whatever is away, too young or partly unreadable proves nothing. Pure.
 */
import { createHash } from 'node:crypto'
import type { StoredAlert } from '../source.ts'
import type { QuerySeries, Rule } from './look.ts'
import { fleeting, isOfObjects, type Labels, podPattern } from './naming.ts'
import { readExpression } from './promql.ts'

/** As Prometheuses of a pair are told apart. */
const replicaNames = ['replica', 'prometheus_replica']

export class Identity {
  private externals: readonly Labels[] = []
  /** Names and values that all rulers add, now or earlier in this run: an Alertmanager lists them for minutes. */
  private readonly common = new Map<string, Set<string>>()
  /** Rules whose own series have a `replica`: the join is gone before the Alertmanager forgets the alert. */
  private readonly withReplica = new Set<string>()
  private readonly ownRules = new Set<string>()

  /** What was open before this run tells which rules were known then. */
  constructor(open: readonly StoredAlert[]) {
    for (const { key, plugin, triggerId } of open) {
      if (triggerId !== undefined) this.ownRules.add(plugin)
      if (replicaNames.some((name) => key.includes(`["${name}",`))) this.withReplica.add(plugin)
    }
  }

  learn(externals: readonly Labels[], rules: readonly Rule[]): void {
    this.externals = externals
    for (const [name, value] of Object.entries(externals[0] ?? {}))
      if (externals.every((labels) => labels[name] === value))
        this.common.set(name, (this.common.get(name) ?? new Set()).add(value))
    for (const { name, alerts } of rules) {
      this.ownRules.add(name)
      if (alerts.some(({ labels }) => replicaNames.some((one) => labels[one]))) this.withReplica.add(name)
    }
  }

  /** All but what all rulers add, the replica of a pair, and the address of kube-state-metrics. `__…` are Grafana's own. */
  keyOf(labels: Labels): string {
    const isOfReporter = isOfObjects(labels.job)
    const isLeftOut = (name: string, value = '') =>
      value === '' ||
      name.startsWith('__') ||
      this.isOfPair(name, labels.alertname) ||
      this.common.get(name)?.has(value) ||
      (isOfReporter && (name === 'instance' || (name === 'pod' && value.includes('kube-state-metrics'))))
    const names = Object.keys(labels).filter((name) => !isLeftOut(name, labels[name]))
    return JSON.stringify(names.sort().map((name) => [name, labels[name]]))
  }

  withoutReplica(labels: Labels): Labels {
    const kept = Object.entries(labels).filter(([name]) => !this.isOfPair(name, labels.alertname))
    return Object.fromEntries(kept)
  }

  /** Another cluster's, say: it has another value of a label that all of our rulers add. */
  isForeign(labels: Labels, externals = this.externals): boolean {
    const names = Object.keys(externals[0] ?? {}).filter((name) => !replicaNames.includes(name))
    const isElse = (name: string) => externals.every((external) => external[name] !== labels[name])
    return names.some((name) => labels[name] !== undefined && isElse(name))
  }

  private isOfPair(name: string, rule = ''): boolean {
    const isAdded = () => this.externals.some((labels) => Object.hasOwn(labels, name))
    return replicaNames.includes(name) && this.ownRules.has(rule) && !this.withReplica.has(rule) && isAdded()
  }
}

/** The same trouble after a restart: of a pod its workload, without what is new each time. */
export function troubleOf(key: string): string {
  const labels = JSON.parse(key) as [string, string][]
  const hasPod = labels.some(([name]) => name === 'pod')
  const steady = labels
    .filter(([name]) => !fleeting.includes(name) && !(hasPod && name === 'instance'))
    .map(([name, value]) => [name, name === 'pod' ? podPattern(value) : value])
  return createHash('sha256').update(JSON.stringify(steady)).digest('hex').slice(0, 32)
}

const minute = 60_000
/** Before, a start has not evaluated its rules; an Alertmanager has not heard of what fires; a rule may be loaded again. */
const youngMs = { engine: minute, manager: 5 * minute, rule: 5 * minute }
/** A kube-state-metrics that is away for longer does not come back. */
const awayMaxMs = 30 * minute

export type Evidence = {
  readonly atMs: number
  readonly named: ReadonlyMap<string, readonly Rule[]>
  readonly isPartial: boolean
  /** The latest start of a ruler, and of an Alertmanager; null: there is none, or one does not say it. */
  readonly startMs: number | null
  readonly managerStartMs: number | null
  readonly hasManagers: boolean
  /** Since when kube-state-metrics answers without a gap, and when it answered last; null: nobody scrapes it, or it is not known. */
  readonly objectsSinceMs: number | null
  readonly objectsSeenMs: number | null
  /** When a rule of this name was there last; before this run, its begin. */
  ruleSeenMs(name: string): number
}

export function isOver(alert: StoredAlert, evidence: Evidence, identity: Identity): boolean {
  const { atMs, isPartial, startMs } = evidence
  if (isPartial) return false
  const labels = alert.labels ?? {}
  const name = labels.alertname ?? alert.plugin
  const named = evidence.named.get(name) ?? []
  // Pending counts too: it fired, and may again at the next evaluation.
  if (named.some((rule) => rule.alerts.some((one) => isSame(one.labels, alert, identity)))) return false
  if (startMs !== null && atMs - startMs < youngMs.engine) return false
  const isGone = named.length === 0
  if (!isGone && !identity.isForeign(labels)) return named.every((rule) => hasSpoken(rule, alert, evidence))
  if (!evidence.hasManagers) return isGone && atMs - evidence.ruleSeenMs(name) >= youngMs.rule
  return evidence.managerStartMs !== null && atMs - evidence.managerStartMs >= youngMs.manager
}

/** Of other labels too, as `alert_relabel_configs` and engines that hide their external labels make them: what both have is equal. */
export function isSame(labels: Labels, alert: StoredAlert, identity: Identity): boolean {
  if (identity.keyOf(labels) === alert.key) return true
  const own = alert.labels ?? {}
  return !identity.isForeign(own) && agree(labels, own)
}

export function agree(one: Labels, other: Labels): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === undefined || other[name] === value)
}

function hasSpoken(rule: Rule, { startedMs, labels = {} }: StoredAlert, evidence: Evidence): boolean {
  const { atMs, objectsSinceMs, objectsSeenMs } = evidence
  if (rule.health !== 'ok' || rule.lastEvaluation <= Math.max(0, startedMs - minute)) return false
  if (readExpression(rule.query)?.isOfObjects !== true) return true
  // A kube-state-metrics may have moved: what it reports is pending again for a rule's `for`.
  if (objectsSinceMs !== null) return atMs - objectsSinceMs >= (rule.duration + 60) * 1000
  if (objectsSeenMs !== null) return atMs - objectsSeenMs >= awayMaxMs
  return !isOfObjects(labels.job)
}

/** Since when all of these targets answer without a gap; null: none answers now. One that is not scraped any more has no say. */
export function answersSinceMs(samples: readonly QuerySeries[], atMs: number): number | null {
  const begins = samples.flatMap(({ values = [] }) => {
    let begin: number | null = null
    let last = 0
    for (const [at, value] of values) {
      begin = value === '1' ? (begin !== null && at - last <= 300 ? begin : at) : null
      last = at
    }
    return atMs - last * 1000 > 5 * minute ? [] : [begin === null ? atMs : begin * 1000]
  })
  return begins.length === 0 ? null : Math.max(...begins)
}
