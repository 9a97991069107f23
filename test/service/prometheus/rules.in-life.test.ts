/** What alerts of real rules say in front of a real Prometheus: nothing but what their rules say. */
import { expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { patienceMs } from '../../support/patience.ts'
import { exporterOf } from '../scrape/exporters.ts'
import { clusterTargets, pastOf } from './cluster-hosts.ts'
import { clusterRules, recordings } from './cluster-rules.ts'
import { jobsOf, openNamed, rulesGiven } from './cluster-town.ts'
import type { Front, Listed } from './front.ts'
import { appText, hostText } from './life-hosts.ts'
import { type LifeRule, lifeRules } from './life-rules.ts'
import { untilSeries } from './metrics-town.ts'
import { type Ending, lacks } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const soon = { timeout: patienceMs, interval: 500 }
type Told = Listed & {
  readonly metric_name: string | null
  readonly trigger_id?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly units?: string
  readonly limit?: number
  readonly limit_side?: string
  readonly trouble?: string
}

async function openOnes(front: Front): Promise<readonly Told[]> {
  const all: Told[] = []
  for (let offset = 0; ; offset += 50) {
    const { body } = await front.ask(`/alerts.json?lifecycle=start&offset=${offset}`)
    const page = (body.results ?? []) as readonly Told[]
    all.push(...page)
    if (page.length < 50) return all
  }
}

/** As the bot asks for what an alert is now. */
async function readingOf(front: Front, alert: Told) {
  const query = new URLSearchParams({
    metric_type: 'plugin',
    metric_source_name: alert.plugin_name,
    metric_name: alert.metric_name ?? '',
    server: alert.server_hostname,
    duration: '5 hours',
    alert: String(alert.id),
  })
  const { body } = await front.ask(`/metrics.json?${query}`)
  const blocks = (body.metrics ?? []) as readonly { label: string; units: string; points: number[][] }[]
  const [block] = blocks
  const [lowest, , highest] = block?.points.at(-1) ?? []
  return { label: block?.label, units: block?.units, lowest, highest }
}

async function limitsOf(front: Front): Promise<ReadonlyMap<number, string>> {
  const { body } = await front.ask('/triggers.json')
  const triggers = body.results as readonly { id: number; max_value: number; low_value: number | null }[]
  return new Map(
    triggers.map(({ id, max_value: max, low_value: low }) => [
      id,
      low === null ? (max < 1e15 ? `high ${max}` : '') : `low ${low}`,
    ]),
  )
}

async function openTown(t: Ending, expected: readonly LifeRule[]): Promise<Front> {
  const away = `127.0.0.1:${await freePort()}`
  const host = await exporterOf(() => `${hostText()}\n`)
  const application = await exporterOf(() => `${appText()}\n`)
  const [manager] = await openAlertmanagers(t)
  const startMs = Date.now()
  const cluster = clusterTargets(startMs)
  const prometheus = await openPrometheus(t, {
    jobs: [
      { job: 'node', targets: [host], instance: 'web-1:9100' },
      { job: 'app', targets: [application], instance: 'app-1:8080' },
      { job: 'away', targets: [away], instance: 'web-2:9100' },
      { job: 'half', targets: [away], instance: 'web-3:9100' },
      { job: 'whole', targets: [application], instance: 'web-3:8080' },
      ...(await jobsOf(cluster)),
    ],
    alertmanagers: [manager?.url ?? ''],
    externalLabels: { cluster: 'prod', prometheus: 'monitoring/k8s', prometheus_replica: 'prometheus-k8s-0' },
    // Rules look back for many minutes.
    past: pastOf(cluster, startMs),
  })
  // Rates are what they should be once their time is filled.
  await untilSeries(prometheus.url, 'count_over_time(up[13s]) > 10', 5 + cluster.length)
  await prometheus.change({ recordings, rules: rulesGiven(expected) })
  const at = { prometheus: prometheus.url, alertmanagers: [manager?.url ?? ''] }
  return openNamed(t, at, { server: [{ jobs: 'postgres-exporter', templates: ['{server}'] }] })
}

const isNear = (one: number | null | undefined, value: number, by = 0.05) =>
  Number.isNaN(value) || (one != null && Math.abs(one - value) <= Math.abs(value) * by)

/** A scrape that came late at the edge of its ten seconds leaves a rate lower, and it stays what it was when the alert began. */
const begunWithin = ({ expression }: LifeRule) => (/rate|increase/.test(expression) ? 0.2 : 0.05)

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'an alert says what its rule does, of real rules for hosts, applications and a cluster, and nothing else',
  async (t) => {
    const expected = [...lifeRules, ...clusterRules]
    const front = await openTown(t, expected)
    const names = () => openOnes(front).then((all) => new Set(all.map((one) => one.plugin_name)))
    await expect.poll(names, soon).toEqual(new Set(expected.map(({ name }) => name)))
    const open = await openOnes(front)
    const limits = await limitsOf(front)

    /** Null: it says what its rule does. */
    async function faultOf(rule: LifeRule): Promise<string | null> {
      const { name, value, metric, units, limit, server, title, isMoving } = rule
      const isAsBegun = (found: number | null | undefined) => isNear(found, value, begunWithin(rule))
      const own = open.filter(
        (one) =>
          one.plugin_name === name &&
          one.title === title &&
          Object.entries(rule.labels).every(([label, its]) => one.labels?.[label] === its),
      )
      const hostname = `prod/${server}`
      const there = own.filter((one) => one.server_hostname === hostname)
      const one = there.find(({ metric_value: found }) => isAsBegun(found)) ?? there[0]
      if (one === undefined) {
        const others = open.filter(({ plugin_name }) => plugin_name === name)
        return `${name} is not on ${hostname}, but ${others.map((other) => `${other.server_hostname}: ${other.title}`).join(', ')}`
      }
      const limitSaid = limits.get(one.trigger_id ?? 0)
      const isSilence = metric === 'seconds_since_report'
      const beyond = { alertname: name, cluster: 'prod', severity: rule.severity, ...rule.labels }
      expect([name, one.labels]).toMatchObject([name, beyond])
      const limitTold = one.limit === undefined ? '' : `${one.limit_side} ${one.limit}`
      const said = `${name}: ${one.metric_name} ${one.metric_value} ${limitSaid}`
      if (one.metric_name !== metric || !isAsBegun(one.metric_value)) return said
      if (isSilence) return null
      if (limitTold !== limit || (one.units ?? '') !== units) return `${said}, told ${limitTold} ${one.units}`
      const now = await readingOf(front, one)
      const isAsNow = isMoving || [now.lowest, now.highest].every((found) => isNear(found, value))
      const isRight = limitSaid === limit && now.units === units && isAsNow
      return isRight && now.label === one.server_hostname ? null : `${said}, now ${JSON.stringify(now)}`
    }

    // The first steps of rates know less than their time.
    let left: readonly LifeRule[] = expected
    const faults = async () => {
      const all = await Promise.all(left.map(async (rule) => ({ rule, fault: await faultOf(rule) })))
      left = all.filter(({ fault }) => fault !== null).map(({ rule }) => rule)
      return all.flatMap(({ fault }) => fault ?? [])
    }
    await expect.poll(faults, { timeout: patienceMs, interval: 3_000 }).toEqual([])
    // Two volumes, or two rules of one name, are never the same trouble.
    expect(new Set(open.map(({ trouble = '' }) => trouble)).size).toBe(open.length)
  },
)
