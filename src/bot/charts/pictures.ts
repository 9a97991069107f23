/**
 * Pictures of metrics: asked of the monitoring, drawn here, and uploaded, so that Slack needs nothing that it cannot reach. Where there is
 * too little to draw, the monitoring's own little picture. What fails costs no card.
 */
import { durationFor, guessesOfPlugin } from '../api/metrics.ts'
import { ApiFailure, type Monitor, type Series } from '../api/port.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { SlackPort } from '../slack/port.ts'
import { altWords } from '../view/headline.ts'
import type { PictureWish } from '../view/picture.ts'
import type { Scene } from '../view/scene.ts'
import type { Alert, ChartWish } from '../world/types.ts'
import { alertChart, seriesChart, windowOf } from './chart.ts'
import type { Draw } from './draw.ts'

export type Pictures = {
  /** Null: there is none, or it could not be made in time. */
  make(
    wish: PictureWish,
    signal: AbortSignal,
  ): Promise<{ readonly file: string; readonly key: string } | null>
  /** A chart that somebody asked for. Throws `ApiFailure`, with a sentence, where there is nothing to draw. */
  draw(wish: ChartWish, scene: Scene): Promise<Uint8Array>
}

type Parts = {
  readonly monitor: Pick<Monitor, 'metrics' | 'picture'>
  readonly slack: Pick<SlackPort, 'upload'>
  readonly draw: Draw
  readonly clock: Pick<Clock, 'nowMs'>
  readonly scene: () => Scene
  readonly log: Log
}

const anySeries = { server: null, role: null, environment: null, alertNumber: null }

export function picturesOf(parts: Parts): Pictures {
  const { monitor, slack, draw, scene, log } = parts

  async function pngOf(wish: PictureWish, alert: Alert): Promise<Uint8Array | null> {
    const { policy, nowMs } = scene()
    const chart = alertChart(
      { fromMs: alert.startedMs, untilMs: alert.closedMs, limit: wish.limit, side: wish.side },
      await seriesOf(alert, wish),
      { zone: policy.timezone, nowMs },
    )
    if (chart !== null) return draw({ ...chart, units: wish.units ?? chart.units })
    return wish.sparklineUrl === null ? null : monitor.picture(wish.sparklineUrl)
  }

  async function seriesOf(alert: Alert, wish: PictureWish): Promise<readonly Series[]> {
    const { metric: name, plugin, host, number } = alert
    if (name === null) return []
    const { nowMs } = scene()
    const duration = durationFor(
      nowMs - windowOf({ fromMs: alert.startedMs, untilMs: wish.untilMs }, nowMs).fromMs,
    )
    for (const key of guessesOfPlugin(plugin, name)) {
      const query = { ...anySeries, ...key, server: host, duration, alertNumber: number }
      const found = await monitor.metrics(query).catch((error: unknown) => {
        if (error instanceof ApiFailure && ['missing', 'refused'].includes(error.kind)) return []
        throw error
      })
      if (found.some(({ points }) => points.length > 0)) return found
    }
    return []
  }

  return {
    async make(wish, signal) {
      const alert = scene().world.alerts.get(wish.alert)
      if (alert === undefined) return null
      try {
        const png = await pngOf(wish, alert)
        if (png === null || signal.aborted) return null
        const uploaded = await slack.upload(png, `${alert.plugin} on ${alert.server}.png`, altWords(alert))
        if (uploaded.kind === 'ok') return { file: uploaded.file, key: wish.key }
        log.warn('picture:refused', { why: uploaded.why })
      } catch (error) {
        log.warn('picture:failed', { why: error instanceof Error ? error.message : String(error) })
      }
      return null
    },
    async draw(wish, { policy, nowMs }) {
      const { metricName: name, metricType: type, source, durationMs } = wish
      const all: Series[] = []
      const query = { ...anySeries, name, type, source, duration: durationFor(durationMs) }
      for (const server of wish.servers) {
        const [, filter, value = ''] = /^(role|env)=(.+)$/.exec(server) ?? []
        if (filter === 'role') all.push(...(await monitor.metrics({ ...query, role: value })))
        else if (filter === 'env') all.push(...(await monitor.metrics({ ...query, environment: value })))
        else all.push(...(await monitor.metrics({ ...query, server })))
      }
      const chart = seriesChart(all, {
        fromMs: nowMs - durationMs,
        untilMs: nowMs,
        zone: policy.timezone,
        limit: null,
      })
      if (chart === null) throw new ApiFailure('missing', 'there are too few points to draw')
      return draw(chart)
    },
  }
}
