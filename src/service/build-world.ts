/** Assembles the parts of the service, without HTTP and timers. */
import { hostname as systemHostname } from 'node:os'
import { globsMatcher } from '../shared/glob.ts'
import { openAlertLog } from './alerts/alert-log.ts'
import { openDesk } from './alerts/desk.ts'
import { openScenarios } from './alerts/scenarios.ts'
import { heartbeatKey } from './alerts/triggers.ts'
import { chooseTriggers, pushedSilentMs } from './alerts/usual-triggers.ts'
import { openWatch } from './alerts/watch.ts'
import { durationText } from './config/duration.ts'
import type { FleetConfig } from './config/read-config.ts'
import { fleetOf, metricsOf } from './metrics/fleet.ts'
import { type Generated, openGenerated } from './metrics/generated.ts'
import type { Sample } from './metrics/machine.ts'
import type { MetricKey } from './metrics/metric-key.ts'
import { openOverlays } from './metrics/overlays.ts'
import { openReadings, type Readings } from './metrics/readings.ts'
import { openSeries } from './metrics/series.ts'
import { type Meter, noMeter } from './ops/metrics.ts'
import type { Settings } from './options.ts'
import { openOwnSource, removeServer, type Source } from './own-source.ts'
import { openServers } from './prometheus/servers.ts'
import { openPrometheusSource } from './prometheus/source.ts'
import { openGoneHosts } from './push/gone-hosts.ts'
import { openReceiver, type Receiver } from './push/receiver.ts'
import { quoted } from './refusal.ts'
import { type Fleet, openFleet } from './scrape/fleet.ts'
import { openKeys } from './store/keys.ts'
import type { Ledger } from './store/ledger.ts'
import { rememberMutes } from './store/mute-spans.ts'
import { openRegistry, type Registry } from './store/registry.ts'
import { openLinks } from './web/links.ts'
import type { World } from './world.ts'

/** This machine is measured every two seconds; values older than this are stale. */
const machineFreshMs = 15_000

export type Works = {
  readonly world: World
  /** Records a measurement of this machine, if given, and evaluates every trigger. */
  evaluate(samples: readonly Sample[]): void
  /** Switches to the servers and triggers of a new file. */
  useConfig(config: FleetConfig): void
  /** Writes data that is only in memory so far. */
  flush(): void
}

export function buildWorld(
  settings: Settings,
  ledger: Ledger,
  publicUrl: () => string,
  meter: Meter = noMeter,
): Works {
  const { nowMs, upMs, seed, report } = settings
  const { registry: own, muteSpans } = rememberMutes(openRegistry(ledger), nowMs)
  const servers =
    settings.prometheus &&
    openServers({ registry: own, ledger, settings: settings.prometheus, nowMs, report })
  const registry = servers?.registry ?? own
  const series = openSeries(ledger, report)
  const overlays = openOverlays(ledger)
  const generated = openGenerated(ledger, overlays, seed)
  const machine = (settings.hostname ?? systemHostname()) || 'this-machine'
  ledger.together(() => settleServers(registry, settings, machine))
  const timing = { isTimed: settings.sampleMs !== null, nowMs, upMs }
  const fleet = openFleet({ registry, series, generated, ledger, ...timing, report })
  fleet.use(settings.config)
  generateFleet(registry, generated, settings)

  const log = openAlertLog({ ledger, form: settings.form, order: settings.order, nowMs })
  let isCustomNow = globsMatcher(settings.config.customMetrics)
  const isKept = (name: string): boolean => isCustomNow(name)
  const receiver = openReceiver({ registry, series, isKept, isScraped: fleet.shows, nowMs })
  const freshMsOf = freshness(registry, fleet, receiver)
  const lastReportMs = { scraped: fleet.lastScrapeMs, pushed: receiver.lastMs }
  const readings = openReadings({ registry, series, generated, nowMs, freshMsOf, lastReportMs })
  // With a Prometheus behind it, that one's own rules decide what is an alert.
  let triggersNow = servers === null ? chooseTriggers(settings, settings.config) : []
  const triggers = () => triggersNow
  const desk = openDesk({ registry, log, readings, generated, overlays, triggers, nowMs })
  const watch = openWatch({ registry, readings, log, triggers, nowMs })
  const heartbeats = openHeartbeats({ registry, series, readings, nowMs })
  const forgetting = openForgetting({ registry, ledger, log, receiver, settings })
  const source: Source =
    servers === null || settings.prometheus === null
      ? openOwnSource({ ledger, registry, readings, generated, series, log, triggers, nowMs })
      : openPrometheusSource({
          settings: settings.prometheus,
          servers,
          ledger,
          log,
          ...timing,
          report,
          meter,
          onRefused: settings.onLost,
        })

  return {
    world: {
      nowMs,
      ledger,
      keys: openKeys(ledger, settings.keys),
      registry,
      muteSpans,
      generated,
      series,
      readings,
      fleet,
      push: receiver.take,
      source,
      log,
      desk,
      links: openLinks(ledger, publicUrl),
      startScenario: openScenarios({ registry, overlays, desk, ledger, seed, nowMs }),
    },
    evaluate(samples) {
      try {
        ledger.together(() => {
          heartbeats.ofMachine(machine, samples)
          fleet.beat()
          heartbeats.ofPushed()
          watch.evaluate()
          forgetting.settle()
        })
      } finally {
        series.write(nowMs())
      }
    },
    useConfig(config) {
      // Throws before anything changes.
      if (settings.prometheus !== null) refuseBeside(config)
      if (JSON.stringify(config.prometheus) !== JSON.stringify(settings.config.prometheus))
        report('the part prometheus has changed, which counts at the next start')
      fleet.use(config)
      if (servers === null) triggersNow = chooseTriggers(settings, config)
      isCustomNow = globsMatcher(config.customMetrics)
      forgetting.use(config)
      ledger.together(watch.evaluate)
    },
    flush: series.flush,
  }
}

