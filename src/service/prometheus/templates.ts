/**
 * Names servers by templates such as `{namespace}/{pod}`: the first whose labels are all there. An exporter is never the server of
 * what it reports about, and a pod is its workload, where that is known. Pure.
 */
import { hostnameFault } from '../store/registry.ts'
import { everywhere, type Labels, type Named, type NamedBy, type WayPart, withoutPort } from './naming.ts'
import type { Workload } from './workloads.ts'

export type Template = {
  readonly text: string
  /** In the order of the text. */
  readonly labels: readonly string[]
  /** The texts around them: one more than there are labels. */
  readonly texts: readonly string[]
}

export const usualTemplates: readonly string[] = [
  '{namespace}/{deployment}',
  '{namespace}/{statefulset}',
  '{namespace}/{daemonset}',
  '{namespace}/{job_name}',
  '{namespace}/{persistentvolumeclaim}',
  '{namespace}/{horizontalpodautoscaler}',
  '{namespace}/{pod}',
  '{node}',
  '{instance}',
  '{namespace}',
  '{job}',
]

/** Globs on the jobs of exporters that report about others. The release often stands before the name. */
export const usualReporters: readonly string[] = ['*kube-state-metrics*', '*exporter*', '*blackbox*']

/** Null if it holds no `{label}`, or a bracket of none. */
export function parseTemplate(text: string): Template | null {
  const pieces = text.split(/\{([a-zA-Z_][a-zA-Z0-9_]*)\}/)
  const labels = pieces.filter((_, at) => at % 2 === 1)
  const texts = pieces.filter((_, at) => at % 2 === 0)
  return labels.length === 0 || texts.some((one) => /[{}]/.test(one)) ? null : { text, labels, texts }
}

/** What is known of the clusters; every look-up is within one. `cluster` is empty where alerts have no such label. */
export type Known = {
  /** The cluster of series and targets without that label: the engine's own. */
  readonly cluster: string
  /** Labels of this target of a reporter, of each if `instance` is missing; null: it is not known. */
  targets(cluster: string, job: string, instance: string | undefined): readonly Labels[] | null
  /** The job of kube-state-metrics that reports this alert, if it has the labels of its target, and no job; null: it does not. */
  objectsJobOf(cluster: string, labels: Labels): string | null
  /** Whether this job is kube-state-metrics, whose address is never of interest. */
  isOfObjects(job: string): boolean
  /** Whether targets are scraped without `honor_labels`: what an exporter says of a pod is then in `exported_pod`. */
  readonly isExported: boolean
  /** Null: not known. `lone`: nothing owns it. */
  workloadOf(cluster: string, namespace: string, pod: string): Workload | 'lone' | null
  cronJobOf(cluster: string, namespace: string, job: string): string | null
  /** Regular expressions of the pods and jobs; of one that is not known any more, its usual form. */
  podsOf(cluster: string, namespace: string, workload: Workload): string
  jobsOf(cluster: string, namespace: string, cronJob: string): string
  /** Jobs of reporters whose own pod it is. */
  reportersIn(cluster: string, namespace: string, isPod: (pod: string) => boolean): readonly string[]
}

export type Rules = {
  templatesOf(job: string): readonly Template[]
  isReporter(job: string): boolean
}

/** The labels that targets have and that objects of Kubernetes have too. */
const shared = ['namespace', 'pod', 'node', 'container', 'service'] as const

/** An exporter that reports about others, as far as an alert shows it. */
type Reporter = {
  readonly job: string
  readonly isOfObjects: boolean
  /** Whether its target is not known. */
  readonly isGuessed: boolean
  /** Whether the alert shows what the exporter said in labels of their own. */
  readonly isExported: boolean
  /** Whether all of these are labels of the exporter itself, with these values. */
  areOwn(labels: readonly string[]): boolean
}

