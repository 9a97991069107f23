/** Answers metric requests from a Prometheus: three queries each, whatever the number of servers. */
import type { AlertRecord } from '../alerts/alert-records.ts'
import { heartbeatKey } from '../alerts/triggers.ts'
import { type MetricKey, type Point, textOf, type Window } from '../metrics/metric-key.ts'
import {
  answerOf,
  blocksMax,
  chooseServers,
  type MetricsAnswer,
  type MetricsQuestion,
  tooManyServers,
  unknownMetric,
  windowOf,
} from '../metrics/metrics-query.ts'
import type { Marker, Registry } from '../store/registry.ts'
import { inPart } from './answers.ts'
import type { Engine, EngineSeries } from './engine.ts'
import { escapeRegex, type Labels, type Matcher, matches, type Named, type Naming } from './naming.ts'
import { openPictures } from './picture.ts'
import { type Plan, planOf } from './plan.ts'
import { addNow, pointsByServer, rangeOf, silenceByServer } from './points.ts'
import { type Asked, lastSeenQuery, type Spread, spreads } from './queries.ts'
import type { AlertRule } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'

export type Metrics = {
  /** Rejects with a `Refusal`: 404 and 422 as for any source, 502 to 504 if the engine is unavailable. */
  answer(question: MetricsQuestion): Promise<MetricsAnswer>
  /** As SVG; if the engine is unavailable, the picture says so. */
  picture(alert: AlertRecord, markers: readonly Marker[]): Promise<string>
  /** Which of these names have no series or were deleted. */
  unknownCustom(names: readonly string[]): Promise<string[]>
}

export type MetricsParts = {
  readonly engine: Engine
  readonly settings: Pick<PrometheusSettings, 'serverLabel' | 'metrics'>
  readonly names: Naming
  /** The ways in which labels name a server. */
  readonly waysOf: (hostname: string) => readonly Named[]
  readonly registry: Registry
  readonly rules: () => readonly AlertRule[]
  /** The alert of this number. */
  readonly alert: (id: number) => AlertRecord | undefined
  readonly nowMs: () => number
}

type Points = ReadonlyMap<string, readonly (Point | null)[]>

/** VictoriaMetrics accepts queries of 16 kB; our longest one has the matcher nine times, and a dot takes three characters in it. */
const matcherCharsMax = 1_200

export function openMetrics(parts: MetricsParts): Metrics {
  const { engine, settings, names: naming, registry, rules, nowMs } = parts
  const pointsFor = pointsReader(parts)
  const everyServer: Asked = { labels: naming.hostLabels, matchers: [], stepMs: 60_000 }

  async function isCounter(name: string): Promise<boolean> {
    return name.endsWith('_total') || (await engine.typeOf(name)) === 'counter'
  }

  /** Queries for a key, the best first; none if the key is unknown. */
  async function plansFor(key: MetricKey): Promise<readonly Plan[]> {
    const isCustom = key.type === 'custom_metric'
    if (isCustom && registry.isCustomMetricDeleted(key.metric)) return []
    return planOf(key, {
      settings,
      naming,
      rules: rules(),
      isCounter: isCustom && (await isCounter(key.metric)),
    })
  }

  /** Whether any server has it now. */
  async function isAnywhere(key: MetricKey, plans: readonly Plan[]): Promise<boolean> {
    if (isHeartbeat(key)) return (await engine.query(lastSeenQuery(everyServer).now)).length > 0
    // A rule is known by its name, whether or not its series exist.
    if (plans.some(({ isRule }) => isRule)) return true
    for (const plan of plans) {
      const now = await engine.query(plan.query(everyServer).now)
      if (now.some(({ value: [, text] }) => Number.isFinite(Number(text)))) return true
    }
    return false
  }

  /** Checked before querying thousands of series: how many of these have it. */
  async function refuseMany(plans: readonly Plan[], chosen: ReadonlySet<string>): Promise<void> {
    const [plan] = plans
    if (chosen.size <= blocksMax || plan === undefined) return
    const { value: now } = await inPart(engine.query(plan.query(everyServer).now))
    const having = new Set(now.map(({ metric }) => plan.hostnameOf(metric)).filter((one) => chosen.has(one)))
    if (having.size > blocksMax) throw tooManyServers(having.size)
  }

  /** The rule of an alert says of a server what each of its series does; of the alert only its own counts. */
  async function answerOfAlert(
    alert: AlertRecord | undefined,
    question: MetricsQuestion,
  ): Promise<MetricsAnswer> {
    const window = windowOf(question.duration, nowMs())
    const drawn = alert === undefined ? null : await pictures.ofRule(alert, window)
    if (alert === undefined || drawn === null) throw unknownMetric(question.key)
    const points = drawn.points ?? []
    const blocks = points.some((point) => point !== null) ? [{ label: alert.serverName, points }] : []
    return answerOf(question, window, blocks, drawn.units)
  }

  async function answer(question: MetricsQuestion): Promise<MetricsAnswer> {
    const { key } = question
    if (question.alert != null) return answerOfAlert(parts.alert(question.alert), question)
    const servers = await chooseServers(question, registry)
    const plans = await plansFor(key)
    if (plans.length === 0 && !isHeartbeat(key)) throw unknownMetric(key)
    const isAll = servers.length === registry.servers().length
    const hostnames = servers.map(({ hostname }) => hostname)
    const chosen = new Set(hostnames)
    if (isHeartbeat(key) && chosen.size > blocksMax) throw tooManyServers(chosen.size)
    await refuseMany(plans, chosen)
    const window = windowOf(question.duration, nowMs())
    const points = await pointsFor(key, plans, isAll ? null : hostnames, window)
    const blocks = servers.flatMap(({ name, hostname }) => {
      const own = points.get(hostname)
      return own?.some((point) => point !== null) ? [{ label: name, points: own }] : []
    })
    if (blocks.length === 0 && !(await isAnywhere(key, plans))) throw unknownMetric(key)
    if (blocks.length > blocksMax) throw tooManyServers(blocks.length)
    return answerOf(question, window, blocks, plans.find(({ isRule }) => isRule)?.units)
  }

  const pictures = openPictures({
    ...parts,
    async points(hostname, key, window) {
      // A rule's expression over all its series says nothing about one alert.
      const plans = (await plansFor(key)).filter(({ isRule }) => !isRule)
      return (await pointsFor(key, plans, [hostname], window)).get(hostname) ?? []
    },
  })

  return {
    answer,
    picture: pictures.draw,
    async unknownCustom(names) {
      const known = new Set(await engine.metricNames(names.map(escapeRegex).join('|')))
      return names.filter((name) => !known.has(name) || registry.isCustomMetricDeleted(name))
    },
  }
}

