/** The answers that are a picture of a metric. */

import { numberOf } from '../../domain/alert/episode.ts'
import { isGlob } from '../../domain/base/glob.ts'
import { aroundAlert } from '../../domain/chart/window.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { episodeMeant } from '../episode-meant.ts'
import { type AskPorts, answered, refused } from './query-ports.ts'
import { serversMeant } from './servers-meant.ts'

/** May throw an `OutsideFailure`. */
export async function chartMetric(
  ask: { readonly server: string; readonly metric: string; readonly ms: number; readonly zone: string },
  ports: Pick<AskPorts, 'store' | 'servers' | 'charts'>,
): Promise<Reply> {
  const { metric, ms, zone } = ask
  const meant = await serversMeant(ask.server, ports)
  if (isGlob(ask.server)) {
    // A chart shows one server: help with the servers that the glob matches.
    const similar = meant.ok ? meant.hostnames.slice(0, similarMax) : []
    return refused({ why: 'unknown_server', server: ask.server, similar })
  }
  const server = meant.ok ? meant.hostnames[0] : ask.server
  const drawn = await ports.charts.ofMetric({ server, metric, ms, zone })
  // A server without roles and alerts is known only to the API, so only its answer shows that there is no such server.
  const isDrawn = typeof drawn === 'object' && 'png' in drawn
  if (!meant.ok && !isDrawn) return refused(meant.refusal)
  if (drawn === 'no_points') return answered({ kind: 'chart', server, metric, drawing: null, alertId: null })
  if ('similar' in drawn) return refused({ why: 'unknown_metric', metric, similar: drawn.similar })
  return answered({ kind: 'chart', server, metric, drawing: drawn, alertId: null })
}

const similarMax = 3

/** May throw an `OutsideFailure`. */
export async function chartAlert(
  ask: { readonly alertId: string; readonly zone: string },
  { store, clock, charts }: Pick<AskPorts, 'store' | 'clock' | 'charts'>,
): Promise<Reply> {
  const alert = await episodeMeant(ask.alertId, store)
  if (alert === null) return refused({ why: 'unknown_alert', alert: numberOf(ask.alertId) })
  const drawing = await charts.ofAlert(alert, aroundAlert(alert, clock.nowMs()), ask.zone)
  return answered({
    kind: 'chart',
    server: alert.hostname,
    // What a plugin itself reports has no metric.
    metric: alert.metric ?? alert.plugin,
    drawing,
    alertId: alert.alertId,
  })
}
