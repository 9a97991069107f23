/**
 * What a Prometheus tells of the clusters that it watches, as far as names need it: the targets of reporters, and which workload a pod
 * belongs to. What is gone is remembered for a day: kube-state-metrics restarts, and an alert outlives its pod.
 */
import { type Labels, withoutPort } from './naming.ts'
import type { Known } from './templates.ts'
import { deploymentOf, jobsOf, podsOf, type Workload } from './workloads.ts'

const keptMs = 24 * 60 * 60_000
/** Of each: targets, pods, ReplicaSets, jobs. The ones seen longest ago go first. */
const rememberedMax = 100_000

/** Series of `kube_pod_owner`, `kube_replicaset_owner`, `kube_job_owner`. */
export type OwnerSeries = {
  readonly pods: readonly Labels[]
  readonly replicaSets: readonly Labels[]
  readonly jobs: readonly Labels[]
}

export type KnownNow = Known & {
  /** Another number after each change. */
  version(): number
  /** `up`: all of them. `cluster`: the engine's own; empty if it has none. */
  take(told: { readonly up: readonly Labels[]; readonly owners: OwnerSeries; readonly cluster: string }): void
  /** ReplicaSets that own these pods, and of which it is not known what owns them. */
  openReplicaSets(pods: readonly Labels[]): readonly string[]
}

const keyOf = (...parts: readonly string[]): string => parts.join('\n')

export function openKnown(parts: {
  readonly isReporter: (job: string) => boolean
  readonly nowMs: () => number
}): KnownNow {
  const { isReporter, nowMs } = parts
  let cluster = ''
  let version = 0
  const clusterOf = (labels: Labels): string => labels.cluster || cluster
  const targets = openTargets({ isReporter, clusterOf, nowMs })
  const owners = openOwners({ clusterOf, nowMs })

  const isOfObjects = (job: string): boolean =>
    /kube-state-metrics/i.test(job) || (isReporter(job) && owners.isTelling(job))

  return {
    version: () => version,
    take(told) {
      cluster = told.cluster
      targets.take(told.up)
      owners.take(told.owners)
      version += 1
    },
    openReplicaSets: owners.openReplicaSets,
    get cluster() {
      return cluster
    },
    get isExported() {
      return owners.isExported()
    },
    targets: targets.of,
    isOfObjects,
    objectsJobOf(where, labels) {
      const target = labels.pod === undefined ? undefined : targets.ofPod(where, labels.pod)
      const { job = '', endpoint, service } = target ?? {}
      // An alert about that pod itself has no port.
      const isReported =
        (endpoint !== undefined && endpoint === labels.endpoint) ||
        (service !== undefined && service === labels.service)
      return isReported && isOfObjects(job) ? job : null
    },
    workloadOf: owners.workloadOf,
    cronJobOf: owners.cronJobOf,
    ...openForms(owners, () => version),
    reportersIn: targets.jobsIn,
  }
}

/** Targets of one job. */
type Targets = { readonly all: readonly Labels[]; readonly byHost: ReadonlyMap<string, readonly Labels[]> }

function openTargets(parts: {
  readonly isReporter: (job: string) => boolean
  readonly clusterOf: (labels: Labels) => string
  readonly nowMs: () => number
}) {
  const { isReporter, clusterOf, nowMs } = parts
  const memory = openMemory<Labels>(nowMs)
  let index: ReadonlyMap<string, Targets> = new Map()
  let byPod: ReadonlyMap<string, Labels> = new Map()

  return {
    take(up: readonly Labels[]): void {
      for (const labels of up) {
        const { job = '', instance = '', pod = '' } = labels
        if (isReporter(job)) memory.put(keyOf(clusterOf(labels), job), keyOf(instance, pod), labels)
      }
      memory.forgetOld()
      const groups = [...memory.groups()]
      index = new Map(groups.map(([key, group]) => [key, targetsOf([...group.values()])]))
      byPod = new Map(
        [...index.values()].flatMap(({ all }) =>
          all.flatMap((labels) =>
            labels.pod ? [[keyOf(clusterOf(labels), labels.pod), labels] as const] : [],
          ),
        ),
      )
    },
    ofPod: (cluster: string, pod: string): Labels | undefined => byPod.get(keyOf(cluster, pod)),
    of(cluster: string, job: string, instance: string | undefined): readonly Labels[] | null {
      const ofJob = index.get(keyOf(cluster, job))
      if (instance === undefined || instance === '') return ofJob?.all ?? null
      const host = ofJob?.byHost.get(withoutPort(instance))
      if (host === undefined) return null
      const exact = host.filter((labels) => labels.instance === instance)
      if (exact.length > 0) return exact
      // Its port may have been removed on the way to the Alertmanager.
      return withoutPort(instance) === instance ? host : null
    },
    jobsIn(cluster: string, namespace: string, isPod: (pod: string) => boolean): readonly string[] {
      const found = [...index].filter(([key, { all }]) => {
        const isHere = key.startsWith(keyOf(cluster, ''))
        return (
          isHere && all.some(({ namespace: at, pod = '' }) => at === namespace && pod !== '' && isPod(pod))
        )
      })
      return found.map(([key]) => key.slice(cluster.length + 1)).sort()
    },
  }
}

