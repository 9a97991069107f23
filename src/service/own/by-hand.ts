/** Alerts that somebody opens at the control API, and the scenarios of the demo: named problems of simulated servers. */
import { z } from 'zod'
import { keyFor, metricTypes, wordsOf } from '../metrics.ts'
import type { Servers } from '../servers.ts'
import { type Found, type MetricKey, quoted, Refusal } from '../source.ts'
import { type Db, openShelf, type Shelf } from '../store.ts'
import { type Fleet, hashOf, type Overlay } from './fleet.ts'

const text = z.string().min(1).max(300)
const seconds = z.number().min(0).max(86_400)
/** A server that is not known is added. */
export const alertAsk = z.strictObject({
  server: text,
  plugin: text,
  metric: text.optional(),
  value: z.number().optional(),
  title: text.optional(),
  role: text.optional(),
  /** It closes by itself after so long. */
  seconds: seconds.optional(),
})
export type AlertByHand = z.output<typeof alertAsk>
export type OneoffByHand = { readonly server: string; readonly plugin: string; readonly title: string }

export const scenarioAsk = z.strictObject({
  server: text.optional(),
  count: z.int().min(1).max(5000).optional(),
  seconds: seconds.optional(),
})
export type ScenarioAsk = z.output<typeof scenarioAsk>

type Held = { readonly found: Found; readonly closesMs: number | null }

/** What a page asks for by name: a problem of one simulated server, of all, or `count` events of a plugin. */
export const scenarios = {
  'cpu-spike': { seconds: 60, count: 1 },
  'disk-fills': { seconds: 150, count: 1 },
  flapping: { seconds: 160, count: 4 },
  storm: { seconds: 120, count: 60 },
  'plugin-oneoff': { seconds: 1, count: 1 },
  'no-data': { seconds: 90, count: 1 },
} as const
export type ScenarioName = keyof typeof scenarios
export type ScenarioRun = { readonly scenario: ScenarioName; readonly endsAtMs: number }

const heldMax = 10_000
const stormPlugins = ['Upstream', 'HTTP Check', 'DNS', 'Message Queue', 'TLS', 'NFS']
/** What changes in the first chosen server. */
const changes: Partial<Record<ScenarioName, readonly Pick<Overlay, 'key' | 'shape' | 'level'>[]>> = {
  'cpu-spike': [
    { key: keyFor('cpu', '', 'cpu_busy'), shape: 'hold', level: 97.2 },
    { key: keyFor('cpu', '', 'cpu_user'), shape: 'hold', level: 88.5 },
  ],
  'disk-fills': [
    { key: keyFor('disk', '/', 'disk_used_percent'), shape: 'ramp', level: 97.4 },
    { key: keyFor('disk', '/', 'disk_free'), shape: 'ramp', level: 310 },
  ],
  flapping: [{ key: keyFor('plugin', 'Load Average', 'last_minute'), shape: 'square', level: 3.5 }],
  'no-data': [{ key: null, shape: 'hold', level: 0 }],
}

export class ByHand {
  private readonly held: Shelf<Held>
  private readonly parts: { servers: Servers; fleet: Fleet; nowMs: () => number }
  private oneoffs: Found[] = []
  private given = 0

  constructor(db: Db, parts: { servers: Servers; fleet: Fleet; nowMs: () => number }) {
    this.held = openShelf<Held>(db, 'by_hand', heldMax)
    this.parts = parts
  }

  /** What is open by hand now; one-offs until they are taken. */
  found(): Found[] {
    for (const [key, { closesMs }] of [...this.held.all()])
      if (closesMs !== null && closesMs <= this.parts.nowMs()) this.held.remove(key)
    return [...[...this.held.all().values()].map(({ found }) => found), ...this.oneoffs.splice(0)]
  }

