/** The source backed by a Prometheus and its Alertmanagers: answers the API from them, and keeps state in the ledger. */
import { setTimeout as wait } from 'node:timers/promises'
import type { AlertLog } from '../alerts/alert-log.ts'
import { refuseUnknown } from '../own-source.ts'
import { Refusal } from '../refusal.ts'
import type { Source } from '../source.ts'
import type { Ledger } from '../store/ledger.ts'
import { openAlertmanagers } from './alertmanagers.ts'
import { openAlerts } from './alerts.ts'
import { NotLetIn } from './ask.ts'
import { openEngine } from './engine.ts'
import { type EngineView, firingOf, viewOf } from './firing.ts'
import { learnHistory } from './history.ts'
import { openMetrics } from './metrics.ts'
import type { Labels } from './naming.ts'
import { openReader } from './reader.ts'
import { openRuleCache } from './rule-cache.ts'
import type { Servers } from './servers.ts'
import type { PrometheusSettings } from './settings.ts'
import { openSwitches } from './switches.ts'

const timeoutMs = 5_000
/** Even without API requests, so that the ledger has everything that opened and closed. */
const readEveryMs = 5_000
const upEveryMs = 15_000
const tendEveryMs = 10_000
/** By then the engine's alerts have reached an Alertmanager, if any do. */
const arrivedMs = 2 * 60_000

