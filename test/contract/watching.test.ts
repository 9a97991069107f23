/** The rules and the dashboard for Prometheus: each rule fires where it should and nowhere else, and all name only metrics that are there. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { metricTable } from '../../src/bot/ops/metric-table.ts'
import { metricTable as serviceMetricTable } from '../../src/service/ops/metric-table.ts'
import { parse as parsePromql, partsOf, textAt } from '../../src/service/prometheus/syntax.ts'
import { lacks, run, tempFolder } from '../service/prometheus/programs.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const rulesFile = join(root, 'deploy/monbot.rules.yml')

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}
const rules: readonly Rule[] = parseYaml(read('deploy/monbot.rules.yml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)

/** Each metric with its labels; what Prometheus adds by itself, and what every Node process says of itself. */
const metrics = new Map<string, readonly string[]>([
  ['up', []],
  ['process_start_time_seconds', []],
  ['process_resident_memory_bytes', []],
  ['process_cpu_seconds_total', []],
  ['nodejs_eventloop_lag_p99_seconds', []],
  // Of node exporter and of kube-state-metrics.
  ['node_systemd_unit_state', ['name', 'state']],
  ['kube_cronjob_status_last_successful_time', ['cronjob']],
  ['kube_cronjob_created', ['cronjob']],
])
for (const { name, type, labels } of [...Object.values(metricTable), ...Object.values(serviceMetricTable)]) {
  const names =
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name]
  for (const one of names) metrics.set(one, type === 'histogram' ? [...labels, 'le'] : labels)
}
/** Of each series; Prometheus renames a label that the page has too. */
const added = ['job', 'instance']

/** The metrics of an expression with the labels that it asks for. Throws where Prometheus would not take it. */
function asked(expr: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  const source = parsePromql(expr)
  if (source === null) throw new Error(`expected PromQL; came ${expr}`)
  const found: { name: string; labels: string[] }[] = []
  const walk = (node: typeof source.top): void => {
    if (node.name === 'VectorSelector') {
      const [name = '', ...matchers] = partsOf(node).map((part) => textAt(source, part))
      const labels = [...matchers.join(' ').matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)]
      found.push({ name, labels: labels.map(([, label = '']) => label) })
    }
    for (const part of partsOf(node)) walk(part)
  }
  walk(source.top)
  return found
}

/** What a rule or a panel asks and nothing has. */
function unknownIn(expr: string): string[] {
  return asked(expr).flatMap(({ name, labels }) => {
    const known = metrics.get(name)
    if (known === undefined) return [name]
    return labels
      .filter((label) => !known.includes(label) && !added.includes(label))
      .map((label) => `${name}{${label}}`)
  })
}

test('the check sees a metric and a label that do not exist, and what is no PromQL', () => {
  expect(unknownIn('sum(rate(monbot_polls_total{outcome="done"}[5m])) > 0')).toEqual([])
  expect(unknownIn('monbot_polls{outcome="done"} > 0 or monbot_leads{who="a"} == 1')).toEqual([
    'monbot_polls',
    'monbot_leads{who}',
  ])
  expect(() => unknownIn('sum(up')).toThrow('expected PromQL')
})

