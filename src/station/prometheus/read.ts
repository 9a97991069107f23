/**
 * One reading: what every ruler and every Alertmanager says at one moment, united. What it does not list is over only if the engine
 * itself proves it (`proof.ts`).
 */
import { parse as parseYaml } from 'yaml'
import type { Ledger } from '../ledger.ts'
import {
  type Found,
  type MutedBy,
  type Reading,
  type ReadServer,
  Refusal,
  type StoredAlert,
} from '../source.ts'
import type { Asker } from './ask.ts'
import { Identity } from './identity.ts'
import { isOfObjects, type Labels, type Naming } from './naming.ts'
import { readExpression } from './promql.ts'
import { agree, answersSinceMs, isOver } from './proof.ts'
import {
  type AmSilence,
  type Managed,
  managedOf,
  type QuerySeries,
  type Rule,
  rulesOf,
  seriesOf,
  silencesOf,
} from './records.ts'
import { type Fired, foundOf, mutedBy, oneLine, triggerIdOf, triggerOf, unknownMute } from './told.ts'

/** An alert that fires for so long and that no Alertmanager has got lost on its way. */
const lostAfterMs = 2 * 60_000
const targetsMax = 20_000
const troublesMax = 20
const rolesMax = 20

export type ReaderParts = {
  readonly engine: Asker | null
  readonly rulers: readonly Asker[]
  readonly managers: readonly Asker[]
  readonly naming: Naming
  readonly nowMs: () => number
  readonly ledger: Pick<Ledger, 'open' | 'opened'>
  readonly wordsOf: (silence: AmSilence) => MutedBy
}

/** A ruler's own labels and start; of an engine that has no such answers, none. */
type Ruler = { readonly asker: Asker; external: Labels; configured: string; startMs: number | null }
type Managers = { readonly alerts: readonly Managed[]; readonly startMs: number | null }
type RuledBy = { readonly rules: readonly Rule[]; readonly external: Labels }

export class Reader {
  readonly identity: Identity
  private readonly parts: ReaderParts
  private readonly rulers: readonly Ruler[]
  private readonly beganMs: number
  private readonly ruleSeenMs = new Map<string, number>()
  private objectsSeenMs: number | null = null
  private last: { readonly rules: ReadonlyMap<number, Rule>; readonly troubles: readonly string[] } = {
    rules: new Map(),
    troubles: [],
  }

  constructor(parts: ReaderParts) {
    this.parts = parts
    this.identity = new Identity(parts.ledger.open())
    this.beganMs = parts.nowMs()
    this.rulers = parts.rulers.map((asker) => ({ asker, external: {}, configured: '', startMs: null }))
  }

  /** The rule of an alert, as it is now. */
  ruleOf({ triggerId, plugin }: StoredAlert): Rule | null {
    const known = triggerId === undefined ? undefined : this.last.rules.get(triggerId)
    return known ?? this.rulesNamed(plugin)[0] ?? null
  }

  rulesNamed(name: string): readonly Rule[] {
    return [...this.last.rules.values()].filter((rule) => rule.name === name)
  }

  isExternal(name: string): boolean {
    return this.rulers.some(({ external }) => Object.hasOwn(external, name))
  }

  /** What is wrong with the engine, for operators. */
  troubles(): readonly string[] {
    return this.last.troubles
  }

