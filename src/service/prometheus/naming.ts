/** Which server an alert or a series is of: the first template whose labels are all there, the cluster in front where it is known. */
import { globMatcher } from '../../shared/glob.ts'
import { isHost } from '../servers.ts'

export type Labels = Readonly<Record<string, string>>
/** `matchers` find whatever has this name for the same reason. Host null: nothing names a server. */
export type Named = { readonly host: string | null; readonly matchers: readonly string[] }

/** In this order; `{instance}` without its port, `{pod}` without the hash that its controller gave it. */
const templates: readonly (readonly string[])[] = [
  ['namespace', 'deployment'],
  ['namespace', 'statefulset'],
  ['namespace', 'daemonset'],
  ['namespace', 'job_name'],
  ['namespace', 'cronjob'],
  ['namespace', 'persistentvolumeclaim'],
  ['namespace', 'horizontalpodautoscaler'],
  ['namespace', 'pod'],
  ['node'],
  ['nodename'],
  ['host'],
  ['server'],
  ['instance'],
  ['namespace'],
  ['job'],
]
/** As `{instance}`, without a port. */
const addresses = ['nodename', 'host', 'server', 'instance']
/** Where an exporter asks, as it sees it. */
const itself = /^(?:localhost|127\.[\d.]+|\[?::1\]?)(?::\d+)?$/
/** Jobs whose own pod is not what they report about. */
const usualReporters = ['*kube-state-metrics*', '*blackbox*', '*node?exporter*', '*windows?exporter*']

const namesMax = 50_000

/** Labels that a restart changes. */
export const fleeting = ['uid', 'container_id', 'id', 'endpoint']

/** The address of kube-state-metrics says nothing either. */
export function isOfObjects(job = ''): boolean {
  return /kube-state-metrics/i.test(job)
}

export class Naming {
  private readonly listed: readonly ((job: string) => boolean)[]
  private cluster = ''
  private up: readonly Labels[] = []
  /** Labels of the targets of reporters, by job. */
  private targets: ReadonlyMap<string, readonly Labels[]> = new Map()
  private learned = ''
  private readonly known = new Map<string, Named>()

  constructor(reporters: readonly string[]) {
    this.listed = [...usualReporters, ...reporters].map((glob) => globMatcher(glob))
  }

  learn(up: readonly Labels[], cluster: string): void {
    this.up = up
    const reporters = up.filter(({ job = '' }) => this.isReporter(job))
    const learned = JSON.stringify([cluster, reporters])
    if (learned === this.learned) return
    this.learned = learned
    this.known.clear()
    this.cluster = cluster
    this.targets = Map.groupBy(reporters, ({ job = '' }) => job)
  }

  nameOf(labels: Labels): Named {
    const id = JSON.stringify(labels)
    const known = this.known.get(id)
    if (known !== undefined) return known
    if (this.known.size >= namesMax) this.known.clear()
    const named = this.named(labels)
    this.known.set(id, named)
    return named
  }

  targetsOf(host: string): readonly Labels[] {
    return this.up.filter((labels) => this.nameOf(labels).host === host)
  }

  /** Of a series that has nothing but its address. */
  nameOfTarget({ instance }: Labels): string | null {
    const target = this.up.find((labels) => labels.instance === instance)
    return this.nameOf(target ?? { instance: instance ?? '' }).host
  }

