/** Answers a request to `metrics.json` (docs/api.md#metrics). */
import { quoted, Refusal } from '../refusal.ts'
import type { Registry, Server } from '../store/registry.ts'
import { filterInTurns, openTurn } from '../turn.ts'
import { type MetricKey, type MetricType, type Point, rounded, type Window, wordsOf } from './metric-key.ts'
import type { Readings } from './readings.ts'
import { parseServerPattern } from './server-pattern.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The nine durations, each with the width of its points: 240 to 365 points for each duration. */
export const durations = {
  '5 hours': { lengthMs: 5 * hourMs, stepMs: minuteMs },
  '12 hours': { lengthMs: 12 * hourMs, stepMs: 3 * minuteMs },
  '1 day': { lengthMs: dayMs, stepMs: 5 * minuteMs },
  '1 week': { lengthMs: 7 * dayMs, stepMs: 30 * minuteMs },
  '2 weeks': { lengthMs: 14 * dayMs, stepMs: hourMs },
  '1 month': { lengthMs: 30 * dayMs, stepMs: 2 * hourMs },
  '3 months': { lengthMs: 90 * dayMs, stepMs: 6 * hourMs },
  '6 months': { lengthMs: 180 * dayMs, stepMs: 12 * hourMs },
  '1 year': { lengthMs: 365 * dayMs, stepMs: dayMs },
} as const

export type Duration = keyof typeof durations

/** Most servers in one answer; a wider request is refused rather than silently cut. */
export const blocksMax = 200

export type MetricsQuestion = {
  readonly key: MetricKey
  readonly server: string | null
  readonly environment: string | null
  readonly role: string | null
  readonly duration: Duration
  /**
   * `range`: each point is the lowest, mean and highest value of its time. `breakout`: each server as one line, so that
   * all three numbers of a point are the mean. The specification only names the two.
   */
  readonly display: 'range' | 'breakout'
  /** Its series alone, where an alert is known by this number. */
  readonly alert?: number | null
}

/** `[null, null, null]` if a server has no value at a time at which another one does. */
type AnsweredPoint = Point | readonly [null, null, null]

export type MetricsAnswer = {
  readonly timestamps: readonly number[]
  readonly metrics: readonly {
    readonly label: string
    readonly units: string
    readonly precision: number
    readonly points: readonly AnsweredPoint[]
  }[]
}

/** Throws a `Refusal`: 404 for an unknown server, role or metric, 422 for an invalid pattern. */
export async function answerMetrics(
  question: MetricsQuestion,
  parts: { readonly registry: Registry; readonly readings: Readings; readonly nowMs: number },
): Promise<MetricsAnswer> {
  const { registry, readings, nowMs } = parts
  const has = ({ hostname }: Server): boolean => readings.has(hostname, question.key)
  const asked = await chooseServers(question, registry)
  const servers = asked.filter(has)
  if (servers.length === 0 && !registry.servers().some(has)) throw unknownMetric(question.key)
  if (servers.length > blocksMax) throw tooManyServers(servers.length)
  const window = windowOf(question.duration, nowMs)
  const turn = openTurn()
  const blocks: Block[] = []
  for (const { name, hostname } of servers) {
    if (turn.isOver()) await turn.next()
    const points = readings.points(hostname, question.key, window)
    if (points.some((point) => point !== null)) blocks.push({ label: name, points })
  }
  return answerOf(question, window, blocks)
}

/** The last point is the current one, which is incomplete. */
export function windowOf(duration: Duration, nowMs: number): Window {
  const { lengthMs, stepMs } = durations[duration]
  return {
    fromMs: (Math.floor(nowMs / stepMs) + 1) * stepMs - lengthMs,
    stepMs,
    count: lengthMs / stepMs,
  }
}

/** A server with one point for each step of the window. */
export type Block = { readonly label: string; readonly points: readonly (Point | null)[] }

export function answerOf(
  { key, display }: Pick<MetricsQuestion, 'key' | 'display'>,
  { fromMs, stepMs, count }: Window,
  blocks: readonly Block[],
  /** Of a metric that is not the API's own. */
  unitsGiven?: string,
): MetricsAnswer {
  // Times without any server's value are dropped: a new machine has a short chart, not an empty one.
  const times = Array.from({ length: count }, (_, at) => at).filter((at) =>
    blocks.some(({ points }) => points[at] != null),
  )
  const { units: usual, precision } = wordsOf(key)
  const units = unitsGiven ?? usual
  return {
    timestamps: times.map((at) => fromMs + at * stepMs),
    metrics: blocks.map(({ label, points }) => ({
      label,
      units,
      precision,
      points: times.map((at) => show(points[at] ?? null, display)),
    })),
  }
}

/** The hostnames of the requested servers. Rejects with a `Refusal` for an unknown server or role. */
export async function chooseServers(
  question: MetricsQuestion,
  registry: Registry,
): Promise<readonly Server[]> {
  const { server, environment, role } = question
  let chosen = registry.servers()
  if (server !== null) {
    const pattern = parseServerPattern(server)
    if (pattern.kind === 'exact' && registry.server(pattern.hostname) === undefined) {
      throw new Refusal(404, `server: no server is called ${quoted(pattern.hostname)}`)
    }
    chosen =
      pattern.kind === 'exact'
        ? chosen.filter(({ hostname }) => hostname === pattern.hostname)
        : await filterInTurns(chosen, ({ hostname }) => pattern.matches(hostname))
  }
  if (role !== null) {
    const members = registry.roles().get(role)
    if (members === undefined) throw new Refusal(404, `role: no role is called ${quoted(role)}`)
    const hostnames = new Set(members)
    chosen = chosen.filter(({ hostname }) => hostnames.has(hostname))
  }
  return environment === null ? chosen : chosen.filter((one) => one.environment === environment)
}

function show(point: Point | null, display: MetricsQuestion['display']): AnsweredPoint {
  if (point === null) return [null, null, null]
  const [min, average, max] = point.map(rounded)
  if (min === undefined || average === undefined || max === undefined) return [null, null, null]
  return display === 'range' ? [min, average, max] : [average, average, average]
}

export function unknownMetric(key: MetricKey): Refusal {
  const source = key.source === '' ? '' : ` with metric_source_name ${quoted(key.source)}`
  const type: MetricType = key.type
  return new Refusal(404, `metric_name: no metric ${quoted(key.metric)} of type ${type}${source} is known`)
}

export function tooManyServers(count: number): Refusal {
  return new Refusal(
    422,
    `server: expected a filter that at most ${blocksMax} servers pass; came one that ${count} pass`,
  )
}