  open(alert: AlertByHand): Found {
    const { server, plugin, metric, value = 3.5, seconds } = alert
    const limit = Number((value * (6 / 7)).toPrecision(2))
    const title = alert.title ?? `${plugin} exceeded ${limit.toFixed(2)}, increasing to ${value.toFixed(2)}`
    let found = this.foundOf(alert, title)
    if (metric !== undefined) {
      const key = keyOf(plugin, metric)
      this.parts.fleet.addMetric(server, key, value)
      found = { ...found, metric, value, units: wordsOf(key).units, limit, side: 'high', series: { key } }
    }
    const closesMs = seconds === undefined ? null : this.parts.nowMs() + seconds * 1000
    this.held.put(found.key, { found, closesMs })
    return found
  }

  oneoff(oneoff: OneoffByHand): Found {
    const one: Found = { ...this.foundOf(oneoff, oneoff.title), isOneoff: true }
    this.oneoffs.push(one)
    return one
  }

  close(key: string): void {
    this.held.remove(key)
  }

  start(name: ScenarioName, ask: ScenarioAsk): ScenarioRun {
    const { seconds = scenarios[name].seconds, count = scenarios[name].count } = ask
    const hosts = this.chosen(name, ask.server)
    const [host = ''] = hosts
    const [fromMs, untilMs] = [this.parts.nowMs(), this.parts.nowMs() + seconds * 1000]
    for (const change of changes[name] ?? [])
      this.parts.fleet.overlay({ ...change, host, fromMs, untilMs, periodMs: (seconds * 1000) / count })
    for (let n = 0; n < count; n += 1) {
      const server = hosts[n % hosts.length] ?? host
      const plugin = stormPlugins[Math.floor(n / hosts.length) % stormPlugins.length] ?? ''
      if (name === 'storm') this.open({ server, plugin, metric: 'timeouts', value: 12 + (n % 30), seconds })
      if (name === 'plugin-oneoff')
        this.oneoff({ server: host, plugin: 'Log Watcher', title: `Deploy finished with ${n + 2} warnings` })
    }
    return { scenario: name, endsAtMs: untilMs }
  }

  private foundOf({ server: host, plugin, role }: Omit<AlertByHand, 'title'>, title: string): Found {
    const known = this.parts.servers.get(host)
    const { environment, kind } = known ?? { environment: 'production', kind: 'extra' as const }
    if (known === undefined || role !== undefined)
      this.parts.servers.add({ host, environment, kind, roles: role === undefined ? [] : [role] })
    this.given += 1
    const startedMs = this.parts.nowMs()
    const key = `hand ${startedMs} ${this.given}`
    return { key, startedMs, host, title, plugin, metric: null, value: null }
  }

  /** The one that is asked for, or all from a random one on. */
  private chosen(name: ScenarioName, host: string | undefined): readonly string[] {
    if (host !== undefined) {
      if (this.parts.fleet.has(this.parts.servers.known(host).host)) return [host]
      throw new Refusal(422, `server: expected a simulated server; came ${quoted(host)}, which is measured`)
    }
    const hosts = this.parts.fleet.servers.map((one) => one.host).filter((one) => this.parts.servers.get(one))
    if (hosts.length === 0)
      throw new Refusal(422, 'the fleet is empty: expected a simulated server; came none')
    this.given += 1
    const at = hashOf(`${name} ${this.given}`, 1) % hosts.length
    return [...hosts.slice(at), ...hosts.slice(0, at)]
  }
}

/** `Disk /` is the volume `/`; what is not the name of a type is a plugin's. */
function keyOf(plugin: string, metric: string): MetricKey {
  const [word = '', ...rest] = plugin.split(' ')
  const type = metricTypes.find((one) => one === word.toLowerCase())
  if (type === 'cpu' || type === 'memory') return keyFor(type, '', metric)
  if (type !== undefined && rest.length > 0) return keyFor(type, rest.join(' '), metric)
  return keyFor('plugin', plugin, metric)
}
