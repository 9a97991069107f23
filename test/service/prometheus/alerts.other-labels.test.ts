/** Alerts whose labels at the Alertmanager are not those of the engine, or change: the same alert is known as the same one. */
import { expect, test } from 'vitest'
import { openAlertLog } from '../../../src/service/alerts/alert-log.ts'
import { draftOf } from '../../../src/service/prometheus/alerts.ts'
import { openEngine } from '../../../src/service/prometheus/engine.ts'
import { learnHistory } from '../../../src/service/prometheus/history.ts'
import { namingByLabel } from '../../../src/service/prometheus/naming.ts'
import { openRuleCache } from '../../../src/service/prometheus/rules.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'
import { exporter } from '../scrape/exporters.ts'
import {
  calm,
  engineAlert,
  firing,
  load,
  managed,
  openAlertTown as openTown,
  ruleOf,
  settings,
  startMs,
} from './made.ts'

test('an alert whose port an alert_relabel_config cuts off has its value, and stays open while an Alertmanager that was restarted lists nothing', () => {
  const town = openTown()
  const { instance: _, ...others } = load
  town.read([firing], [managed({ ...others, instance: 'web-1', cluster: 'eu' })])
  expect(town.log.list('start', 0)).toMatchObject([{ hostname: 'web-1', value: 5, limit: 4 }])
  for (let at = 0; at < 3; at += 1) town.read([firing], [], at * 1_000)
  expect(town.open()).toEqual(['LoadHigh on web-1'])
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.open()).toEqual([])
})

test('of two ports of one server each alert closes with its own', () => {
  const town = openTown()
  const other = { ...load, instance: 'web-1:9200' }
  const both = ruleOf('LoadHigh', { alerts: [engineAlert(load), engineAlert(other)] })
  town.read([both], [managed(load), managed(other)])
  for (let at = 0; at < 2; at += 1) town.read([firing], [managed(load)])
  expect(town.log.openAlerts().map(({ upstream }) => upstream?.labels.instance)).toEqual(['web-1:9100'])
})

test('an alert that another Prometheus sends, whose namesake here does not fire, stays open while an Alertmanager that was restarted lists nothing', () => {
  const town = openTown()
  const other = managed({ ...load, instance: 'web-7:9100', cluster: 'us' })
  town.read([calm], [other])
  for (let at = 0; at < 3; at += 1) town.read([calm], [], at * 1_000)
  expect(town.open()).toEqual(['LoadHigh on web-7'])
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.open()).toEqual([])
})

test('an alert whose external labels or port change while it fires is the same one, under the same id', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  const [first] = town.log.list('start', 0)
  for (let at = 0; at < 3; at += 1) town.read([firing], [managed({ ...load, cluster: 'eu' })])
  for (let at = 0; at < 3; at += 1) town.read([firing], [managed({ ...load, instance: 'web-1' })])
  expect(town.log.list('all', 0)).toEqual([first])
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.over()).toEqual(['LoadHigh on web-1'])
})

test('copies that two Prometheuses send by labels of their own are one alert, open until neither is listed', () => {
  const town = openTown()
  const [one, two] = ['a', 'b'].map((replica) => managed({ ...load, replica, prometheus_replica: replica }))
  if (one === undefined || two === undefined) throw new Error('there are two')
  town.read([firing], [one])
  const [first] = town.log.list('start', 0)
  expect(first?.upstream?.labels).toEqual(load)
  for (const listed of [[one, two], [two], [two], [one], [one, two]]) {
    for (let at = 0; at < 3; at += 1) town.read([firing], listed)
    expect(town.log.list('all', 0).map(({ id, isOpen }) => [id, isOpen])).toEqual([[first?.id, true]])
  }
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.over()).toEqual(['LoadHigh on web-1'])
})

test('the end of one copy says nothing of the other while an Alertmanager that was restarted may not have heard of it', () => {
  const town = openTown()
  town.read([firing], [managed({ ...load, replica: 'b' })])
  for (let at = 0; at < 3; at += 1) town.read([calm], [], at * 1_000)
  expect(town.open()).toEqual(['LoadHigh on web-1'])
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.open()).toEqual([])
})

test('what the Alertmanager hears of before the engine is asked gets its value and limit from the next reading', () => {
  const town = openTown()
  town.read([calm], [managed(load)])
  expect(town.log.list('start', 0)).toMatchObject([{ value: null, limit: null, metric: 'LoadHigh' }])
  town.read([firing], [managed(load)])
  const known = { value: 5, limit: 4, limitSide: 'high', metric: 'last_minute', title: 'LoadHigh' }
  expect(town.log.list('start', 0)).toMatchObject([known])
  // It is the engine's own now: that one can prove its end.
  for (let at = 0; at < 2; at += 1) town.read([calm], [], at * 1_000)
  expect(town.open()).toEqual([])
})

