/** Draws an alert of a Prometheus: the expression that its rule compares, in the rule's own unit, with the rule's limit. */
import type { AlertRecord } from '../alerts/alert-records.ts'
import type { MetricKey, Point, Window } from '../metrics/metric-key.ts'
import { Refusal } from '../refusal.ts'
import type { Marker } from '../store/registry.ts'
import {
  alertChartSvg,
  type Course,
  emptyCourse,
  eventWords,
  stepsOf,
  windowOf,
  wordsOfChart,
} from '../web/sparkline.ts'
import { inPart } from './answers.ts'
import type { Engine, EngineSeries } from './engine.ts'
import {
  equals,
  type Labels,
  type Matcher,
  matches,
  type Naming,
  serverRegex,
  withoutPort,
} from './naming.ts'
import { addNow, pointsByServer, rangeOf } from './points.ts'
import { filtered, type Limit, readExpression } from './promql.ts'
import { expressionSpread, knownUntil, spreads } from './queries.ts'
import type { AlertRule } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'
import { unitsOf } from './units.ts'

export type PictureParts = {
  readonly engine: Engine
  readonly settings: Pick<PrometheusSettings, 'serverLabel'>
  readonly names: Naming
  readonly rules: () => readonly AlertRule[]
  readonly nowMs: () => number
  /** The metric of the API, if no rule is known. Empty if there is none. */
  readonly points: (hostname: string, key: MetricKey, window: Window) => Promise<readonly (Point | null)[]>
}

/** Finer steps than any scrape interval make no sense. */
const finestMs = 15_000
/** Gaps up to this are bridged, so that a target scraped every few minutes shows a line, not dots. */
const samplingMs = 120_000

/** The expression of an alert's rule over time, for the alert's own labels. */
export type OfRule = {
  /** Null: it has no series with the labels of the alert. */
  readonly points: readonly (Point | null)[] | null
  readonly limit: Limit | null
  readonly units: string
  /** Whether the engine said that its answer is not complete. */
  readonly isPartial: boolean
}

export function openPictures(parts: PictureParts): {
  draw(alert: AlertRecord, markers: readonly Marker[]): Promise<string>
  ofRule(alert: AlertRecord, window: Window): Promise<OfRule | null>
} {
  const { engine, settings, rules, nowMs } = parts

  async function courseOf(alert: AlertRecord, atMs: number): Promise<Course> {
    const steps = stepsOf(windowOf(alert, atMs), finestMs)
    const ruled = await courseOfRule(alert, steps)
    if (ruled !== null) return ruled
    if (alert.key === null) return emptyCourse(alert, atMs, eventWords)
    const points = await parts.points(alert.hostname, alert.key, steps)
    // The limit of an alert is in the unit of its rule, which is not known here.
    const words = { ...wordsOfChart(alert, alert.key), limit: null }
    return points.length === 0
      ? { ...emptyCourse(alert, atMs, 'no data'), title: words.title }
      : { ...words, ...steps, points, samplingMs }
  }

  /** Null if the alert's rule is unknown. */
  async function ofRule({ upstream }: AlertRecord, steps: Window): Promise<OfRule | null> {
    if (upstream === undefined || upstream.rule === null) return null
    const { rule: expression, labels } = upstream
    const reading = readExpression(expression)
    const drawn = reading?.drawn ?? expression
    const known = rules().find((rule) => rule.name === labels.alertname && rule.expression === expression)
    const added = Object.keys(known?.labels ?? {})
    const narrow = filtered(drawn, serverMatchers(labels, parts))
    // Its inputs may lack a label that its result has, for example one added by `group_left`.
    const own = await pointsOf(narrow, labels, added, steps)
    const { points, isPartial } =
      own.points === null && narrow !== drawn ? await pointsOf(drawn, labels, added, steps) : own
    return { points, isPartial, limit: reading?.limit ?? null, units: unitsOf(drawn) }
  }

  /** Null if nothing is known of its rule's expression for it. */
  async function courseOfRule(alert: AlertRecord, steps: Window): Promise<Course | null> {
    const found = await ofRule(alert, steps)
    if (found === null || found.points === null) return null
    const { points, limit, units, isPartial } = found
    const write = (value: number): string => shortAmount(value, units)
    return {
      ...steps,
      title: `${alert.serverName} · ${alert.plugin}${isPartial ? ' · in part' : ''}`,
      points,
      limit: limit === null ? null : { value: limit.value, words: `limit ${write(limit.value)}` },
      write,
      emptyWords: 'no data',
      samplingMs,
    }
  }

  async function pointsOf(
    expression: string,
    labels: Labels,
    added: readonly string[],
    steps: Window,
  ): Promise<Pick<OfRule, 'points' | 'isPartial'>> {
    const known = knownUntil(expression, nowMs())
    let isPartial = false
    const noted = async <Value>(asked: Promise<Value>): Promise<Value> => {
      const answer = await inPart(asked)
      isPartial ||= answer.isPartial
      return answer.value
    }
    const read = async (text: string): Promise<readonly EngineSeries[]> =>
      belonging(await noted(engine.queryRange(text, rangeOf(steps))), labels, added, settings.serverLabel)
    const [min = [], avg = [], max = []] =
      steps.stepMs <= finestMs
        ? await read(known).then((one) => [one, one, one])
        : await Promise.all(spreads.map((spread) => read(expressionSpread(known, spread, steps.stepMs))))
    const as = { hostnameOf: () => '', merge: 'highest', nowMs: nowMs() } as const
    const now = belonging(await noted(engine.query(expression)), labels, added, settings.serverLabel)
    const points = addNow(pointsByServer({ min, avg, max }, steps, as), now, steps, as).get('') ?? null
    return { points, isPartial }
  }

  return {
    ofRule,
    async draw(alert, markers) {
      const atMs = nowMs()
      try {
        return alertChartSvg(alert, await courseOf(alert, atMs), { markers, nowMs: atMs })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const away = emptyCourse(alert, atMs, 'no data: Prometheus cannot be asked')
        return alertChartSvg(alert, away, { markers, nowMs: atMs })
      }
    },
  }
}

