/** How the metric of a key is read: by an expression from the file, as a host metric, a custom metric, or a rule's expression. Pure. */
import type { MetricKey } from '../metrics/metric-key.ts'
import type { Labels, Naming } from './naming.ts'
import type { Merge } from './points.ts'
import { filtered, matchersText } from './promql.ts'
import { type Asked, customQuery, expressionQuery, hostQuery, type MetricQuery } from './queries.ts'
import type { AlertRule } from './rules.ts'
import type { PrometheusSettings } from './settings.ts'

export type Plan = {
  query(asked: Asked): MetricQuery
  /** Maps a series of its result to a server. */
  readonly hostnameOf: (labels: Labels) => string
  readonly merge: Merge
  readonly isRule: boolean
  /** Whether somebody wrote it: it may read anything, also rates over long times. */
  readonly isExpression: boolean
  /** Of a rule's expression. */
  readonly units?: string
}

type Settings = Pick<PrometheusSettings, 'serverLabel' | 'metrics'>

/** The ways to read it, best first; if one gives nothing, the next may. None: there is no such metric. */
export function planOf(
  key: MetricKey,
  parts: {
    readonly settings: Settings
    readonly naming: Naming
    readonly rules: readonly AlertRule[]
    readonly isCounter: boolean
  },
): readonly Plan[] {
  const { settings, naming, rules, isCounter } = parts
  const { serverLabel } = settings
  const hostnameOf = (labels: Labels): string => naming.of(labels).hostname
  const host = { hostnameOf, merge: 'highest', isRule: false, isExpression: false } as const
  const own = Object.hasOwn(settings.metrics, key.metric) ? settings.metrics[key.metric] : undefined
  if (own !== undefined) {
    const query = (asked: Asked): MetricQuery =>
      expressionQuery(withServer(own, serverLabel, asked), { by: asked.labels, side: 'max' }, asked)
    return [{ ...host, isExpression: true, query }]
  }
  if (hostQuery(key, { labels: [serverLabel], matchers: [], stepMs: 60_000 }) !== null) {
    return [{ ...host, query: (asked) => hostQuery(key, asked) ?? nothing }]
  }
  if (key.type === 'custom_metric') {
    return [{ ...host, merge: 'sum', query: (asked) => customQuery(key.metric, isCounter, asked) }]
  }
  const rule =
    key.type === 'plugin' && key.source === key.metric
      ? rules.find(({ name }) => name === key.metric)
      : undefined
  if (rule === undefined) return []
  const side = rule.limit?.side ?? 'max'
  const by = naming.ruleLabels
  const ofRule = {
    hostnameOf,
    merge: side === 'low' ? 'lowest' : 'highest',
    isRule: true,
    isExpression: true,
    units: rule.units,
  } as const
  return [
    {
      ...ofRule,
      query: (asked) => expressionQuery(filtered(rule.drawn, asked.matchers), { by, side }, asked),
    },
    // The inputs may lack the label, and then nothing passes the filter: the name of a service is in another label.
    { ...ofRule, query: (asked) => expressionQuery(rule.drawn, { by, side }, asked) },
  ]
}

const nothing: MetricQuery = { now: 'vector(0) < 0', over: () => 'vector(0) < 0' }

/** `$server` is never empty: an empty one beside a comma would be invalid PromQL. */
function withServer(expression: string, label: string, { matchers }: Asked): string {
  const any = { name: label, value: '.+', isRegex: true, isEqual: true }
  return expression.replaceAll('$server', () => matchersText(matchers.length === 0 ? [any] : matchers))
}
