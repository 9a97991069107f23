/** The HTTP API of a Prometheus-compatible engine, as far as the service needs it, checked record by record. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { openAsker, UpstreamNo, withoutSecrets } from './ask.ts'
import type { Endpoint } from './settings.ts'

const labels = z.record(z.string(), z.string())

/** Engines written in Go send `null` for empty lists. */
const emptiable = <Schema extends z.ZodType>(schema: Schema, empty: z.output<Schema>) =>
  schema.nullish().transform((found) => found ?? empty)

/** An alert as the engine has it, pending or firing. `value` is a number as text: `3.5e-01`, `NaN`. */
const ruleAlert = z.object({
  labels,
  annotations: emptiable(labels, {}),
  state: z.string(),
  activeAt: z.string(),
  value: z.coerce.string().default(''),
})

const common = {
  name: z.string(),
  query: z.string(),
  /** Seconds of `for`. */
  duration: z.number().default(0),
  labels: emptiable(labels, {}),
  annotations: emptiable(labels, {}),
  /**
   * `ok`, `err`, `unknown` (not evaluated yet), and `unreadable` if a part of the rule is: alerts that it lacks may exist
   * nevertheless.
   */
  health: z.string().default('ok'),
  /** ISO 8601; the year 1 if it was not evaluated yet. */
  lastEvaluation: z.string().default(''),
}
const rule = z.object({ ...common, alerts: emptiable(z.array(ruleAlert), []) })

/** The readable part of a partly unreadable rule. */
const broken = z.object({
  name: common.name,
  query: common.query.catch(''),
  duration: z.number().catch(0),
  labels: labels.catch({}),
  annotations: labels.catch({}),
  alerts: z.array(z.unknown()).catch([]),
  lastEvaluation: z.string().catch(''),
})

export type EngineRule = Readonly<z.output<typeof rule>>
export type EngineAlert = EngineRule['alerts'][number]

const ruleGroups = z.object({
  groups: emptiable(z.array(z.object({ rules: emptiable(z.array(z.unknown()), []) })), []),
})

/**
 * Keeps alerting rules only, as some engines list all. A rule that can be read in part does not affect the others, and proves
 * nothing. Throws an error with a sentence if a rule has no name.
 */
export function readRules({ groups }: z.output<typeof ruleGroups>): readonly EngineRule[] {
  return groups
    .flatMap(({ rules }) => rules)
    .filter((one) => !isRecording(one))
    .map((one) => {
      const whole = rule.safeParse(one)
      if (whole.success) return whole.data
      const part = broken.safeParse(one)
      if (!part.success) throw new Error('a rule without a name')
      const alerts = part.data.alerts.flatMap((alert) => ruleAlert.safeParse(alert).data ?? [])
      return { ...part.data, alerts, health: 'unreadable' }
    })
}

function isRecording(one: unknown): boolean {
  return z.object({ type: z.literal('recording') }).safeParse(one).success
}

/** Seconds since 1970, and a number as text. */
const sample = z.tuple([z.number(), z.string()])
const vector = z.object({
  resultType: z.literal('vector'),
  result: z.array(z.object({ metric: labels, value: sample })),
})
const matrix = z.object({
  resultType: z.literal('matrix'),
  result: z.array(z.object({ metric: labels, values: z.array(sample) })),
})

/** For each metric, what each of its exporters reports. */
const metadata = z.record(z.string(), z.array(z.object({ type: z.string() })))

/** A series of a range: its labels, and points of seconds since 1970 and a number as text (`NaN`, `+Inf` too). */
export type EngineSeries = z.output<typeof matrix>['result'][number]
export type EngineSample = z.output<typeof vector>['result'][number]

/** Most points per series in one query: the engine's own limit. */
export const pointsMax = 11_000

/** Every method rejects with a `Refusal` (502 to 504): unreachable, slow, an error, a partial answer (`warnings`), or not understood. */
export type Engine = {
  readonly name: string
  /** Alerting rules with the alerts of each. */
  rules(): Promise<readonly EngineRule[]>
  /** The value of an expression now. */
  query(expression: string): Promise<readonly EngineSample[]>
  /** Points from `fromMs` to `untilMs`, both included, every `stepMs`; whole milliseconds since 1970. */
  queryRange(
    expression: string,
    range: { readonly fromMs: number; readonly untilMs: number; readonly stepMs: number },
  ): Promise<readonly EngineSeries[]>
  /** Names of metrics that match a regular expression, anchored. */
  metricNames(regex: string): Promise<readonly string[]>
  /** `counter`, `gauge`; null if the engine does not know. */
  typeOf(metric: string): Promise<string | null>
  close(): Promise<void>
}

export function openEngine(endpoint: Endpoint, timeoutMs: number): Engine {
  const asker = openAsker({ product: 'Prometheus', endpoint, timeoutMs })
  const { name } = asker

  /** The `data` of `{status: success, data}`. */
  function dataOf<Value>(answer: unknown, schema: z.ZodType<Value>): Value {
    const found = z
      .object({ status: z.literal('success'), data: z.unknown(), warnings: z.array(z.string()).nullish() })
      .safeParse(answer)
    if (!found.success) throw new Refusal(502, `${name}: expected an answer of Prometheus; came another one`)
    // Thanos and Mimir warn if a store did not answer: half of the data would look like all of it.
    const [warning] = found.data.warnings ?? []
    if (warning !== undefined)
      throw new Refusal(502, `${name} answered in part only: ${withoutSecrets(warning).slice(0, 200)}`)
    const checked = schema.safeParse(found.data.data)
    if (checked.success) return checked.data
    const [issue] = checked.error.issues
    throw new Refusal(
      502,
      `${name}: its answer is not understood at ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}`,
    )
  }

  return {
    name,
    async rules() {
      const found = dataOf(await asker.get('/api/v1/rules', { type: 'alert' }), ruleGroups)
      try {
        return readRules(found)
      } catch (error) {
        throw new Refusal(502, `${name} lists ${error instanceof Error ? error.message : 'odd rules'}`)
      }
    },
    async query(expression) {
      return dataOf(await asker.query('/api/v1/query', { query: expression }), vector).result
    },
    async queryRange(expression, { fromMs, untilMs, stepMs }) {
      const form = {
        query: expression,
        start: String(fromMs / 1_000),
        end: String(untilMs / 1_000),
        step: String(stepMs / 1_000),
      }
      return dataOf(await asker.query('/api/v1/query_range', form), matrix).result
    },
    async metricNames(regex) {
      const match = `{__name__=~${JSON.stringify(regex)}}`
      return dataOf(
        await asker.get('/api/v1/label/__name__/values', { 'match[]': match }),
        z.array(z.string()),
      )
    },
    async typeOf(metric) {
      try {
        const found = dataOf(await asker.get('/api/v1/metadata', { metric }), metadata)
        return found[metric]?.[0]?.type ?? null
      } catch (error) {
        // Not every engine keeps the metadata of metrics.
        if (error instanceof UpstreamNo && error.answered === 404) return null
        throw error
      }
    },
    close: asker.close,
  }
}
