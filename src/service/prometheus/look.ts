/** What Prometheus and Alertmanager answer, as far as it is used: a part of another form is left out, a whole one refused; and one look at all. */
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { Refusal } from '../source.ts'
import type { Asker } from './ask.ts'
import type { Labels } from './naming.ts'

const targetsMax = 20_000

export type Engines = {
  readonly engine: Asker | null
  readonly rulers: readonly Asker[]
  readonly managers: readonly Asker[]
}
/** A ruler's own labels and start; of an engine that has no such answers, none. */
export type Ruler = { readonly asker: Asker; external: Labels; configured: string; startMs: number | null }

/** Null in place of one that did not answer. */
export type Look = {
  readonly ruled: readonly (Rules | null)[]
  readonly managed: readonly ({
    readonly alerts: readonly Managed[]
    readonly startMs: number | null
  } | null)[]
  readonly silences: readonly AmSilence[]
  readonly up: readonly QuerySeries[] | null
  /** A ruler or an Alertmanager is away, or its answer is not whole. */
  readonly isPartial: boolean
  readonly failures: readonly string[]
}

export async function look(
  { engine, managers }: Engines,
  rulers: readonly Ruler[],
  nowMs: () => number,
): Promise<Look> {
  const failures: string[] = []
  const settle = async <T, V>(all: readonly T[], ask: (one: T) => Promise<V>, isNeeded = false) => {
    const answers = await Promise.allSettled(all.map(ask))
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue
      if (!(answer.reason instanceof Refusal)) throw answer.reason
      if (isNeeded && answers.every(({ status }) => status === 'rejected')) throw answer.reason
      failures.push(answer.reason.message)
    }
    return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))
  }
  const [ruled, managed, silences, [up = null]] = await Promise.all([
    settle(
      rulers,
      async ({ asker: { name, get } }) => rulesOf(name, await get('/api/v1/rules?type=alert')),
      true,
    ),
    settle(managers, managerOf, true),
    settle(managers, askSilences),
    settle(engine === null ? [] : [engine], upOf),
  ])
  // Last, so that an external label which is new in these answers is known.
  const troubles = await Promise.all(rulers.map((ruler) => askStatus(ruler, nowMs)))
  const isCut = ruled.some((one) => one?.isPartial === true)
  failures.push(...troubles.flatMap((trouble) => trouble ?? []))
  if (isCut) failures.push('a ruler says that its answer is not whole')
  return {
    ...{ ruled, managed, up, failures },
    silences: unitedSilences(silences.flatMap((one) => one ?? [])),
    isPartial: isCut || ruled.includes(null) || managed.includes(null),
  }
}

async function managerOf({ name, get }: Asker) {
  const [alerts, status] = await Promise.all([get('/api/v2/alerts'), get('/api/v2/status').catch(() => null)])
  const startMs = timeOf((status as { uptime?: string } | null)?.uptime)
  return { alerts: listOf(name, 'alerts', managed, alerts), startMs }
}

async function upOf({ name, query }: Asker): Promise<readonly QuerySeries[]> {
  return seriesOf(name, await query('/api/v1/query', { query: 'up' })).slice(0, targetsMax)
}

/** VictoriaMetrics, Thanos and Grafana have no such answers. Returns what is wrong: a ruler that does not say when it began may be young. */
async function askStatus(ruler: Ruler, nowMs: () => number): Promise<string | null> {
  const { get } = ruler.asker
  try {
    const info = (await get('/api/v1/status/runtimeinfo')) as { data?: Record<string, string> } | null
    const { startTime, lastConfigTime = '' } = info?.data ?? {}
    ruler.startMs = timeOf(startTime)
    if (lastConfigTime === '' || lastConfigTime === ruler.configured) return null
    ruler.external = externalOf(await get('/api/v1/status/config'))
    ruler.configured = lastConfigTime
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const answered = error.answered ?? 0
    const isWithout = (answered >= 400 && answered < 500) || answered === 501
    ruler.startMs = isWithout ? null : nowMs()
    return isWithout ? null : error.message
  }
}

function externalOf(body: unknown): Labels {
  const text = (body as { data?: { yaml?: unknown } } | null)?.data?.yaml
  const [block = ''] = /^global:\n(?:[ \t].*\n?)*/m.exec(typeof text === 'string' ? text : '') ?? []
  const config = parseYaml(block) as { global?: { external_labels?: Labels } } | null
  const found = Object.entries(config?.global?.external_labels ?? {})
  return Object.fromEntries(found.map(([name, value]) => [name, String(value)]))
}

function timeOf(text = ''): number | null {
  const ms = Date.parse(text)
  return Number.isFinite(ms) ? ms : null
}

/** Of a cluster each has all of them; the newest version of one counts. */
export function unitedSilences(all: readonly AmSilence[]): AmSilence[] {
  const byId = new Map<string, AmSilence>()
  for (const one of all)
    if ((byId.get(one.id)?.updatedAt ?? Number.NEGATIVE_INFINITY) < one.updatedAt) byId.set(one.id, one)
  return [...byId.values()]
}

/** As they are: thousands of copies a reading would be half of its time. */
const labels = z.custom<Labels>(
  (said) =>
    typeof said === 'object' && Object.values(said ?? [0]).every((value) => typeof value === 'string'),
)
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
type Rules = { readonly rules: readonly Rule[]; readonly isPartial: boolean }

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

const texts = z.array(z.string()).catch([])
const managed = z.object({
  labels,
  annotations: labels.catch({}),
  startsAt: time,
  generatorURL: z.string().catch(''),
  fingerprint: z.string(),
  status: z.object({ state: z.string(), silencedBy: texts, inhibitedBy: texts }),
})
export type Managed = z.output<typeof managed>

const [isRegex, isEqual] = [z.boolean(), z.boolean().default(true)]
const matcher = z.object({ name: z.string(), value: z.string(), isRegex, isEqual })
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

export async function askSilences({ name, get }: Asker): Promise<AmSilence[]> {
  return listOf(name, 'silences', silence, await get('/api/v2/silences'))
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