/** The points of a metric by hostname, of these hosts (null: all) and possibly of more. Rejects as `Engine` does. */
type PointsReader = (
  key: MetricKey,
  plans: readonly Plan[],
  hostnames: readonly string[] | null,
  window: Window,
) => Promise<Points>

function pointsReader({ engine, names: naming, waysOf, nowMs }: MetricsParts): PointsReader {
  async function read(plan: Plan, asked: Asked, window: Window): Promise<Points> {
    const query = plan.query(asked)
    const series = await Promise.all(
      spreads.map(
        async (spread) =>
          [spread, (await inPart(engine.queryRange(query.over(spread), rangeOf(window)))).value] as const,
      ),
    )
    const points = pointsByServer(
      Object.fromEntries(series) as Record<Spread, readonly EngineSeries[]>,
      window,
      plan,
    )
    if (asked.untilMs === undefined) return points
    const { value: now } = await inPart(engine.query(query.now))
    return addNow(points, now, window, { ...plan, nowMs: asked.untilMs })
  }

  async function readSilence(asked: Asked, window: Window): Promise<Points> {
    const { last } = lastSeenQuery(asked)
    const hostnameOf = (labels: Labels): string => naming.of(labels).hostname
    return silenceByServer(await engine.queryRange(last, rangeOf(window)), window, {
      hostnameOf,
      nowMs: nowMs(),
    })
  }

  /** What selects the series of these hosts, and of few others: a label with the values that it may have. */
  function groupsOf(hostnames: readonly string[]): readonly Matcher[] {
    const regexes = new Map<string, Set<string>>()
    for (const named of hostnames.flatMap(waysOf)) {
      const { label, regex } = naming.selectorOf(named) ?? { label: '', regex: '' }
      if (label !== '') regexes.set(label, (regexes.get(label) ?? new Set()).add(regex))
    }
    return [...regexes].flatMap(([label, all]) => matchersOf(label, [...all]))
  }

  return async (key, plans, hostnames, window) => {
    const wanted = hostnames === null ? null : new Set(hostnames)
    const found = new Map<string, readonly (Point | null)[]>()
    for (const group of hostnames === null ? [null] : groupsOf(hostnames)) {
      const matchers = group === null ? [] : [group]
      const asked: Asked = { labels: naming.hostLabels, matchers, stepMs: window.stepMs }
      let points = isHeartbeat(key) ? await readSilence(asked, window) : new Map()
      for (const plan of plans) {
        const until = plan.isExpression ? { untilMs: nowMs() } : {}
        if (points.size === 0) points = await read(plan, { ...asked, ...until }, window)
      }
      for (const [hostname, own] of points) {
        if (wanted?.has(hostname) !== false && !found.has(hostname)) found.set(hostname, own)
      }
    }
    return found
  }
}

/** As few as possible, each short enough. */
function matchersOf(label: string, regexes: readonly string[]): readonly Matcher[] {
  const groups: string[][] = []
  let chars = matcherCharsMax
  for (const regex of regexes) {
    chars += regex.length + 1
    if (chars > matcherCharsMax) {
      groups.push([])
      chars = regex.length + 1
    }
    groups.at(-1)?.push(regex)
  }
  return groups.map((group) =>
    matches(label, group.length === 1 ? (group[0] ?? '') : `(?:${group.join('|')})`),
  )
}

const isHeartbeat = (key: MetricKey): boolean => textOf(key) === textOf(heartbeatKey)