/** Forgets hosts that stopped pushing. In front of a Prometheus none: it would take the alerts of its name along. */
function openForgetting(
  parts: Pick<World, 'registry' | 'ledger' | 'log'> & {
    readonly receiver: Receiver
    readonly settings: Settings
  },
): { settle(): void; use(config: FleetConfig): void } {
  const { receiver, settings } = parts
  let { forgetMs } = settings.config
  return {
    settle: openGoneHosts({
      ...parts,
      silentMs: receiver.silentMs,
      forgetMs: () => (settings.prometheus === null ? forgetMs : null),
      forget(hostname) {
        const lasted = durationText(forgetMs ?? 0)
        settings.report(
          `${quoted(hostname)} has pushed nothing for ${lasted}, and is forgotten with its alerts`,
        )
        removeServer(hostname, parts)
      },
    }),
    use(config) {
      forgetMs = config.forgetMs
    },
  }
}

/** Pushes come less often than scrapes. If a server has both, only its custom metrics are pushed. */
function freshness(registry: Registry, fleet: Fleet, receiver: Receiver): Readings['freshMsOf'] {
  const isPushed = (hostname: string, key: MetricKey): boolean =>
    registry.server(hostname)?.kind === 'pushed' ||
    (key.type === 'custom_metric' && receiver.lastMs(hostname) !== null && !fleet.shows(hostname, key))
  return (hostname, key) =>
    isPushed(hostname, key) ? pushedSilentMs : (fleet.freshMsOf(hostname) ?? machineFreshMs)
}

/** Records how long a server that is not scraped has been silent: since its last report in this run, or since now. */
function openHeartbeats(parts: Pick<World, 'registry' | 'series' | 'readings' | 'nowMs'>) {
  const { registry, series, readings, nowMs } = parts
  const openedMs = nowMs()
  return {
    /** Records its samples as well. */
    ofMachine(machine: string, samples: readonly Sample[]): void {
      if (registry.server(machine)?.kind !== 'machine') return
      const atMs = nowMs()
      for (const { key, value } of samples) series.add(machine, key, atMs, value)
      const lastMs = readings.lastReportMs(machine) ?? openedMs
      series.add(machine, heartbeatKey, atMs, (atMs - lastMs) / 1_000)
    },
    ofPushed(): void {
      for (const { hostname, kind } of registry.servers()) {
        if (kind !== 'pushed') continue
        const lastMs = readings.lastReportMs(hostname)
        const silentMs = nowMs() - (lastMs ?? openedMs)
        // Right after a start only a lower bound of the silence is known.
        if (lastMs !== null || silentMs >= pushedSilentMs)
          series.add(hostname, heartbeatKey, nowMs(), silentMs / 1_000)
      }
    },
  }
}

function refuseBeside({ scrape, triggers }: FleetConfig): void {
  if (scrape === null && triggers === null) return
  throw new Error(
    'expected neither scrape nor triggers in front of a Prometheus; what was there before goes on',
  )
}

/**
 * Updates the servers: removes those of a smaller fleet and a machine that is no longer measured, adds new ones; a
 * deleted simulated server stays away. This machine reports again even if it was deleted, as any machine does after a restart.
 */
function settleServers(registry: Registry, settings: Settings, machine: string): void {
  // A real server is never simulated, nor measured twice.
  const scraped = new Set(settings.config.scrape?.targets.map(({ server }) => server))
  const fleet = fleetOf(settings.fleetSize, settings.seed).filter(({ hostname }) => !scraped.has(hostname))
  const names = new Set(fleet.map(({ hostname }) => hostname))
  for (const { hostname, kind } of registry.servers()) {
    const isMachine = kind === 'machine' && settings.sample && hostname === machine
    const isStill =
      (kind === 'prometheus' && settings.prometheus !== null) ||
      kind === 'extra' ||
      kind === 'pushed' ||
      (kind === 'fleet' && names.has(hostname)) ||
      isMachine
    if (isStill || kind === 'scraped' || scraped.has(hostname)) continue
    registry.deleteServer(hostname)
    registry.revive(hostname)
  }
  for (const { hostname, environment, roles } of fleet) {
    if (!registry.isDeleted(hostname)) registry.addServer({ hostname, environment, kind: 'fleet' }, roles)
  }
  if (!settings.sample || scraped.has(machine)) return
  registry.addServer({ hostname: machine, environment: 'local', kind: 'machine' }, ['local'])
}

function generateFleet(registry: Registry, generated: Generated, { fleetSize, seed }: Settings): void {
  for (const { hostname, roles } of fleetOf(fleetSize, seed)) {
    if (registry.server(hostname)?.kind === 'fleet')
      generated.addServer(hostname, metricsOf({ hostname }, roles[0] ?? ''))
  }
}
