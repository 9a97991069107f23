/**
 * The names of servers as this ledger has them: by templates in a new one, by one label in an earlier one, until the file says
 * otherwise. Remembers under which names servers were known before.
 */
import { z } from 'zod'
import { globMatcher } from '../../shared/glob.ts'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { inPart } from './answers.ts'
import { UpstreamNo } from './ask.ts'
import type { Engine } from './engine.ts'
import { knowsPast } from './history.ts'
import type { Bearing } from './identity.ts'
import { type KnownNow, type OwnerSeries, openKnown } from './known.ts'
import { escapeRegex, type Labels, type Named, type Naming, namingByLabel } from './naming.ts'
import { openPresence } from './presence.ts'
import type { PrometheusSettings } from './settings.ts'
import {
  nameByTemplates,
  parseTemplate,
  passingOfLabels,
  type Rules,
  type Template,
  usualReporters,
  usualTemplates,
} from './templates.ts'
import { bearingOfLabels, matchersOfWay, selectorOfWay, wayOfAlert } from './ways.ts'

/** How long a server is found by its former name. */
const aliasMs = 30 * 24 * 60 * 60_000
/** So often may the first reading of the owners fail. */
const failuresMax = 3
/** A query for more ReplicaSets than these asks for all. */
const replicaSetsMax = 50

const form = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('label'), serverLabel: z.string(), serviceless: z.string() }),
  z.object({
    kind: z.literal('templates'),
    /** The first whose globs match the job counts; the usual list if none does. */
    lists: z.array(z.object({ jobs: z.string(), templates: z.array(z.string()) })),
    reporters: z.array(z.string()),
  }),
])

export type NamesForm = Readonly<z.output<typeof form>>

const document = z.object({ now: form, before: form.nullable(), changedMs: z.number() })
const documentKey = 'names'

export type Names = Naming & {
  readonly form: NamesForm
  /** Whether the file changes the names of servers with this start: those that the ledger has were made by another form. */
  readonly isChanging: boolean
  bearingOf(labels: Labels): Bearing
  /** Names of labels that only say which exporter reports this, and where that runs just now. */
  passingOf(labels: Labels): readonly string[]
  /** The name of these labels before the file changed names; null: the same, or it is too long ago. */
  formerOf(labels: Labels): string | null
  /** Whether the one that reported an alert with these labels is away, or another one has only just taken its place. */
  isReporterAway(labels: Labels): boolean
  /** Whether this job reports about everything in a cluster: kube-state-metrics. */
  isOfObjects(job: string): boolean
  /** The cluster of the engine itself, whose series lack the label; empty: none is known. */
  cluster(): string
  /** The current targets (`up`), all or part of them. Reads also what names need. Rejects as `Engine` does. */
  read(engine: NamesEngine): Promise<{ readonly up: readonly Labels[]; readonly isPartial: boolean }>
  /** Whether what names need has been read. */
  isReady(): boolean
}

export type NamesEngine = Pick<Engine, 'query' | 'externalLabels'>

