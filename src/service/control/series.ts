/** A metric over the last minutes, with everything else that its chart shows: limits, mutes, markers. Times are epoch milliseconds. */
import { z } from 'zod'
import { limitMet, outOfReach, type Trigger } from '../alerts/triggers.ts'
import { covers, watches } from '../alerts/watch.ts'
import { labelOf, type MetricKey, metricTypes, textOf, wordsOf } from '../metrics/metric-key.ts'
import { quoted, Refusal } from '../refusal.ts'
import { accountLimits, type Server } from '../store/registry.ts'
import type { World } from '../world.ts'

/** About as many as a chart has room for. */
const pointsMax = 150
const secondsMax = 2 * 60 * 60

/** A request for one metric. Without a server it is about this machine, or else the first server. */
export const seriesQuestion = z.strictObject({
  server: z.string().min(1).max(accountLimits.hostnameCharsMax).optional(),
  type: z.enum(metricTypes).default('cpu'),
  source: z.string().max(300).default(''),
  metric: z.string().min(1).max(300).default('cpu_busy'),
  seconds: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a whole number of seconds')
    .transform(Number)
    .pipe(z.number().min(60).max(secondsMax))
    .default(600),
})

/** Throws a 404 `Refusal` for an unknown server or metric. */
export function tellSeries(world: World, question: z.output<typeof seriesQuestion>): object {
  const { registry, readings, source, muteSpans } = world
  const untilMs = world.nowMs()
  const server = chooseServer(registry.servers(), question.server)
  const keys = readings.keysOf(server.hostname)
  const asked: MetricKey = { type: question.type, source: question.source, metric: question.metric }
  const key = keys.find((one) => textOf(one) === textOf(asked))
  if (key === undefined) {
    throw new Refusal(
      404,
      `metric: ${quoted(server.hostname)} has no ${asked.type} metric ${quoted(asked.metric)}${asked.source === '' ? '' : ` of ${quoted(asked.source)}`}`,
    )
  }
  const fromMs = untilMs - question.seconds * 1_000
  const finestMs = readings.finestStepMs(server.hostname, key, fromMs)
  const stepMs = Math.max(finestMs, Math.ceil(question.seconds / pointsMax) * 1_000)
  const alignedMs = Math.floor(fromMs / stepMs) * stepMs
  const count = Math.ceil((untilMs - alignedMs) / stepMs)
  const { units, precision } = wordsOf(key)
  const value = readings.valueNow(server.hostname, key)
  return {
    server: server.hostname,
    ...key,
    label: labelOf(key),
    units,
    precision,
    now_ms: untilMs,
    from_ms: alignedMs,
    step_ms: stepMs,
    /** `[min, average, max]`, or null if nothing was measured. */
    points: readings.points(server.hostname, key, { fromMs: alignedMs, stepMs, count }),
    value,
    limits: source
      .triggers()
      .filter((trigger) => watches(trigger, server, registry) && covers(trigger, key))
      .flatMap((trigger) => [
        ...(trigger.maxValue < outOfReach ? [limit(trigger, 'max', trigger.maxValue, value)] : []),
        ...(trigger.lowValue === null ? [] : [limit(trigger, 'low', trigger.lowValue, value)]),
      ]),
    mutes: muteSpans
      .during(server.hostname, alignedMs, untilMs)
      .map((span) => ({ from_ms: span.fromMs, until_ms: span.untilMs, scope: span.scope })),
    markers: registry
      .markers()
      .filter(({ atMs }) => atMs >= alignedMs && atMs <= untilMs)
      .map(({ notes, atMs }) => ({ notes, at_ms: atMs })),
    metrics: keys.map((one) => ({ ...one, label: labelOf(one) })),
  }
}

function limit(trigger: Trigger, side: 'max' | 'low', value: number, now: number | null): object {
  const met = now !== null && limitMet(trigger, now) === side
  return { side, value, duration_ms: trigger.durationMs, condition: trigger.condition, met }
}

function chooseServer(servers: readonly Server[], hostname: string | undefined): Server {
  const chosen =
    hostname === undefined
      ? (servers.find(({ kind }) => kind === 'machine') ?? servers[0])
      : servers.find((server) => server.hostname === hostname)
  if (chosen !== undefined) return chosen
  throw new Refusal(
    404,
    hostname === undefined ? 'there is no server' : `server: no server is called ${quoted(hostname)}`,
  )
}
