/** In front of Prometheus and Alertmanager: what is one alert, what it says, and what proves that it is over. */
import { describe, expect, test } from 'vitest'
import { Identity } from '../../src/service/prometheus/identity.ts'
import { Naming } from '../../src/service/prometheus/naming.ts'
import type { StoredAlert } from '../../src/service/source.ts'
import { type FakeRule, type Front, type Labels, openFront } from './worlds/engines.ts'
import { rows } from './worlds/rows.ts'
import { day, minute, startMs } from './worlds/town.ts'

const numbers = async (town: Front) => (await town.alerts()).map(({ id }) => id)

describe('what is one alert', () => {
  test('two of another sender that differ only by `replica` are two', async () => {
    const town = await openFront()
    for (const replica of ['0', '1']) town.manager.add({ alertname: 'Lag', replica })
    await town.rounds(1)
    expect(await town.alerts()).toHaveLength(2)
    town.engine.reload({ replica: 'a' })
    await town.rounds(3)
    expect(await town.alerts()).toHaveLength(2)
  })

  test('copies of a pair are one, muted only if both are, open while one of them is', async () => {
    const town = await openFront()
    town.engine.reload({ cluster: 'eu', replica: 'a' })
    const rule = town.engine.rule('Busy')
    town.fire(rule, { instance: 'web-1:9100' })
    town.manager.add({ alertname: 'Busy', instance: 'web-1:9100', cluster: 'eu', replica: 'b' })
    await town.rounds(2)
    const [alert, ...others] = await town.alerts()
    expect(others).toEqual([])
    expect(alert?.labels).toEqual({ alertname: 'Busy', instance: 'web-1:9100', cluster: 'eu' })
    const silence = (replica: string) =>
      town.manager.post({
        matchers: [{ name: 'replica', value: replica, isRegex: false, isEqual: true }],
        startsAt: new Date(town.clock.nowMs()).toISOString(),
        endsAt: new Date(town.clock.nowMs() + day).toISOString(),
        createdBy: 'ana',
        comment: 'disk',
      })
    silence('a')
    await town.rounds(1)
    expect((await town.alerts())[0]).not.toHaveProperty('muted_by')
    silence('b')
    await town.rounds(1)
    expect((await town.alerts())[0].muted_by).toMatchObject([
      { by: 'ana', why: 'disk', ours: false },
      { by: 'ana' },
    ])
    town.manager.remove({ replica: 'a' })
    await town.rounds(3)
    expect(await numbers(town)).toEqual([alert?.id])
  })

  test('two database replicas of a rule are two, also of a pair, also when the rule has forgotten them', async () => {
    const town = await openFront()
    town.engine.reload({ replica: 'a' })
    const rule = town.engine.rule('ReplicaLag')
    for (const replica of ['db-0', 'db-1']) town.fire(rule, { replica })
    await town.rounds(1)
    const ids = await numbers(town)
    expect(ids).toHaveLength(2)
    rule.alerts = []
    await town.rounds(3)
    expect(await numbers(town)).toEqual(ids)
  })

  test('and also when the service has begun anew since', () => {
    const open = [{ key: '[["alertname","Lag"],["replica","db-0"]]', plugin: 'Lag', triggerId: 1 }]
    const identity = new Identity(open as StoredAlert[])
    identity.learn([{ replica: 'a' }], [])
    expect(identity.keyOf({ alertname: 'Lag', replica: 'db-1' })).toContain('db-1')
  })

  test('an external label that is added later makes no second alert, nor does one that goes', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Busy')
    town.fire(rule, { instance: 'web-1' })
    await town.rounds(1)
    const ids = await numbers(town)
    town.engine.reload({ cluster: 'eu' })
    town.manager.add({ alertname: 'Busy', instance: 'web-1', cluster: 'eu' })
    await town.rounds(3)
    expect(await numbers(town)).toEqual(ids)
    for (const external of [{}, { cluster: 'us' }]) {
      town.engine.reload(external)
      await town.rounds(3)
      expect(await numbers(town)).toEqual(ids)
    }
    expect(await town.alerts('end')).toEqual([])
  })

  test('two clusters behind one Alertmanager are two alerts of two servers, and each ends by its own rule', async () => {
    const town = await openFront({ engines: 2 })
    const hosts = async () => (await town.alerts()).map(({ server_name }) => server_name).sort()
    for (const [at, cluster] of ['eu', 'us'].entries()) {
      town.engines[at]?.reload({ cluster })
      const rule = town.engines[at]?.rule('Busy')
      rule?.alerts.push({ labels: { instance: 'web-1' }, state: 'firing', activeMs: startMs, value: 9 })
      town.manager.add({ alertname: 'Busy', instance: 'web-1', cluster })
    }
    await town.rounds(2)
    expect(await hosts()).toEqual(['eu/web-1', 'us/web-1'])
    Object.assign(town.engine.rules[0] ?? {}, { alerts: [] })
    town.engine.query = (_, form) => [
      { metric: { instance: 'web-1' }, values: [[Number(form.get('end')), '9']] },
    ]
    for (const { id, server_name: name } of await town.alerts()) {
      const { status } = await town.api(`/metrics.json?metric_name=Busy&metric_type=cpu&alert=${id}`)
      expect([name, status]).toEqual([name, name === 'eu/web-1' ? 200 : 404])
    }
    town.manager.remove({ cluster: 'eu' })
    await town.rounds(2)
    expect(await hosts()).toEqual(['us/web-1'])
  })

  test('a kube-state-metrics that moves changes no alert', async () => {
    const town = await openFront()
    const of = (pod: string, instance: string) => ({
      job: 'kube-state-metrics',
      namespace: 'kube',
      pod,
      instance,
    })
    const rule = town.engine.rule('NodeNotReady', 'kube_node_status_condition == 0')
    town.engine.up = [of('kube-state-metrics-7c9d8b6f5-x2x4z', '10.0.0.1:8080')]
    town.fire(rule, { ...of('kube-state-metrics-7c9d8b6f5-x2x4z', '10.0.0.1:8080'), node: 'n1' })
    await town.rounds(1)
    const ids = await numbers(town)
    town.manager.alerts = []
    rule.alerts = []
    town.engine.up = [of('kube-state-metrics-7c9d8b6f5-bbbbb', '10.0.0.2:8080')]
    town.fire(rule, { ...of('kube-state-metrics-7c9d8b6f5-bbbbb', '10.0.0.2:8080'), node: 'n1' })
    await town.rounds(3)
    expect(await numbers(town)).toEqual(ids)
    expect(await town.alerts()).toMatchObject([{ server_name: 'n1' }])
  })

  test('`alert_relabel_configs` that drop or add a label keep value and rule', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Busy', 'x_bytes > 5')
    rule.alerts.push({
      labels: { instance: 'web-1', port: '80' },
      state: 'firing',
      activeMs: startMs - minute,
      value: 7,
    })
    town.manager.add({ alertname: 'Busy', instance: 'web-1', team: 'shop' })
    for (let n = 0; n < 70; n += 1) await town.rounds(1)
    expect(await town.alerts()).toMatchObject([{ metric_value: 7, units: 'bytes', limit: 5 }])
    expect((await town.api('/alerts.json')).body).not.toHaveProperty('doubt')
  })

  test('Grafana: its own labels tell nothing, what is normal is listed too, and its states have other names', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Disk', '[{"refId":"A"}]')
    const of = (instance: string, state: string) => ({
      labels: { instance },
      state,
      activeMs: startMs - minute,
      value: Number.NaN,
    })
    rule.alerts.push(of('web-1', 'Alerting'), of('web-2', 'Normal'), of('web-3', 'Normal (NoData)'))
    town.engine.faults = { runtimeinfo: 404 }
    const labels = { alertname: 'Disk', instance: 'web-1', __alert_rule_uid__: 'u', grafana_folder: 'ops' }
    town.manager.add(labels)
    await town.rounds(2)
    expect(await town.alerts()).toMatchObject([{ server_name: 'web-1', metric_value: null, title: 'Disk' }])
    town.manager.alerts = []
    Object.assign(rule.alerts[0] ?? {}, { state: 'Normal' })
    await town.rounds(3)
    expect(await town.alerts()).toEqual([])
  })

  test('a lost file makes the same numbers', async () => {
    const [one, two] = [await openFront(), await openFront()]
    for (const town of [one, two]) {
      const rule = town.engine.rule('Busy')
      town.fire(rule, { instance: 'web-1' })
      await town.rounds(town === one ? 1 : 40)
    }
    expect(await numbers(two)).toEqual(await numbers(one))
  })
})

