/** `npm run demo -- --prometheus`: a town with a real Prometheus in it, or a sentence that says what to install. */
import { expect, test } from 'vitest'
import { lacks } from '../service/prometheus/programs.ts'
import { startDemo } from '../support/demo-process.ts'

const soon = { timeout: 60_000, interval: 200 }

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'prometheus-node-exporter'))(
  'the demo with a real Prometheus shows an alert of a rule as a card, and leaves nothing behind when it is stopped',
  async () => {
    const demo = await startDemo(['--prometheus'])
    await expect
      .poll(demo.said, soon)
      .toMatch(/🚨 CRITICAL laptop OrdersWaiting.* 120 — 120 orders wait in the shop/)
    const [, url = ''] = /Prometheus {2,}(http:\/\/127\.0\.0\.1:\d+)\/alerts/.exec(demo.said()) ?? []
    expect((await fetch(`${url}/-/ready`)).status).toBe(200)
    expect(await demo.stop()).toBe(0)
    await expect(fetch(`${url}/-/ready`)).rejects.toThrow()
    expect(demo.said()).not.toContain('ended by itself')
  },
)

test('where Prometheus is not installed the demo says which packages to install, and starts without', async () => {
  const demo = await startDemo(['--prometheus'], '/usr/none')
  await expect
    .poll(demo.said, soon)
    .toContain(
      '--prometheus needs prometheus, prometheus-alertmanager, prometheus-node-exporter, not found here: ' +
        'apt-get install prometheus prometheus-alertmanager prometheus-node-exporter\n',
    )
  await expect.poll(demo.said, soon).toContain('monbot is on call.')
  expect(await demo.stop()).toBe(0)
})
