/** Alerts that somebody opens at the control API, and the scenarios of the demo: named problems of simulated servers. */
import { z } from 'zod'
import { keyFor, metricTypes, wordsOf } from '../metrics.ts'
import type { Servers } from '../servers.ts'
import { type Found, type MetricKey, Refusal } from '../source.ts'
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

/** What a page asks for by name: a change of one simulated server, alerts on all of them, or `count` events of a plugin. */
export const scenarios: Readonly<Record<string, { seconds: number; count: number; change?: Change }>> = {
  'cpu-spike': { seconds: 60, count: 1, change: [keyFor('cpu', '', 'cpu_busy'), 'hold', 97.2] },
  'disk-fills': { seconds: 150, count: 1, change: [keyFor('disk', '/', 'disk_used_percent'), 'ramp', 97.4] },
  flapping: {
    seconds: 160,
    count: 4,
    change: [keyFor('plugin', 'Load Average', 'last_minute'), 'square', 3.5],
  },
  storm: { seconds: 120, count: 60 },
  'plugin-oneoff': { seconds: 1, count: 1 },
  'no-data': { seconds: 90, count: 1, change: [null, 'hold', 0] },
}
type Change = readonly [key: Overlay['key'], shape: Overlay['shape'], level: number]
export type ScenarioRun = { readonly scenario: string; readonly endsAtMs: number }

const stormPlugins = ['Upstream', 'HTTP Check', 'DNS', 'Message Queue', 'TLS', 'NFS']

export class ByHand {
  private readonly held = new Map<string, { readonly found: Found; readonly closesMs: number | null }>()
  private readonly parts: { servers: Servers; fleet: Fleet; nowMs: () => number }
  private oneoffs: Found[] = []
  private given = 0

  constructor(parts: { servers: Servers; fleet: Fleet; nowMs: () => number }) {
    this.parts = parts
  }

  /** What is open by hand now; one-offs until they are taken. */
  found(): Found[] {
    for (const [key, { closesMs }] of this.held)
      if (closesMs !== null && closesMs <= this.parts.nowMs()) this.held.delete(key)
    return [...[...this.held.values()].map(({ found }) => found), ...this.oneoffs.splice(0)]
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
    this.held.set(found.key, { found, closesMs })
    return found
  }

  oneoff(oneoff: OneoffByHand): Found {
    const one: Found = { ...this.foundOf(oneoff, oneoff.title), isOneoff: true }
    this.oneoffs.push(one)
    return one
  }

  close(key: string): void {
    this.held.delete(key)
  }

  /** On the server that is asked for, or a random one; a storm goes on from there. */
  start(scenario: string, ask: ScenarioAsk): ScenarioRun {
    const { fleet, servers, nowMs } = this.parts
    const known = Object.hasOwn(scenarios, scenario) ? scenarios[scenario] : undefined
    if (known === undefined)
      throw new Refusal(404, `no such scenario; expected one of ${Object.keys(scenarios).join(', ')}`)
    const { seconds = known.seconds, count = known.count } = ask
    const there = fleet.servers.map(({ host }) => host).filter((host) => servers.get(host))
    this.given += 1
    const random = hashOf(`${scenario} ${this.given}`, 1) % there.length
    const at = ask.server === undefined ? random : there.indexOf(ask.server)
    const host = there[at]
    if (host === undefined)
      throw new Refusal(422, 'server: expected a simulated server; came another one, or there is none')
    const untilMs = nowMs() + seconds * 1000
    const [key, shape, level] = known.change ?? []
    if (key !== undefined && shape !== undefined && level !== undefined)
      fleet.overlay({ host, key, shape, level, fromMs: nowMs(), untilMs, periodMs: (seconds * 1000) / count })
    for (let n = 0; n < count; n += 1) {
      const server = there[(at + n) % there.length] ?? host
      const plugin = stormPlugins[Math.floor(n / there.length) % stormPlugins.length] ?? ''
      if (scenario === 'storm')
        this.open({ server, plugin, metric: 'timeouts', value: 12 + (n % 30), seconds })
      if (scenario === 'plugin-oneoff')
        this.oneoff({ server: host, plugin: 'Log Watcher', title: `Deploy finished with ${n + 2} warnings` })
    }
    return { scenario, endsAtMs: untilMs }
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
}

/** `Disk /` is the volume `/`; what is not the name of a type is a plugin's. */
function keyOf(plugin: string, metric: string): MetricKey {
  const [word = '', ...rest] = plugin.split(' ')
  const type = metricTypes.find((one) => one === word.toLowerCase())
  if (type === 'cpu' || type === 'memory') return keyFor(type, '', metric)
  if (type !== undefined && rest.length > 0) return keyFor(type, rest.join(' '), metric)
  return keyFor('plugin', plugin, metric)
}
