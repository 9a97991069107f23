/**
 * What makes an alert the same trouble as an earlier one: the labels that stay when it comes back under another number. Its name in
 * the API (`trouble`) and the silence that mutes it alone are both made of these matchers. Pure.
 */
import { createHash } from 'node:crypto'
import type { Labels, Matcher } from './naming.ts'

/** What is known of an alert beyond its labels; kept with its record, so that its trouble stays what it is while it is open. */
export type Bearing = {
  /**
   * For a label whose value is new after each restart (the pod of a deployment): a regular expression for RE2, anchored, that matches
   * all values it may have while the trouble is the same (all pods of that owner).
   */
  readonly patterns?: Readonly<Record<string, string>> | undefined
  /** Names of labels that say which exporter reports it, and nothing of what it reports about. */
  readonly reporter?: readonly string[] | undefined
}

/** New for the same trouble: of a container that was restarted, of a scraped port, of one Prometheus of a pair. */
const passing: ReadonlySet<string> = new Set(['uid', 'container_id', 'id', 'endpoint', 'prometheus_replica'])
const replicaLabel = 'replica'

/**
 * Matchers, sorted by label, for the alert's own labels. An absent label matches anything, so a silence of one alert alone also
 * needs `x=""` for labels that others of its name have.
 */
export function identityOf(
  labels: Labels,
  { patterns = {}, reporter = [] }: Bearing = {},
): readonly Matcher[] {
  // With another pod comes another address.
  const isLeftOut = (name: string): boolean =>
    passing.has(name) ||
    reporter.includes(name) ||
    (name === 'instance' && Object.hasOwn(patterns, 'pod') && Object.hasOwn(labels, 'pod'))
  return Object.keys(labels)
    .filter((name) => labels[name] !== '' && !isLeftOut(name))
    .sort()
    .map((name) => {
      const isRegex = Object.hasOwn(patterns, name)
      return { name, value: (isRegex ? patterns[name] : labels[name]) ?? '', isRegex, isEqual: true }
    })
}

/** 32 hexadecimal digits: equal for the same trouble, in every run, whatever the order of the labels. */
export function troubleOf(labels: Labels, bearing: Bearing = {}): string {
  const parts = identityOf(labels, bearing).map(({ name, value, isRegex }) => [name, isRegex, value])
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Whether this label may tell the Prometheuses of a pair apart. */
export function isOfReplica(name: string): boolean {
  return name === 'prometheus_replica' || name === replicaLabel
}

/**
 * The labels without those that tell the Prometheuses of a pair apart, which are external labels or set by whoever evaluates the
 * rule. A `replica` that comes from the series itself (of a database) stays: its neighbour is another alert.
 *
 * `own`: the engine's alert and its rule; null if the engine does not know it.
 */
export function withoutReplica(
  labels: Labels,
  own: { readonly alert: { readonly labels: Labels }; readonly rule: { readonly labels: Labels } } | null,
): Labels {
  const isOfSeries =
    own !== null &&
    Object.hasOwn(own.alert.labels, replicaLabel) &&
    !Object.hasOwn(own.rule.labels, replicaLabel)
  const hasNone = !Object.hasOwn(labels, 'prometheus_replica') && !Object.hasOwn(labels, replicaLabel)
  if (hasNone) return labels
  const bare = isOfSeries ? bareButSeries : bareOfAll
  const known = bare.get(labels)
  if (known !== undefined) return known
  const { prometheus_replica: _, [replicaLabel]: ofSeries, ...others } = labels
  const found = isOfSeries && ofSeries !== undefined ? { ...others, [replicaLabel]: ofSeries } : others
  bare.set(labels, found)
  return found
}

/** What `withoutReplica` made of labels: thousands are asked for at every reading, and are the same objects. */
const bareButSeries = new WeakMap<Labels, Labels>()
const bareOfAll = new WeakMap<Labels, Labels>()