export function openPrometheusSource(parts: {
  readonly settings: PrometheusSettings
  readonly servers: Servers
  readonly ledger: Ledger
  readonly log: AlertLog
  readonly nowMs: () => number
  readonly upMs: () => number
  readonly report: (line: string) => void
  /** Called if the service cannot go on because it was never let in. */
  readonly onRefused: (sentence: string) => void
}): Source {
  const { settings, servers, ledger, log, nowMs, upMs, report } = parts
  const { registry } = servers
  const engine = openEngine(settings.engine, timeoutMs)
  const managers =
    settings.alertmanagers.length === 0
      ? null
      : openAlertmanagers(settings.alertmanagers, { timeoutMs, nowMs, report })
  const switches = openSwitches({ alertmanagers: managers, servers, ledger, settings, nowMs, report })
  const rules = openRuleCache()
  const alerts = openAlerts({ ledger, log, settings, isDeleted: registry.isDeleted, nowMs })
  const metrics = openMetrics({ engine, settings, registry, rules: rules.all, nowMs })
  const stopped = new AbortController()
  const reader = openReader({ read, upMs, wait: (ms) => wait(ms, undefined, { signal: stopped.signal }) })
  let problem: string | null = null
  /** Null: none yet. */
  let lastGoodMs: number | null = null
  let upFailure: unknown = new Refusal(503, 'the servers of Prometheus have not been read yet')
  let strangeSinceMs: number | null = null
  let wasCutOff = false
  let currentUp: Promise<void> | null = null
  let hiddenLabels: readonly Labels[] = []
  const timers: NodeJS.Timeout[] = []

  async function read(): Promise<void> {
    try {
      await readOnce()
      if (problem !== null) report(`${engine.name} answers again`)
      problem = null
      lastGoodMs = nowMs()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // If it was never let in, the service ends with that sentence anyway.
      if (problem !== error.message && (lastGoodMs !== null || !(error instanceof NotLetIn)))
        report(error.message)
      problem = error.message
      throw error
    }
  }

  async function readOnce(): Promise<void> {
    const isFirst = lastGoodMs === null
    // Our own silences must be known before a hidden alert is blamed on somebody else.
    if (isFirst) await switches.takeUp()
    const [found, managed] = await Promise.all([engine.rules(), managers?.alerts() ?? null])
    rules.take(found)
    const view = viewOf(found, settings)
    const isUnknown = managed?.alerts.some(({ silencedBy }) => silencedBy.some((id) => !switches.isOurs(id)))
    if (isUnknown === true) await switches.tend()
    const listed = managed === null || isCutOff(view, managed.alerts) ? null : managed.alerts
    const firing = firingOf({
      view,
      alerts: listed,
      ruleOf: rules.of,
      isOurs: switches.isOurs,
      nowMs: nowMs(),
    })
    alerts.take({ firing, view, managedSinceMs: managed?.upSinceMs ?? null })
    // Open alerts that are not listed just now have servers as well, and so do hidden ones.
    hiddenLabels = firing.filter(({ isHidden }) => isHidden).map(({ labels }) => labels)
    servers.see({ up: null, alerts: alertLabels() })
    if (isFirst) await learnHistory({ engine, ledger, log, settings, rules, nowMs, report })
    switches.silenceNewWays()
  }

  /**
   * If Prometheus has been firing for minutes and none of its alerts is at the Alertmanager, they do not get there. Then the engine's
   * own list counts; an empty list would say that all is well.
   */
  function isCutOff(view: EngineView, managed: readonly { readonly labels: Labels }[]): boolean {
    const isStrange = view.firing.length > 0 && managed.every(({ labels }) => view.find(labels) === null)
    if (!isStrange) {
      strangeSinceMs = null
      return false
    }
    strangeSinceMs ??= nowMs()
    const isSure = nowMs() - strangeSinceMs >= arrivedMs
    if (isSure && !wasCutOff) {
      report(
        `${engine.name} says that ${view.firing.length} alerts fire, and none of them has come to the Alertmanager: its own are listed`,
      )
    }
    wasCutOff = isSure
    return isSure
  }
  /** Shared by all callers that wait for it. */
  function readUp(): Promise<void> {
    currentUp ??= readUpOnce().finally(() => {
      currentUp = null
    })
    return currentUp
  }

  async function readUpOnce(): Promise<void> {
    try {
      const found = await reader.inTurn(() => engine.query('up'))
      servers.see({ up: found.map(({ metric }) => metric), alerts: alertLabels() })
      upFailure = null
    } catch (error) {
      upFailure = error
      if (!(error instanceof Refusal)) throw error
    }
  }

  function alertLabels(): readonly Labels[] {
    const open = log.openAlerts().flatMap(({ upstream }) => (upstream === undefined ? [] : [upstream.labels]))
    return [...open, ...hiddenLabels]
  }

  let lastBug = ''
  /** Refusals are reported where they arise. Anything else is a bug that no caller would see; repeats of it are not reported. */
  function reportBug(error: unknown): void {
    if (error instanceof Refusal || stopped.signal.aborted) return
    const bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (bug !== lastBug) report(bug)
    lastBug = bug
  }
  const every = (ms: number, work: () => Promise<unknown>): void => {
    timers.push(setInterval(() => void work().catch(reportBug), ms).unref())
  }

  return {
    async start() {
      const first = reader.fresh()
      try {
        await first
        await readUp()
      } catch (error) {
        if (error instanceof NotLetIn) throw error
        if (!(error instanceof Refusal)) throw error
        report(`waiting for it; the API answers with this sentence meanwhile`)
      }
      every(readEveryMs, async () => {
        try {
          await reader.fresh()
        } catch (error) {
          if (error instanceof NotLetIn && lastGoodMs === null) parts.onRefused(error.message)
          throw error
        }
      })
      every(upEveryMs, readUp)
      every(tendEveryMs, switches.tend)
    },
    async refresh() {
      await reader.fresh()
      if (upFailure !== null) await readUp()
      if (upFailure !== null) throw upFailure
    },
    triggers: rules.triggers,
    metrics: (question) => metrics.answer(question),
    picture: (alert) => metrics.picture(alert, registry.markers()),
    setServerNotifications: switches.setServer,
    setAccountNotifications: switches.setAccount,
    async deleteServer({ hostname }) {
      await switches.release(hostname)
      ledger.together(() => {
        registry.deleteServer(hostname)
        for (const alert of log.openAlerts()) {
          if (alert.hostname === hostname) log.close(alert.id)
        }
      })
    },
    async deleteCustomMetrics(names) {
      refuseUnknown(await metrics.unknownCustom(names))
      ledger.together(() => {
        for (const name of names) registry.deleteCustomMetric(name)
      })
    },
    state: () => ({
      kind: 'prometheus',
      engine: settings.engine.url,
      alertmanagers: settings.alertmanagers.map(({ url }) => url),
      problem,
      last_good_reading: lastGoodMs === null ? null : new Date(lastGoodMs).toISOString(),
      ...alerts.counts(),
    }),
    async stop() {
      stopped.abort()
      for (const timer of timers) clearInterval(timer)
      await switches.stop()
      await Promise.allSettled([engine.close(), managers?.close()])
    },
  }
}
