/**
 * One reading: what every ruler and every Alertmanager says at one moment, united. What it does not list is over only if the engine
 * itself proves it (`identity.ts`).
 */
import type { Ledger } from '../ledger.ts'
import type { Found, MutedBy, Reading, ReadServer, StoredAlert } from '../source.ts'
import { type Fired, foundOf, mutedBy, oneLine, triggerIdOf, triggerOf, unknownMute } from './found.ts'
import { agree, answersSinceMs, Identity, isOver } from './identity.ts'
import {
  type AmSilence,
  type EngineAlert,
  type Engines,
  type Look,
  look,
  type Managed,
  type Rule,
  type Ruler,
  seriesOf,
} from './look.ts'
import { isOfObjects, type Labels, type Naming } from './naming.ts'
import { readExpression } from './promql.ts'

/** An alert that fires for so long and that no Alertmanager has got lost on its way. */
const lostAfterMs = 2 * 60_000
/** One so young may be at the Alertmanager before its rule was asked: then its value comes with the next reading. */
const youngMs = 2000
const troublesMax = 20
const rolesMax = 20

export type ReaderParts = Engines & {
  readonly naming: Naming
  readonly nowMs: () => number
  readonly ledger: Pick<Ledger, 'open' | 'opened'>
  readonly wordsOf: (silence: AmSilence) => MutedBy
}

type Own = { readonly alert: EngineAlert; readonly rule: Rule }
type Named = ReadonlyMap<string, readonly Rule[]>

export class Reader {
  readonly identity: Identity
  private readonly parts: ReaderParts
  private readonly rulers: readonly Ruler[]
  private readonly beganMs: number
  private readonly ruleSeenMs = new Map<string, number>()
  private objectsSeenMs: number | null = null
  private rules: ReadonlyMap<number, Rule> = new Map()
  troubles: readonly string[] = []

  constructor(parts: ReaderParts) {
    this.parts = parts
    this.identity = new Identity(parts.ledger.open())
    this.beganMs = parts.nowMs()
    this.rulers = parts.rulers.map((asker) => ({ asker, external: {}, configured: '', startMs: null }))
  }

  ruleOf({ triggerId, plugin }: StoredAlert): Rule | null {
    return this.rules.get(triggerId ?? 0) ?? this.rulesNamed(plugin)[0] ?? null
  }

  rulesNamed(name: string): readonly Rule[] {
    return [...this.rules.values()].filter((rule) => rule.name === name)
  }

  /** Of a cluster whose series are not asked for: what is equal there is another's. */
  isElsewhere({ labels = {} }: StoredAlert): boolean {
    const own = this.rulers.filter(({ asker }) => asker === this.parts.engine)
    return this.identity.isForeign(
      labels,
      own.map(({ external }) => external),
    )
  }

  isExternal(name: string): boolean {
    return this.rulers.some(({ external }) => Object.hasOwn(external, name))
  }

  async read(): Promise<Reading> {
    const { naming, nowMs, managers } = this.parts
    const { identity, beganMs } = this
    const seen = await look(this.parts, this.rulers, nowMs)
    const atMs = nowMs()
    const externals = this.rulers.map(({ external }) => external)
    const plain = seen.ruled.map((one) => one?.rules ?? [])
    identity.learn(externals, plain.flat())
    const rules = plain.flatMap((all, at) => all.map((rule) => asSent(rule, externals[at])))
    const named = Map.groupBy(rules, ({ name }) => name)
    const targets = seen.up?.map(({ metric }) => metric)
    if (targets !== undefined) naming.learn(targets, externals[0]?.cluster ?? '')
    for (const name of named.keys()) this.ruleSeenMs.set(name, atMs)

    const fired = this.unite(rules, seen, named, atMs)
    const alerts = this.found(fired, seen)
    const lost = managers.length === 0 ? 0 : fired.filter(({ copies }) => copies.length === 0).length
    const isLost = `${lost} ${lost === 1 ? 'alert fires' : 'alerts fire'} in the rules, and no Alertmanager has it`
    const lostWords = lost === 0 ? [] : [isLost]
    const doubts = [...(seen.isPartial ? seen.failures : []), ...lostWords]
    this.troubles = [...seen.failures, ...lostWords, ...brokenWords(rules)]
    // Without what fires: that is large.
    this.rules = new Map(rules.map((rule) => [triggerIdOf(rule), { ...rule, alerts: [] }]))
    const managerStarts = seen.managed.map((one) => one?.startMs ?? null)
    const evidence = {
      atMs,
      named,
      isPartial: seen.isPartial,
      startMs: latest(this.rulers.map(({ startMs }) => startMs)),
      managerStartMs: managerStarts.includes(null) ? null : latest(managerStarts),
      hasManagers: managers.length > 0,
      objectsSinceMs: await this.objectsSinceMs(rules, seen, atMs),
      objectsSeenMs: this.objectsSeenMs,
      ruleSeenMs: (name: string) => this.ruleSeenMs.get(name) ?? beganMs,
    }
    return {
      atMs,
      alerts,
      servers: serversOf(targets ?? [], alerts, naming),
      triggers: rules.map(triggerOf),
      doubt: doubts.length === 0 ? null : oneLine(doubts.join('; '), 300),
      isOver: (alert) => isOver(alert, evidence, identity),
    }
  }

