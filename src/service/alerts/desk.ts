/** Manual alerts: opened on any server with any plugin, closed, and one-offs; for scenarios, the control API and tests. */

import type { Generated } from '../metrics/generated.ts'
import { type MetricKey, pluginNameOf } from '../metrics/metric-key.ts'
import type { Overlays } from '../metrics/overlays.ts'
import type { Readings } from '../metrics/readings.ts'
import { quoted, Refusal } from '../refusal.ts'
import { hostnameFault, isMeasured, type Registry, type Server } from '../store/registry.ts'
import type { AlertLog } from './alert-log.ts'
import { type Trigger, titleOf } from './triggers.ts'
import { covers, watches } from './watch.ts'

export type AlertByHand = {
  /** A hostname; an unknown server is added. */
  readonly server: string
  /** The name that a card shows first: "Load Average". */
  readonly plugin: string
  readonly metric?: string | undefined
  readonly value?: number | undefined
  readonly title?: string | undefined
  /** A role the server joins. */
  readonly role?: string | undefined
  /** Closes automatically after this long. */
  readonly seconds?: number | undefined
}

export type OneoffByHand = {
  readonly server: string
  readonly plugin: string
  readonly title: string
  readonly role?: string | undefined
}

export type Desk = {
  /** Returns the id of the alert. */
  openAlert(alert: AlertByHand): number
  /** Returns the id of the closing record: the same in `flip`, a new one in `pair`. */
  closeAlert(id: number): number
  oneoff(oneoff: OneoffByHand): number
}

const usualValue = 3.5
/** The limit of a manual alert is a round number below its value: 3.00 for 3.50. */
const limitShare = 6 / 7

export function openDesk(parts: {
  readonly registry: Registry
  readonly log: AlertLog
  readonly readings: Readings
  readonly generated: Generated
  readonly overlays: Overlays
  readonly triggers: () => readonly Trigger[]
  readonly nowMs: () => number
}): Desk {
  const { registry, log, readings, generated, overlays, triggers, nowMs } = parts

  function serverOf(hostname: string, role: string | undefined): Server {
    const fault = hostnameFault(hostname)
    if (fault !== null)
      throw new Refusal(422, `server: expected a hostname; came ${quoted(hostname)}: ${fault}`)
    registry.revive(hostname)
    const server = registry.addServer({ hostname, environment: 'production', kind: 'extra' }, [])
    if (role !== undefined) registry.addRole(hostname, role)
    return server
  }

  function keyOf(server: Server, plugin: string, metric: string | undefined): MetricKey {
    const known = readings
      .keysOf(server.hostname)
      .find((key) => pluginNameOf(key) === plugin && (metric === undefined || key.metric === metric))
    return known ?? { type: 'plugin', source: plugin, metric: metric ?? 'last_minute' }
  }

  /** Makes the chart match the alert, unless the metric is measured or a trigger would open a second alert. */
  function draw(server: Server, key: MetricKey, level: number, limit: number, untilMs: number | null): void {
    const isWatched = triggers().some((trigger) => watches(trigger, server, registry) && covers(trigger, key))
    const isSampled =
      isMeasured(server) &&
      readings.valueNow(server.hostname, key) !== null &&
      !generated.has(server.hostname, key)
    if (isWatched || isSampled) return
    generated.addMetric(server.hostname, key, { base: limit * 0.4, swing: limit * 0.3 })
    overlays.add({
      hostname: server.hostname,
      key,
      shape: 'hold',
      level,
      fromMs: nowMs(),
      untilMs,
      periodMs: 1_000,
    })
  }

  return {
    openAlert({ server: hostname, plugin, metric, value = usualValue, title, role, seconds }) {
      const server = serverOf(hostname, role)
      const key = keyOf(server, plugin, metric)
      const limit = roundBelow(value * limitShare)
      const untilMs = seconds === undefined ? null : nowMs() + seconds * 1_000
      draw(server, key, value, limit, untilMs)
      return log.open({
        hostname,
        serverName: server.name,
        title: title ?? titleOf(key, 'max', limit, value),
        plugin,
        metric: key.metric,
        value,
        key,
        limit,
        // A title of its own says what its limit is: this one was chosen for the picture.
        ...(title === undefined ? { limitSide: 'high' as const } : {}),
        triggerId: null,
        closesAtMs: untilMs,
      }).id
    },
    closeAlert(id) {
      const alert = log.get(id)
      const closed = log.close(id)
      if (alert === undefined || closed === null) throw new Refusal(404, `no open alert has the id ${id}`)
      if (alert.triggerId === null && alert.key !== null) overlays.end(alert.hostname, alert.key, nowMs())
      return closed.id
    },
    oneoff({ server: hostname, plugin, title, role }) {
      const server = serverOf(hostname, role)
      return log.oneoff({ hostname, serverName: server.name, plugin, title }).id
    },
  }
}

function roundBelow(value: number): number {
  return Math.abs(value) >= 10 ? Math.floor(value) : Math.round(value * 100) / 100
}
