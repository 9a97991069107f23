/** The service's own eyes: this machine, the simulated fleet, what is pushed, and what somebody opens by hand. */
import { heartbeat, keyFor, keyText, pluginOf, wordsOf } from '../metrics.ts'
import type { Server, Servers } from '../servers.ts'
import type {
  Course,
  Found,
  MetricKey,
  Point,
  Reading,
  ReadServer,
  Source,
  StoredAlert,
  Window,
} from '../source.ts'
import type { Db } from '../store.ts'
import { ByHand } from './by-hand.ts'
import { Fleet } from './fleet.ts'
import { sampleMachine } from './machine.ts'
import { type Counters, readPush } from './otlp.ts'
import { Samples } from './samples.ts'
import { covers, type OwnTrigger, ownTriggers, type Standing, step, titleOf } from './triggers.ts'

/** A value of the machine or of an agent is the newest one for so long; agents push once a minute. */
const freshMs = { machine: 10_000, pushed: 180_000 }

export type OwnOptions = {
  /** This machine's name; null: it is not measured. */
  readonly machine: string | null
  readonly fleetSize: number
  readonly seed: number
  readonly everyMs: number
  readonly nowMs: () => number
}

export class OwnSource implements Source {
  readonly kind = 'own'
  readonly everyMs: number
  readonly proofs = 1
  readonly mutes = null
  readonly byHand: ByHand
  readonly fleet: Fleet
  readonly samples: Samples
  private readonly machine: string | null
  private readonly nowMs: () => number
  private readonly servers: Servers
  private readonly counters: Counters = new Map()
  /** By the alert's key. */
  private readonly standings = new Map<string, Standing & { readonly opened: Found | null }>()

  /** What is open in the ledger goes on as it was: a restart neither closes nor repeats it. */
  constructor(db: Db, servers: Servers, openAlerts: readonly StoredAlert[], options: OwnOptions) {
    const { machine, nowMs, everyMs } = options
    this.machine = machine
    this.nowMs = nowMs
    this.everyMs = everyMs
    this.servers = servers
    this.samples = new Samples(db)
    this.fleet = new Fleet(options.fleetSize, options.seed)
    this.byHand = new ByHand(db, { servers, fleet: this.fleet, nowMs })
    for (const alert of openAlerts)
      this.standings.set(alert.key, { isOpen: true, sinceMs: null, seenMs: nowMs(), opened: alert })
  }

  keysOf(host: string): readonly MetricKey[] {
    const own = [...this.fleet.keysOf(host), ...this.samples.keysOf(host)]
    return [...new Map(own.map((key) => [keyText(key), key])).values()]
  }

  valueNow(server: Server, key: MetricKey): number | null {
    const { host, kind } = server
    if (keyText(key) === keyText(heartbeat)) return this.silentS(server)
    const withinMs = kind === 'pushed' ? freshMs.pushed : freshMs.machine
    const measured = this.samples.valueNow(host, key, this.nowMs(), withinMs)
    return measured ?? this.fleet.valueAt(host, key, this.nowMs())
  }

  points(host: string, key: MetricKey, window: Window): (Point | null)[] {
    const measured = this.samples.points(host, key, window)
    if (!this.fleet.has(host)) return measured
    return this.fleet.points(host, key, window, this.nowMs()).map((point, at) => measured[at] ?? point)
  }

  async read(): Promise<Reading> {
    const { machine, nowMs } = this
    const measured = machine === null ? [] : await sampleMachine()
    for (const { key, value } of measured) this.samples.add(machine ?? '', key, value, nowMs())
    this.samples.tidy(nowMs())
    const own: ReadServer[] =
      machine === null ? [] : [{ host: machine, environment: 'production', kind: 'machine', roles: [] }]
    this.servers.take([...own, ...this.fleet.servers], nowMs())
    const alerts = [...this.evaluate(), ...this.byHand.found()]
    return { atMs: nowMs(), alerts, servers: [], triggers: ownTriggers, doubt: null, isOver: () => true }
  }

  async reconcileMutes(): Promise<void> {}

  async series(key: MetricKey, hosts: readonly string[], window: Window): Promise<Course | null> {
    const isThis = (one: MetricKey) => keyText(one) === keyText(key)
    if (!this.servers.all().some(({ host }) => this.keysOf(host).some(isThis))) return null
    const blocks = hosts
      .map((label) => ({ label, points: this.points(label, key, window) }))
      .filter(({ points }) => points.some((point) => point !== null))
    return { ...wordsOf(key), blocks }
  }

  async course(alert: StoredAlert, window: Window): Promise<Course | null> {
    const { host, series } = alert as StoredAlert & { readonly series?: { readonly key: MetricKey } }
    if (series === undefined) return null
    return {
      ...wordsOf(series.key),
      blocks: [{ label: host, points: this.points(host, series.key, window) }],
    }
  }

  deleteServer(host: string): void {
    this.samples.deleteHost(host)
  }

  deleteMetrics(names: readonly string[]): readonly string[] {
    return names.filter((name) =>
      [this.samples.deleteMetric(name), this.fleet.deleteMetric(name)].some((isGone) => isGone),
    )
  }

  state(): object {
    return { kind: this.kind }
  }

  async stop(): Promise<void> {
    this.samples.tidy(this.nowMs())
  }

  /** What agents push; returns the number of points that were not taken. A deleted server or metric that is pushed again is there again. */
  push(bytes: Buffer, encoding: string): number {
    const { pushed, rejected } = readPush(bytes, encoding, this.counters, this.nowMs())
    let left = rejected
    for (const { host, environment, name, value } of pushed) {
      if (this.servers.get(host) === undefined)
        this.servers.add({ host, environment, kind: 'pushed', roles: [] })
      if (!this.samples.add(host, keyFor('custom_metric', name, name), value, this.nowMs())) left += 1
    }
    return left
  }

  private silentS({ host, kind }: Server): number | null {
    const now = this.nowMs()
    const last = kind === 'fleet' ? (this.fleet.silentSinceMs(host, now) ?? now) : this.samples.lastMs(host)
    return last === null ? null : (now - last) / 1000
  }

  /** One evaluation of everything that a trigger watches. What is gone can never recover: its alert ends. */
  private evaluate(): Found[] {
    const found: Found[] = []
    const seen = new Set<string>()
    for (const server of this.servers.all())
      for (const key of [...this.keysOf(server.host), heartbeat])
        for (const trigger of ownTriggers) {
          if (!covers(trigger, key, server.kind)) continue
          const id = JSON.stringify([trigger.id, server.host, keyText(key)])
          seen.add(id)
          const value = this.valueNow(server, key)
          const before = this.standings.get(id) ?? { isOpen: false, sinceMs: null, seenMs: 0, opened: null }
          const next = step(trigger, before, value, this.nowMs(), 4 * this.everyMs + freshMs.machine)
          const opened = next.isOpen
            ? (before.opened ?? this.foundOf(id, trigger, server, key, value ?? 0))
            : null
          this.standings.set(id, { ...next, opened })
          if (opened !== null) found.push(opened)
        }
    for (const id of this.standings.keys()) if (!seen.has(id)) this.standings.delete(id)
    return found
  }

  private foundOf(id: string, trigger: OwnTrigger, { host }: Server, key: MetricKey, value: number): Found {
    return {
      key: id,
      startedMs: this.nowMs(),
      host,
      title: titleOf(key, trigger.maxValue, value),
      plugin: pluginOf(key),
      metric: key.metric,
      value,
      units: wordsOf(key).units,
      limit: trigger.maxValue,
      side: 'high',
      triggerId: trigger.id,
      series: { key },
    }
  }
}
