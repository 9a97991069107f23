/** The demo as a process: however it ends, its processes end with it; it takes no other port than the one that was said; and what it shows with a real Prometheus. */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { choosePorts } from '../../src/demo/ports.ts'
import { lacks } from '../service/worlds/real.ts'
import { startDemo } from '../support/demo-process.ts'
import { patienceMs } from '../support/patience.ts'

const soon = { timeout: patienceMs, interval: 100 }

async function startedDemo() {
  const demo = await startDemo([])
  await expect.poll(demo.said, soon).toMatch(/bot {10,}http:.*\/readyz\n[\s\S]*── posted in/)
  const found = demo.said().matchAll(/^ {2}(?:monitoring service|local Slack|bot) +(http:\/\/[\d.:]+)/gm)
  const addresses = [...found].map(([, url = '']) => url)
  const isThere = (url: string) =>
    fetch(url).then(
      () => true,
      () => false,
    )
  const there = () => Promise.all(addresses.map(isThere))
  expect(await there()).toEqual([true, true, true])
  return { demo, there }
}

test('service, workspace and bot end with a demo that is killed', async () => {
  const { demo, there } = await startedDemo()
  await demo.kill()
  await expect.poll(there, soon).toEqual([false, false, false])
})

/** Takes a port of this machine until the test is over. */
async function takenPort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  onTestFinished(() => void server.close())
  await Promise.race([once(server, 'listening'), once(server, 'error')])
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : wanted
}

test('a port that was said and is taken ends the demo with a sentence, and none is taken instead', async () => {
  const port = await takenPort()
  const demo = await startDemo([], undefined, port)
  expect(await demo.ended).toBe(1)
  expect(demo.said()).toBe(
    `PORT: ${port} is taken by another process, or not allowed; choose another, or 0 for any\n`,
  )
  expect(demo.kept()).toEqual([])
})

test.each(['abc', '-1', '70000', '80.5'])('PORT=%s is refused with what was expected', async (said) => {
  await expect(choosePorts(said)).rejects.toThrow(
    `PORT: expected a whole number from 0 to 65535; came ${JSON.stringify(said)}`,
  )
})

test('without a word about ports, one that is taken is told with the one in its place', async () => {
  await takenPort(8080)
  const { ports, moved } = await choosePorts(undefined)
  expect(ports.workspace).not.toBe(8080)
  expect(moved).toContain(
    `Port 8080 is taken by another process: the local Slack is on port ${ports.workspace} instead.`,
  )
})

test('no part is given a port that a system gives to others before the part is up, or that no browser opens', async () => {
  const { ports } = await choosePorts('0')
  expect(Object.values(ports).filter((port) => port <= 10_080 || port > 32_767)).toEqual([])
})

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'prometheus-node-exporter'))(
  'the demo with a real Prometheus shows an alert of a rule as a card, and leaves nothing behind when it is stopped',
  async () => {
    const demo = await startDemo(['--prometheus'])
    await expect
      .poll(demo.said, soon)
      .toMatch(/🚨 \*CRITICAL · laptop\* OrdersWaiting \*120\* \(limit 100\) — 120 orders wait in the shop/)
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
