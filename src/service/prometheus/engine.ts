/** The HTTP API of a Prometheus-compatible engine, as far as the service needs it, checked record by record. */
import { z } from 'zod'
import { type Meter, noMeter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import { inPart, openSource, type Source } from './answers.ts'
import { NotLetIn, UpstreamNo, upstreamStatus } from './ask.ts'
import type { About, Doubt } from './doubts.ts'
import { externalLabelsIn } from './external-labels.ts'
import { openPeers } from './peers.ts'
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

const recording = z.object({ type: z.literal('recording') })

function isRecording(one: unknown): boolean {
  return recording.safeParse(one).success
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

const vectorList = vector.transform(({ result }) => result)
const matrixList = matrix.transform(({ result }) => result)

/** For each metric, what each of its exporters reports. */
const metadata = z.record(z.string(), z.array(z.object({ type: z.string() })))

/** A series of a range: its labels, and points of seconds since 1970 and a number as text (`NaN`, `+Inf` too). */
export type EngineSeries = z.output<typeof matrix>['result'][number]
export type EngineSample = z.output<typeof vector>['result'][number]

/** Most points per series in one query: the engine's own limit. */
export const pointsMax = 11_000

export type RulesAnswer = {
  /** Alerting rules with the alerts of each. */
  readonly rules: readonly EngineRule[]
  /** Whether rules, or alerts of those listed, may be missing: some ruler did not answer, or not in whole. */
  readonly isPartial: boolean
  /** Whether there is no address for rules: each ruler answered 404. */
  readonly isAbsent: boolean
}

/** Every method rejects with a `Refusal` (502 to 504): unreachable, slow, an error, or not understood; with a `PartialAnswer` unless said otherwise. */
export type Engine = {
  readonly name: string
  /** Never rejects with a `PartialAnswer`. */
  rules(): Promise<RulesAnswer>
  /** The value of an expression now. */
  query(expression: string, about?: About): Promise<readonly EngineSample[]>
  /** Points from `fromMs` to `untilMs`, both included, every `stepMs`; whole milliseconds since 1970. */
  queryRange(
    expression: string,
    range: { readonly fromMs: number; readonly untilMs: number; readonly stepMs: number },
  ): Promise<readonly EngineSeries[]>
  /** Names of metrics that match a regular expression, anchored. */
  metricNames(regex: string): Promise<readonly string[]>
  /** `counter`, `gauge`; null if the engine does not know. */
  typeOf(metric: string): Promise<string | null>
  /** What it adds to alerts on their way to an Alertmanager; null: it does not tell, as Thanos and Mimir, and many proxies. */
  externalLabels(): Promise<Readonly<Record<string, string>> | null>
  /** What is in doubt now: shown to people, without secrets. */
  doubts(): readonly Doubt[]
  close(): Promise<void>
}

/** `rules`: where the rules are, if not at the engine's own address. */
export function openEngine(
  endpoint: Endpoint,
  timeoutMs: number,
  around: {
    readonly rules?: readonly Endpoint[]
    readonly report?: (line: string) => void
    readonly meter?: Meter
  } = {},
): Engine {
  const { rules = [], report = () => {}, meter = noMeter } = around
  const open = (one: Endpoint): Source => openSource(one, timeoutMs, { report, meter })
  const own = open(endpoint)
  const { name, asker, dataOf } = own
  const rulers = rules.length === 0 ? [own] : rules.map(open)
  const ruleReader = openRuleReader(rulers, report)

  return {
    name,
    rules: ruleReader.read,
    async query(expression, about = 'metrics') {
      return dataOf(await asker.query('/api/v1/query', { query: expression }), vectorList, about)
    },
    async queryRange(expression, { fromMs, untilMs, stepMs }) {
      const form = {
        query: expression,
        start: String(fromMs / 1_000),
        end: String(untilMs / 1_000),
        step: String(stepMs / 1_000),
      }
      return dataOf(await asker.query('/api/v1/query_range', form), matrixList, 'metrics')
    },
    async metricNames(regex) {
      const match = `{__name__=~${JSON.stringify(regex)}}`
      const found = await asker.get('/api/v1/label/__name__/values', { 'match[]': match })
      return dataOf(found, z.array(z.string()), 'metrics')
    },
    async typeOf(metric) {
      try {
        const found = dataOf(await asker.get('/api/v1/metadata', { metric }), metadata, 'metrics')
        return found[metric]?.[0]?.type ?? null
      } catch (error) {
        // Not every engine keeps the metadata of metrics.
        if (error instanceof UpstreamNo && error.answered === 404) return null
        throw error
      }
    },
    async externalLabels() {
      try {
        const shape = z.object({ yaml: z.string() })
        return externalLabelsIn(dataOf(await asker.get('/api/v1/status/config'), shape, 'servers').yaml)
      } catch (error) {
        const isAway = error instanceof Refusal && isUnanswered(error)
        if (!(error instanceof Refusal) || isAway) throw error
        // It may be for operators only, or be no part of this engine.
        return null
      }
    },
    doubts: () => [...[...new Set([own, ...rulers])].flatMap((one) => one.doubts()), ...ruleReader.doubts()],
    async close() {
      await Promise.all([...new Set([own, ...rulers])].map((one) => one.asker.close()))
    },
  }
}

/** Reads the rules of all rulers as one list. Several may have the same rule: its alerts are those of all. */
function openRuleReader(
  rulers: readonly Source[],
  report: (line: string) => void,
): { read(): Promise<RulesAnswer>; doubts(): readonly Doubt[] } {
  const peers = openPeers(rulers, report)
  /** Those that have listed rules in this run: a 404 of theirs is a failure. */
  const haveListed = new Set<Source>()

  async function rulesOf(ruler: Source): Promise<RulesAnswer> {
    const { name, asker, dataOf } = ruler
    try {
      const answer = await inPart(
        (async () => dataOf(await asker.get('/api/v1/rules', { type: 'alert' }), ruleGroups, 'rules'))(),
      )
      const rules = readRules(answer.value)
      if (rules.length > 0) haveListed.add(ruler)
      return { rules, isPartial: answer.isPartial, isAbsent: false }
    } catch (error) {
      if (error instanceof UpstreamNo && error.answered === 404 && !haveListed.has(ruler))
        return { rules: [], isPartial: false, isAbsent: true }
      if (error instanceof Refusal) throw error
      throw new Refusal(502, `${name} lists ${error instanceof Error ? error.message : 'odd rules'}`)
    }
  }

  const readAll = peers.reader(rulesOf)
  let missing = 0

  return {
    async read() {
      const answers = await readAll()
      missing = rulers.length - answers.length
      return {
        rules: united(answers.map(({ rules }) => rules)),
        isPartial: missing > 0 || answers.some(({ isPartial }) => isPartial),
        isAbsent: answers.every(({ isAbsent }) => isAbsent),
      }
    },
    doubts: () =>
      missing === 0
        ? []
        : [
            {
              about: 'rules',
              said: `${missing} of ${rulers.length} rulers did not answer; the log says why`,
            },
          ],
  }
}

/** A rule that several list is one: evaluated successfully only if each of them has done so. */
function united(lists: readonly (readonly EngineRule[])[]): readonly EngineRule[] {
  const [first = [], ...others] = lists
  if (others.length === 0) return first
  const found = new Map<string, EngineRule>()
  for (const list of lists) {
    const counts = new Map<string, number>()
    for (const rule of list) {
      const { name, query, duration, labels } = rule
      const text = JSON.stringify([name, query, duration, Object.entries(labels).sort()])
      // One ruler may list the same rule twice: the second of one is the second of the other.
      const count = (counts.get(text) ?? 0) + 1
      counts.set(text, count)
      const known = found.get(`${text} ${count}`)
      found.set(`${text} ${count}`, known === undefined ? rule : both(known, rule))
    }
  }
  return [...found.values()]
}

function both(one: EngineRule, other: EngineRule): EngineRule {
  const alerts = new Map<string, EngineAlert>()
  // The first of those with the same labels counts, and what fires comes before what is pending.
  const all = [...one.alerts, ...other.alerts]
  for (const alert of [...all.filter(({ state }) => state === 'firing'), ...all]) {
    const text = JSON.stringify(Object.entries(alert.labels).sort())
    if (!alerts.has(text)) alerts.set(text, alert)
  }
  const worst = [one, other].find(({ health }) => health !== 'ok') ?? one
  const isEarlier = Date.parse(one.lastEvaluation) <= Date.parse(other.lastEvaluation)
  return {
    ...one,
    alerts: [...alerts.values()],
    health: worst.health,
    lastEvaluation: (isEarlier ? one : other).lastEvaluation,
  }
}

function isUnanswered(error: Refusal): boolean {
  const { status } = error
  return !(error instanceof NotLetIn) && (status === upstreamStatus.slow || status === upstreamStatus.away)
}