export function openNames(parts: {
  readonly settings: PrometheusSettings
  readonly ledger: Ledger
  readonly nowMs: () => number
  readonly report: (line: string) => void
}): Names {
  const { settings, ledger, nowMs, report } = parts
  const openedMs = nowMs()
  const { now, before, changedMs } = settled(settings, ledger, openedMs)
  const known = openKnown({ isReporter: reportersOf([now, before]), nowMs })
  const naming = namingOf(now, known)
  const former = before === null ? null : namingOf(before, known)
  const presence = openPresence(nowMs)
  let isReady = now.kind === 'label'
  let own: string | null = settings.cluster ?? null
  let isAnyOwned = false
  let failures = 0
  let trouble: string | null = null

  /** Some engines do not tell their external labels: then alerts tell the cluster, and series have it themselves. */
  async function readCluster(engine: NamesEngine): Promise<void> {
    own ??= (await engine.externalLabels())?.cluster ?? ''
  }

  /** A part of the owners is better than none: what was known before stays. */
  async function ask(engine: NamesEngine, expression: string): Promise<readonly Labels[]> {
    const { value } = await inPart(engine.query(expression, 'servers'))
    return value.map(({ metric }) => metric)
  }

  async function readOwners(engine: NamesEngine): Promise<OwnerSeries> {
    const pods = await ask(engine, ownersOf('kube_pod_owner', 'pod'))
    if (pods.length === 0) return noOwners
    const open = known.openReplicaSets(pods)
    const [jobs, replicaSets] = await Promise.all([
      ask(engine, ownersOf('kube_job_owner', 'job_name')),
      open.length === 0 ? [] : ask(engine, ownersOf('kube_replicaset_owner', 'replicaset', open)),
    ])
    if (!isAnyOwned) report(`the owners of ${pods.length} pods are known: they are named by their workloads`)
    isAnyOwned = true
    return { pods, jobs, replicaSets }
  }

  /** Without owners pods are named by themselves, which is for good: so a few failures at the start are not taken for that. */
  async function ownersFrom(engine: NamesEngine): Promise<OwnerSeries> {
    try {
      const owners = await readOwners(engine)
      if (trouble !== null) report('the owners of pods are known again')
      trouble = null
      return owners
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failures += 1
      if (!isReady && failures < failuresMax && !(error instanceof UpstreamNo)) throw error
      if (trouble === null)
        report(`the owners of pods cannot be read, what is known of them stays: ${error.message}`)
      trouble = error.message
      return noOwners
    }
  }

  return {
    ...naming,
    form: now,
    isChanging: before !== null && changedMs === openedMs,
    bearingOf: (labels) => (now.kind === 'label' ? {} : bearingOfLabels(labels, rulesOf(now), known)),
    passingOf: (labels) => (now.kind === 'label' ? [] : passingOfLabels(labels, rulesOf(now), known)),
    formerOf(labels) {
      if (former === null || nowMs() - changedMs > aliasMs) return null
      const { hostname } = former.of(labels)
      return hostname === naming.of(labels).hostname ? null : hostname
    },
    isReporterAway: ({ job = '', instance = '' }) =>
      now.kind === 'templates' && known.isOfObjects(job) && presence.isAway(job, instance),
    isOfObjects: (job) => now.kind === 'templates' && known.isOfObjects(job),
    cluster: () => own ?? '',
    async read(engine) {
      if (own === null) await readCluster(engine)
      const { value, isPartial } = await inPart(engine.query('up', 'servers'))
      const up = value.map(({ metric }) => metric)
      presence.take(
        value.flatMap(({ metric, value: [, one] }) =>
          one === '1' && known.isOfObjects(metric.job ?? '') ? [metric] : [],
        ),
      )
      if (now.kind === 'label' && before?.kind !== 'templates') {
        known.take({ up: [], owners: noOwners, cluster: own ?? '' })
        return { up, isPartial }
      }
      known.take({ up, owners: await ownersFrom(engine), cluster: own ?? '' })
      isReady = true
      return { up, isPartial }
    },
    isReady: () => isReady,
  }
}

const noOwners: OwnerSeries = { pods: [], replicaSets: [], jobs: [] }

/** Short answers, and one series for each pod, however many ports of kube-state-metrics are scraped. */
function ownersOf(metric: string, object: string, names: readonly string[] = []): string {
  const labels = ['cluster', 'job', 'namespace', 'exported_namespace', object, `exported_${object}`]
  const owner = ['owner_kind', 'owner_name', 'owner_is_controller']
  // In PromQL a backslash in a string is written twice.
  const only = names.map(escapeRegex).join('|').replaceAll('\\', '\\\\')
  const isFew = names.length > 0 && names.length <= replicaSetsMax
  return `max by (${[...labels, ...owner].join(', ')}) (${metric}${isFew ? `{${object}=~"${only}"}` : ''})`
}

