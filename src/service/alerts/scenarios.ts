/** Scenarios: named problems on simulated servers, which open and close alerts as real ones would. */
import { hashOf } from '../metrics/generator.ts'
import type { MetricKey } from '../metrics/metric-key.ts'
import type { Overlay, Overlays } from '../metrics/overlays.ts'
import { quoted, Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { isMeasured, type Registry, type Server } from '../store/registry.ts'
import type { Desk } from './desk.ts'

/** Every scenario, with its effect and defaults. */
export const scenarios = {
  'cpu-spike': { what: 'one server burns CPU; one alert', seconds: 60, count: 1 },
  'disk-fills': { what: 'a disk fills until somebody makes room; one alert', seconds: 150, count: 1 },
  flapping: {
    what: 'a load average that goes up and down `count` times; as many alerts',
    seconds: 160,
    count: 4,
  },
  storm: { what: '`count` alerts at once over the whole fleet', seconds: 120, count: 60 },
  'plugin-oneoff': {
    what: 'a plugin reports `count` events that neither open nor close',
    seconds: 1,
    count: 1,
  },
  'no-data': {
    what: 'one server sends nothing any more; one heartbeat alert after 30 seconds',
    seconds: 90,
    count: 1,
  },
} as const satisfies Readonly<Record<string, { what: string; seconds: number; count: number }>>

export type ScenarioName = keyof typeof scenarios

export const scenarioLimits = { countMax: 5_000, secondsMax: 24 * 60 * 60 } as const

export type ScenarioAsk = {
  readonly server?: string | undefined
  readonly count?: number | undefined
  readonly seconds?: number | undefined
}

export type ScenarioRun = {
  readonly scenario: ScenarioName
  readonly servers: readonly string[]
  /** Alerts that it opened immediately; others come from triggers at the next evaluations. */
  readonly alertIds: readonly number[]
  readonly endsAtMs: number
}

const stormPlugins = ['Upstream', 'HTTP Check', 'DNS', 'Message Queue', 'TLS', 'NFS']
const events = [
  'Deploy finished with 2 warnings',
  'Backup took longer than usual',
  'Log rotation skipped 1 file',
]

export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(scenarios, name)
}

/** Returns a function that starts one. Throws a `Refusal` if there is no server to run it on. */
export function openScenarios(parts: {
  readonly registry: Registry
  readonly overlays: Overlays
  readonly desk: Desk
  readonly ledger: Ledger
  readonly seed: number
  readonly nowMs: () => number
}): (name: ScenarioName, ask: ScenarioAsk) => ScenarioRun {
  const { registry, overlays, desk, ledger, seed, nowMs } = parts
  let runs = 0

  function choose(name: ScenarioName, hostname: string | undefined): readonly [Server, ...Server[]] {
    const fleet = registry.servers().filter((server) => !isMeasured(server))
    if (hostname !== undefined) {
      const server = registry.server(hostname)
      if (server === undefined) throw new Refusal(404, `server: no server is called ${quoted(hostname)}`)
      if (isMeasured(server)) {
        throw new Refusal(
          422,
          server.kind === 'machine'
            ? 'server: expected a simulated server; came this machine, which is measured'
            : `server: expected a simulated server; came ${quoted(hostname)}, which is measured`,
        )
      }
      return [server]
    }
    const at = hashOf(`${name} ${runs}`, seed) % Math.max(1, fleet.length)
    const [first, ...others] = [...fleet.slice(at), ...fleet.slice(0, at)]
    if (first === undefined)
      throw new Refusal(422, 'the fleet is empty: expected a simulated server; came none')
    return [first, ...others]
  }

  return (name, ask) => {
    const fromMs = nowMs()
    const { seconds, count } = {
      seconds: ask.seconds ?? scenarios[name].seconds,
      count: ask.count ?? scenarios[name].count,
    }
    const untilMs = fromMs + seconds * 1_000
    const servers = choose(name, ask.server)
    const [{ hostname }] = servers
    runs += 1

    const overlay = (key: MetricKey | null, shape: Overlay['shape'], level: number, periodMs = 1_000): void =>
      void overlays.add({ hostname, key, shape, level, fromMs, untilMs, periodMs })

    const started = {
      'cpu-spike': () => {
        overlay({ type: 'cpu', source: '', metric: 'cpu_busy' }, 'hold', 97.2)
        overlay({ type: 'cpu', source: '', metric: 'cpu_user' }, 'hold', 88.5)
        overlay({ type: 'plugin', source: 'Load Average', metric: 'last_minute' }, 'hold', 2.7)
        return []
      },
      'disk-fills': () => {
        overlay({ type: 'disk', source: '/', metric: 'disk_used_percent' }, 'ramp', 97.4)
        overlay({ type: 'disk', source: '/', metric: 'disk_free' }, 'ramp', 310)
        return []
      },
      flapping: () => {
        const periodMs = (seconds * 1_000) / count
        overlay({ type: 'plugin', source: 'Load Average', metric: 'last_minute' }, 'square', 3.5, periodMs)
        return []
      },
      'no-data': () => {
        overlay(null, 'hold', 0)
        return []
      },
      storm: () =>
        Array.from({ length: count }, (_, at) => {
          const nth = Math.floor(at / servers.length)
          const round = Math.floor(nth / stormPlugins.length)
          const plugin = stormPlugins[nth % stormPlugins.length] ?? 'Upstream'
          return desk.openAlert({
            server: servers[at % servers.length]?.hostname ?? hostname,
            plugin: round === 0 ? plugin : `${plugin} ${round + 1}`,
            metric: 'timeouts',
            value: 12 + (hashOf(`${at}`, seed) % 30),
            seconds,
          })
        }),
      'plugin-oneoff': () =>
        Array.from({ length: count }, (_, at) =>
          desk.oneoff({
            server: hostname,
            plugin: 'Log Watcher',
            title: events[(runs - 1 + at) % events.length] ?? 'Something happened',
          }),
        ),
    } satisfies Record<ScenarioName, () => readonly number[]>

    const alertIds = ledger.together(() => started[name]())
    return {
      scenario: name,
      servers: name === 'storm' ? servers.map((server) => server.hostname) : [hostname],
      alertIds,
      endsAtMs: untilMs,
    }
  }
}
