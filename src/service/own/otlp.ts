/** `POST /v1/metrics`: gauges and sums of OTLP/HTTP as JSON become custom metrics of the server `host.name`, with an API key as bearer. */
import { gunzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import { z } from 'zod'
import { readBody } from '../api/operation.ts'
import type { Env } from '../api/serve.ts'
import type { Keys } from '../keys.ts'
import { keyFor } from '../metrics.ts'
import { Refusal } from '../source.ts'
import type { Sample } from './samples.ts'

/** Also after unpacking. */
const pushBytesMax = 10 * 1024 * 1024
const pointsMax = 50_000

type Pushed = Sample & { readonly environment: string }

const numeric = z.union([z.number(), z.string().regex(/^-?\d{1,20}$/)]).transform(Number)
const attributes = z
  .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }).nullish() }))
  .nullish()
const points = z.object({
  dataPoints: z
    .array(z.object({ attributes, asDouble: z.number().optional(), asInt: numeric.optional() }))
    .nullish(),
  isMonotonic: z.boolean().optional(),
  aggregationTemporality: z.unknown().optional(),
})
const metric = z.object({
  name: z.string().min(1).max(300),
  gauge: points.optional(),
  sum: points.optional(),
})
const scopes = z.array(z.object({ metrics: z.array(metric).nullish() })).nullish()
const resource = z.object({ attributes }).nullish()
const body = z.object({ resourceMetrics: z.array(z.object({ resource, scopeMetrics: scopes })) })

/** Returns the number of points that were not taken. */
type Push = (bytes: Buffer, encoding: string) => number

/** `push` null: what is behind takes pushes itself. */
export function addPush(app: Hono<Env>, keys: Keys, push: Push | null): void {
  app.post('/v1/metrics', async (c) => {
    if (push === null)
      throw new Refusal(501, 'this service takes no pushes; a Prometheus does, at /api/v1/otlp/v1/metrics')
    const bearer = /^bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1]?.trim() ?? ''
    if (!keys.has(bearer))
      throw new Refusal(401, 'authorization: expected an API key as bearer token; came none that is known')
    const { body: stream } = c.req.raw
    const bytes = stream === null ? Buffer.alloc(0) : await readBody(stream, pushBytesMax)
    const rejected = push(bytes, c.req.header('content-encoding')?.toLowerCase() ?? '')
    const errorMessage = 'expected gauges and sums with the resource attribute host.name'
    return c.json(
      rejected === 0 ? {} : { partialSuccess: { rejectedDataPoints: String(rejected), errorMessage } },
    )
  })
}

/** Counters by sender, to make rates of them: a sum since some start says nothing by itself. */
export type Counters = Map<string, { value: number; atMs: number }>

/** Throws a 422 for anything else than an export. Several points of one name (other attributes) are added up. */
export function readPush(
  bytes: Buffer,
  encoding: string,
  counters: Counters,
  nowMs: number,
): { pushed: Pushed[]; rejected: number } {
  const parsed = body.safeParse(jsonOf(bytes, encoding))
  if (!parsed.success) throw new Refusal(422, 'body: expected metrics of OTLP as JSON; came something else')
  const sums = new Map<string, Pushed>()
  let [rejected, taken] = [0, 0]
  for (const { resource, scopeMetrics } of parsed.data.resourceMetrics) {
    const of = (name: string) => resource?.attributes?.find(({ key }) => key === name)?.value?.stringValue
    const host = of('host.name') ?? ''
    const environment = of('deployment.environment.name') ?? of('deployment.environment') ?? 'production'
    for (const { name, gauge, sum } of (scopeMetrics ?? []).flatMap(({ metrics }) => metrics ?? [])) {
      const isCounter = sum?.isMonotonic === true && !/^1$|DELTA$/.test(String(sum.aggregationTemporality))
      const key = keyFor('custom_metric', name, name)
      if (gauge === undefined && sum === undefined) rejected += 1
      for (const { asDouble, asInt, attributes: told } of (gauge ?? sum)?.dataPoints ?? []) {
        const said = asDouble ?? asInt ?? Number.NaN
        taken += 1
        const isGood = host !== '' && Number.isFinite(said) && taken <= pointsMax
        if (!isGood) rejected += 1
        const id = JSON.stringify([host, name])
        const value = isGood && isCounter ? rateOf(counters, id + JSON.stringify(told), said, nowMs) : said
        if (isGood && value !== null)
          sums.set(id, { host, environment, key, value: (sums.get(id)?.value ?? 0) + value })
      }
    }
  }
  return { pushed: [...sums.values()], rejected }
}

function rateOf(counters: Counters, id: string, value: number, nowMs: number): number | null {
  if (counters.size > pointsMax) counters.clear()
  const before = counters.get(id)
  counters.set(id, { value, atMs: nowMs })
  if (before === undefined || value < before.value || nowMs <= before.atMs) return null
  return (value - before.value) / ((nowMs - before.atMs) / 1000)
}

function jsonOf(bytes: Buffer, encoding: string): unknown {
  if (!['', 'identity', 'gzip'].includes(encoding))
    throw new Refusal(422, 'content-encoding: expected gzip or none; came another one')
  try {
    const plain = encoding === 'gzip' ? gunzipSync(bytes, { maxOutputLength: pushBytesMax }) : bytes
    return JSON.parse(plain.toString('utf8'))
  } catch {
    throw new Refusal(422, 'body: expected JSON (OTEL_EXPORTER_OTLP_PROTOCOL=http/json); came something else')
  }
}
