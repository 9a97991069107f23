/** Answers queries with a chart of a metric. */

import { isGlob } from '../../../shared/glob.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { subjectWords } from '../../domain/alert/subject-words.ts'
import { wordsOf } from '../../domain/chart/metric-meant.ts'
import { aroundAlert } from '../../domain/chart/window.ts'
import type { Ask } from '../../domain/request/queries.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { alertMeant } from '../episode-meant.ts'
import { type AskPorts, answered, refused, serversMeant } from './query-ports.ts'

/** May throw an `OutsideFailure`. */
export async function chartMetric(
  ask: Pick<Extract<Ask, { kind: 'chart' }>, 'server' | 'metric' | 'ms'> & { readonly zone: string },
  ports: AskPorts,
): Promise<Reply> {
  const { metric, ms, zone } = ask
  const meant = await serversMeant(ask.server, ports)
  if (isGlob(ask.server)) {
    // A chart shows one server, so the servers that the glob matches are offered.
    const similar = meant.ok ? meant.hostnames.slice(0, similarMax) : []
    return refused({ why: 'unknown_server', server: ask.server, similar })
  }
  const server = meant.ok ? meant.hostnames[0] : ask.server
  if (metric === null) {
    if (!meant.ok) return refused(meant.refusal)
    const metrics = wordsOf(await ports.charts.metricsOf(server))
    return answered({ kind: 'metrics', server, ms, fitting: null, metrics })
  }
  const drawn = await ports.charts.ofMetric({ server, metric, ms, zone })
  // A server without roles and alerts is known only to the API, so only its answer shows that there is no such server.
  const isDrawn = drawn.kind === 'drawn' && drawn.drawing !== null
  if (!meant.ok && !isDrawn) return refused(meant.refusal)
  switch (drawn.kind) {
    case 'drawn':
      return answered({ kind: 'chart', server, metric: drawn.metric, drawing: drawn.drawing, alertId: null })
    case 'several':
      return answered({ kind: 'metrics', server, ms, fitting: metric, metrics: wordsOf(drawn.metrics) })
    case 'unknown':
      return refused({ why: 'unknown_metric', server, metric, similar: drawn.similar })
  }
}

const similarMax = 3

/** May throw an `OutsideFailure`. */
export async function chartAlert(
  ask: { readonly alertId: string; readonly zone: string },
  { store, clock, charts }: AskPorts,
): Promise<Reply> {
  const meant = await alertMeant(ask.alertId, store)
  if (meant === null) return refused({ why: 'unknown_alert', alert: numberOf(ask.alertId) })
  if (meant.is === 'several') {
    return refused({ why: 'many_alerts', topic: 'chart', server: null, alerts: meant.alerts })
  }
  const { alert } = meant
  const drawing = await charts.ofAlert(alert, aroundAlert(alert, clock.nowMs()), ask.zone)
  return answered({
    kind: 'chart',
    server: alert.hostname,
    metric: subjectWords(alert),
    drawing,
    alertId: alert.alertId,
  })
}