describe('what it says', () => {
  async function only(
    query: string,
    labels: Labels,
    rest: Parameters<Front['engine']['rule']>[2] = {},
    value = 9,
  ) {
    const town = await openFront()
    const rule = town.engine.rule('Rule', query, rest)
    town.fire(rule, labels, value)
    await town.rounds(1)
    const [alert] = await town.alerts()
    return { town, alert: alert ?? {} }
  }

  test('without an Alertmanager its time is the firing, not the pending before it', async () => {
    const town = await openFront({ managers: 0 })
    const rule = town.engine.rule('Busy', 'x > 5', { for: 300 })
    rule.alerts.push({ labels: {}, state: 'pending', activeMs: startMs, value: 9 })
    await town.rounds(1)
    expect(await town.alerts()).toEqual([])
    town.clock.pass(301_000)
    for (const alert of rule.alerts) alert.state = 'firing'
    await town.rounds(1)
    expect(await town.alerts()).toMatchObject([{ time: new Date(startMs + 300_000).toISOString() }])
  })

  test('one that the Alertmanager has before its rule is asked comes with its value, by the next reading', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Busy')
    town.manager.add({ alertname: 'Busy' }, startMs + 1000)
    await town.rounds(1)
    expect(await town.alerts()).toEqual([])
    rule.alerts.push({ labels: {}, state: 'firing', activeMs: startMs, value: 9 })
    await town.rounds(1)
    expect(await town.alerts()).toMatchObject([{ metric_value: 9 }])
  })

  test('`up == 0` is no value of 0, but silence; a count of such targets is a number', async () => {
    const { alert } = await only('up == 0', { instance: 'web-1:9100', job: 'node' }, {}, 0)
    expect(alert).toMatchObject({
      metric_value: null,
      metric_name: 'seconds_since_report',
      title: 'web-1 sends no data',
    })
    expect(alert).not.toHaveProperty('limit')
    const { alert: count } = await only('count(up == 0) > 3', { job: 'node' }, {}, 4)
    expect(count).toMatchObject({ metric_value: 4, limit: 3, metric_name: 'Rule' })
  })

  test('a server of which another target answers is not silent', async () => {
    const town = await openFront()
    town.engine.up = [
      { instance: 'web-1:9100', job: 'node', value: '0' },
      { instance: 'web-1:8080', job: 'shop' },
    ]
    town.fire(town.engine.rule('TargetDown', 'up == 0'), { instance: 'web-1:9100', job: 'node' }, 0)
    await town.rounds(1)
    expect(await town.alerts()).toMatchObject([
      { metric_name: 'TargetDown', metric_value: null, title: 'TargetDown on web-1' },
    ])
  })

  test('annotations: title, description, links first the usual ones, then the graph', async () => {
    const annotations = {
      summary: 'Disk of\nweb-1',
      description: 'only 3 % left',
      other: 'https://a.example/x',
      runbook_url: 'https://r.example/',
      evil: 'javascript:alert(1)',
      secret: 'https://me:pw@a.example',
    }
    const { alert } = await only(
      'x_bytes < 5',
      { instance: 'web-1', severity: 'critical' },
      { annotations },
      3,
    )
    expect(alert).toMatchObject({
      title: 'Disk of web-1',
      description: 'only 3 % left',
      severity: 'critical',
      plugin_name: 'Rule',
      metric_name: 'Rule',
      units: 'bytes',
      limit: 5,
      limit_side: 'low',
      can_mute: true,
    })
    expect(alert.links.map(({ text }: { text: string }) => text)).toEqual(['Runbook', 'Other', 'Graph'])
    const { alert: bare } = await only('x > 5', {}, { annotations: { message: 'only 3 % left' } })
    expect([bare.title, bare.description]).toEqual(['only 3 % left', undefined])
  })

  test('labels over a limit are left out, whole', async () => {
    const { alert } = await only('x > 5', {
      instance: 'a',
      long: 'x'.repeat(257),
      many: 'y'.repeat(256),
    })
    expect(Object.keys(alert.labels).sort()).toEqual(['alertname', 'instance', 'many'])
  })

  test('one that is inhibited says by which', async () => {
    const town = await openFront()
    town.fire(town.engine.rule('NodeDown'), { node: 'n3' })
    town.fire(town.engine.rule('PodDown'), { namespace: 'pay', pod: 'web-0' })
    const [node, pod] = town.manager.alerts
    if (pod && node) pod.inhibitedBy = [JSON.stringify(Object.entries(node.labels).sort())]
    await town.rounds(1)
    const alerts = await town.alerts()
    expect(alerts.find(({ plugin_name }) => plugin_name === 'PodDown').muted_by).toEqual([
      { kind: 'inhibition', by: 'NodeDown on n3', ours: false },
    ])
  })

  test('of another sender with the name of a rule of ours: no value, no limit', async () => {
    const town = await openFront()
    town.engine.reload({ cluster: 'eu' })
    town.engine.rule('Busy', 'x > 5')
    town.manager.add({ alertname: 'Busy', cluster: 'us' })
    await town.rounds(1)
    const [alert] = await town.alerts()
    expect(alert).toMatchObject({ server_name: 'us', metric_value: null })
    expect(alert).not.toHaveProperty('limit')
  })

  test('of another sender without a name: it is told all the same', async () => {
    const town = await openFront()
    town.manager.add({ instance: 'web-1', severity: 'critical' })
    await town.rounds(1)
    const said = { plugin_name: 'Unnamed', title: 'an alert without a name', severity: 'critical' }
    expect(await town.alerts()).toEqual([expect.objectContaining(said)])
  })

  test('of two rules of one name, the one whose labels it has', async () => {
    const town = await openFront()
    town.engine.rule('Full', 'x > 80', { labels: { severity: 'warning' } })
    town.fire(town.engine.rule('Full', 'x > 95', { labels: { severity: 'critical' } }), {}, 97)
    town.engine.rules[1]?.alerts.pop()
    await town.rounds(1)
    expect(await town.alerts()).toMatchObject([{ limit: 95, severity: 'critical' }])
  })
})

