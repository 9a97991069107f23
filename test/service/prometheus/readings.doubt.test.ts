/** Answers that say themselves that they are not complete, and engines without rules: what is known stays, what is missing proves nothing. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { openEngine, staysOpen } from './engine-town.ts'
import { openFront } from './front.ts'
import { type Answered, openGateway } from './gateway.ts'
import { settingsOf } from './made.ts'
import { lacks } from './programs.ts'

const soon = { timeout: patienceMs, interval: 200 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test.concurrent

type Envelope = { data: { groups?: object[]; result?: object[] }; warnings?: string[] }

/** As Thanos answers while a store is down: what that one had is missing, and a warning stands beside the rest. */
function withoutStore(answered: Answered): Answered {
  if (answered.status !== 200) return answered
  const whole = JSON.parse(answered.text) as Envelope
  if (whole.data.groups !== undefined) whole.data.groups = []
  if (whole.data.result !== undefined) whole.data.result = []
  whole.warnings = ['No StoreAPIs matched for this query: rpc error: http://reader:s3cret@store-1:10901']
  return { ...answered, text: JSON.stringify(whole) }
}

const doubts = (front: { readonly service: { state(): object } }) =>
  (front.service.state() as { source: { doubts: string[]; problem: string | null } }).source

story(
  'while a store is down, what it had stays: alerts open, servers known; it is said once, and over',
  async (t) => {
    const { shop, at } = await openEngine(t)
    const gateway = await openGateway(t, at.prometheus)
    const front = await openFront(t, { ...at, prometheus: gateway.url })
    shop.set('orders_waiting{shop="one"}', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    await t.expect
      .poll(async () => (await front.ask('/roles.json')).body.result, soon)
      .toEqual({ shop: ['shop-1'], web: ['shop-1'] })
    gateway.answers = (path, answered) => (path.startsWith('/api/v1/') ? withoutStore(answered) : answered)
    shop.set('orders_waiting{shop="one"}', null)
    for (const about of ['rules', 'servers']) {
      await t.expect
        .poll(() => doubts(front).doubts, soon)
        .toContainEqual(expect.stringMatching(new RegExp(`^${about}: No StoreAPIs`)))
    }
    t.expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    t.expect((await front.ask('/roles.json')).body.result).toEqual({ shop: ['shop-1'], web: ['shop-1'] })
    t.expect((await front.ask('/triggers.json')).body.results).toHaveLength(1)
    const listed = await front.ask('/alerts.json?lifecycle=start')
    t.expect(listed.body.doubt).toMatch(/^rules: No StoreAPIs .*; servers: No StoreAPIs /)
    const { source } = (await front.ask('/targets.json')).body as unknown as {
      source: ReturnType<typeof doubts>
    }
    t.expect(source.problem).toBeNull()
    t.expect(source.doubts).toContainEqual(expect.stringMatching(/^servers: No StoreAPIs/))
    gateway.answers = (_, answered) => answered
    await t.expect.poll(front.open, soon).toEqual([])
    await t.expect
      .poll(() => doubts(front).doubts.filter((one) => !one.startsWith('metrics')), soon)
      .toEqual([])
    const said = (about: string) => front.reported.filter((line) => line.includes(`(${about})`))
    for (const about of ['rules', 'servers']) {
      t.expect(said(about)).toEqual([
        expect.stringMatching(/ answers in part only \(\w+\): No StoreAPIs .*; /),
        expect.stringMatching(/ answers in whole again /),
      ])
    }
    t.expect(JSON.stringify([front.reported, source])).not.toContain('s3cret')
  },
)

story('what opens while answers are in part is open, with its value and its chart', async (t) => {
  const { shop, at } = await openEngine(t)
  const gateway = await openGateway(t, at.prometheus)
  gateway.answers = (path, answered) =>
    path.startsWith('/api/v1/')
      ? { ...answered, text: answered.text.replace(/\}$/, ',"warnings":["store-2 is away"]}') }
      : answered
  const front = await openFront(t, { ...at, prometheus: gateway.url })
  shop.set('orders_waiting{shop="one"}', 120)
  await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
  t.expect(await front.alerts('start')).toMatchObject([{ metric_value: 120 }])
  const chart = await front.ask(
    `/metrics.json?metric_type=plugin&metric_source_name=OrdersWaiting&metric_name=OrdersWaiting&server=shop-1&duration=5%20hours`,
  )
  t.expect([chart.status, chart.body.metrics]).toMatchObject([200, [{ label: 'shop-1' }]])
})

