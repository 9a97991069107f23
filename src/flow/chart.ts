/** Charts of a metric around an alert, or as a person asked for it: query, crop, threshold, mutes, markers, picture. */
import type { Alert } from '../domain/alert/alert.ts'
import type { FailureKind } from '../domain/base/failure.ts'
import { isWithin } from '../domain/base/set-clock.ts'
import type { ChartSpan, SeriesChart } from '../domain/chart/chart.ts'
import { durationCovering, type MetricName, metricsNamed, metricsOfAlert } from '../domain/chart/question.ts'
import { extremes, thresholdOf, within } from '../domain/chart/series.ts'
import type { Drawing } from '../domain/request/answer.ts'
import { nearest } from '../domain/request/nearest.ts'
import { attempt } from './attempt.ts'
import type {
  Clock,
  Draw,
  Logger,
  MetricAnswer,
  MetricQuestion,
  MetricSeries,
  Monitor,
  Trigger,
} from './ports/ports.ts'
import type { Store } from './ports/store.ts'

/** Every call may throw an `OutsideFailure`. */
export type Charts = {
  /** `similar`: the API has no such metric for this server; these have similar names. */
  ofMetric(ask: {
    server: string
    metric: string
    ms: number
    zone: string
  }): Promise<Drawing | 'no_points' | { similar: readonly string[] }>
  /** Null if the alert has no metric, or the API no points of it in that time. */
  ofAlert(alert: Alert, window: Window, zone: string): Promise<Drawing | null>
}

type Window = { readonly fromMs: number; readonly toMs: number }
type Found = { readonly series: MetricSeries; readonly timesMs: readonly number[] }

const triggersFreshMs = 5 * 60_000
const auditMax = 50
const alertsMax = 50
/** Failures that only mean that this guess was wrong. */
const wrongGuess: ReadonlySet<FailureKind> = new Set(['missing', 'rejected'])

type ChartPorts = {
  readonly monitor: Monitor
  readonly store: Store
  readonly clock: Clock
  readonly draw: Draw
  readonly logger: Logger
}

export function openCharts(ports: ChartPorts): Charts {
  const { store, clock } = ports
  const readTriggers = openTriggers(ports)

  return {
    ofMetric: async ({ server, metric, ms, zone }) => {
      const toMs = clock.nowMs()
      const window = { fromMs: toMs - ms, toMs }
      const { alerts } = await store.findAlerts({
        state: 'all',
        hostname: server,
        offset: 0,
        limit: alertsMax,
      })
      const { found, known } = await find(ports, server, metricsNamed(metric, alerts), window)
      if (found === null) {
        if (known) return 'no_points'
        const names = [
          ...alerts.flatMap((alert) => alert.metric ?? []),
          ...(await readTriggers()).map((one) => one.metric),
        ]
        return { similar: nearest(metric, new Set(names)) }
      }
      const threshold = thresholdOf({ metric, triggerId: null, title: '' }, await readTriggers())
      return picture(
        ports,
        found,
        { title: `${metric} on ${server}`, hostname: server, threshold, spans: [], zone },
        window,
      )
    },
    ofAlert: async (alert, window, zone) => {
      const { found } = await find(ports, alert.hostname, metricsOfAlert(alert), window)
      if (found === null) return null
      const { hostname, plugin, metric, startedMs, closedMs, state } = alert
      const toMs = state === 'open' ? window.toMs : Math.min(window.toMs, closedMs ?? startedMs)
      const spans: ChartSpan[] =
        state === 'oneoff'
          ? []
          : [{ kind: 'open', fromMs: Math.max(window.fromMs, startedMs), toMs, label: 'alert open' }]
      const threshold = thresholdOf(alert, await readTriggers())
      const server = alert.serverName === '' ? hostname : alert.serverName
      return picture(
        ports,
        found,
        { title: `${plugin} on ${server} · ${metric}`, hostname, threshold, spans, zone },
        window,
      )
    },
  }
}

