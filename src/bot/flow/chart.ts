/** Makes charts of a metric, around an alert or as a person asked: query, window, limit, mutes, markers, picture. */
import type { Alert } from '../domain/alert/alert.ts'
import { numberOf } from '../domain/alert/episode.ts'
import type { Limit, Reading } from '../domain/alert/reading.ts'
import { subjectWords } from '../domain/alert/subject-words.ts'
import type { FailureKind } from '../domain/base/failure.ts'
import { isWithin } from '../domain/base/set-clock.ts'
import type { ChartSpan, SeriesChart } from '../domain/chart/chart.ts'
import { chartInWords } from '../domain/chart/in-words.ts'
import { limitOf, limitsOfMetric } from '../domain/chart/limit.ts'
import { type KnownMetric, knownMetrics, metricMeant, similarMetrics } from '../domain/chart/metric-meant.ts'
import { durationCovering, metricsNamed, metricsOfAlert } from '../domain/chart/question.ts'
import { extremes, within } from '../domain/chart/series.ts'
import { finest, withoutEmptyStart } from '../domain/chart/window.ts'
import type { Drawing } from '../domain/request/answer.ts'
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
  /** What is known of the server's metrics, from its alerts and the account's triggers: the API has no list of them. */
  metricsOf(server: string): Promise<readonly KnownMetric[]>
  /** `metric` is its key, or what people call it. */
  ofMetric(ask: { server: string; metric: string; ms: number; zone: string }): Promise<MetricDrawn>
  /** Null if the alert has no metric, or the API no points of it in that time. */
  ofAlert(alert: Alert, window: Window, zone: string): Promise<Drawing | null>
}

/** Reads an alert's metric from the API now. May throw an `OutsideFailure`. */
export type Measure = (alert: Alert) => Promise<Reading>

/**
 * - `drawn`: null if the API has no points of it in that time; `metric` is what people call it
 * - `several`: it may mean each of these
 * - `unknown`: the API has no such metric for this server; these have similar names
 */
type MetricDrawn =
  | { readonly kind: 'drawn'; readonly metric: string; readonly drawing: Drawing | null }
  | { readonly kind: 'several'; readonly metrics: readonly KnownMetric[] }
  | { readonly kind: 'unknown'; readonly similar: readonly string[] }

type Window = { readonly fromMs: number; readonly toMs: number }
/** `metric`: its key; `question`: by which it was found. */
type Found = {
  readonly metric: string
  readonly question: MetricQuestion
  readonly series: MetricSeries
  readonly timesMs: readonly number[]
}

/** The point in which it opened began before it. */
const pointMs = 60_000
const triggersFreshMs = 5 * 60_000
const marksMax = 20
const alertsMax = 50
/** Failures that only mean that this guess was wrong. */
const wrongGuess: ReadonlySet<FailureKind> = new Set(['missing', 'rejected'])

type ChartPorts = {
  readonly monitor: Pick<Monitor, 'metrics' | 'triggers'>
  readonly store: Pick<Store, 'findAlerts' | 'markersDuring' | 'mutesSince'>
  readonly clock: Clock
  readonly draw: Pick<Draw, 'series'>
  readonly logger: Logger
}

export function openCharts(ports: ChartPorts): Charts & { readonly measure: Measure } {
  const { store, clock } = ports
  const readTriggers = openTriggers(ports)

  async function readMetrics(server: string): Promise<{
    readonly alerts: readonly Alert[]
    readonly known: readonly KnownMetric[]
  }> {
    const ask = { state: 'all', hostname: server, offset: 0, limit: alertsMax } as const
    const { alerts } = await store.findAlerts(ask)
    const watched = (await readTriggers()).map(({ metric }) => metric)
    return { alerts, known: knownMetrics(alerts, watched) }
  }

  return {
    metricsOf: async (server) => (await readMetrics(server)).known,
    ofMetric: async ({ server, metric: typed, ms, zone }) => {
      const toMs = clock.nowMs()
      const window = { fromMs: toMs - ms, toMs }
      const { alerts, known } = await readMetrics(server)
      const meant = metricMeant(typed, known)
      if (meant.kind === 'several') return meant
      const { plugin, metric } = meant.kind === 'one' ? meant.metric : { plugin: '', metric: typed }
      const guesses = plugin === '' ? metricsNamed(metric, alerts) : metricsOfAlert({ plugin, metric })
      const { found, known: isKnown } = await find(ports, server, guesses, window)
      if (found === null && !isKnown) return { kind: 'unknown', similar: similarMetrics(typed, known) }
      const said = subjectWords({ plugin, metric: found?.metric ?? metric })
      if (found === null) return { kind: 'drawn', metric: said, drawing: null }
      const triggers = await readTriggers()
      const told = alerts.filter((alert) => isOf(alert, found.question))
      const common = limitsOfMetric(found.metric, triggers)
      // Where triggers differ, this server's last alert says which of them counts here.
      const own = told[0] === undefined ? null : limitOf(told[0], triggers, found.series.units)
      const limits = common.length === 0 && own !== null ? [own] : common
      const about = { title: `${said} on ${server}`, hostname: server, line: 'average', limits } as const
      const spans = told.flatMap((alert) => spanOf(alert, window))
      const drawing = await picture(ports, found, { ...about, spans, zone }, window)
      return { kind: 'drawn', metric: said, drawing }
    },
    measure: async (alert) => {
      const nowMs = clock.nowMs()
      const window = { fromMs: alert.startedMs - pointMs, toMs: alert.closedMs ?? nowMs }
      const { found } = await find(ports, alert.hostname, questionsOf(alert), window)
      const limit = limitOf(alert, await readTriggers(), found?.series.units)
      return readingOf(alert, { limit, nowMs, found })
    },
    ofAlert: async (alert, wanted, zone) => {
      const asked = finest(wanted, alert.startedMs, clock.nowMs())
      const { found } = await find(ports, alert.hostname, questionsOf(alert), asked)
      if (found === null) return null
      const firstMs = found.timesMs[found.series.points.findIndex((point) => point !== null)]
      const window = withoutEmptyStart(asked, firstMs ?? asked.fromMs)
      const { hostname } = alert
      const spans = spanOf(alert, window)
      const limit = limitOf(alert, await readTriggers(), found.series.units)
      const server = alert.serverName === '' ? hostname : alert.serverName
      const about = {
        title: `${subjectWords(alert)} on ${server}`,
        hostname,
        limits: limit === null ? [] : [limit],
        line: limit?.side === 'low' ? 'lowest' : 'highest',
        spans,
        zone,
      } as const
      return picture(ports, found, about, window)
    },
  }
}