test.each(rules)('$alert asks for what exists, and says how bad it is and what to do', (rule) => {
  expect(unknownIn(rule.expr)).toEqual([])
  expect(asked(rule.expr).length).toBeGreaterThan(0)
  expect(['critical', 'warning', 'info']).toContain(rule.labels.severity)
  expect(rule.annotations.description).toMatch(/^\S.{10,}[.]$/)
  // A label that the expression sums away would be an empty place in the sentence.
  const used = [...JSON.stringify(rule.annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
  const kept = /\bby \(([^)]*)\) \((?:increase|rate)/.exec(rule.expr)?.[1]?.split(', ')
  const own = asked(rule.expr).flatMap(({ name }) => [...(metrics.get(name) ?? []), 'job', 'instance'])
  for (const label of used) expect(kept ?? own, label).toContain(label)
})

test('docs/metrics.md has a row for every rule', () => {
  const table = /<!-- rules -->\n([\s\S]*?)<!-- \/rules -->/.exec(read('docs/metrics.md'))?.[1] ?? ''
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ').slice(0, 2))
  expect(rows).toEqual(rules.map(({ alert, labels }) => [`| \`${alert}\``, labels.severity]))
})

/** A series and its values, one a minute, as promtool writes them: `1x30` is thirty times the same. */
type Series = Readonly<Record<string, string>>

const at = '{job="monbot", instance="bot:3000"'
const beside = '{job="monbot", instance="bot-b:3000"'
const unit = 'node_systemd_unit_state{name="monbot-backup.service", state="failed"}'
const cronjob = '{namespace="monbot", cronjob="monbot-monitor-backup"}'
const served = '{job="monbot-monitor", instance="service:9090"'
/** A bot and a service that are well, for an hour. */
const well: Series = {
  [`up${at}}`]: '1x60',
  [`up${served}}`]: '1x60',
  [`monbot_build_info${at}, version="0.2.0", node="24.21.0"}`]: '1x60',
  [`process_start_time_seconds${at}}`]: '1000x60',
  [`process_start_time_seconds${served}}`]: '1000x60',
  [`monbot_blind_seconds${at}}`]: '0x60',
  [`monbot_poll_lag_seconds${at}}`]: '15x60',
  [`monbot_unreadable_records${at}, list="open"}`]: '0x60',
  [`monbot_unreadable_records${at}, list="past"}`]: '7x60',
  [`monbot_slack_ready${at}}`]: '1x60',
  [`monbot_cards_stopped_seconds${at}}`]: '0x60',
  [`monbot_troubled_channels${at}, why="no_token"}`]: '0x60',
  [`monbot_late_cards${at}}`]: '0x60',
  // Of long ago.
  [`monbot_dead_letters${at}}`]: '2x60',
  [`monbot_pager_failing_seconds${at}}`]: '0x60',
  [`monbot_retries_total${at}, what="card", reason="rate_limited"}`]: '0x60',
  [`monbot_copies_deleted_total${at}}`]: '3x60',
  [`monbot_memory_away_seconds${at}}`]: '0x60',
  [`monbot_leads${at}}`]: '1x60',
  [`monbot_standbys${at}}`]: '0x60',
  [`monbot_broken_jobs_total${at}, work="poll"}`]: '0x60',
  [`monbot_answer_seconds_bucket${at}, le="0.5"}`]: '0+10x60',
  [`monbot_answer_seconds_bucket${at}, le="10"}`]: '0+10x60',
  [`monbot_answer_seconds_bucket${at}, le="+Inf"}`]: '0+10x60',
  [unit]: '0x60',
  // 36 hours end after 30 minutes.
  [`kube_cronjob_created${cronjob}`]: '-127800x60',
  [`kube_cronjob_status_last_successful_time${cronjob}`]: '0x60',
  [`monbot_service_reading_age_seconds${served}}`]: '10x60',
  [`monbot_service_doubts${served}}`]: '0x60',
  [`monbot_service_upstream_requests_total${served}, product="prometheus", outcome="ok"}`]: '0+60x60',
  [`monbot_service_upstream_requests_total${served}, product="prometheus", outcome="away"}`]: '0+1x60',
  [`monbot_service_request_duration_seconds_bucket${served}, operation="GET /alerts.json", le="0.1"}`]:
    '0+4x60',
  [`monbot_service_request_duration_seconds_bucket${served}, operation="GET /alerts.json", le="10"}`]:
    '0+4x60',
  [`monbot_service_request_duration_seconds_bucket${served}, operation="GET /alerts.json", le="+Inf"}`]:
    '0+4x60',
}

type Story = {
  /** What is otherwise than `well`. */
  readonly series: Series
  /** Minutes; the trouble begins at 30. `quiet`: not yet, null: at once. */
  readonly quiet: number | null
  readonly fires: number
  /** Others that it brings along. */
  readonly also?: readonly string[]
}

const stories: Readonly<Record<string, Story>> = {
  MonbotAbsent: {
    series: {
      [`monbot_build_info${at}, version="0.2.0", node="24.21.0"}`]: '1x29 stale',
      [`up${at}}`]: '1x29 stale',
    },
    quiet: 32,
    fires: 34,
  },
  MonbotDown: { series: { [`up${beside}}`]: '1x29 0x30' }, quiet: 32, fires: 34 },
  MonbotRestarting: {
    series: { [`process_start_time_seconds${served}}`]: '1000x29 1030 1031 1032 1033x27' },
    quiet: 32,
    fires: 33,
  },
  MonbotCannotReadAlerts: {
    series: { [`monbot_poll_lag_seconds${at}}`]: '15x29 0+60x30' },
    quiet: 36,
    fires: 38,
  },
  MonbotUnreadableRecords: {
    series: { [`monbot_unreadable_records${at}, list="open"}`]: '0x29 1x30' },
    quiet: 39,
    fires: 41,
  },
  MonbotSlackNotReady: {
    series: { [`monbot_slack_ready${at}}`]: '1x29 0x30' },
    quiet: 31,
    fires: 33,
  },
  MonbotCardsStopped: {
    series: { [`monbot_cards_stopped_seconds${at}}`]: '0x29 120+60x30' },
    quiet: 30,
    fires: 32,
  },
  MonbotChannelTroubled: {
    series: { [`monbot_troubled_channels${at}, why="no_token"}`]: '0x29 1x30' },
    quiet: 34,
    fires: 36,
  },
  MonbotCardsLate: { series: { [`monbot_late_cards${at}}`]: '0x29 4x30' }, quiet: 31, fires: 33 },
  MonbotDeadCards: { series: { [`monbot_dead_letters${at}}`]: '2x29 3x30' }, quiet: null, fires: 31 },
  MonbotPagerFails: {
    series: { [`monbot_pager_failing_seconds${at}}`]: '0x29 120+60x30' },
    quiet: 30,
    fires: 32,
  },
  MonbotOnCallUnread: {
    series: {
      [`monbot_oncall_read_age_seconds${at}}`]: '0x29 3570+60x30',
      [`monbot_oncall_known${at}}`]: '1x59',
    },
    quiet: 32,
    fires: 37,
  },
  MonbotRateLimited: {
    series: { [`monbot_retries_total${at}, what="card", reason="rate_limited"}`]: '0x29 0+3x30' },
    quiet: 33,
    fires: 42,
  },
  MonbotSecondMessages: {
    series: { [`monbot_copies_deleted_total${at}}`]: '3x29 4x30' },
    quiet: null,
    fires: 31,
  },
  MonbotMemoryAway: {
    series: { [`monbot_memory_away_seconds${at}}`]: '0x29 30+60x30' },
    quiet: 30,
    fires: 31,
  },
  MonbotNobodyLeads: {
    series: { [`monbot_leads${at}}`]: '1x29 0x30', [`monbot_leads${beside}}`]: '0x60' },
    quiet: 30,
    fires: 32,
  },
  MonbotTwoLead: { series: { [`monbot_leads${beside}}`]: '0x29 1x30' }, quiet: 30, fires: 32 },
  MonbotNoStandby: { series: { [`monbot_standbys${at}}`]: '1x29 0x30' }, quiet: 34, fires: 36 },
  MonbotBrokenJobs: {
    series: { [`monbot_broken_jobs_total${at}, work="poll"}`]: '0x29 1x30' },
    quiet: null,
    fires: 31,
  },
  MonbotAnswersSlowly: {
    series: { [`monbot_answer_seconds_bucket${at}, le="0.5"}`]: '0+10x29 290x30' },
    quiet: 31,
    fires: 45,
  },
  MonbotBackupFails: { series: { [unit]: '0x29 1x30' }, quiet: 34, fires: 36 },
  MonbotServiceCannotRead: {
    series: { [`monbot_service_reading_age_seconds${served}}`]: '10x29 0+60x30' },
    quiet: 33,
    fires: 35,
  },
  MonbotServiceInDoubt: {
    series: { [`monbot_service_doubts${served}}`]: '0x29 1x30' },
    quiet: 44,
    fires: 46,
  },
  MonbotServiceUpstreamFails: {
    series: {
      [`monbot_service_upstream_requests_total${served}, product="prometheus", outcome="away"}`]:
        '0+1x29 29+30x30',
    },
    quiet: 35,
    fires: 55,
  },
  MonbotServiceSlow: {
    series: {
      [`monbot_service_request_duration_seconds_bucket${served}, operation="GET /alerts.json", le="0.1"}`]:
        '0+4x29 116x30',
    },
    quiet: 35,
    fires: 55,
  },
}

/** What fires at these minutes, as promtool tests it. */
function unitTest(series: Series, firing: readonly (readonly [minute: number, alerts: readonly string[]])[]) {
  return {
    interval: '1m',
    input_series: Object.entries({ ...well, ...series }).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: firing.map(([minute, alerts]) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minute}m`,
      exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    })),
  }
}

async function promtool(tests: readonly ReturnType<typeof unitTest>[]): Promise<string> {
  const file = join(tempFolder({ onTestFinished }), 'series.json')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }))
  return run('promtool', ['test', 'rules', file])
}

describe.skipIf(lacks('promtool'))('promtool, with series of a minute each', () => {
  test('takes the rules, and nothing fires while all is well', async () => {
    expect(Object.keys(stories)).toEqual(rules.map(({ alert }) => alert))
    await promtool([unitTest({}, [[59, []]])])
    await expect(promtool([unitTest({}, [[59, ['MonbotDown']]])])).rejects.toThrow('FAILED')
  })

  test.each(Object.entries(stories))('%s fires when it should, alone', async (alert, story) => {
    const { series, quiet, fires, also = [] } = story
    const calm = [29, ...(quiet === null ? [] : [quiet])].map((minute) => [minute, []] as const)
    expect(await promtool([unitTest(series, [...calm, [fires, [alert, ...also].toSorted()]])])).toContain(
      'SUCCESS',
    )
  })
})

describe.skipIf(lacks('promtool'))('a CronJob', () => {
  test.each([
    ['whose copies fail', { [`kube_cronjob_status_last_successful_time${cronjob}`]: '-127800x60' }],
    ['that has not made one yet', { [`kube_cronjob_status_last_successful_time${cronjob}`]: '_x60' }],
  ])('%s is told of after 36 hours', async (_, series) => {
    const told = ['MonbotBackupFails']
    expect(
      await promtool([
        unitTest(series, [
          [35, []],
          [37, told],
        ]),
      ]),
    ).toContain('SUCCESS')
  })
})

type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: unknown
  readonly targets?: readonly {
    readonly expr: string
    readonly refId: string
    readonly datasource: unknown
  }[]
}

test('the dashboard asks for what exists, of the datasource that is chosen, and no panel lies on another', () => {
  const dashboard = JSON.parse(read('deploy/monbot-dashboard.json'))
  const panels: readonly Panel[] = dashboard.panels
  expect(dashboard).toMatchObject({ id: null, uid: 'monbot', title: 'monbot' })
  expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36)
  const names = dashboard.templating.list.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['datasource', 'job', 'service'])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const chosen = { type: 'prometheus', uid: ['$', '{datasource}'].join('') }
  const cells = new Set<string>()
  for (const { type, title, gridPos, targets = [], datasource } of panels) {
    expect(title).not.toBe('')
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(cells.has(`${x},${y}`), title).toBe(false)
        cells.add(`${x},${y}`)
      }
    }
    if (type === 'row') continue
    expect(datasource).toEqual(chosen)
    expect(targets.length).toBeGreaterThan(0)
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    for (const target of targets) {
      expect(target.datasource).toEqual(chosen)
      // Grafana puts an interval there.
      const expr = target.expr.replaceAll('$__rate_interval', '5m')
      expect(unknownIn(expr), title).toEqual([])
      // Only the variables that there are.
      for (const [, name] of expr.matchAll(/\$\{?(\w+)/g)) expect(names).toContain(name)
    }
  }
})

test('the Prometheus of compose.yaml asks both programs, by the jobs that the rules name, and reads the rules', () => {
  const { scrape_configs: jobs, rule_files: files } = parseYaml(read('deploy/prometheus/prometheus.yml'))
  const { services } = parseYaml(read('compose.yaml'), { merge: true })
  const { prometheus } = services
  const mounted = (prometheus.volumes as string[]).map((volume) => volume.split(':'))
  expect(files).toContain(mounted.find(([from]) => from === './deploy/monbot.rules.yml')?.[1])
  for (const job of ['monbot', 'monbot-monitor']) {
    const [{ names = [], port = 0 } = {}] = jobs.find(
      ({ job_name: name }: { job_name: string }) => name === job,
    ).dns_sd_configs
    for (const name of names) expect(services[name]?.environment.PORT, name).toBe(String(port))
    expect(rules.some(({ expr }) => expr.includes(job))).toBe(true)
  }
})
