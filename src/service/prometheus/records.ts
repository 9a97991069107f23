/** What Prometheus and Alertmanager answer, as far as it is used; a part of another form is left out, a whole one is refused. */
import { z } from 'zod'
import { Refusal } from '../source.ts'

const labels = z.record(z.string(), z.string())
const time = z
  .string()
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite)

const engineAlert = z.object({
  labels,
  annotations: labels.catch({}),
  // Grafana says Alerting and Recovering, and lists what is normal too.
  state: z
    .string()
    .transform((said) => /^(?:firing|alerting|recovering|pending)/.exec(said.toLowerCase())?.[0]),
  activeAt: time,
  value: z.union([z.string(), z.number()]).transform(Number).catch(Number.NaN),
})
const rule = z.object({
  type: z.literal('alerting'),
  name: z.string(),
  query: z.string(),
  duration: z.number().catch(0),
  labels: labels.catch({}),
  annotations: labels.catch({}),
  health: z.string().catch('unknown'),
  lastError: z.string().catch(''),
  lastEvaluation: time.catch(0),
  alerts: z.array(engineAlert).catch([]),
})
export type Rule = z.output<typeof rule>
export type EngineAlert = z.output<typeof engineAlert>
export type Rules = { readonly rules: readonly Rule[]; readonly isPartial: boolean }

/** Thanos and Prometheus have `warnings` where something is missing, VictoriaMetrics `isPartial`. */
const whole = z.object({ warnings: z.array(z.unknown()).nullish(), isPartial: z.boolean().nullish() })
const groups = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.unknown()).catch([]) })) }),
})

/** Alerting rules of all groups. An unreadable one is left out: it then proves nothing. */
export function rulesOf(name: string, body: unknown): Rules {
  const said = groups.safeParse(body)
  if (!said.success) throw new Refusal(502, `${name}: expected rules; came something else`)
  const rules = said.data.data.groups.flatMap((group) =>
    group.rules.flatMap((one) => {
      const found = rule.safeParse(one).data
      return found === undefined ? [] : [{ ...found, alerts: found.alerts.filter(({ state }) => state) }]
    }),
  )
  const { warnings, isPartial } = whole.safeParse(body).data ?? {}
  return { rules, isPartial: isPartial === true || (warnings ?? []).length > 0 }
}

const managed = z.object({
  labels,
  annotations: labels.catch({}),
  startsAt: time,
  generatorURL: z.string().catch(''),
  fingerprint: z.string(),
  status: z.object({
    state: z.string(),
    silencedBy: z.array(z.string()).catch([]),
    inhibitedBy: z.array(z.string()).catch([]),
  }),
})
export type Managed = z.output<typeof managed>

export function managedOf(name: string, body: unknown): Managed[] {
  return listOf(name, 'alerts', managed, body)
}

const matcher = z.object({
  name: z.string(),
  value: z.string(),
  isRegex: z.boolean(),
  isEqual: z.boolean().default(true),
})
const silence = z.object({
  id: z.string(),
  status: z.object({ state: z.string() }),
  matchers: z.array(matcher),
  startsAt: time,
  endsAt: time,
  updatedAt: time,
  createdBy: z.string().catch(''),
  comment: z.string().catch(''),
})
export type AmSilence = z.output<typeof silence>
export type Matcher = z.output<typeof matcher>

export function silencesOf(name: string, body: unknown): AmSilence[] {
  return listOf(name, 'silences', silence, body)
}

function listOf<T>(name: string, what: string, shape: z.ZodType<T>, body: unknown): T[] {
  if (!Array.isArray(body)) throw new Refusal(502, `${name}: expected a list of ${what}; came something else`)
  return body.flatMap((one) => shape.safeParse(one).data ?? [])
}

const sample = z.tuple([z.number(), z.string()])
const series = z.object({ metric: labels, value: sample.optional(), values: z.array(sample).optional() })
export type QuerySeries = z.output<typeof series>
const result = z.object({ data: z.object({ result: z.array(series) }) })

export function seriesOf(name: string, body: unknown): QuerySeries[] {
  const found = result.safeParse(body)
  if (!found.success) throw new Refusal(502, `${name}: expected series; came something else`)
  return found.data.data.result
}