/** The time of an alert within a window; none if it is outside, or a one-off. */
function spanOf({ startedMs, closedMs, state }: Alert, window: Window): readonly ChartSpan[] {
  const fromMs = Math.max(window.fromMs, startedMs)
  const toMs = state === 'open' ? window.toMs : Math.min(window.toMs, closedMs ?? startedMs)
  const isOutside = startedMs > window.toMs || toMs < window.fromMs
  return state === 'oneoff' || isOutside ? [] : [{ kind: 'open', fromMs, toMs, label: 'alert' }]
}

function isOf(alert: Alert, { metric, type, source }: MetricQuestion): boolean {
  return metricsOfAlert(alert).some(
    (one) => one.metric === metric && one.type === type && (one.source ?? '') === (source ?? ''),
  )
}

/** The metrics of plugins may be those of a rule, which has several on one server: this alert's is meant. */
function questionsOf(alert: Alert): readonly MetricQuestion[] {
  return metricsOfAlert(alert).map((one) =>
    one.type === 'plugin' ? { ...one, alert: numberOf(alert.alertId) } : one,
  )
}

/** What was known before stays where the API has nothing now. */
function readingOf(
  { value: first, closedMs, reading: was }: Alert,
  {
    limit,
    nowMs,
    found,
  }: { readonly limit: Limit | null; readonly nowMs: number; readonly found: Found | null },
): Reading {
  const known = found === null ? null : extremes(found.series.points)
  const isLow = (limit ?? was?.limit)?.side === 'low'
  const lastAt = found === null ? -1 : found.series.points.findLastIndex((point) => point !== null)
  const atMs = found?.timesMs[lastAt]
  // As the line of the chart: the average of a point that began before the alert would say that it is over.
  const value = found?.series.points[lastAt]?.[isLow ? 0 : 2]
  const worst = [was?.peak ?? null, first, known === null ? null : isLow ? known.min : known.max]
  const values = worst.filter((one) => one !== null)
  const isRead = known !== null && atMs !== undefined && value !== undefined
  return {
    units: found?.series.units ?? was?.units ?? null,
    limit: limit ?? was?.limit ?? null,
    last: isRead && closedMs === null ? { value, atMs: Math.min(atMs, nowMs) } : (was?.last ?? null),
    peak: isRead ? (isLow ? Math.min(...values) : Math.max(...values)) : (was?.peak ?? null),
    readMs: isRead ? nowMs : (was?.readMs ?? null),
  }
}

/** Tries guess by guess; `known` distinguishes an empty time range from a metric that does not exist. */
async function find(
  { monitor, clock }: ChartPorts,
  hostname: string,
  guesses: readonly MetricQuestion[],
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
    return {
      found: {
        metric: guess.metric,
        question: guess,
        series: { ...series, points: cropped.points },
        timesMs: cropped.timesMs,
      },
      known,
    }
  }
  return { found: null, known }
}

async function ask(
  monitor: Pick<Monitor, 'metrics'>,
  question: MetricQuestion,
): Promise<MetricAnswer | null> {
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
  about: Pick<SeriesChart, 'title' | 'line' | 'limits' | 'spans' | 'zone'> & { readonly hostname: string },
  { fromMs, toMs }: Window,
): Promise<Drawing> {
  const { hostname, spans, ...said } = about
  // Only what silenced this very server: a mute of the account says nothing of what happened on it.
  const mutes = (await store.mutesSince(hostname, fromMs)).filter(
    (mute) => mute.subject === hostname && mute.startedMs < toMs,
  )
  const muted = mutes.map(
    ({ startedMs, endedMs }): ChartSpan => ({
      kind: 'mute',
      fromMs: Math.max(fromMs, startedMs),
      toMs: Math.min(toMs, endedMs ?? toMs),
      label: 'muted',
    }),
  )
  const entries = await store.markersDuring({ hostname, fromMs, toMs, limit: marksMax })
  const marks = [
    ...entries.map(({ atMs, detail }) => ({ atMs, label: detail.text ?? roleWords(detail.roles ?? []) })),
    ...mutes
      .filter(({ startedMs, reason }) => startedMs >= fromMs && reason !== '')
      .map(({ startedMs, reason }) => ({ atMs: startedMs, label: `muted: ${reason}` })),
  ].sort((a, b) => a.atMs - b.atMs)
  const chart: SeriesChart = {
    ...said,
    units: series.units,
    fromMs,
    toMs,
    timesMs,
    points: series.points,
    spans: [...spans, ...muted],
    marks,
  }
  return { png: await draw.series(chart), alt: chartInWords(chart) }
}

function roleWords(roles: readonly string[]): string {
  return `added to ${roles.join(', ')}`
}