function targetsOf(held: readonly { readonly value: Labels }[]): Targets {
  const all = held.map(({ value }) => value)
  return { all, byHost: Map.groupBy(all, ({ instance = '' }) => withoutPort(instance)) }
}

function openOwners(parts: { readonly clusterOf: (labels: Labels) => string; readonly nowMs: () => number }) {
  const { clusterOf, nowMs } = parts
  const pods = openMemory<Workload | 'lone'>(nowMs)
  const replicaSets = openMemory<Workload>(nowMs)
  const jobs = openMemory<string | null>(nowMs)
  /** The jobs of Prometheus that tell of owners. */
  const tellers = new Set<string>()
  let isExported = false

  /** The object that a series of kube-state-metrics is about, and where. */
  function objectOf(labels: Labels, kind: string): { readonly key: string; readonly name: string } {
    if (labels.exported_namespace) isExported = true
    const namespace = labels.exported_namespace || labels.namespace || ''
    return {
      key: keyOf(clusterOf(labels), namespace),
      name: labels[`exported_${kind}`] || labels[kind] || '',
    }
  }

  function takePods(all: readonly Labels[]): void {
    const controlled = new Set<string>()
    for (const labels of all) {
      if (labels.job) tellers.add(labels.job)
      const { key, name } = objectOf(labels, 'pod')
      // Of several owners only one controls it.
      if (labels.owner_is_controller === 'true') controlled.add(keyOf(key, name))
      else if (controlled.has(keyOf(key, name))) continue
      pods.put(key, name, workloadFor(key, ownerOf(labels)))
    }
  }

  function workloadFor(key: string, owner: Workload | null): Workload | 'lone' {
    // A node owns its static pods, whose names stay.
    if (owner === null || owner.kind === 'Node') return 'lone'
    if (owner.kind === 'ReplicaSet') {
      const deployment = deploymentOf(owner.name)
      const guess = deployment === null ? owner : { kind: 'Deployment', name: deployment }
      return replicaSets.get(key, owner.name) ?? guess
    }
    if (owner.kind === 'Job') {
      const cronJob = jobs.get(key, owner.name) ?? null
      return cronJob === null ? owner : { kind: 'CronJob', name: cronJob }
    }
    return owner
  }

  return {
    take(told: OwnerSeries): void {
      for (const labels of told.replicaSets) {
        const { key, name } = objectOf(labels, 'replicaset')
        const owner = ownerOf(labels)
        replicaSets.put(
          key,
          name,
          owner === null ? { kind: 'ReplicaSet', name } : { kind: 'Deployment', name: owner.name },
        )
      }
      for (const labels of told.jobs) {
        const { key, name } = objectOf(labels, 'job_name')
        const owner = ownerOf(labels)
        jobs.put(key, name, owner?.kind === 'CronJob' ? owner.name : null)
      }
      takePods(told.pods)
      for (const memory of [pods, replicaSets, jobs]) memory.forgetOld()
    },
    isExported: () => isExported,
    isTelling: (job: string) => tellers.has(job),
    openReplicaSets(all: readonly Labels[]): readonly string[] {
      const open = all.flatMap((labels) => {
        const owner = ownerOf(labels)
        if (owner?.kind !== 'ReplicaSet') return []
        const { key } = objectOf(labels, 'pod')
        // Those that are still used are not forgotten.
        const known = replicaSets.get(key, owner.name)
        if (known !== undefined) replicaSets.put(key, owner.name, known)
        return known === undefined ? [owner.name] : []
      })
      return [...new Set(open)]
    },
    workloadOf: (cluster: string, namespace: string, pod: string) =>
      pods.get(keyOf(cluster, namespace), pod) ?? null,
    cronJobOf: (cluster: string, namespace: string, job: string) =>
      jobs.get(keyOf(cluster, namespace), job) ?? null,
    podsIn: (cluster: string, namespace: string) => pods.of(keyOf(cluster, namespace)),
    jobsIn: (cluster: string, namespace: string) => jobs.of(keyOf(cluster, namespace)),
  }
}

