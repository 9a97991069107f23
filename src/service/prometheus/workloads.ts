/**
 * The workloads of Kubernetes, and how they name their pods. A pod's name is made by the controller that owns it: the ReplicaSet of a
 * deployment adds its hash and five characters, a StatefulSet an ordinal. Facts: `GenerateName` and `SafeEncodeString` of Kubernetes
 * (apiserver `storage/names/generate.go`, apimachinery `util/rand/rand.go`), and `getJobName` of its CronJob controller. Pure.
 */
import { escapeRegex } from './naming.ts'

/** Whatever owns pods. `kind`: as Kubernetes names it; `Deployment` for all that own ReplicaSets (a Rollout). */
export type Workload = { readonly kind: string; readonly name: string }

/** Without vowels, so that no words arise. */
const five = '[bcdfghjklmnpqrstvwxz2456789]{5}'
/** The digits of a 32-bit number, each written as one of ten characters. */
const hash = '[4-9bcdf]{1,10}'
/** Minutes since 1970; seconds before Kubernetes 1.21. */
const time = '[0-9]{8,10}'

const endings: Readonly<Record<string, string>> = {
  Deployment: `${hash}-${five}`,
  DaemonSet: five,
  ReplicaSet: five,
  ReplicationController: five,
  StatefulSet: '[0-9]+',
  // Those of an indexed job have their index first.
  Job: `(?:[0-9]+-)?${five}`,
  CronJob: `${time}-(?:[0-9]+-)?${five}`,
}

/**
 * A regular expression for RE2, to be anchored, for the pods of a workload: those to come, and those that it has under other names
 * (`own`). Where its form would also find a pod of another one (`others`), it lists those that it has.
 */
export function podsOf({ kind, name }: Workload, pods: Names): string {
  const ending = Object.hasOwn(endings, kind) ? endings[kind] : undefined
  return formOf(name, ending === undefined ? null : `${escapeRegex(name)}-${ending}`, pods)
}

/** The same for the jobs of a CronJob. */
export function jobsOf(cronJob: string, jobs: Names): string {
  return formOf(cronJob, `${escapeRegex(cronJob)}-${time}`, jobs)
}

/** The deployment of a ReplicaSet of which nothing but the name is known; null if it is not named like one. */
export function deploymentOf(replicaSet: string): string | null {
  return /^(.+)-[4-9bcdf]{6,10}$/.exec(replicaSet)?.[1] ?? null
}

type Names = { readonly own: readonly string[]; readonly others: readonly string[] }

/** Never one that matches an empty text, and with it all that have no such label. */
function formOf(name: string, form: string | null, { own, others }: Names): string {
  const finds = form === null ? () => false : matcherOf(form)
  const isTooWide = others.some(finds)
  const odd = own.filter((name) => isTooWide || !finds(name)).sort()
  const all = [...(form === null || isTooWide ? [] : [form]), ...odd.map(escapeRegex)]
  if (all.length === 0) return escapeRegex(name)
  return all.length === 1 ? (all[0] ?? '') : `(?:${all.join('|')})`
}

/** These expressions mean the same here as in RE2. */
function matcherOf(form: string): (name: string) => boolean {
  const expression = new RegExp(`^(?:${form})$`)
  return (name) => expression.test(name)
}