export function nameByTemplates(labels: Labels, rules: Rules, known: Known): Named {
  const job = labels.job ?? ''
  const cluster = labels.cluster || known.cluster
  const reporter = reporterOf(labels, rules, known)
  const absent = new Set<string>()
  const pinned = new Set<string>()
  let isSkipped = false

  for (const template of rules.templatesOf(job)) {
    const used = usedOf(template, labels, reporter, cluster)
    if ('missing' in used) {
      if (used.isOwn) pinned.add(used.missing)
      else absent.add(used.missing)
      continue
    }
    if (reporter !== null && isOfReporter(template, used.names, reporter)) {
      isSkipped = true
      if (!isOnly(template, 'instance'))
        for (const name of used.names.filter((one) => reporter.areOwn([one]))) pinned.add(name)
      continue
    }
    const naming = partsOf(template, used, labels, cluster, known)
    const hostname = prefixed(template, cluster, naming.name)
    if (hostnameFault(hostname) !== null) continue
    const names = new Set(used.names)
    const isTold =
      reporter !== null &&
      (isSkipped || pinned.size > 0 || used.names.some((name) => name.startsWith('exported_')))
    const way: WayPart[] = [
      ...naming.parts,
      ['=', 'cluster', cluster],
      ...(isTold && !names.has('job') ? [['=', 'job', job] as const] : []),
      ...[...pinned]
        .filter((name) => !names.has(name) && name !== 'job' && name !== 'cluster')
        .flatMap((name) => pinOf(name, labels, cluster, known)),
      ...[...absent].map((name) => ['=', name, ''] as const),
      ...unexported(
        [...pinned, ...names, ...absent],
        labels,
        isTold || (reporter === null && known.isExported),
      ),
    ]
    return {
      hostname,
      by: byOf(template),
      way: JSON.stringify(way),
      used: used.names.filter((name) => name !== 'cluster'),
      ...(naming.isLonePod ? { isLonePod: true } : {}),
      ...(naming.isLonePod || reporter?.isGuessed === true ? { isUnsure: true } : {}),
    }
  }
  const way: WayPart[] = [
    ['some', 'alertname'],
    ['=', 'cluster', cluster],
    ...[...absent].map((name) => ['=', name, ''] as const),
  ]
  const hostname = cluster === '' ? everywhere : `${cluster}/${everywhere}`
  return { hostname, by: 'none', way: JSON.stringify(way), used: [] }
}

/** Names of nothing but these are of no server. */
const wholes: ReadonlySet<string> = new Set(['cluster', 'namespace', 'job'])

function byOf({ labels }: Template): NamedBy {
  return labels.every((label) => wholes.has(label)) ? 'service' : 'server'
}

function isOnly({ labels }: Template, label: string): boolean {
  return labels.every((one) => one === label)
}

function prefixed({ labels }: Template, cluster: string, name: string): string {
  return cluster === '' || labels.includes('cluster') ? name : `${cluster}/${name}`
}

type Used = { readonly names: readonly string[]; readonly values: readonly string[] }

/**
 * The labels of the alert that stand for those of the template, and their values; else the last one that is missing, which is the
 * one that tells the template from others. `isOwn`: it is there, but says who reports, and not about what.
 */
function usedOf(
  { labels: wanted }: Template,
  labels: Labels,
  reporter: Reporter | null,
  cluster: string,
): Used | { readonly missing: string; readonly isOwn: boolean } {
  const names: string[] = []
  const values: string[] = []
  let missing: string | null = null
  let own: string | null = null
  for (const label of wanted) {
    const exported = `exported_${label}`
    const name = reporter !== null && labels[exported] ? exported : label
    const value = label === 'cluster' ? cluster : (labels[name] ?? '')
    if (value === '') missing = label
    else if (reporter?.isExported === true && name === label && isOfTarget(label, reporter)) own = label
    names.push(name)
    values.push(value)
  }
  if (missing !== null) return { missing, isOwn: false }
  return own === null ? { names, values } : { missing: own, isOwn: true }
}

/** Where some labels were exported, the exporter's own can only be those of its target. */
function isOfTarget(label: string, reporter: Reporter): boolean {
  return label !== 'job' && label !== 'instance' && reporter.areOwn([label])
}

/** Whether a template names the exporter itself. Its job does, and is better than nothing. */
function isOfReporter(template: Template, names: readonly string[], reporter: Reporter): boolean {
  if (isOnly(template, 'job')) return false
  if (isOnly(template, 'instance')) return reporter.isOfObjects && names[0] === 'instance'
  // The last one tells what it is: a quota of a namespace comes with the pod that reports it, which is in another namespace.
  return reporter.areOwn(names.filter((name) => name !== 'cluster').slice(-1))
}

/** Null: what the alert is about speaks for itself. */
function reporterOf(labels: Labels, rules: Pick<Rules, 'isReporter'>, known: Known): Reporter | null {
  const cluster = labels.cluster || known.cluster
  // An expression may have taken the job away, and left the pod that reports.
  const job = labels.job || known.objectsJobOf(cluster, labels)
  if (job === null || !rules.isReporter(job)) return null
  const isOfObjects = known.isOfObjects(job)
  const found = known.targets(cluster, job, labels.instance)
  const targets = found ?? [guessed(labels, isOfObjects)]
  return {
    job,
    isOfObjects,
    isGuessed: found === null,
    isExported: shared.some((label) => Boolean(labels[`exported_${label}`])),
    areOwn: (names) =>
      targets.some((target) =>
        names.every((name) => target[name] !== undefined && target[name] === labels[name]),
      ),
  }
}