test('a copy that somebody is told of is told of, though the other is silenced', () => {
  const town = openTown()
  const muted = { state: 'suppressed', silencedBy: ['theirs'] } as const
  const of = (replica: string, given = {}) => managed({ ...load, replica }, given)
  town.read([firing], [of('a', muted), of('b')])
  expect(town.mutes()).toEqual([[]])
  town.read([firing], [of('a', muted), of('b', muted)])
  expect(town.mutes()).toEqual([['theirs']])
})

test.each([
  [
    'Thanos shows each copy with the external labels of its Prometheus',
    (replica: string) => ({ replica }),
    1,
  ],
  ["a database's own replicas are alerts of their own", () => ({}), 2],
])('%s', (_, ruleLabels, count) => {
  const replicas = ['a', 'b'].map((replica) => ({ ...load, replica }))
  const rules = replicas.map((labels) =>
    ruleOf('LoadHigh', { labels: ruleLabels(labels.replica), alerts: [engineAlert(labels)] }),
  )
  for (const listed of [null, replicas.map((labels) => managed(labels))]) {
    const town = openTown()
    for (let at = 0; at < 3; at += 1) town.read(rules, listed)
    expect(town.open()).toHaveLength(count)
    // A restarted Alertmanager lists nothing.
    for (let at = 0; at < 3; at += 1) town.read(rules, [], at * 1_000)
    expect(town.open()).toHaveLength(count)
    for (let at = 0; at < 2; at += 1) town.read([calm], [])
    expect(town.open()).toEqual([])
  }
})

test('copies that an earlier version kept apart go on, and nothing of them is closed that fires', () => {
  const town = openTown()
  const replicas = ['a', 'b'].map((replica) => managed({ ...load, replica }))
  for (const { fingerprint, labels } of replicas) {
    const draft = {
      fingerprint,
      labels,
      annotations: {},
      value: 5,
      rule: null,
      engineAlert: null,
      copies: [],
      mutedBy: [],
    }
    town.log.openUpstream(
      draftOf({ ...draft, startsAtMs: startMs }, namingByLabel(settings), new Set(), () => ({})),
    )
  }
  for (const listed of [replicas, replicas.slice(1), replicas]) {
    for (let at = 0; at < 3; at += 1) town.read([firing], listed)
    expect(town.log.list('start', 0)).toHaveLength(2)
  }
  for (let at = 0; at < 2; at += 1) town.read([calm], [])
  expect(town.log.list('end', 0)).toHaveLength(2)
})

test('an alert that fires by other labels, and is hidden by those, is the same one, and says so', () => {
  const town = openTown()
  town.read([firing], [managed(load)])
  const hidden = managed({ ...load, cluster: 'eu' }, { state: 'suppressed', silencedBy: ['theirs'] })
  for (let at = 0; at < 2; at += 1) town.read([firing], [hidden])
  expect(town.mutes()).toEqual([['theirs']])
  expect(town.log.list('all', 0)).toHaveLength(1)
})

test('5,000 alerts of one rule on one server do not hold up the service for seconds', () => {
  const town = openTown()
  const all = Array.from({ length: 5_000 }, (_, at) => ({ ...load, pod: `shop-${at}` }))
  const rules = [ruleOf('LoadHigh', { alerts: all.map((labels) => engineAlert(labels)) })]
  const listed = all.map((labels) => managed({ ...labels, cluster: 'eu' }))
  town.read(rules, listed)
  expect(cpuMsOf(() => town.read(rules, listed))).toBeLessThan(5_000)
  expect(town.log.openAlerts()).toHaveLength(5_000)
})

test('what fires now is not over in the past, also where its port was cut off on its way to the Alertmanager', async () => {
  const nowMs = Date.UTC(2026, 10, 22, 10)
  const values = [1, 2, 3].map((minutes) => [nowMs / 1_000 - minutes * 60, '1']).reverse()
  const result = ['web-1:9100', 'web-2:9100'].map((instance) => ({ metric: { ...load, instance }, values }))
  const url = await exporter((_, response) => {
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
  })
  const engine = openEngine({ url: new URL(url).origin, authorization: null }, 5_000)
  const ledger = { ...memoryLedger(), isKept: true }
  const log = openAlertLog({ ledger, form: 'flip', order: 'newest', nowMs: () => nowMs })
  const labels = { ...load, instance: 'web-1', cluster: 'eu' }
  const fires = {
    fingerprint: 'f',
    labels,
    annotations: {},
    value: null,
    rule: null,
    engineAlert: null,
    copies: [],
    mutedBy: [],
  }
  log.openUpstream(
    draftOf({ ...fires, startsAtMs: nowMs - 180_000 }, namingByLabel(settings), new Set(), () => ({})),
  )

  await learnHistory({
    engine,
    ledger,
    log,
    settings,
    naming: namingByLabel(settings),
    bearingOf: () => ({}),
    rules: openRuleCache(),
    nowMs: () => nowMs,
    report: () => {},
  })
  expect(log.list('start', 0).map(({ hostname }) => hostname)).toEqual(['web-1'])
  expect(log.list('end', 0).map(({ hostname }) => hostname)).toEqual(['web-2'])
})