/** Tries guess by guess; `known` distinguishes an empty time range from a metric that does not exist. */
async function find(
  { monitor, clock }: ChartPorts,
  hostname: string,
  guesses: readonly MetricName[],
  window: Window,
): Promise<{ found: Found | null; known: boolean }> {
  const duration = durationCovering(clock.nowMs() - window.fromMs)
  let known = false
  for (const guess of guesses) {
    const answer = await ask(monitor, { ...guess, server: hostname, duration })
    if (answer === null) continue
    known = true
    const series = answer.series.find(({ label }) => label === hostname) ?? answer.series[0]
    if (!series) continue
    const cropped = within(
      { timesMs: answer.timestampsMs, points: series.points },
      window.fromMs,
      window.toMs,
    )
    if (extremes(cropped.points) === null) continue
    return { found: { series: { ...series, points: cropped.points }, timesMs: cropped.timesMs }, known }
  }
  return { found: null, known }
}

async function ask(monitor: Monitor, question: MetricQuestion): Promise<MetricAnswer | null> {
  const answer = await attempt(() => monitor.metrics(question))
  if (answer.ok) return answer.value
  if (wrongGuess.has(answer.failure.kind)) return null
  throw answer.failure
}

/** Remembers them for a few minutes. A chart without its threshold is still a chart: a failure leaves the old ones. */
function openTriggers({ monitor, clock, logger }: ChartPorts): () => Promise<readonly Trigger[]> {
  let triggers: readonly Trigger[] = []
  let triggersMs = Number.NEGATIVE_INFINITY

  return async () => {
    if (isWithin(triggersMs, clock.nowMs(), triggersFreshMs)) return triggers
    const answer = await attempt(() => monitor.triggers())
    if (answer.ok) {
      triggers = answer.value.triggers
      triggersMs = clock.nowMs()
    } else logger.warn('triggers:unread', { why: answer.failure.message, kind: answer.failure.kind })
    return triggers
  }
}

async function picture(
  { store, draw }: ChartPorts,
  { series, timesMs }: Found,
  about: {
    title: string
    hostname: string
    threshold: number | null
    spans: readonly ChartSpan[]
    zone: string
  },
  { fromMs, toMs }: Window,
): Promise<Drawing> {
  const mutes = await store.mutesSince(about.hostname, fromMs)
  const muted = mutes
    .filter(({ startedMs }) => startedMs < toMs)
    .map(
      (mute): ChartSpan => ({
        kind: 'mute',
        fromMs: Math.max(fromMs, mute.startedMs),
        toMs: Math.min(toMs, mute.endedMs ?? toMs),
        label: 'muted by monbot',
      }),
    )
  const { entries } = await store.audit({ hostname: null, sinceMs: fromMs, offset: 0, limit: auditMax })
  const marks = entries
    .filter(({ act, outcome, atMs }) => act === 'add_marker' && outcome === 'done' && atMs <= toMs)
    .map(({ atMs, detail }) => ({ atMs, label: detail.text ?? 'marker' }))
  const chart: SeriesChart = {
    title: about.title,
    units: series.units,
    precision: series.precision,
    fromMs,
    toMs,
    timesMs,
    points: series.points,
    threshold: about.threshold,
    spans: [...about.spans, ...muted],
    marks,
    zone: about.zone,
  }
  return { png: await draw.series(chart), alt: altOf(chart) }
}

/** Alt text: the numbers that the picture shows. */
function altOf(chart: SeriesChart): string {
  const numbers = extremes(chart.points)
  const amount = (value: number): string =>
    `${Number(value.toPrecision(4))}${chart.units === '%' ? '%' : ` ${chart.units}`}`.trim()
  const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const parts = [
    `${chart.title}, ${utc(chart.fromMs)} to ${utc(chart.toMs)}`,
    ...(numbers === null
      ? []
      : [`from ${amount(numbers.min)} to ${amount(numbers.max)}, last ${amount(numbers.last)}`]),
    ...(chart.threshold === null ? [] : [`threshold ${amount(chart.threshold)}`]),
  ]
  return parts.join(': ').slice(0, 1_000)
}