  async read(): Promise<Reading> {
    const { engine, managers, nowMs } = this.parts
    const failures: string[] = []
    const settle = async <T>(
      all: readonly (() => Promise<T>)[],
      isNeeded: boolean,
    ): Promise<(T | null)[]> => {
      const answers = await Promise.allSettled(all.map((ask) => ask()))
      for (const answer of answers) {
        if (answer.status === 'fulfilled') continue
        if (!(answer.reason instanceof Refusal)) throw answer.reason
        if (isNeeded && answers.every(({ status }) => status === 'rejected')) throw answer.reason
        failures.push(answer.reason.message)
      }
      return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))
    }
    const [ruled, managed, silences, [up = null]] = await Promise.all([
      settle(
        this.rulers.map((ruler) => () => rulesFrom(ruler.asker)),
        true,
      ),
      settle(
        managers.map((one) => () => alertsFrom(one)),
        true,
      ),
      settle(
        managers.map((one) => async () => silencesOf(one.name, await one.get('/api/v2/silences'))),
        false,
      ),
      settle(engine === null ? [] : [() => upOf(engine)], false),
    ])
    // Last, so that an external label which is new in these answers is known.
    const troubles = await Promise.all(this.rulers.map((ruler) => statusOf(ruler, nowMs)))
    failures.push(...troubles.flatMap((trouble) => trouble ?? []))
    const isCut = ruled.some((one) => one?.isPartial === true)
    if (isCut) failures.push('a ruler says that its answer is not whole')
    const of = ruled.map((one, at): RuledBy => {
      return { rules: one?.rules ?? [], external: this.rulers[at]?.external ?? {} }
    })
    const isPartial = isCut || ruled.includes(null) || managed.includes(null)
    return this.readingOf(
      of,
      managed,
      silences.flatMap((one) => one ?? []),
      up,
      { isPartial, failures },
    )
  }

  private async readingOf(
    ruled: readonly RuledBy[],
    managed: readonly (Managers | null)[],
    silences: readonly AmSilence[],
    up: readonly QuerySeries[] | null,
    { isPartial, failures }: { isPartial: boolean; failures: readonly string[] },
  ): Promise<Reading> {
    const { naming, nowMs, managers } = this.parts
    const { identity } = this
    const atMs = nowMs()
    const rules = ruled.flatMap((one) => one.rules)
    identity.learn(
      this.rulers.map(({ external }) => external),
      rules,
    )
    if (up !== null)
      naming.learn(
        up.map(({ metric }) => metric),
        this.rulers[0]?.external.cluster ?? '',
      )
    for (const { name } of rules) this.ruleSeenMs.set(name, atMs)

    const fired = this.unite(
      ruled,
      managed.flatMap((one) => one?.alerts ?? []),
      atMs,
    )
    const alerts = this.found(fired, unitedSilences(silences), up ?? [])
    const lost = managers.length === 0 ? 0 : fired.filter(({ copies }) => copies.length === 0).length
    const doubts = [...(isPartial ? failures : []), ...(lost === 0 ? [] : [lostWords(lost)])]
    const starts = managed.map((one) => one?.startMs ?? null)
    const startsMs = this.rulers.flatMap(({ startMs }) => startMs ?? [])
    const objectsSinceMs = await this.objectsSinceMs(rules, up, atMs)
    this.last = {
      // Without what fires: that is large.
      rules: new Map(rules.map((rule) => [triggerIdOf(rule), { ...rule, alerts: [] }])),
      troubles: [...failures, ...(lost === 0 ? [] : [lostWords(lost)]), ...brokenWords(rules)],
    }
    const evidence = {
      atMs,
      rules,
      named: Map.groupBy(rules, ({ name }) => name),
      isPartial,
      startMs: startsMs.length === 0 ? null : Math.max(...startsMs),
      managerStartMs: starts.includes(null) ? null : Math.max(...starts.map((ms) => ms ?? 0)),
      hasManagers: managers.length > 0,
      objectsSinceMs,
      objectsSeenMs: this.objectsSeenMs,
      ruleSeenMs: (name: string) => this.ruleSeenMs.get(name) ?? this.beganMs,
    }
    return {
      atMs,
      alerts,
      servers: serversOf(up ?? [], alerts, naming),
      triggers: rules.map(triggerOf),
      doubt: doubts.length === 0 ? null : oneLine(doubts.join('; '), 300),
      isOver: (alert) => isOver(alert, evidence, identity),
    }
  }

  /** What fires, one a key: the Alertmanagers' word, joined to its rule; without one, what fires in the rules. */
  private unite(ruled: readonly RuledBy[], managed: readonly Managed[], atMs: number): Fired[] {
    const { identity } = this
    const own = new Map<string, { labels: Labels; alert: Rule['alerts'][number]; rule: Rule }>()
    for (const { rules, external } of ruled)
      for (const rule of rules)
        for (const alert of rule.alerts) {
          const labels = { ...external, ...alert.labels }
          own.set(identity.keyOf(labels), { labels, alert, rule })
        }
    const named = Map.groupBy(
      ruled.flatMap(({ rules }) => rules),
      ({ name }) => name,
    )
    const byKey = Map.groupBy(managed, ({ labels }) => identity.keyOf(labels))
    const loose = looselyJoined(own, byKey, identity)
    const fired = [...byKey].flatMap(([key, copies]): Fired[] => {
      const [first] = copies
      if (first?.labels.alertname === undefined) return []
      const joined = own.get(key) ?? own.get(loose.get(key) ?? '')
      const isForeign = identity.isForeign(first.labels)
      const rule = joined?.rule ?? (isForeign ? null : ruleFor(first.labels, named))
      const startedMs = Math.min(atMs, ...copies.map(({ startsAt }) => startsAt))
      const labels = identity.withoutReplica(first.labels)
      return [{ key, labels, startedMs, copies, own: joined?.alert ?? null, rule }]
    })
    const taken = new Set(loose.values())
    for (const [key, { labels, alert, rule }] of own) {
      if (alert.state === 'pending' || byKey.has(key) || taken.has(key)) continue
      // `activeAt` is when it became pending.
      const startedMs = Math.min(atMs, alert.activeAt + rule.duration * 1000)
      if (this.parts.managers.length > 0 && atMs - startedMs < lostAfterMs) continue
      fired.push({ key, labels: identity.withoutReplica(labels), startedMs, copies: [], own: alert, rule })
    }
    return fired
  }

  private found(
    fired: readonly Fired[],
    silences: readonly AmSilence[],
    up: readonly QuerySeries[],
  ): Found[] {
    const { naming, wordsOf, ledger } = this.parts
    const answering = new Set(
      up.flatMap(({ metric, value }) => (value?.[1] === '0' ? [] : [naming.nameOf(metric).host])),
    )
    const byId = new Map(silences.map((one) => [one.id, wordsOf(one)]))
    const byFingerprint = new Map(
      fired.flatMap(({ copies }) => copies.map(({ fingerprint, labels }) => [fingerprint, labels] as const)),
    )
    const inhibitor = (fingerprint: string) => {
      const labels = byFingerprint.get(fingerprint)
      const { host = null } = labels === undefined ? {} : naming.nameOf(labels)
      return labels === undefined
        ? null
        : oneLine(`${labels.alertname}${host === null ? '' : ` on ${host}`}`, 100)
    }
    const muted = (one: Fired) =>
      mutedBy(one.copies, (id) => byId.get(id) ?? { ...unknownMute, id }, inhibitor)
    return fired.map((one) => {
      // What it said when it opened stays, so it is not made again.
      const open = ledger.opened(one.key)
      if (open !== undefined) return { ...open, mutedBy: muted(one) }
      const { host } = naming.nameOf(one.labels)
      return foundOf(one, {
        host: host ?? (one.labels.cluster || 'everywhere'),
        isSilent: host !== null && !answering.has(host),
        mutedBy: muted(one),
      })
    })
  }

  /** Since when kube-state-metrics answers, where a rule reads what it reports. */
  private async objectsSinceMs(
    rules: readonly Rule[],
    up: readonly QuerySeries[] | null,
    atMs: number,
  ): Promise<number | null> {
    const { engine } = this.parts
    const isThere = up?.some(({ metric, value }) => isOfObjects(metric.job) && value?.[1] !== '0') === true
    if (engine === null || !isThere) return null
    this.objectsSeenMs = atMs
    const durations = rules.flatMap(({ query, duration }) =>
      readExpression(query)?.isOfObjects ? duration : [],
    )
    if (durations.length === 0) return null
    const query = `up{job=~"(?i).*kube-state-metrics.*"}[${Math.max(...durations) + 360}s]`
    const samples = await engine.query('/api/v1/query', { query }).catch(() => null)
    return samples === null ? atMs : answersSinceMs(seriesOf(engine.name, samples), atMs)
  }
}

