/** The alerting rules of an engine as triggers of the API, each with the expression to draw and its metric. Pure. */
import { createHash } from 'node:crypto'
import { outOfReach, type Trigger } from '../alerts/triggers.ts'
import { type MetricKey, textOfLabels } from '../metrics/metric-key.ts'
import type { EngineRule } from './engine.ts'
import type { Labels } from './naming.ts'
import { type Limit, readableCondition, readExpression } from './promql.ts'
import { isSilence, provenMetric } from './read-metric.ts'
import { unitsOf } from './units.ts'

export type AlertRule = {
  readonly name: string
  readonly expression: string
  /** The expression without its top-level comparison. Value and limit of its alerts are in its unit. */
  readonly drawn: string
  readonly limit: Limit | null
  /** Of `drawn`; empty if it has none, or none that is proven. */
  readonly units: string
  /** The metric of the API that `drawn` is proven to be, in alerts of one server; else named by the rule. */
  readonly key: MetricKey
  /** Whether it holds for targets that send no data, and for no others. */
  readonly isSilence: boolean
  readonly trigger: Trigger
  /** Labels that the rule adds to its alerts. */
  readonly labels: Labels
}

/** In the given order. Two rules may have one name; identical ones get consecutive ids. */
export function rulesOf(rules: readonly EngineRule[]): readonly AlertRule[] {
  const taken = new Set<number>()
  return rules.map((rule) => {
    const { name, query: expression, duration, labels } = rule
    const reading = readExpression(expression)
    const drawn = reading?.drawn ?? expression
    const limit = reading?.limit ?? null
    const key = provenMetric(drawn) ?? keyOfName(name)
    let id = idOf(rule)
    while (taken.has(id)) id += 1
    taken.add(id)
    const trigger: Trigger = {
      id,
      type: key.type,
      metric: key.metric,
      ...(key.source === '' ? {} : { source: key.source }),
      servers: 'all',
      maxValue: limit?.side === 'max' ? limit.value : outOfReach,
      lowValue: limit?.side === 'low' ? limit.value : null,
      durationMs: duration * 1_000,
      condition: readableCondition(expression, duration),
      isNamed: () => true,
    }
    const units = unitsOf(drawn)
    return { name, expression, drawn, limit, units, key, isSilence: isSilence(expression), trigger, labels }
  })
}

/** The metric of an alert that is not proven to be about one of the API. */
export function keyOfName(alertname: string): MetricKey {
  return { type: 'plugin', source: alertname, metric: alertname }
}

const idBase = 2 ** 50

/** The same in every run; from 2^50 up to a little over 2^50 + 2^48. */
function idOf({ name, query, duration, labels }: EngineRule): number {
  const text = JSON.stringify([name, query, duration, textOfLabels(new Map(Object.entries(labels)))])
  return idBase + createHash('sha256').update(text).digest().readUIntBE(0, 6)
}

/** The current rules, each parsed once: expressions are parsed again only if one has changed. */
export type RuleCache = {
  /** `isPartial`: those that are missing now are still there. */
  take(rules: readonly EngineRule[], isPartial?: boolean): void
  of(rule: Pick<EngineRule, 'name' | 'query' | 'duration' | 'labels'>): AlertRule | null
  all(): readonly AlertRule[]
  triggers(): readonly Trigger[]
}

export function openRuleCache(): RuleCache {
  let text = ''
  let taken: readonly EngineRule[] = []
  let all: readonly AlertRule[] = []
  let byText: ReadonlyMap<string, AlertRule> = new Map()
  let triggers: readonly Trigger[] = []

  return {
    take(given, isPartial = false) {
      const listed = new Set(isPartial ? given.map(textOf) : [])
      const rules = isPartial ? [...given, ...taken.filter((one) => !listed.has(textOf(one)))] : given
      const texts = rules.map(textOf)
      const next = texts.join('\n')
      if (next === text) return
      text = next
      taken = rules.map((one) => ({ ...one, alerts: [] }))
      all = rulesOf(rules)
      byText = new Map(all.flatMap((rule, at) => (texts[at] === undefined ? [] : [[texts[at], rule]])))
      triggers = all.map(({ trigger }) => trigger)
    },
    of: (rule) => byText.get(textOf(rule)) ?? null,
    all: () => all,
    triggers: () => triggers,
  }
}

function textOf({ name, query, duration, labels }: Parameters<RuleCache['of']>[0]): string {
  return JSON.stringify([name, query, duration, Object.entries(labels).sort()])
}
