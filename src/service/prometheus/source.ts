/** The source backed by a Prometheus and its Alertmanagers: answers the API from them, and keeps state in the ledger. */
import type { AlertLog } from '../alerts/alert-log.ts'
import type { Meter } from '../ops/metrics.ts'
import { refuseUnknown, type Source } from '../own-source.ts'
import { quoted, Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { openAlertmanagers } from './alertmanagers.ts'
import { NotLetIn } from './ask.ts'
import { openEngine } from './engine.ts'
import { openMetrics } from './metrics.ts'
import { openMutes } from './mutes.ts'
import { openReadings } from './readings.ts'
import { openRuleCache } from './rules.ts'
import type { Servers } from './servers.ts'
import type { PrometheusSettings } from './settings.ts'
import { openSwitches } from './switches.ts'

const timeoutMs = 5_000
/** Even without API requests, so that the ledger has everything that opened and closed. */
const readEveryMs = 5_000
const upEveryMs = 15_000
const tendEveryMs = 10_000

export function openPrometheusSource(parts: {
  readonly settings: PrometheusSettings
  readonly servers: Servers
  readonly ledger: Ledger
  readonly log: AlertLog
  readonly nowMs: () => number
  readonly upMs: () => number
  readonly report: (line: string) => void
  readonly meter: Meter
  /** Called if the service cannot go on because it was never let in. */
  readonly onRefused: (sentence: string) => void
}): Source {
  const { settings, servers, ledger, log, nowMs, report, meter } = parts
  const { registry, names } = servers
  const engine = openEngine(settings.engine, timeoutMs, { ...settings, report, meter })
  const managers =
    settings.alertmanagers.length === 0
      ? null
      : openAlertmanagers(settings.alertmanagers, { timeoutMs, nowMs, report, meter })
  const switches = openSwitches({ alertmanagers: managers, servers, ledger, settings, nowMs, report })
  const rules = openRuleCache()
  const metrics = openMetrics({ ...servers, engine, settings, rules: rules.all, alert: log.get, nowMs })
  const stopped = new AbortController()
  const readings = openReadings({ ...parts, engine, managers, switches, rules, stopped: stopped.signal })
  const { silences, switchOn } = switches
  const { labelsNow } = readings
  const mutes = silences === null ? null : openMutes({ silences, log, labelsNow, switchOn, nowMs })
  const timers = openTimers(report)

  return {
    async start() {
      try {
        await readings.fresh()
        await readings.readUp()
      } catch (error) {
        if (error instanceof NotLetIn) throw error
        if (!(error instanceof Refusal)) throw error
        report(`waiting for it; the API answers with this sentence meanwhile`)
      }
      timers.every(readEveryMs, async () => {
        try {
          await readings.fresh()
        } catch (error) {
          if (error instanceof NotLetIn && readings.lastGoodMs() === null) parts.onRefused(error.message)
          throw error
        }
      })
      timers.every(upEveryMs, readings.readUp)
      timers.every(tendEveryMs, switches.tend)
    },
    refresh: readings.refresh,
    triggers: rules.triggers,
    metrics: (question) => metrics.answer(question),
    picture: (alert) => metrics.picture(alert, registry.markers()),
    setServerNotifications: switches.setServer,
    setAccountNotifications: switches.setAccount,
    async deleteServer({ hostname }) {
      if (!servers.waysOf(hostname).some(({ by }) => by === 'server')) {
        throw new Refusal(
          422,
          `${quoted(hostname)} is no server and cannot be deleted: alerts that name no server are listed under it`,
        )
      }
      await switches.release(hostname)
      ledger.together(() => {
        registry.deleteServer(hostname)
        for (const { id, upstream, hostname: own } of log.openAlerts()) {
          if (own === hostname && names.of(upstream?.labels ?? {}).by === 'server') log.close(id)
        }
      })
    },
    async deleteCustomMetrics(names) {
      refuseUnknown(await metrics.unknownCustom(names))
      ledger.together(() => {
        for (const name of names) registry.deleteCustomMetric(name)
      })
    },
    mutes,
    state: () => ({
      kind: 'prometheus',
      engine: settings.engine.url,
      rules: (settings.rules ?? [settings.engine]).map(({ url }) => url),
      alertmanagers: settings.alertmanagers.map(({ url }) => url),
      ...readings.state(),
    }),
    doubt: () =>
      engine
        .doubts()
        .filter(({ about, isRemark }) => about !== 'metrics' && isRemark === undefined)
        .map(({ about, said }) => `${about}: ${said}`)
        .join('; ') || null,
    figures: () => ({ ...readings.figures(), silences: switches.silences?.held() ?? 0 }),
    async stop() {
      timers.stop()
      stopped.abort()
      await switches.stop()
      await Promise.allSettled([engine.close(), managers?.close()])
    },
  }
}

/** Runs work again and again. */
function openTimers(report: (line: string) => void): {
  every(ms: number, work: () => Promise<unknown>): void
  stop(): void
} {
  const timers: NodeJS.Timeout[] = []
  let isStopped = false
  let lastBug = ''

  /** Refusals are reported where they arise. Anything else is a bug that no caller would see; repeats of it are not reported. */
  function reportBug(error: unknown): void {
    if (error instanceof Refusal || isStopped) return
    const bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (bug !== lastBug) report(bug)
    lastBug = bug
  }

  return {
    every(ms, work) {
      timers.push(setInterval(() => void work().catch(reportBug), ms).unref())
    },
    stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
    },
  }
}