  private named(labels: Labels): Named {
    const isOfReporter = this.isReporter(labels.job ?? '')
    const missing = new Set<string>()
    const pinned: string[] = []
    for (const template of templates) {
      // What an exporter says of another one's pod is in `exported_pod` where its own labels win.
      const used = template.map((label) =>
        isOfReporter && labels[`exported_${label}`] ? `exported_${label}` : label,
      )
      const absent = used.filter((label) => !labels[label])
      for (const label of absent) missing.add(label)
      const last = used.at(-1) ?? ''
      if (absent.length > 0 || this.isOfItself(last, labels, isOfReporter)) {
        if (absent.length === 0) pinned.push(pieceOf(last, last, labels[last] ?? '').matcher)
        continue
      }
      const parts = used.map((label, at) => pieceOf(template[at] ?? label, label, labels[label] ?? ''))
      const cluster = labels.cluster || this.cluster
      const host = [cluster, ...parts.map(({ shown }) => shown)].filter((part) => part !== '').join('/')
      if (!isHost(host)) continue
      const matchers = [
        ...parts.map(({ matcher }) => matcher),
        `cluster=${quote(cluster)}`,
        ...pinned,
        ...[...missing].filter((label) => !used.includes(label)).map((label) => `${label}=""`),
      ]
      return { host, matchers: [...new Set(matchers)] }
    }
    return { host: null, matchers: ['alertname=~".+"', ...[...missing].map((label) => `${label}=""`)] }
  }

  private isReporter(job: string): boolean {
    return this.listed.some((matches) => matches(job))
  }

  private isOfItself(label: string, labels: Labels, isOfReporter: boolean): boolean {
    if (label === 'server' || label === 'host') return itself.test(labels[label] ?? '')
    if (!isOfReporter || label.startsWith('exported_')) return false
    if (label === 'job') return true
    if (label === 'instance') return isOfObjects(labels.job)
    const targets = this.targets.get(labels.job ?? '')
    if (targets === undefined)
      return label === 'pod' && /kube-state-metrics|exporter|blackbox/.test(labels.pod ?? '')
    // Of a pod that was replaced in between, its workload.
    const shown = (value = '') => (label === 'pod' ? workloadOf(value) : value)
    return targets.some((target) => shown(target[label]) === shown(labels[label]))
  }
}

function pieceOf(template: string, label: string, value: string): { shown: string; matcher: string } {
  if (template === 'pod' && workloadOf(value) !== value)
    return { shown: workloadOf(value), matcher: `${label}=~${quote(podPattern(value))}` }
  const cronJob = template === 'job_name' ? /^(.+)-\d{8,10}$/.exec(value)?.[1] : undefined
  if (cronJob !== undefined)
    return { shown: cronJob, matcher: `${label}=~${quote(`${escapeRegex(cronJob)}-[0-9]+`)}` }
  if (addresses.includes(template)) {
    // What blackbox_exporter asks is an address with a path.
    const [, host = value] = /^https?:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(value) ?? []
    const shown = /^([^:]+|\[[^\]]*\]):\d{1,5}$/.exec(host)?.[1] ?? host
    const around = host === value ? ['', ''] : ['https?://(?:[^/@]*@)?', '(?:[/?#].*)?']
    const pattern = `${around[0]}${escapeRegex(shown)}(?::[0-9]+)?${around[1]}`
    return { shown, matcher: `${label}=~${quote(pattern)}` }
  }
  return { shown: value, matcher: `${label}=${quote(value)}` }
}

/** Kubernetes makes names of this alphabet, without vowels, so that no words arise (apimachinery, `util/rand`). */
const five = '[bcdfghjklmnpqrstvwxz2456789]{5}'
const endings = [new RegExp(`^(.+)-[4-9bcdf]{6,10}-${five}$`), new RegExp(`^(.+)-${five}$`), /^(.+)-\d+$/]

/** `web-7c9d8b6f5-x2x4z` is `web`; a name without a hash is itself. */
export function workloadOf(pod: string): string {
  for (const ending of endings) {
    const owner = ending.exec(pod)?.[1]
    if (owner !== undefined) return owner
  }
  return pod
}

/** All pods of the same workload, for RE2, anchored. */
export function podPattern(pod: string): string {
  const owner = workloadOf(pod)
  if (owner === pod) return escapeRegex(pod)
  return `${escapeRegex(owner)}-(?:[0-9]+|(?:[4-9bcdf]{1,10}-)?${five})`
}

export function quote(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
