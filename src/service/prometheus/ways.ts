/** The way of a name: which labels make it, kept with the name, and read again for matchers, selectors and bearings. Pure. */
import {
  equals,
  escapeRegex,
  type Labels,
  type Matcher,
  matches,
  type Named,
  serverRegex,
  type WayPart,
} from './naming.ts'
import { type Known, nameByTemplates, passingOfLabels, type Rules } from './templates.ts'

/** A way that finds exactly the labels that make the name of this alert, and none of its workload's other pods. */
export function wayOfAlert(hostname: string, labels: Labels, { used, by }: Named): Named {
  const parts: readonly WayPart[] = ['alertname', 'cluster', ...used].map((name) => [
    '=',
    name,
    labels[name] ?? '',
  ])
  return { hostname, by, way: JSON.stringify(parts), used }
}

/** The matchers of a way, by what is known of its workload now. */
export function matchersOfWay(way: string, known: Known): readonly Matcher[] {
  const parts = partsIn(way)
  const matchers = parts.map((part) => matcherOf(part, known))
  if (parts.some(([, label]) => label === 'job')) return matchers
  // What an exporter reports has its own pod's labels, if they are not honored: it is not about that pod.
  const jobs = reportersAmong(parts, known)
  if (jobs.length === 0) return matchers
  return [...matchers, { ...matches('job', jobs.map(escapeRegex).join('|')), isEqual: false }]
}

function reportersAmong(parts: readonly WayPart[], known: Known): readonly string[] {
  const exact = (label: string) => parts.find((part) => part[1] === label && part[0] === '=')?.[2] ?? ''
  const pod = parts.find((part) => part[1] === 'pod' && part[2] !== '')
  if (pod === undefined) return []
  const { value, isRegex } = matcherOf(pod, known)
  const expression = isRegex ? new RegExp(`^(?:${value})$`) : null
  const isPod = (name: string): boolean => expression?.test(name) ?? name === value
  return known.reportersIn(exact('cluster'), exact('namespace'), isPod)
}

function matcherOf(part: WayPart, known: Known): Matcher {
  const [kind, label] = part
  switch (kind) {
    case 'some':
      return matches(label, '.+')
    case '=':
      return equals(label, part[2])
    case 'port':
      return matches(label, serverRegex([part[2]]))
    case 'pods': {
      const [cluster, namespace, owner, name] = JSON.parse(part[2]) as [string, string, string, string]
      return matches(label, known.podsOf(cluster, namespace, { kind: owner, name }))
    }
    case 'jobs': {
      const [cluster, namespace, cronJob] = JSON.parse(part[2]) as [string, string, string]
      return matches(label, known.jobsOf(cluster, namespace, cronJob))
    }
  }
}

function partsIn(way: string): readonly WayPart[] {
  return JSON.parse(way) as WayPart[]
}

/** The most telling label of a name, with the regular expression of its values. */
export function selectorOfWay(
  { way = '[]', used }: Named,
  known: Known,
): { readonly label: string; readonly regex: string } | null {
  const label = used.at(-1)
  const part = partsIn(way).find((one) => one[1] === label)
  if (part === undefined) return null
  const { name, value, isRegex } = matcherOf(part, known)
  return { label: name, regex: isRegex ? value : escapeRegex(value) }
}

/** What of an alert's labels says who reports it, and which patterns stand for its pod and its job. */
export function bearingOfLabels(
  labels: Labels,
  rules: Rules,
  known: Known,
): { readonly patterns: Readonly<Record<string, string>>; readonly reporter: readonly string[] } {
  const said = passingOfLabels(labels, rules, known)
  const { way = '[]' } = nameByTemplates(labels, rules, known)
  const patterns = partsIn(way)
    .filter(([kind, label]) => (kind === 'pods' || kind === 'jobs') && !said.includes(label))
    .map((part) => [part[1], matcherOf(part, known).value] as const)
  return { patterns: Object.fromEntries(patterns), reporter: said }
}
