/** The metrics of a Prometheus for one test: a registry with servers, rules, and questions as `metrics.json` asks them. */
import { request } from 'undici'
import { expect } from 'vitest'
import type { AlertRecord } from '../../../src/service/alerts/alert-records.ts'
import type { MetricKey } from '../../../src/service/metrics/metric-key.ts'
import type { MetricsAnswer, MetricsQuestion } from '../../../src/service/metrics/metrics-query.ts'
import { openEngine } from '../../../src/service/prometheus/engine.ts'
import { type Metrics, openMetrics } from '../../../src/service/prometheus/metrics.ts'
import { namingByLabel } from '../../../src/service/prometheus/naming.ts'
import { rulesOf } from '../../../src/service/prometheus/rules.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { openRegistry, type Registry } from '../../../src/service/store/registry.ts'
import { engineRule } from './known-rules.ts'
import type { Ending } from './programs.ts'

export type MetricsTown = Metrics & {
  readonly registry: Registry
  /** Of all servers and the last five hours, unless it says otherwise. */
  ask(key: MetricKey, given?: Partial<MetricsQuestion>): Promise<MetricsAnswer>
  /** What each server has last, `[lowest, mean, highest]`; null where that is nothing. */
  last(key: MetricKey, given?: Partial<MetricsQuestion>): Promise<Record<string, readonly (number | null)[]>>
}

export function openMetricsTown(
  { onTestFinished }: Ending,
  parts: {
    readonly url: string
    readonly servers: readonly string[]
    readonly rules?: Readonly<Record<string, string>>
    readonly metrics?: Readonly<Record<string, string>>
    readonly nowMs?: () => number
    readonly timeoutMs?: number
  },
): MetricsTown {
  const { url, servers, nowMs = Date.now } = parts
  const registry = openRegistry(memoryLedger())
  for (const hostname of servers) {
    registry.addServer({ hostname, environment: 'production', kind: 'scraped' }, [
      hostname.split('-')[0] ?? '',
    ])
  }
  const engine = openEngine({ url, authorization: null }, parts.timeoutMs ?? 20_000)
  onTestFinished(() => engine.close())
  const rules = rulesOf(Object.entries(parts.rules ?? {}).map(([name, query]) => engineRule(name, query)))
  const settings = { serverLabel: 'instance', serviceless: 'job', metrics: parts.metrics ?? {} }
  const metrics = openMetrics({
    engine,
    settings,
    names: namingByLabel(settings),
    waysOf: (hostname) => [{ hostname, by: 'server', used: ['instance'] }],
    registry,
    rules: () => rules,
    alert: () => undefined,
    nowMs,
  })

  function ask(key: MetricKey, given: Partial<MetricsQuestion> = {}): Promise<MetricsAnswer> {
    return metrics.answer({
      key,
      server: null,
      environment: null,
      role: null,
      duration: '5 hours',
      display: 'range',
      ...given,
    })
  }

  return {
    ...metrics,
    registry,
    ask,
    async last(key, given) {
      const answer = await ask(key, given)
      return Object.fromEntries(answer.metrics.map(({ label, points }) => [label, points.at(-1) ?? []]))
    },
  }
}

/** Waits until an expression has so many series. */
export async function untilSeries(url: string, expression: string, count: number): Promise<void> {
  const query = new URLSearchParams({ query: `count(${expression}) or vector(0)` }).toString()
  await expect
    .poll(async () => {
      const { data } = (await (await request(`${url}/api/v1/query?${query}`)).body.json()) as {
        data: { result: { value: [number, string] }[] }
      }
      return Number(data.result[0]?.value[1])
    })
    .toBe(count)
}

/** An open alert of a rule, as the source keeps it. */
export function alertOf(
  labels: Readonly<Record<string, string>>,
  rule: string | null,
  given: Partial<AlertRecord> = {},
): AlertRecord {
  const nowMs = Date.now()
  const { alertname = '', instance = '' } = labels
  const hostname = instance.replace(/:\d+$/, '')
  return {
    id: 1,
    timeMs: nowMs,
    hostname,
    serverName: hostname,
    lifecycle: 'start',
    title: alertname,
    plugin: alertname,
    metric: alertname,
    value: 1,
    key: { type: 'plugin', source: alertname, metric: alertname },
    limit: null,
    triggerId: null,
    openedMs: nowMs - 60_000,
    isOpen: true,
    endedMs: null,
    closesAtMs: null,
    upstream: { fingerprint: 'f', labels, rule },
    ...given,
  }
}