/** Where what both have is equal, and there is only this one on either side (`isSame` in `proof.ts`). By the Alertmanager's key. */
function looselyJoined(
  own: ReadonlyMap<string, { labels: Labels }>,
  byKey: ReadonlyMap<string, readonly Managed[]>,
  identity: Identity,
): Map<string, string> {
  const unjoined = new Map<string | undefined, [string, Labels][]>()
  for (const [key, { labels }] of own)
    if (!byKey.has(key))
      unjoined.set(labels.alertname, [...(unjoined.get(labels.alertname) ?? []), [key, labels]])
  const found = new Map<string, string>()
  for (const [key, [first]] of byKey) {
    if (first === undefined || own.has(key) || identity.isForeign(first.labels)) continue
    const fitting = (unjoined.get(first.labels.alertname) ?? []).filter(([, labels]) =>
      agree(labels, first.labels),
    )
    if (fitting.length === 1 && fitting[0] !== undefined) found.set(key, fitting[0][0])
  }
  const times = Map.groupBy(found.values(), (key) => key)
  return new Map([...found].filter(([, key]) => times.get(key)?.length === 1))
}

/** The only rule of this name whose own labels the alert has. */
function ruleFor(labels: Labels, named: ReadonlyMap<string, readonly Rule[]>): Rule | null {
  const rules = (named.get(labels.alertname ?? '') ?? []).filter((rule) =>
    Object.entries(rule.labels).every(([name, value]) => labels[name] === value || value.includes('{{')),
  )
  return new Set(rules.map(({ query }) => query)).size === 1 ? (rules[0] ?? null) : null
}

