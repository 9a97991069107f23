/**
 * Pictures of metrics: asked of the monitoring, drawn here, and uploaded, so that Slack needs nothing that it cannot reach. Where there is
 * too little to draw, the monitoring's own little picture. What fails costs no card.
 */
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ApiFailure, guessesOfPlugin, type Monitor, measured, queryFor, type Series } from '../api/port.ts'
import { type Clock, second } from '../clock.ts'
import type { Log } from '../log.ts'
import type { SlackPort } from '../slack/port.ts'
import type { PictureWish } from '../view/alert.ts'
import { altWords, measuredOf } from '../view/headline.ts'
import type { Scene } from '../view/view.ts'
import type { Alert, ChartWish } from '../world/types.ts'
import { alertChart, type Chart, seriesChart, windowOf } from './chart.ts'

export type Pictures = ReturnType<typeof picturesOf>

type Parts = {
  readonly monitor: Pick<Monitor, 'metrics' | 'picture'>
  readonly slack: Pick<SlackPort, 'upload'>
  readonly draw: Draw
  readonly clock: Pick<Clock, 'nowMs'>
  readonly scene: () => Scene
  readonly log: Log
}

export function picturesOf(parts: Parts) {
  const { monitor, slack, draw, scene, log } = parts

  async function pngOf(alert: Alert): Promise<Uint8Array | null> {
    const { policy, nowMs } = scene()
    const { limit, side, units } = measuredOf(alert)
    const episode = { fromMs: alert.startedMs, untilMs: alert.closedMs, limit, side }
    const series = await seriesOf(alert, windowOf(episode, nowMs).fromMs)
    const chart = alertChart(episode, series, { zone: policy.timezone, nowMs })
    if (chart !== null) return draw({ ...chart, units: units ?? chart.units })
    return alert.sparklineUrl === null ? null : monitor.picture(alert.sparklineUrl)
  }

  async function seriesOf(alert: Alert, fromMs: number): Promise<readonly Series[]> {
    const { metric: name, plugin, host, number } = alert
    if (name === null) return []
    for (const key of guessesOfPlugin(plugin, name)) {
      const query = { ...queryFor(key, '', scene().nowMs - fromMs), server: host, alertNumber: number }
      const found = await measured(monitor, query)
      if (found.length > 0) return found
    }
    return []
  }

  return {
    /** What was measured since then, as far as the API gives it. Throws `ApiFailure`. */
    series: seriesOf,
    /** Null: there is none, or it could not be made in time. */
    async make(wish: PictureWish, signal: AbortSignal) {
      const alert = scene().world.alerts.get(wish.alert)
      if (alert === undefined) return null
      try {
        const png = await pngOf(alert)
        if (png === null || signal.aborted) return null
        const uploaded = await slack.upload(png, `${alert.plugin} on ${alert.server}.png`, altWords(alert))
        if (uploaded.kind === 'ok') return { file: uploaded.file, key: wish.key }
        log.warn('picture:refused', { why: uploaded.why })
      } catch (error) {
        log.warn('picture:failed', { why: error instanceof Error ? error.message : String(error) })
      }
      return null
    },
    /** A chart that somebody asked for. Throws `ApiFailure`, with a sentence, where there is nothing to draw. */
    async draw(wish: ChartWish, { policy, nowMs }: Scene): Promise<Uint8Array> {
      const { metricName: name, metricType: type, source, durationMs } = wish
      const all: Series[] = []
      for (const server of wish.servers)
        all.push(...(await monitor.metrics(queryFor({ name, type, source }, server, durationMs))))
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

type Draw = (chart: Chart) => Promise<Uint8Array>

const idleMs = 30 * second
const withinMs = 15 * second
const waitingMax = 20
const heapMbMax = 256

/** One chart at a time; throws where too many wait, or one takes too long. */
function openDraw(): Draw {
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  function end(worker: Worker): void {
    if (thread === worker) thread = null
    void worker.terminate()
  }

  function open(): Worker {
    const file = new URL(`./draw-thread${extname(import.meta.filename)}`, import.meta.url)
    // It gets no environment, and so no secret.
    const limits = { maxOldGenerationSizeMb: heapMbMax }
    const worker = new Worker(file, { env: {}, resourceLimits: limits })
    worker.on('error', () => end(worker))
    return worker
  }

  async function draw(chart: Chart): Promise<Uint8Array> {
    if (idle !== null) clearTimeout(idle)
    const worker = thread ?? open()
    thread = worker
    worker.ref()
    try {
      const answer = once(worker, 'message', { signal: AbortSignal.timeout(withinMs) })
      worker.postMessage(chart)
      const [png]: unknown[] = await answer
      if (!(png instanceof Uint8Array))
        throw new Error('expected a PNG of the drawing thread; came something else')
      worker.unref()
      idle = setTimeout(() => end(worker), idleMs).unref()
      return png
    } catch (error) {
      end(worker)
      throw error
    }
  }

  return (chart) => {
    if (waiting >= waitingMax)
      return Promise.reject(new Error(`${waitingMax} charts wait to be drawn already`))
    waiting += 1
    const drawn = turn.then(() => draw(chart))
    const over = () => {
      waiting -= 1
    }
    turn = drawn.then(over, over)
    return drawn
  }
}

/** The process has one drawing thread. */
export const drawChart: Draw = openDraw()
