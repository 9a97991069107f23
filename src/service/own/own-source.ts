/** The service's own eyes: this machine, the simulated fleet, what is pushed, and what somebody opens by hand. */
import { amount, heartbeat, keyText, pluginOf, wordsOf } from '../metrics.ts'
import type { Server, Servers } from '../servers.ts'
import type { Found, MetricKey, Point, ReadServer, Source, StoredAlert, Window } from '../source.ts'
import type { Db } from '../store.ts'
import { ByHand } from './by-hand.ts'
import { Fleet } from './fleet.ts'
import { sampleMachine } from './machine.ts'
import { type Counters, readPush } from './otlp.ts'
import { Samples } from './samples.ts'
import { covers, type OwnTrigger, ownTriggers, type Standing, step } from './triggers.ts'

/** A value of the machine or of an agent is the newest one for so long; agents push once a minute. */
const freshMs = { machine: 10_000, pushed: 180_000 }

type OwnOptions = {
  /** This machine's name; null: it is not measured. */
  readonly machine: string | null
  readonly fleetSize: number
  readonly seed: number
  readonly everyMs: number
  readonly nowMs: () => number
}

export type OwnSource = Source & {
  readonly byHand: ByHand
  readonly fleet: Fleet
  /** What agents push; returns the number of points that were not taken. A deleted server or metric that is pushed again is there again. */
  push(bytes: Buffer, encoding: string): number
}

/** What is open in the ledger goes on as it was: a restart neither closes nor repeats it. */
export function openOwn(
  db: Db,
  servers: Servers,
  open: readonly StoredAlert[],
  { machine, fleetSize, seed, everyMs, nowMs }: OwnOptions,
): OwnSource {
  const samples = new Samples(db)
  const fleet = new Fleet(fleetSize, seed)
  const byHand = new ByHand({ servers, fleet, nowMs })
  const counters: Counters = new Map()
  const { keysOf, valueNow, points } = openFigures(samples, fleet, nowMs)
  const standings = new Map<string, Standing & { readonly opened: Found | null }>(
    open.map((one) => [one.key, { isOpen: true, sinceMs: null, seenMs: nowMs(), opened: one }]),
  )

  /** One evaluation of everything that a trigger watches. What is gone can never recover: its alert ends. */
  function evaluate(): Found[] {
    const found: Found[] = []
    const seen = new Set<string>()
    const watch = (server: Server, key: MetricKey, trigger: OwnTrigger) => {
      const id = JSON.stringify([trigger.id, server.host, keyText(key)])
      seen.add(id)
      const value = valueNow(server, key)
      const before = standings.get(id) ?? { isOpen: false, sinceMs: null, seenMs: 0, opened: null }
      const next = step(trigger, before, value, nowMs(), 4 * everyMs + freshMs.machine)
      const atOnce = () => ({
        key: id,
        host: server.host,
        startedMs: nowMs(),
        ...toldOf(trigger, key, value),
      })
      const opened = next.isOpen ? (before.opened ?? atOnce()) : null
      standings.set(id, { ...next, opened })
      if (opened !== null) found.push(opened)
    }
    for (const server of servers.all())
      for (const key of [...keysOf(server.host), heartbeat])
        for (const trigger of ownTriggers) if (covers(trigger, key, server.kind)) watch(server, key, trigger)
    for (const id of standings.keys()) if (!seen.has(id)) standings.delete(id)
    return found
  }

  return {
    everyMs,
    proofs: 1,
    mutes: null,
    byHand,
    fleet,
    async read() {
      const measured = machine === null ? [] : await sampleMachine()
      samples.add(
        measured.map((one) => ({ ...one, host: machine ?? '' })),
        nowMs(),
      )
      samples.tidy(nowMs())
      const self: ReadServer = { host: machine ?? '', environment: 'production', kind: 'machine', roles: [] }
      servers.take([...(machine === null ? [] : [self]), ...fleet.servers], nowMs())
      const alerts = [...evaluate(), ...byHand.found()]
      return { atMs: nowMs(), alerts, servers: [], triggers: ownTriggers, doubt: null, isOver: () => true }
    },
    async reconcileMutes() {},
    async series(key, hosts, window) {
      const isThis = (one: MetricKey) => keyText(one) === keyText(key)
      if (!servers.all().some(({ host }) => keysOf(host).some(isThis))) return null
      const blocks = hosts
        .map((label) => ({ label, points: points(label, key, window) }))
        .filter((block) => block.points.some((point) => point !== null))
      return { ...wordsOf(key), blocks }
    },
    async course({ host: label, series }, window) {
      const key = (series as { readonly key: MetricKey } | undefined)?.key
      return key === undefined
        ? null
        : { ...wordsOf(key), blocks: [{ label, points: points(label, key, window) }] }
    },
    deleteServer: (host) => samples.deleteHost(host),
    deleteMetrics: (names) =>
      names.filter((name) => [samples, fleet].filter((one) => one.deleteMetric(name)).length > 0),
    state: () => ({ kind: 'own' }),
    async stop() {},
    push(bytes, encoding) {
      const { pushed, rejected } = readPush(bytes, encoding, counters, nowMs())
      for (const { host, environment } of pushed)
        if (servers.get(host) === undefined) servers.add({ host, environment, kind: 'pushed', roles: [] })
      return rejected + samples.add(pushed, nowMs())
    },
  }
}

/** What an alert says of a value beyond its limit. */
function toldOf({ id: triggerId, maxValue: limit }: OwnTrigger, key: MetricKey, known: number | null) {
  const [value, { human, units }] = [known ?? 0, wordsOf(key)]
  const title = `${human} exceeded ${amount(limit, units)}, increasing to ${amount(value, units)}`
  const words = { title, plugin: pluginOf(key), metric: key.metric }
  return { ...words, value, units, limit, side: 'high' as const, triggerId, series: { key } }
}

/** What was measured or pushed, and what the simulated fleet has. */
function openFigures(samples: Samples, fleet: Fleet, nowMs: () => number) {
  function keysOf(host: string): readonly MetricKey[] {
    const own = [...fleet.keysOf(host), ...samples.keysOf(host)]
    return [...new Map(own.map((key) => [keyText(key), key])).values()]
  }

  function valueNow({ host, kind }: Server, key: MetricKey): number | null {
    if (keyText(key) === keyText(heartbeat)) {
      const lastMs = kind === 'fleet' ? (fleet.silentSinceMs(host, nowMs()) ?? nowMs()) : samples.lastMs(host)
      return lastMs === null ? null : (nowMs() - lastMs) / 1000
    }
    const withinMs = kind === 'pushed' ? freshMs.pushed : freshMs.machine
    return samples.valueNow(host, key, nowMs(), withinMs) ?? fleet.valueAt(host, key, nowMs())
  }

  function points(host: string, key: MetricKey, window: Window): (Point | null)[] {
    const measured = samples.points(host, key, window)
    if (!fleet.has(host)) return measured
    return fleet.points(host, key, window, nowMs()).map((point, at) => measured[at] ?? point)
  }

  return { keysOf, valueNow, points }
}