async function rulesFrom(asker: Asker) {
  return rulesOf(asker.name, await asker.get('/api/v1/rules', { type: 'alert' }))
}

async function alertsFrom(asker: Asker): Promise<Managers> {
  const [alerts, status] = await Promise.all([
    asker.get('/api/v2/alerts'),
    asker.get('/api/v2/status').catch(() => null),
  ])
  return {
    alerts: managedOf(asker.name, alerts),
    startMs: timeOf((status as { uptime?: string } | null)?.uptime),
  }
}

async function upOf(engine: Asker): Promise<readonly QuerySeries[]> {
  return seriesOf(engine.name, await engine.query('/api/v1/query', { query: 'up' })).slice(0, targetsMax)
}

/** VictoriaMetrics, Thanos and Grafana have no such answers. Returns what is wrong: a ruler that does not say when it began may be young. */
async function statusOf(ruler: Ruler, nowMs: () => number): Promise<string | null> {
  const { asker } = ruler
  try {
    const info = (await asker.get('/api/v1/status/runtimeinfo')) as { data?: Record<string, string> } | null
    const { startTime, lastConfigTime = '' } = info?.data ?? {}
    ruler.startMs = timeOf(startTime)
    if (lastConfigTime === '' || lastConfigTime === ruler.configured) return null
    ruler.external = externalOf(await asker.get('/api/v1/status/config'))
    ruler.configured = lastConfigTime
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const answered = error.answered ?? 0
    const isWithout = (answered >= 400 && answered < 500) || answered === 501
    ruler.startMs = isWithout ? null : nowMs()
    return isWithout ? null : error.message
  }
}

export function externalOf(body: unknown): Labels {
  const text = (body as { data?: { yaml?: unknown } } | null)?.data?.yaml
  const [block = ''] = /^global:\n(?:[ \t].*\n?)*/m.exec(typeof text === 'string' ? text : '') ?? []
  const config: unknown = parseYaml(block)
  const found = (config as { global?: { external_labels?: Labels } } | null)?.global?.external_labels ?? {}
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]))
}

function timeOf(text: string | undefined): number | null {
  const ms = Date.parse(text ?? '')
  return Number.isFinite(ms) ? ms : null
}

/** Of a cluster each has all of them; the newest version of one counts. */
export function unitedSilences(all: readonly AmSilence[]): AmSilence[] {
  const byId = new Map<string, AmSilence>()
  for (const one of all)
    if ((byId.get(one.id)?.updatedAt ?? Number.NEGATIVE_INFINITY) < one.updatedAt) byId.set(one.id, one)
  return [...byId.values()]
}

function lostWords(lost: number): string {
  const words = lost === 1 ? 'alert fires' : 'alerts fire'
  return `${lost} ${words} in the rules, and no Alertmanager has it`
}

function brokenWords(rules: readonly Rule[]): string[] {
  const broken = rules.filter(({ health }) => health === 'err')
  return broken
    .slice(0, troublesMax)
    .map(({ name, lastError }) => `the rule ${name} cannot be evaluated: ${oneLine(lastError, 200)}`)
}

/** Roles are `role`, of which one label may list several, and `job`. */
function serversOf(up: readonly QuerySeries[], alerts: readonly Found[], naming: Naming): ReadServer[] {
  const servers = new Map<string, { environment: string; roles: Set<string> }>()
  const all = [...up.map(({ metric }) => metric), ...alerts.map(({ labels = {} }) => labels)]
  for (const [at, labels] of all.entries()) {
    const { host } = naming.nameOf(labels)
    if (host === null) continue
    const environment = labels.env || labels.environment || 'production'
    const server = servers.get(host) ?? { environment, roles: new Set() }
    const jobs = at < up.length ? [labels.job ?? ''] : []
    for (const role of [...(labels.role ?? '').split(','), ...jobs].map((one) => one.trim()))
      if (role !== '' && role.length <= 100 && server.roles.size < rolesMax) server.roles.add(role)
    servers.set(host, server)
  }
  return [...servers].map(([host, { environment, roles }]) => ({
    host,
    environment,
    kind: 'prometheus',
    roles: [...roles],
  }))
}