describe('what proves that it is over', () => {
  const switches: Record<string, (town: Front, rule: FakeRule) => unknown> = {
    over: (town, rule) => town.resolve(rule),
    unlisted: ({ manager }) => Object.assign(manager, { alerts: [] }),
    pending: (_, { alerts }) => Object.assign(alerts[0] ?? {}, { state: 'pending' }),
    'rule gone': ({ engine }) => Object.assign(engine, { rules: [] }),
    'rule fails': (_, rule) => Object.assign(rule, { health: 'err' }),
    'rule waits': (_, rule) => Object.assign(rule, { lastEvaluation: 0 }),
    'other rule fails': ({ engine }) => engine.rule('Busy', 'y > 1', { health: 'err' }),
    'engine young': ({ engine, clock }) => Object.assign(engine, { startedMs: clock.nowMs() }),
    'engine ageless': ({ engine }) => Object.assign(engine, { faults: { runtimeinfo: 503 } }),
    'engine simple': ({ engine }) => Object.assign(engine, { faults: { runtimeinfo: 404 } }),
    'engine partial': ({ engine }) => Object.assign(engine, { warnings: ['a store is away'] }),
    'engine deaf': ({ engine }) => Object.assign(engine, { faults: { query: 500 } }),
    'ruler 2 away': ({ engines }) => Object.assign(engines[1] ?? {}, { faults: { rules: 500 } }),
    'rulers away': ({ engines }) => engines.map((one) => Object.assign(one, { faults: { rules: 500 } })),
    'manager young': ({ manager, clock }) => Object.assign(manager, { startedMs: clock.nowMs() }),
    'manager 2 away': ({ managers }) => Object.assign(managers[1] ?? {}, { faults: { alerts: 500 } }),
  }

  test.each(
    rows(
      ['changes', 'then'],
      `
    over                              | closed
    over, engine simple               | closed
    over, engine deaf                 | closed
    unlisted, rule gone               | closed
    unlisted, pending                 | open
    unlisted, manager young           | open
    over, rule fails                  | open
    over, rule waits                  | open
    over, other rule fails            | open
    over, engine young                | open
    over, engine ageless              | open
    over, engine partial              | open
    over, ruler 2 away                | open
    over, rulers away                 | open
    over, manager 2 away              | open
    unlisted, rule gone, manager young | open`,
    ),
  )('$changes: $then, and never by one reading', async ({ changes, then }) => {
    const town = await openFront({ engines: 2, managers: 2 })
    const rule = town.engine.rule('Busy')
    town.fire(rule, { instance: 'web-1' })
    await town.rounds(1)
    town.clock.pass(60 * minute)
    for (const name of changes.split(', ')) switches[name]?.(town, rule)
    const open = async (rounds: number) => {
      await town.rounds(rounds)
      return town.service.control.state().open_alerts.length
    }
    expect([await open(1), await open(2)]).toEqual([1, then === 'open' ? 1 : 0])
  })

  test('without an Alertmanager: a rule that is gone proves it after five minutes', async () => {
    const town = await openFront({ managers: 0 })
    const rule = town.engine.rule('Busy')
    town.fire(rule)
    await town.rounds(1)
    town.engine.rules = []
    await town.rounds(140)
    expect(await town.alerts()).toHaveLength(1)
    await town.rounds(15)
    expect(await town.alerts()).toEqual([])
  })

  test('an Alertmanager alone: its list counts once it has been up for five minutes', async () => {
    const town = await openFront({ engines: 0 })
    expect(town.reported).toEqual([expect.stringContaining('tells no values and no charts')])
    town.manager.add({ alertname: 'Busy', instance: 'web-1' })
    town.manager.startedMs = startMs
    await town.rounds(1)
    expect(await town.alerts()).toMatchObject([{ plugin_name: 'Busy', metric_value: null, title: 'Busy' }])
    town.manager.alerts = []
    await town.rounds(140)
    expect(await town.alerts()).toHaveLength(1)
    await town.rounds(15)
    expect(await town.alerts()).toEqual([])
  })

  test.each([
    ['answers for less than the rule needs', 200, 0, true],
    ['answers for long enough', 800, 0, false],
    ['is there again for less than the rule needs', 800, 400, true],
  ])('of kube-state-metrics, which %s', async (_, seconds, away, isOpen) => {
    const town = await openFront()
    const target = { job: 'kube-state-metrics', instance: '10.0.0.1:8080' }
    const rule = town.engine.rule('PodNotReady', 'kube_pod_status_phase > 0', { for: 600 })
    town.engine.up = [target]
    town.engine.query = (query) => {
      const nowS = town.clock.nowMs() / 1000
      const answering = Math.min(seconds, Number(/\[(\d+)s\]$/.exec(query)?.[1]))
      const values = Array.from({ length: answering / 30 + 1 }, (__, n): [number, string] => [
        nowS - answering + n * 30,
        '1',
      ])
      const isThere = ([at]: [number, string]) => nowS - at <= 60 || nowS - at > 60 + away
      return [{ metric: target, values: values.filter(isThere) }]
    }
    town.fire(rule, { namespace: 'pay', pod: 'web-0' })
    await town.rounds(1)
    town.resolve(rule)
    await town.rounds(3)
    expect(await town.alerts()).toHaveLength(isOpen ? 1 : 0)
  })

  test('of a kube-state-metrics that is away: after half an hour it does not come back', async () => {
    const town = await openFront()
    const rule = town.engine.rule('PodNotReady', 'kube_pod_status_phase > 0')
    town.engine.up = [{ job: 'kube-state-metrics', instance: '10.0.0.1:8080' }]
    town.fire(rule, { namespace: 'pay', pod: 'web-0' })
    await town.rounds(1)
    town.resolve(rule)
    town.engine.up = []
    town.clock.pass(29 * minute)
    await town.rounds(3)
    expect(await town.alerts()).toHaveLength(1)
    town.clock.pass(minute)
    await town.rounds(3)
    expect(await town.alerts()).toEqual([])
  })

  test('what fires for two minutes and no Alertmanager has is listed, with a doubt', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Busy')
    town.fire(rule, { instance: 'web-1' })
    town.manager.alerts = []
    await town.rounds(55)
    expect(await town.alerts()).toEqual([])
    await town.rounds(10)
    expect((await town.api('/alerts.json')).body).toMatchObject({
      doubt: '1 alert fires in the rules, and no Alertmanager has it',
      results: [{ plugin_name: 'Busy', metric_value: 9 }],
    })
  })

  test('what fires and is lost is not taken for one like it that the Alertmanager has', async () => {
    const town = await openFront()
    const rule = town.engine.rule('Busy')
    town.fire(rule, { instance: 'web-1' })
    town.fire(rule, { instance: 'web-1', port: '80' })
    town.manager.remove({ port: '80' })
    await town.rounds(65)
    expect(await town.alerts()).toHaveLength(2)
  })

  test('a rule that cannot be evaluated is named', async () => {
    const town = await openFront()
    town.engine.rule('Good')
    town.engine.rule('Broken', 'x > y', { health: 'err' })
    await town.rounds(1)
    const { doubts } = (await town.api('/targets.json')).body.source
    expect(doubts).toEqual([expect.stringMatching(/^the rule Broken cannot be evaluated/)])
  })

  test('what cannot be read is a refusal, without an address’ secrets, and said once', async () => {
    const town = await openFront()
    town.engine.faults = { rules: 500 }
    await town.rounds(5)
    const { status, body } = await town.api('/alerts.json')
    expect([status, body.message]).toEqual([
      502,
      expect.stringMatching(/^Prometheus at http:\S+ answered 500: on purpose$/),
    ])
    expect((await town.api('/targets.json')).body.source.problem).toBe(body.message)
    expect((await town.form('POST', '/servers/web-9', { notifications: 'false' })).status).toBe(502)
    expect(town.reported).toEqual([body.message])
  })
})