/** Regular expressions for the pods of workloads, made once for each change. */
function openForms(owners: ReturnType<typeof openOwners>, version: () => number) {
  let forms = new Map<string, string>()
  let madeFor = -1

  function formOf(key: string, make: () => string): string {
    if (madeFor !== version()) forms = new Map()
    madeFor = version()
    const form = forms.get(key) ?? make()
    forms.set(key, form)
    return form
  }

  return {
    podsOf: (cluster: string, namespace: string, workload: Workload): string =>
      formOf(keyOf('pods', cluster, namespace, workload.kind, workload.name), () => {
        const isOwn = (one: Workload | 'lone'): boolean =>
          one !== 'lone' && one.kind === workload.kind && one.name === workload.name
        return podsOf(workload, split(owners.podsIn(cluster, namespace), isOwn))
      }),
    jobsOf: (cluster: string, namespace: string, cronJob: string): string =>
      formOf(keyOf('jobs', cluster, namespace, cronJob), () =>
        jobsOf(
          cronJob,
          split(owners.jobsIn(cluster, namespace), (owner) => owner === cronJob),
        ),
      ),
  }
}

/** Of `owner_kind` and `owner_name`; null: nothing owns it, which is `<none>` or empty, depending on the version. */
function ownerOf({ owner_kind: kind = '', owner_name: name = '' }: Labels): Workload | null {
  return kind === '' || kind === '<none>' || name === '' || name === '<none>' ? null : { kind, name }
}

function split<Value>(
  all: ReadonlyMap<string, { readonly value: Value }> | undefined,
  isOwn: (value: Value) => boolean,
): { readonly own: readonly string[]; readonly others: readonly string[] } {
  const own: string[] = []
  const others: string[] = []
  for (const [name, { value }] of all ?? []) (isOwn(value) ? own : others).push(name)
  return { own, others }
}

type Held<Value> = { readonly value: Value; readonly seenMs: number }

/** Values by group and name, each with when it was last told. */
function openMemory<Value>(nowMs: () => number) {
  const groups = new Map<string, Map<string, Held<Value>>>()
  let count = 0

  function forget(isOver: (held: Held<Value>) => boolean): void {
    for (const [key, group] of groups) {
      for (const [name, held] of group) {
        if (!isOver(held)) continue
        group.delete(name)
        count -= 1
      }
      if (group.size === 0) groups.delete(key)
    }
  }

  return {
    of: (key: string): ReadonlyMap<string, Held<Value>> | undefined => groups.get(key),
    groups: (): ReadonlyMap<string, ReadonlyMap<string, Held<Value>>> => groups,
    get: (key: string, name: string): Value | undefined => groups.get(key)?.get(name)?.value,
    put(key: string, name: string, value: Value): void {
      const group = groups.get(key) ?? new Map<string, Held<Value>>()
      groups.set(key, group)
      if (!group.has(name)) count += 1
      group.set(name, { value, seenMs: nowMs() })
    },
    forgetOld(): void {
      forget(({ seenMs }) => nowMs() - seenMs > keptMs)
      if (count <= rememberedMax) return
      const times = [...groups.values()].flatMap((group) => [...group.values()].map(({ seenMs }) => seenMs))
      const limit = times.sort((a, b) => a - b)[count - rememberedMax] ?? 0
      forget(({ seenMs }) => seenMs < limit)
    },
  }
}