  /** What fires, one a key: the Alertmanagers' word, joined to its rule; without one, what fires in the rules. */
  private unite(rules: readonly Rule[], { managed }: Look, named: Named, atMs: number): Fired[] {
    const { identity } = this
    const { managers, ledger } = this.parts
    const own = new Map<string, Own>()
    for (const rule of rules)
      for (const alert of rule.alerts) own.set(identity.keyOf(alert.labels), { alert, rule })
    const listed = managed.flatMap((one) => one?.alerts ?? [])
    const byKey = Map.groupBy(listed, ({ labels }) => identity.keyOf(labels))
    const loose = looselyJoined(own, byKey, identity)
    const fired: Fired[] = []
    for (const [key, copies] of byKey) {
      const labels = copies[0]?.labels ?? {}
      const joined = own.get(key) ?? own.get(loose.get(key) ?? '')
      const rule = joined?.rule ?? (identity.isForeign(labels) ? null : ruleFor(labels, named))
      const startedMs = Math.min(atMs, ...copies.map(({ startsAt }) => startsAt))
      const isEarly = joined === undefined && rule !== null && atMs - startedMs < youngMs
      if (isEarly && ledger.opened(key) === undefined) continue
      fired.push({ key, labels, startedMs, copies, own: joined?.alert ?? null, rule })
    }
    const taken = new Set(loose.values())
    for (const [key, { alert, rule }] of own) {
      if (alert.state === 'pending' || byKey.has(key) || taken.has(key)) continue
      // `activeAt` is when it became pending.
      const startedMs = Math.min(atMs, alert.activeAt + rule.duration * 1000)
      if (managers.length > 0 && atMs - startedMs < lostAfterMs) continue
      fired.push({ key, labels: alert.labels, startedMs, copies: [], own: alert, rule })
    }
    return fired
  }

  private found(fired: readonly Fired[], { silences, up }: Look): Found[] {
    const { naming, wordsOf, ledger } = this.parts
    const answering = (up ?? []).filter(({ value }) => value?.[1] !== '0')
    const hosts = new Set(answering.map(({ metric }) => naming.nameOf(metric).host))
    const byId = new Map(silences.map((one) => [one.id, wordsOf(one)]))
    const copies = fired.flatMap((one) => one.copies)
    const byFingerprint = new Map(copies.map(({ fingerprint, labels }) => [fingerprint, labels]))
    const inhibitor = (fingerprint: string) => {
      const labels = byFingerprint.get(fingerprint)
      if (labels === undefined) return null
      const { host } = naming.nameOf(labels)
      return oneLine(host === null ? `${labels.alertname}` : `${labels.alertname} on ${host}`, 100)
    }
    return fired.map((one) => {
      const told = { mutedBy: mutedBy(one.copies, (id) => byId.get(id) ?? { ...unknownMute, id }, inhibitor) }
      // What it said when it opened stays, so it is not made again.
      const open = ledger.opened(one.key)
      if (open !== undefined) return { ...open, ...told }
      const labels = this.identity.withoutReplica(one.labels)
      const { host } = naming.nameOf(labels)
      const isDown = host !== null && !hosts.has(host)
      return { ...foundOf({ ...one, labels }, host ?? (labels.cluster || 'everywhere'), isDown), ...told }
    })
  }