story('remarks on an expression are no doubt about the answer', async (t) => {
  const { shop, at } = await openEngine(t)
  const gateway = await openGateway(t, at.prometheus)
  const remark = 'PromQL info: metric might not be a counter, name does not end in _total'
  gateway.answers = (path, answered) =>
    path.startsWith('/api/v1/')
      ? {
          ...answered,
          text: answered.text.replace(/\}$/, `,"infos":["${remark}"],"warnings":["PromQL warning: odd"]}`),
        }
      : answered
  const front = await openFront(t, { ...at, prometheus: gateway.url })
  shop.set('orders_waiting{shop="one"}', 120)
  await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
  shop.set('orders_waiting{shop="one"}', 1)
  await t.expect.poll(front.open, soon).toEqual([])
  t.expect(doubts(front).doubts.some((one) => one.includes(remark))).toBe(true)
  t.expect(front.reported.filter((line) => line.includes(remark))).toHaveLength(1)
  t.expect(front.reported.join()).not.toContain('in part')
  t.expect((await front.ask('/alerts.json')).body.doubt).toBeUndefined()
})

story.for([
  ['has no address for rules', { status: 404, text: '404 page not found' }],
  [
    'lists no rules, as VictoriaMetrics does without vmalert',
    { status: 200, text: '{"status":"success","data":{"groups":[]}}' },
  ],
] as const)(
  'from an engine that %s, alerts come from the Alertmanager alone, and close by its word',
  async ([, answer], t) => {
    const { shop, at } = await openEngine(t)
    const gateway = await openGateway(t, at.prometheus)
    gateway.answers = (path, answered) => (path === '/api/v1/rules' ? answer : answered)
    let aheadMs = 0
    const front = await openFront(
      t,
      { ...at, prometheus: gateway.url },
      { nowMs: () => Date.now() + aheadMs },
    )
    shop.set('orders_waiting{shop="one"}', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    t.expect(await front.alerts('start')).toMatchObject([{ metric_value: null, title: 'orders wait in one' }])
    t.expect(doubts(front)).toMatchObject({
      problem: null,
      doubts: [
        expect.stringMatching(
          /^no alerting rules there: what the Alertmanager lists .* PROMETHEUS_RULES_URL$/,
        ),
      ],
    })
    t.expect(front.reported.filter((line) => line.includes('no alerting rules'))).toHaveLength(1)
    shop.set('orders_waiting{shop="one"}', 1)
    // Nobody has said for long enough that it is over: the Alertmanager has just been started.
    await wait(3_000)
    t.expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    aheadMs = 6 * 60_000
    await t.expect.poll(front.open, soon).toEqual([])
  },
)

story(
  'where neither rules nor an Alertmanager say what fires, that is a failure and no empty list',
  async (t) => {
    const { at } = await openEngine(t)
    const gateway = await openGateway(t, at.prometheus)
    gateway.answers = (path, answered) =>
      path === '/api/v1/rules' ? { status: 404, text: '404 page not found' } : answered
    const front = await openFront(t, { prometheus: gateway.url, alertmanagers: [] })
    t.expect(await front.open()).toEqual([
      expect.stringMatching(
        /^502: Prometheus at \S+ has no rules \(it answered 404\), and no Alertmanager is set/,
      ),
    ])
  },
)

story(
  'rules and queries at separate addresses: a ruler that goes away hides nothing of what it listed',
  async (t) => {
    const { shop, at } = await openEngine(t)
    const [ruler, querier] = [await openGateway(t, at.prometheus), await openGateway(t, at.prometheus)]
    ruler.demands = { 'x-scope-orgid': 'team-a' }
    querier.answers = (path, answered) => (path === '/api/v1/rules' ? { status: 404, text: '' } : answered)
    const settings = settingsOf({ ...at, prometheus: querier.url })
    const rules = [{ url: ruler.url, authorization: null, headers: { 'X-Scope-OrgID': 'team-a' } }]
    const front = await openFront(t, at, { prometheus: { ...settings, rules } })
    shop.set('orders_waiting{shop="one"}', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    t.expect(await front.alerts('start')).toMatchObject([{ metric_value: 120 }])
    t.expect(ruler.asked.every(({ path }) => path === '/api/v1/rules')).toBe(true)
    t.expect(querier.asked.some(({ path }) => path === '/api/v1/rules')).toBe(false)
    t.expect(querier.asked.every(({ headers }) => headers['x-scope-orgid'] === undefined)).toBe(true)
    // A 404 where rules were a moment ago is a failure, and not an engine without rules.
    ruler.answers = () => ({ status: 404, text: '' })
    await t.expect
      .poll(front.open, soon)
      .toEqual([expect.stringMatching(/^502: Prometheus at \S+ answered 404/)])
    ruler.answers = (_, answered) => answered
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
  },
)
