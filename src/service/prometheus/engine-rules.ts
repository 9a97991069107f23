/** Parses an engine's rules record by record: an unreadable one does not affect the others, and proves nothing. */
import { z } from 'zod'

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

export const ruleGroups = z.object({
  groups: emptiable(z.array(z.object({ rules: emptiable(z.array(z.unknown()), []) })), []),
})

/** Keeps alerting rules only, as some engines list all. Throws an error with a sentence if a rule has no name. */
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