  /** Since when kube-state-metrics answers, where a rule reads what it reports. */
  private async objectsSinceMs(rules: readonly Rule[], { up }: Look, atMs: number): Promise<number | null> {
    const { engine } = this.parts
    const isThere = up?.some(({ metric, value }) => isOfObjects(metric.job) && value?.[1] !== '0') === true
    if (engine === null || !isThere) return null
    this.objectsSeenMs = atMs
    const own = rules.filter(({ query }) => readExpression(query)?.isOfObjects)
    if (own.length === 0) return null
    const longest = Math.max(...own.map(({ duration }) => duration)) + 360
    const query = `up{job=~"(?i).*kube-state-metrics.*"}[${longest}s]`
    const samples = await engine.query('/api/v1/query', { query }).catch(() => null)
    return samples === null ? atMs : answersSinceMs(seriesOf(engine.name, samples), atMs)
  }
}

/** With its alerts as they reach an Alertmanager: two clusters may have equal ones. */
function asSent(rule: Rule, external: Labels = {}): Rule {
  return { ...rule, alerts: rule.alerts.map((one) => ({ ...one, labels: { ...external, ...one.labels } })) }
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((ms) => ms !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Where what both have is equal, and there is only this one on either side (`isSame` in `identity.ts`). By the Alertmanager's key. */
function looselyJoined(
  own: ReadonlyMap<string, Own>,
  byKey: ReadonlyMap<string, readonly Managed[]>,
  identity: Identity,
): Map<string, string> {
  const unjoined = Map.groupBy(
    [...own].filter(([key]) => !byKey.has(key)),
    ([, { rule }]) => rule.name,
  )
  const found = new Map<string, string>()
  for (const [key, [first]] of byKey) {
    if (first === undefined || own.has(key) || identity.isForeign(first.labels)) continue
    const named = unjoined.get(first.labels.alertname ?? '') ?? []
    const [only, ...others] = named.filter(([, { alert }]) => agree(alert.labels, first.labels))
    if (only !== undefined && others.length === 0) found.set(key, only[0])
  }
  const times = Map.groupBy(found.values(), (key) => key)
  return new Map([...found].filter(([, key]) => times.get(key)?.length === 1))
}

/** The only rule of this name whose own labels the alert has. */
function ruleFor(labels: Labels, named: Named): Rule | null {
  const rules = (named.get(labels.alertname ?? '') ?? []).filter((rule) =>
    Object.entries(rule.labels).every(([name, value]) => labels[name] === value || value.includes('{{')),
  )
  return new Set(rules.map(({ query }) => query)).size === 1 ? (rules[0] ?? null) : null
}

function brokenWords(rules: readonly Rule[]): string[] {
  const broken = rules.filter(({ health }) => health === 'err').slice(0, troublesMax)
  return broken.map((rule) => `the rule ${rule.name} cannot be evaluated: ${oneLine(rule.lastError, 200)}`)
}

/** Roles are `role`, of which one label may list several, and the jobs of what is scraped. */
function serversOf(targets: readonly Labels[], alerts: readonly Found[], naming: Naming): ReadServer[] {
  const servers = new Map<string, ReadServer & { readonly roles: string[] }>()
  const take = (labels: Labels, job: string) => {
    const { host } = naming.nameOf(labels)
    if (host === null) return
    const environment = labels.env || labels.environment || 'production'
    const server = servers.get(host) ?? { host, environment, kind: 'prometheus', roles: [] }
    for (const role of [...(labels.role ?? '').split(','), job].map((one) => one.trim())) {
      const fits = role !== '' && role.length <= 100 && server.roles.length < rolesMax
      if (fits && !server.roles.includes(role)) server.roles.push(role)
    }
    servers.set(host, server)
  }
  for (const labels of targets) take(labels, labels.job ?? '')
  for (const { labels = {} } of alerts) take(labels, '')
  return [...servers.values()]
}