/** The form that counts now, and the one before. Notes a change in the ledger. */
function settled(settings: PrometheusSettings, ledger: Ledger, nowMs: number): z.output<typeof document> {
  const [stored] = ledger.load('names', document)
  const byLabel: NamesForm = {
    kind: 'label',
    serverLabel: settings.serverLabel,
    serviceless: settings.serviceless,
  }
  // A ledger of an earlier version does not say what named its servers.
  const held = stored?.value ?? (knowsPast(ledger) ? { now: byLabel, before: null, changedMs: 0 } : null)
  const now = formOf(settings, held?.now ?? null, byLabel)
  if (held !== null && JSON.stringify(held.now) === JSON.stringify(now)) {
    if (stored === undefined) ledger.put('names', documentKey, held)
    return held
  }
  const next = { now, before: held?.now ?? null, changedMs: nowMs }
  ledger.put('names', documentKey, next)
  return next
}

function formOf(settings: PrometheusSettings, held: NamesForm | null, byLabel: NamesForm): NamesForm {
  const { names } = settings
  if (names === undefined) return byLabel
  const heldReporters = held?.kind === 'templates' ? held.reporters : usualReporters
  const reporters = [...(names.reporters ?? heldReporters)]
  if (names.server !== null) return { kind: 'templates', lists: copyOf(names.server), reporters }
  if (names.isByLabel) return byLabel
  if (held === null) return { kind: 'templates', lists: [], reporters }
  return held.kind === 'label' ? byLabel : { ...held, reporters }
}

function copyOf(lists: NonNullable<NonNullable<PrometheusSettings['names']>['server']>) {
  return lists.map(({ jobs, templates }) => ({ jobs, templates: [...templates] }))
}

function reportersOf(forms: readonly (NamesForm | null)[]): (job: string) => boolean {
  const globs = forms.flatMap((one) => (one?.kind === 'templates' ? one.reporters : []))
  return remembered((job) => globs.map((glob) => globMatcher(glob)).some((isMatch) => isMatch(job)))
}

function namingOf(one: NamesForm, known: KnownNow): Naming {
  if (one.kind === 'label') return namingByLabel(one)
  const rules = rulesOf(one)
  let named = new WeakMap<Labels, Named>()
  let version = -1

  return {
    // The same labels are asked for again and again.
    of(labels) {
      if (version !== known.version()) {
        named = new WeakMap()
        version = known.version()
      }
      const held = named.get(labels)
      if (held !== undefined) return held
      const fresh = nameByTemplates(labels, rules, known)
      named.set(labels, fresh)
      return fresh
    },
    underFormer: (hostname, labels) => wayOfAlert(hostname, labels, nameByTemplates(labels, rules, known)),
    matchersOf: ({ way = '[]' }) => matchersOfWay(way, known),
    selectorOf: (one) => selectorOfWay(one, known),
    ruleLabels: rules.labels,
    hostLabels: rules.labels,
  }
}

const rulesMade = new WeakMap<object, Rules & { readonly labels: readonly string[] }>()

function rulesOf(one: Extract<NamesForm, { kind: 'templates' }>) {
  const held = rulesMade.get(one)
  if (held !== undefined) return held
  const parsed = (texts: readonly string[]): readonly Template[] =>
    texts.flatMap((text) => parseTemplate(text) ?? [])
  const usual = parsed(usualTemplates)
  const lists = one.lists.map(({ jobs, templates }) => ({
    isFor: globMatcher(jobs, { matchCase: true }),
    templates: parsed(templates),
  }))
  const used = [usual, ...lists.map(({ templates }) => templates)].flat().flatMap(({ labels }) => labels)
  const rules = {
    templatesOf: remembered((job) => lists.find(({ isFor }) => isFor(job))?.templates ?? usual),
    isReporter: reportersOf([one]),
    labels: [...new Set([...used, ...always])],
  }
  rulesMade.set(one, rules)
  return rules
}

/** Labels that decide which template counts. */
const always = ['cluster', 'job', 'instance', 'exported_namespace', 'exported_pod', 'exported_job_name']

/** Jobs are few, and asked for with every alert. */
function remembered<Value>(find: (job: string) => Value): (job: string) => Value {
  const found = new Map<string, Value>()
  return (job) => {
    if (found.size > 10_000) found.clear()
    const held = found.get(job)
    if (held !== undefined) return held
    const value = find(job)
    found.set(job, value)
    return value
  }
}
