/** What somebody silenced at a real Alertmanager, or another alert inhibits, in front of it. */
import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { openEngine, staysOpen, waiting } from './engine-town.ts'
import { openFront } from './front.ts'
import { lacks, run } from './programs.ts'

const soon = { timeout: patienceMs, interval: 200 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test

story(
  'what somebody silences elsewhere stays open and says who and until when, also when the service is started anew, and is itself again afterwards',
  async (t) => {
    const { shop, managers, manager, at } = await openEngine(t, { alertmanagers: 2 })
    const first = await openFront(t, at)
    let front = first
    const amtool = (...args: string[]) => run('amtool', ['--alertmanager.url', manager.url, ...args])
    const told = async () =>
      (await front.alerts('all')).map(({ id, lifecycle, title }) => [id, lifecycle, title])
    shop.set('orders_waiting', 120)
    await expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
    const before = await told()
    await front.ask('/servers/shop-1', { notifications: 'false' })
    await staysOpen(front.open)
    expect(await told()).toEqual(before)

    const [[id, , title] = []] = before
    const duration = ['--comment=x', '--author=ben', '--duration=2h']
    const silence = (await amtool('silence', 'add', 'alertname=OrdersWaiting', ...duration)).trim()
    const remark = / \(silenced by ben until (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\)$/
    const said = [[id, 'start', expect.stringMatching(remark)]]
    await expect.poll(told, soon).toEqual(said)
    expect(String((await told())[0]?.[2]).replace(remark, '')).toBe(title)
    managers[1]?.signal('SIGSTOP')
    expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1'])
    managers[1]?.signal('SIGCONT')
    await front.ask('/servers/shop-1', { notifications: 'true' })
    expect(await amtool('silence', 'query')).not.toContain('monbot')
    // With what it knew, and knowing nothing.
    for (const file of [first.file, null]) {
      await front.service.close()
      front = await openFront(t, at, file === null ? {} : { file })
      await expect.poll(told, soon).toEqual(said)
    }
    await amtool('silence', 'expire', silence)
    await expect.poll(told, soon).toEqual(before)
  },
)

story('what another alert inhibits stays open and says so', async (t) => {
  const config = {
    route: { receiver: 'nobody' },
    receivers: [{ name: 'nobody' }],
    inhibit_rules: [
      { source_matchers: ['alertname="Outage"'], target_matchers: ['alertname=~"OrdersWaiting|Late"'] },
    ],
  }
  const { shop, prometheus, at } = await openEngine(t, { config })
  const front = await openFront(t, at)
  shop.set('orders_waiting', 120)
  await expect.poll(front.open, soon).toEqual(['OrdersWaiting on shop-1'])
  const titles = async () => (await front.alerts('start')).map(({ title }) => title).sort()
  const [own = ''] = await titles()
  const outage = { alert: 'Outage', expr: 'orders_waiting > 110' }
  await prometheus.change({ rules: [waiting, outage] })
  await expect.poll(titles, soon).toEqual([`${own} (inhibited)`, 'orders_waiting > 110'].sort())
  // One that is inhibited from the start is nobody's news.
  const late = { alert: 'Late', expr: 'orders_waiting > 50' }
  await prometheus.change({ rules: [waiting, outage, late] })
  expect(await staysOpen(front.open)).toEqual(['OrdersWaiting on shop-1 and Outage on shop-1'])
  shop.set('orders_waiting', 105)
  await expect.poll(titles, soon).toEqual([own, 'orders_waiting > 50'].sort())
})