describe('servers and charts', () => {
  const pod = { namespace: 'pay', pod: 'payments-exporter-7c9d8b6f5-x2x4z', instance: '10.1.2.3:9308' }
  test.each<[string, Labels, string]>([
    [
      '`*exporter*` names an application, by its workload and no address',
      { job: 'payments-exporter', ...pod },
      'pay/payments-exporter',
    ],
    ['`host` labels are not ignored', { host: 'shop-1', job: 'shop' }, 'shop-1'],
    ['`server` labels are not ignored', { server: 'web-3:8080', job: 'haproxy' }, 'web-3'],
    ['nor are `nodename` labels', { nodename: 'n1', instance: '10.0.0.1:9100' }, 'n1'],
  ])('%s', (_, labels, host) => {
    expect(new Naming([]).nameOf(labels).host).toBe(host)
  })

  test('servers are what is scraped and what has alerts; roles are `role` and `job`, the environment is `env`', async () => {
    const town = await openFront()
    town.engine.up = [
      { instance: 'web-1:9100', job: 'node', role: 'web, eu', env: 'test' },
      { instance: '10.0.0.1:8080', job: 'kube-state-metrics' },
    ]
    town.fire(town.engine.rule('PodDown'), {
      namespace: 'pay',
      pod: 'web-7c9d8b6f5-x2x4z',
      job: 'kube-state-metrics',
    })
    await town.rounds(1)
    expect((await town.api('/roles.json')).body.result).toEqual({
      eu: ['web-1'],
      node: ['web-1'],
      web: ['web-1'],
    })
    expect((await town.api('/targets.json')).body.results).toMatchObject([
      { server: 'pay/web', environment: 'production' },
      { server: 'web-1', environment: 'test' },
    ])
  })

  test('a deleted server stays away, with its alerts, until it was gone for a day', async () => {
    const town = await openFront()
    town.fire(town.engine.rule('Busy'), { instance: 'web-1' })
    await town.rounds(1)
    await town.form('DELETE', '/servers/web-1')
    await town.rounds(2)
    expect(await town.alerts()).toEqual([])
    const before = town.manager.alerts
    const rules = town.engine.rules
    town.manager.alerts = []
    town.engine.rules = []
    town.clock.pass(day + minute)
    await town.rounds(1)
    town.manager.alerts = before
    town.engine.rules = rules
    await town.rounds(2)
    expect(await town.alerts()).toMatchObject([{ server_name: 'web-1' }])
  })

  const flat = (value: number, metric: Labels) => (_: string, form: URLSearchParams) => {
    const [from, to, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name)))
    const count = Math.floor(((to ?? 0) - (from ?? 0)) / (step ?? 1))
    return [
      {
        metric,
        values: Array.from({ length: count }, (__, n): [number, string] => [
          (from ?? 0) + n * (step ?? 1),
          String(value),
        ]),
      },
    ]
  }

  test('a comparison of two series draws both', async () => {
    const town = await openFront()
    town.fire(town.engine.rule('Behind', 'kafka_lag > kafka_limit'), { topic: 'pay', instance: 'k-1' })
    town.engine.query = (query, form) =>
      flat(query.startsWith('kafka_lag') ? 7 : 5, { topic: 'pay' })(query, form)
    await town.rounds(1)
    const [{ id }] = (await town.alerts()) as [{ id: number }]
    const { body } = await town.api(
      `/metrics.json?metric_name=Behind&metric_type=plugin&metric_source_name=Behind&alert=${id}`,
    )
    expect(body.metrics).toMatchObject([{ label: 'k-1' }, { label: 'k-1 (compared with)' }])
    expect(body.metrics.map(({ points }: { points: number[][] }) => points[5])).toEqual([
      [7, 7, 7],
      [5, 5, 5],
    ])
    expect(body.timestamps.every((ms: number) => Number.isInteger(ms) && ms % minute === 0)).toBe(true)
    const matchers = 'topic="pay",instance="k-1"'
    expect(town.engine.asked).toEqual(
      expect.arrayContaining([`kafka_lag{${matchers}}`, `kafka_limit{${matchers}}`]),
    )
  })

  test('where matchers would change what it says, the answer is filtered instead', async () => {
    const town = await openFront()
    const query = 'sum by (topic) (rate(lag[5m])) > 5'
    town.engine.reload({ cluster: 'eu' })
    await town.rounds(1)
    town.fire(town.engine.rule('Behind', query, { labels: { severity: 'page' } }), { topic: 'pay' })
    town.engine.query = (one, form) => [
      ...flat(1, { topic: 'other' })(one, form),
      ...flat(1, { topic: 'pay', cluster: 'us' })(one, form),
      ...flat(7, { topic: 'pay' })(one, form),
    ]
    await town.rounds(1)
    const [{ id }] = (await town.alerts()) as [{ id: number }]
    const { body } = await town.api(`/metrics.json?metric_name=Behind&metric_type=cpu&alert=${id}`)
    expect(body.metrics).toHaveLength(1)
    expect(body.metrics[0].points[0]).toEqual([7, 7, 7])
    expect(town.engine.asked).toContain('sum by (topic) (rate(lag[5m]))')
  })

  test('the usual metrics of hosts by template, of those that are asked for', async () => {
    const town = await openFront()
    town.engine.up = [
      { instance: 'web-1:9100', job: 'node' },
      { instance: 'web-2:9100', job: 'node' },
    ]
    town.engine.rule('Busy')
    town.engine.query = flat(40, { instance: 'web-2:9100' })
    await town.rounds(1)
    const { body } = await town.api('/metrics.json?metric_name=cpu_busy&metric_type=cpu&server=web-2')
    expect(body.metrics).toMatchObject([{ label: 'web-2', units: '%' }])
    expect(town.engine.asked.at(-1)).toContain('instance=~"web-2:9100"')
    expect((await town.api('/metrics.json?metric_name=nothing&metric_type=cpu')).status).toBe(404)
  })

  test('pushes are refused: a Prometheus takes them itself', async () => {
    const town = await openFront()
    const answer = await town.ask('/v1/metrics', { method: 'POST', body: '{}' })
    expect(answer).toMatchObject({
      status: 501,
      body: { message: expect.stringContaining('/api/v1/otlp/v1/metrics') },
    })
  })

  test('what was before the first start is read once, in runs, without what is open', async () => {
    const nowS = startMs / 1000
    const runs = {
      'web-1': [
        [-5.05 * 86_400, -4.95 * 86_400],
        [-7200, -3600],
      ],
      'web-2': [[-7200, 0]],
      // Just over: the readings would tell.
      'web-4': [[-1000, -120]],
      'web-3': [[-4000, -2000]],
    }
    const labels = { alertname: 'Busy', severity: 'critical' }
    const town = await openFront({
      prepare(engine, manager) {
        for (const instance of ['web-2', 'web-3']) manager.add({ ...labels, instance })
        engine.query = (query, form) =>
          Object.entries(query.startsWith('ALERTS') ? runs : {}).map(([instance, all]) => ({
            metric: { __name__: 'ALERTS', ...labels, alertstate: 'firing', instance },
            values: all
              .flatMap(([from = 0, to = 0]) =>
                Array.from({ length: (to - from) / 120 }, (_, n) => Math.round(nowS + from + n * 120)),
              )
              .filter((at) => at >= Number(form.get('start')) && at <= Number(form.get('end')))
              .map((at): [number, string] => [at, '1']),
          }))
      },
    })
    await town.rounds(2)
    const ended = await town.alerts('end')
    expect(ended.map(({ server_name, severity }) => [server_name, severity])).toEqual([
      ['web-1', 'critical'],
      ['web-1', 'critical'],
    ])
    expect(town.engine.asked.filter((query) => query.startsWith('ALERTS'))).toHaveLength(3)
  })
})