function serverMatchers(labels: Labels, { names, settings }: PictureParts): Matcher[] {
  const { by, used } = names.of(labels)
  if (by !== 'server') return []
  return used.map((name) => {
    const value = labels[name] ?? ''
    // Its port may have been removed on the way to the Alertmanager.
    const isBare = name === settings.serverLabel && withoutPort(value) === value
    return isBare ? matches(name, serverRegex([value])) : equals(name, value)
  })
}

/**
 * The series behind an alert: all its labels are also the alert's, except those that the rule sets. An alert has more:
 * its name, the rule's labels and the external ones. If several match, the one with most in common.
 */
function belonging<Series extends Pick<EngineSeries, 'metric'>>(
  series: readonly Series[],
  labels: Labels,
  added: readonly string[],
  serverLabel: string,
): readonly Series[] {
  const isOwn = ([name, value]: readonly [string, string]): boolean =>
    name === '__name__' ||
    added.includes(name) ||
    labels[name] === value ||
    (name === serverLabel && labels[name] === withoutPort(value))
  const own = series.filter(({ metric }) => Object.entries(metric).every(isOwn))
  if (own.length === 0) {
    // A comparison `on (…)`, and an Alertmanager's sender, may have taken labels away: then it must be the only one that fits.
    const fitting = series.filter(({ metric }) =>
      Object.entries(metric).every((label) => isOwn(label) || labels[label[0]] === undefined),
    )
    return fitting.length === 1 ? fitting : []
  }
  const most = Math.max(...own.map(({ metric }) => Object.keys(metric).length))
  return own.filter(({ metric }) => Object.keys(metric).length === most).slice(0, 1)
}

const prefixes = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
] as const

/** Short enough for a chart axis, whatever the unit: `0.95`, `42`, `1.5G`. */
export function shortNumber(value: number): string {
  const [size, letter] = prefixes.find(([least]) => Math.abs(value) >= least) ?? [1, '']
  const factor = letter === 'k' ? 1e3 : size
  return `${Number((value / factor).toPrecision(4))}${letter}`
}

/** With its unit: `5%`, `1.5G bytes`. */
function shortAmount(value: number, units: string): string {
  const gap = units === '' || units === '%' ? '' : ' '
  return `${shortNumber(value)}${gap}${units}`
}