/** A target that is gone, or of a cluster that this Prometheus does not see: its pod is the one that reports. */
function guessed(labels: Labels, isOfObjects: boolean): Labels {
  const { pod = '', namespace = '' } = labels
  const isIts = isOfObjects ? /kube-state-metrics/i.test(pod) : Boolean(labels.instance)
  return isIts ? { pod, namespace } : {}
}

/** The name, and what of the way makes it. */
function partsOf(
  { labels: wanted, texts }: Template,
  { names, values }: Used,
  labels: Labels,
  cluster: string,
  known: Known,
): { readonly name: string; readonly parts: readonly WayPart[]; readonly isLonePod: boolean } {
  const namespace = namespaceOf(wanted, names, labels)
  let name = texts[0] ?? ''
  let isLonePod = false
  const parts = wanted.map((label, at): WayPart => {
    const actual = names[at] ?? label
    const value = values[at] ?? ''
    const [shown, part] = pieceOf(label, actual, value, { cluster, namespace }, known)
    isLonePod ||= label === 'pod' && part[0] === '=' && known.workloadOf(cluster, namespace, value) === null
    name += shown + (texts[at + 1] ?? '')
    return part
  })
  return { name, parts: parts.filter(([, label]) => label !== 'cluster'), isLonePod }
}

/** In which namespace a pod of the alert is. */
function namespaceOf(wanted: readonly string[], names: readonly string[], labels: Labels): string {
  const at = wanted.indexOf('namespace')
  const isExported = names.some((name) => name === 'exported_pod' || name === 'exported_job_name')
  const name = at >= 0 ? (names[at] ?? 'namespace') : isExported ? 'exported_namespace' : 'namespace'
  return labels[name] ?? ''
}

function pieceOf(
  label: string,
  actual: string,
  value: string,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
  known: Known,
): readonly [shown: string, part: WayPart] {
  if (label === 'pod') {
    const owner = known.workloadOf(cluster, namespace, value)
    if (owner !== null && owner !== 'lone') {
      return [owner.name, ['pods', actual, JSON.stringify([cluster, namespace, owner.kind, owner.name])]]
    }
    return [value, ['=', actual, value]]
  }
  if (label === 'job_name') {
    const owner = known.cronJobOf(cluster, namespace, value)
    if (owner !== null) return [owner, ['jobs', actual, JSON.stringify([cluster, namespace, owner])]]
  }
  const bare = withoutPort(value)
  const isAddress = label === 'instance' || bare !== value
  return isAddress ? [bare, ['port', actual, bare]] : [value, ['=', actual, value]]
}

/** The exporter's own label, as it was when its template was skipped; its pod, as that of its workload. */
function pinOf(name: string, labels: Labels, cluster: string, known: Known): readonly WayPart[] {
  const value = labels[name] ?? ''
  if (value === '') return []
  if (name === 'pod') {
    return [pieceOf('pod', 'pod', value, { cluster, namespace: labels.namespace ?? '' }, known)[1]]
  }
  return [['=', name, value]]
}

/** Where targets are scraped without `honor_labels`, the same label of another one would be exported. */
function unexported(names: readonly string[], labels: Labels, is: boolean): readonly WayPart[] {
  if (!is) return []
  const own = new Set(names)
  return shared
    .filter((label) => own.has(label) && !labels[`exported_${label}`])
    .map((label) => ['=', `exported_${label}`, ''])
}

/**
 * Those that only say which exporter reports it, and where that runs just now. Of one that reports about hosts or addresses, its pod is
 * what tells two of them apart if the expression has taken the address away.
 */
export function passingOfLabels(
  labels: Labels,
  rules: Pick<Rules, 'isReporter'>,
  known: Known,
): readonly string[] {
  const reporter = reporterOf(labels, rules, known)
  if (reporter === null || !(reporter.isOfObjects || labels.instance)) return []
  const own = passing.filter((label) => labels[label] && reporter.areOwn([label]))
  return reporter.isOfObjects && labels.instance ? [...own, 'instance'] : own
}

/** Labels of an exporter that are others after its restart. */
const passing = ['pod', 'node'] as const
