/** Which alerts are the same: by their labels, without those that only say who reports. */
import { createHash } from 'node:crypto'
import type { StoredAlert } from '../source.ts'
import { isOfObjects, type Labels, podPattern } from './naming.ts'
import type { Rule } from './records.ts'

/** As Prometheuses of a pair are told apart. */
const replicaNames = ['replica', 'prometheus_replica']

export class Identity {
  /** External labels of each ruler. */
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
    const kept = Object.entries(labels).filter(([name, value]) => {
      if (value === '' || name.startsWith('__') || this.common.get(name)?.has(value)) return false
      if (isOfReporter && name === 'instance') return false
      if (isOfReporter && name === 'pod' && /kube-state-metrics/.test(value)) return false
      return !this.isOfPair(name, labels.alertname)
    })
    return JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Without what differs from one copy of a pair to the other. */
  withoutReplica(labels: Labels): Labels {
    const kept = Object.entries(labels).filter(([name]) => !this.isOfPair(name, labels.alertname))
    return Object.fromEntries(kept)
  }

  /** Another cluster's, say: it has another value of a label that all of our rulers add. */
  isForeign(labels: Labels): boolean {
    const names = Object.keys(this.externals[0] ?? {}).filter((name) => !replicaNames.includes(name))
    return names.some(
      (name) =>
        labels[name] !== undefined && this.externals.every((external) => external[name] !== labels[name]),
    )
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
  const fleeting = ['uid', 'container_id', 'id', 'endpoint', ...(hasPod ? ['instance'] : [])]
  const steady = labels
    .filter(([name]) => !fleeting.includes(name))
    .map(([name, value]) => [name, name === 'pod' ? podPattern(value) : value])
  return createHash('sha256').update(JSON.stringify(steady)).digest('hex').slice(0, 32)
}
