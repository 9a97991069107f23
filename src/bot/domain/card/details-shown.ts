/** What a card shows of what its alert's author wrote: labels, and as much of the description as has room. */
import type { Alert } from '../alert/alert.ts'
import { labelOf } from '../alert/match.ts'

export type ShownLabel = { readonly name: string; readonly value: string }

/** The labels that tell people on Kubernetes which of several it is, the widest first. */
export const usualLabels: readonly string[] = [
  ...['namespace', 'deployment', 'statefulset', 'daemonset', 'job_name', 'persistentvolumeclaim'],
  ...['pod', 'container', 'node', 'mountpoint', 'device'],
]

/** Always shown: two clusters may have a server of one name, and whoever has only one gives it no such label. */
const clusterLabel = 'cluster'
const reporters = /exporter|kube-state-metrics|blackbox/i

/**
 * The labels for a card, in this order, each value once. `names` null: the usual ones, without those of the exporter that only
 * reports what happens elsewhere.
 */
export function labelsFor(alert: Alert, names: readonly string[] | null): readonly ShownLabel[] {
  const own = names === null && isOfReporter(alert) ? new Set(['namespace', 'pod', 'container']) : new Set()
  const shown = new Map<string, ShownLabel>()
  for (const name of [clusterLabel, ...(names ?? usualLabels)]) {
    const value = own.has(name) ? null : labelOf(alert, name)
    if (value !== null && !shown.has(value)) shown.set(value, { name, value })
  }
  return [...shown.values()]
}

/** Are its namespace, pod and container those of the exporter itself? Then its pod is called as its job is. */
function isOfReporter(alert: Alert): boolean {
  const [job, pod] = [labelOf(alert, 'job'), labelOf(alert, 'pod')]
  return job !== null && pod !== null && reporters.test(job) && pod.startsWith(job)
}

/** Room for the description on a card; the whole stands in its thread. */
const cardCharsMax = 160

/** The description without its line breaks, as far as it has room; empty where the title says the same. */
export function descriptionOn({ title, details }: Alert): {
  readonly words: string
  readonly isWhole: boolean
} {
  const words = (details?.description ?? '').replace(/\s+/g, ' ').trim()
  if (words === '' || title.replace(/\s+/g, ' ').includes(words)) return { words: '', isWhole: true }
  const chars = [...words]
  if (chars.length <= cardCharsMax) return { words, isWhole: true }
  const cut = chars.slice(0, cardCharsMax - 1).join('')
  // At the end of a word, where it is not one long word.
  const end = cut.lastIndexOf(' ')
  return { words: `${cut.slice(0, end > cardCharsMax / 2 ? end : undefined).trimEnd()}…`, isWhole: false }
}
