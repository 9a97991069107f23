/** The API in front of a real Prometheus and a real Alertmanager: what fires is open, whatever of them is restarted, killed or frozen. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { openEngine, staysOpen } from './engine-town.ts'
import { openFront, openProxy } from './front.ts'
import { lacks, run } from './programs.ts'

const soon = { timeout: patienceMs, interval: 200 }
/** Each has processes of its own, and mostly waits for them. */
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test.concurrent
story(
  'a rule fires and is open, with all that is known of it, and closes when it holds no more',
  async (t) => {
    const { shop, at } = await openEngine(t)
    const front = await openFront(t, at)
    expect(await front.open()).toEqual([])
    shop.set('orders_waiting{shop="wéb \\"1\\" <!channel>"}', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    expect(await front.alerts('start')).toMatchObject([
      { metric_value: 120, title: 'orders wait in wéb "1" <!channel>', lifecycle: 'start' },
    ])
    expect((await front.ask('/triggers.json')).body.results).toMatchObject([
      { condition: 'orders_waiting > 100', max_value: 100, low_value: null, duration_in_seconds: 0 },
    ])
    expect((await front.ask('/roles.json')).body.result).toEqual({ shop: ['shop-1'], web: ['shop-1'] })
    shop.set('orders_waiting{shop="wéb \\"1\\" <!channel>"}', 1)
    await t.expect.poll(front.open, soon).toEqual([])
    expect(await front.alerts('end')).toMatchObject([{ server_hostname: 'shop-1', lifecycle: 'end' }])
  },
)

story(
  'a Prometheus that says what fires and not which servers there are is a problem, and said',
  async (t) => {
    const { at } = await openEngine(t)
    const proxy = await openProxy(t, at.prometheus)
    proxy.refuses = '/api/v1/query'
    const front = await openFront(t, { ...at, prometheus: proxy.url })
    expect(await front.open()).toEqual([expect.stringMatching(/^50\d: /)])
    const reported = () => front.reported.filter((line) => line.includes('servers'))
    const [refused, ...more] = reported()
    expect(refused).toMatch(/^which servers there are: .*503/)
    expect(more).toEqual([])
    expect(front.service.state()).toMatchObject({ source: { problem: expect.stringContaining('503') } })
    proxy.refuses = null
    await t.expect.poll(front.open, soon).toEqual([])
    expect(reported().slice(1)).toEqual([expect.stringMatching(/ says again which servers there are$/)])
    expect(front.service.state()).toMatchObject({ source: { problem: null } })
  },
)

story.for([
  ['the Alertmanager, which forgets everything', ['manager']],
  ['Prometheus', ['prometheus']],
  ['both at once', ['manager', 'prometheus']],
] as const)(
  'what fires stays open and is the same alert while %s is killed and started anew',
  async ([, who], t) => {
    // As it is by default: the Alertmanager hears of it again after a minute only.
    const engine = await openEngine(t, { resendDelay: '1m' })
    const front = await openFront(t, engine.at)
    engine.shop.set('orders_waiting', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    const before = await front.alerts('all')
    await Promise.all(who.map((one) => engine[one].kill()))
    // While one of them is away nothing is said, instead of too little.
    await t.expect
      .poll(front.open, soon)
      .toEqual([expect.stringMatching(/^50[234]: .*(refused|closed) the connection/)])
    await Promise.all(who.map((one) => engine[one].restart()))
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    const seen = await staysOpen(front.open)
    expect(seen).toEqual(['OrdersWaiting on shop-1'])
    expect(await front.alerts('all')).toEqual(before)
    engine.shop.set('orders_waiting', 1)
    await t.expect.poll(front.open, soon).toEqual([])
  },
)

story(
  'a Prometheus that hangs is an error in time, and what fires is the same when it goes on',
  async (t) => {
    const { shop, prometheus, at } = await openEngine(t)
    const front = await openFront(t, at)
    shop.set('orders_waiting', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    const before = await front.alerts('all')
    prometheus.signal('SIGSTOP')
    await t.expect
      .poll(front.open, soon)
      .toEqual([expect.stringMatching(/^504: .* did not answer within 5 s/)])
    prometheus.signal('SIGCONT')
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    expect(await front.alerts('all')).toEqual(before)
  },
)

story.for(['SIGSTOP', 'SIGKILL'] as const)(
  'one Alertmanager of two that is gone by %s hides nothing, and mutes go on',
  async (signal, t) => {
    const { shop, managers, at } = await openEngine(t, { alertmanagers: 2 })
    const front = await openFront(t, at)
    shop.set('orders_waiting', 120)
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    managers[0]?.signal(signal)
    expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    expect(await front.ask('/servers/shop-1', { notifications: 'false' })).toMatchObject({ status: 200 })
    const silences = await run('amtool', ['--alertmanager.url', managers[1]?.url ?? '', 'silence', 'query'])
    expect(silences).toContain('monbot')
    expect((await front.ask('/servers/shop-1', { notifications: 'true' })).status).toBe(200)
    managers[0]?.signal('SIGCONT')
  },
)

story(
  'an account that is off is one silence for everything, and an alert of a whole service is muted by its job',
  async (t) => {
    const { shop, prometheus, manager, at } = await openEngine(t)
    await prometheus.change({ rules: [{ alert: 'Slow', expr: 'sum by (job) (orders_waiting) > 100' }] })
    const front = await openFront(t, at)
    shop.set('orders_waiting', 120)
    await t.expect.poll(front.open, soon).toEqual(['Slow on shop'])
    await front.ask('/account', { notifications: 'false' })
    const suppressed = async () =>
      JSON.parse(
        await run('amtool', [
          '--alertmanager.url',
          manager.url,
          '-o',
          'json',
          'alert',
          'query',
          '-s',
          'Slow',
        ]),
      )
    await t.expect.poll(suppressed, soon).toMatchObject([{ status: { state: 'suppressed' } }])
    await front.ask('/account', { notifications: 'true' })
    await t.expect.poll(suppressed, soon).toEqual([])
    await front.ask('/servers/shop', { notifications: 'false' })
    await t.expect.poll(suppressed, soon).toMatchObject([{ status: { state: 'suppressed' } }])
    expect(await front.open()).toEqual(['Slow on shop'])
  },
)

story(
  'the past that Prometheus knows is there at the first start, days of it, and is not read again',
  async (t) => {
    const hourMs = 3_600_000
    const nowMs = Math.floor(Date.now() / 60_000) * 60_000
    const firing = (shop: string, fromMs: number, untilMs: number): string[] => {
      const labels = `{alertname="OrdersWaiting",alertstate="firing",instance="${shop}:9100",job="shop"}`
      const times = Array.from({ length: (untilMs - fromMs) / 60_000 }, (_, at) => fromMs + at * 60_000)
      return times.map((atMs) => `ALERTS${labels} 1 ${atMs / 1_000}`)
    }
    const lines = [
      // Over midnight of what is read at once, and twice on one day.
      ...firing('long', nowMs - 50 * hourMs, nowMs - 46 * hourMs),
      ...firing('often', nowMs - 9 * hourMs, nowMs - 8 * hourMs),
      ...firing('often', nowMs - 4 * hourMs, nowMs - 3 * hourMs),
      ...firing('old', nowMs - 20 * 24 * hourMs, nowMs - 20 * 24 * hourMs + hourMs),
    ]
    const { at } = await openEngine(t, { past: `# TYPE ALERTS gauge\n${lines.join('\n')}\n# EOF\n` })
    const first = await openFront(t, at)
    const over = await first.alerts('end')
    expect(over.map((one) => [one.server_hostname, Date.parse(one.time) - nowMs])).toEqual([
      ['often', -4 * hourMs],
      ['often', -9 * hourMs],
      ['long', -50 * hourMs],
    ])
    await first.service.close()
    const second = await openFront(t, at, { file: first.file })
    expect((await second.alerts('end')).map(({ id }) => id)).toEqual(over.map(({ id }) => id))
  },
)

story(
  'alerts that fire in Prometheus and never come to the Alertmanager are listed after two minutes',
  async (t) => {
    const { shop, prometheus, at } = await openEngine(t)
    await prometheus.change({ alertmanagers: [] })
    let aheadMs = 0
    const front = await openFront(t, at, { nowMs: () => Date.now() + aheadMs })
    shop.set('orders_waiting', 120)
    await t.expect
      .poll(async () => JSON.stringify(await (await fetch(`${at.prometheus}/api/v1/alerts`)).json()), soon)
      .toContain('firing')
    await t.expect.poll(front.open, soon).toEqual([])
    await wait(3_000)
    await front.open()
    aheadMs = 121_000
    await t.expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    expect(front.reported.join('\n')).toMatch(/1 alerts fire, and none of them has come to the Alertmanager/)
    const [before] = await front.alerts('start')
    await prometheus.change({ alertmanagers: at.alertmanagers })
    expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    expect(await front.alerts('all')).toMatchObject([{ id: before?.id }])
  },
)
